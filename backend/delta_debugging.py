"""Makes a Boolean program as small as it can be while it keeps a property, whatever that is.

    decl a, b, c;                                  decl a;
    void main() begin                              void main() begin
      b := *;                                        a := T;
      if (b) then c := F; else a := T; fi;    →      assert(!a);
      assert((!a & b) | c);                        end
    end

(as long as the program is unsafe, say). A *reduction* takes something away or puts something simpler in its place, and
does so in many places of a program. It is tried in all of them at once, then in halves, in quarters, and so on down to
single places, which is delta debugging (Zeller and Hildebrandt, 2002) with ranges of neighbours. When no reduction in
any single place keeps the property, the program is minimal. There is always such an end: no reduction makes a program
larger, and none undoes another.
"""

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b

from ebb.backend import shrink_comments, shrink_expressions, shrink_functions, shrink_statements, shrink_variables
from ebb.formats import bp
from ebb.formats.bp_check import check
from ebb.formats.bp_text import show_program
from ebb.formats.errors import InputError

Take = Callable[[], bool]
"""Asked once for each place, in the order of the text: shall it be reduced?"""

Reduction = Callable[[bp.Program, Take], bp.Program]
"""The program reduced in the places that are taken. The result need not pass the checks."""

Property = Callable[[bp.Program], bool]

# In the order in which they are tried: what takes away most comes first.
REDUCTIONS: Mapping[str, Reduction] = {
    "functions": shrink_functions.functions,
    "statements": shrink_statements.statements,
    "calls": shrink_functions.calls,
    "inner blocks": shrink_statements.inner_blocks,
    "branches": shrink_statements.branches,
    "atomic in functions": shrink_statements.atomic_in_functions,
    "atomic blocks": shrink_statements.atomic_blocks,
    "unused variables": shrink_variables.unused_variables,
    "variables by T": shrink_variables.variables_by(bp.TRUE),
    "variables by F": shrink_variables.variables_by(bp.FALSE),
    "variables by *": shrink_variables.variables_by(bp.Nondet()),
    "parameters": shrink_functions.parameters,
    "results": shrink_functions.results,
    "enforce": shrink_expressions.enforce,
    "constrain": shrink_expressions.constrain,
    "targets": shrink_variables.targets,
    "jumps": shrink_statements.jumps,
    "operands": shrink_expressions.operands,
    "one operand": shrink_expressions.one_operand,
    "expressions by T": shrink_expressions.expressions_by(bp.TRUE),
    "expressions by F": shrink_expressions.expressions_by(bp.FALSE),
    "expressions by *": shrink_expressions.expressions_by_choice,
    "actions": shrink_statements.actions,
    "labels": shrink_statements.labels,
    "comments": shrink_comments.comments,
    "marks": shrink_comments.marks,
    "roles": shrink_comments.roles,
}


def shrink(program: bp.Program, interesting: Property) -> bp.Program:
    """A program as small as it gets that is interesting, as the given one has to be."""
    for smaller in smaller_programs(program, interesting):
        program = smaller
    return program


def smaller_programs(program: bp.Program, interesting: Property) -> Iterator[bp.Program]:
    """Smaller and smaller programs that are interesting, as the given one has to be; the last one is minimal."""
    trials = _Trials(program, interesting)
    sizes = _halves
    while True:
        before = program
        for reduction in REDUCTIONS.values():
            for size in sizes(program, reduction):
                for smaller in _sweep(program, reduction, size, trials):
                    program = smaller
                    yield program
        if program is before:
            return
        sizes = _one


class _Trials:
    """Tries each program once, and only if it passes the checks."""

    def __init__(self, first: bp.Program, interesting: Property) -> None:
        self._interesting = interesting
        self._seen = {_digest(first)}

    def succeeds(self, program: bp.Program) -> bool:
        """That it was seen before means that it failed: a program that is interesting replaces all larger ones."""
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
    """Takes some places that follow each other."""

    def __init__(self, first: int, size: int) -> None:
        self._first = first
        self._last = first + size - 1
        self.asked = 0

    def __call__(self) -> bool:
        number = self.asked
        self.asked += 1
        return self._first <= number <= self._last


def _halves(program: bp.Program, reduction: Reduction) -> Iterator[int]:
    """All places at once, half of them, and so on."""
    everywhere = _Range(0, 0)
    reduction(program, everywhere)
    size = everywhere.asked
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
