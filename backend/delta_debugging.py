"""The search for a smallest Boolean program that has a property, whatever that is.

A *reduction* takes something away, or puts something simpler in its place, and can do so in many places of a program.
It is tried in all of them at once, then in each half, in each quarter, and so on down to single places: that is delta
debugging (Zeller and Hildebrandt, 2002), with ranges of neighbours only. After that, single places are tried again and
again, until no reduction in any of them keeps the property: then the program is minimal. As no reduction undoes
another, there is always such an end.
"""

from collections.abc import Callable, Collection, Iterator
from hashlib import blake2b
from typing import TypeVar

from ebb.formats import bp
from ebb.formats.bp_check import check
from ebb.formats.bp_text import show_program
from ebb.formats.errors import InputError

Item = TypeVar("Item")

Take = Callable[[], bool]  # asked for one place after the other: shall it be reduced?
Reduction = Callable[[bp.Program, Take], bp.Program]  # what comes out need not pass the checks
Property = Callable[[bp.Program], bool]

_Sizes = Callable[[bp.Program, Reduction], Iterator[int]]  # how many places to try at once, one after the other


def smaller_programs(
    program: bp.Program, interesting: Property, reductions: Collection[Reduction]
) -> Iterator[bp.Program]:
    """Smaller and smaller programs that are interesting, as the given one has to be; the last one is minimal.

    The reductions are tried in their order. No program is tried twice, and none that does not pass the checks.
    """
    trials = _Trials(program, interesting)
    sizes: _Sizes = _halves
    while True:
        before = program
        for reduction in reductions:
            for size in sizes(program, reduction):
                for smaller in _sweep(program, reduction, size, trials):
                    program = smaller
                    yield program
        if program is before:
            return
        sizes = _one


def all_but_taken(items: tuple[Item, ...], take: Take) -> tuple[Item, ...]:
    """For a list that is never empty: if all are taken, the last one stays; if there is only one, nobody asks."""
    if len(items) == 1:
        return items
    return tuple(item for item in items if not take()) or items[-1:]


class _Trials:
    def __init__(self, first: bp.Program, interesting: Property) -> None:
        self._interesting = interesting
        self._seen = {_digest(first)}

    def succeeds(self, program: bp.Program) -> bool:
        """What was seen before has failed: if not, it would have taken the place of all that is larger."""
        digest = _digest(program)
        if digest in self._seen:
            return False
        self._seen.add(digest)
        try:
            check(program)
        except InputError:
            return False
        return self._interesting(program)


def _digest(program: bp.Program) -> bytes:
    return blake2b(show_program(program).encode()).digest()


class _Range:
    """Takes places that follow each other."""

    def __init__(self, first: int, size: int) -> None:
        self._range = range(first, first + size)
        self.asked = 0

    def __call__(self) -> bool:
        number = self.asked
        self.asked += 1
        return number in self._range


def _halves(program: bp.Program, reduction: Reduction) -> Iterator[int]:
    """The number of places, half of it, and so on down to one."""
    nowhere = _Range(0, 0)
    reduction(program, nowhere)
    size = nowhere.asked
    while size:
        yield size
        size //= 2


def _one(_program: bp.Program, _reduction: Reduction) -> Iterator[int]:
    yield 1


def _sweep(program: bp.Program, reduction: Reduction, size: int, trials: _Trials) -> Iterator[bp.Program]:
    """Smaller programs, from trying one range of places after the other."""
    first = 0
    while True:
        places = _Range(first, size)
        candidate = reduction(program, places)
        if places.asked <= first:
            return
        if trials.succeeds(candidate):
            program = candidate
            yield program
        else:
            first += size
