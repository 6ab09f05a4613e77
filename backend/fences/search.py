"""All minimal placements: what a failed placement teaches is a clause, points of which one is needed.

Placements are monotone: whatever a program with more fences can do, one with fewer can. So a failed placement has a
clause, the points that its counterexample passes while something is still buffered: without one of those, the same run
is possible. A placement that meets every clause and is as small as can be is tried next; if it is proved, it is minimal
and a solution, else it teaches another clause. When no set meets all clauses without containing a solution, the
solutions are all the minimal placements there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from ebb.backend.fences.checking import Failure
from ebb.backend.fences.hitting_sets import Points, smallest_hitting_sets

_TOGETHER = 16  # placements that are checked at once


class Checks(Protocol):
    def failures(self, batches: Sequence[Sequence[Points]], *, expected: bool) -> list[Failure | None]:
        """For each batch None if the program is proved with all of its placements, else why not with one of them.

        Where a failure is expected, it pays to look for one first.
        """


@dataclass(slots=True)
class Found:
    """The minimal placements, and what it took to find them."""

    minimal: list[Points] = field(default_factory=list)
    clauses: list[Points] = field(default_factory=list)
    checked: int = 0
    complete: bool = True  # whether these are all; not if a limit ended the search


def learning(checks: Checks, jobs: int = 1, *, from_above: Points | None = None) -> Found:
    """Smallest hitting sets of what was learnt, until there are no more: one by one, and all the others of a size
    together when one has been proved, as these then mostly are.

    Where few fences make a check slow, it is better to know first which points are needed in any case: those without
    which the program is not proved although all others are there.
    """
    found = Found()
    proved: set[Points] = set()
    if from_above is not None and not _learn_from_above(from_above, checks, jobs, found, proved):
        return found
    together = 1
    while placements := list(islice(smallest_hitting_sets(found.clauses, found.minimal), together * jobs)):
        if known := [placement for placement in placements if placement in proved]:
            found.minimal += known
            continue
        batches = [batch for number in range(jobs) if (batch := placements[number::jobs])]
        failures = checks.failures(batches, expected=together == 1)
        for batch, failure in zip(batches, failures, strict=True):
            if failure is None:
                found.checked += len(batch)
                found.minimal += batch
            else:
                found.checked += 1
                found.clauses.append(failure.clause)
                found.complete &= not failure.undecided
        if not found.complete:
            break
        together = 1 if any(failures) else _TOGETHER
    found.minimal.sort(key=_order)
    return found


def _learn_from_above(everything: Points, checks: Checks, jobs: int, found: Found, proved: set[Points]) -> bool:
    """Learn which points are needed in any case; False if all of them together are not enough, or that is not to be
    found out."""
    todo = [everything, *(everything - {point} for point in sorted(everything))]
    while todo:
        batches = [[placement] for placement in todo[:jobs]]
        for (placement,), failure in zip(batches, checks.failures(batches, expected=True), strict=True):
            found.checked += 1
            if failure is None:
                proved.add(placement)
            else:
                found.clauses.append(failure.clause)
                found.complete &= not failure.undecided
        if frozenset() in found.clauses or not found.complete:
            return False
        todo = todo[jobs:]
    return True


def removal(everything: Points, checks: Checks, at_most: int | None = None) -> Found:
    """The RMA paper's search: from all fences, first each one is left out, then all that can be are, depth first."""
    found = Found()
    known: dict[Points, bool] = {}

    def proved(placement: Points) -> bool:
        if placement not in known:
            found.checked += 1
            known[placement] = checks.failures([[placement]], expected=True) == [None]
        return known[placement]

    if not proved(everything):
        return found
    removable = [point for point in sorted(everything) if proved(everything - {point})]
    seen: set[Points] = set()
    todo = [everything]
    while todo:
        placement = todo.pop()
        if placement in seen:
            continue
        seen.add(placement)
        if at_most is not None and found.checked >= at_most:
            found.complete = False
            break
        smaller = [placement - {point} for point in removable if point in placement]
        possible = [each for each in smaller if proved(each)]
        if not possible:
            found.minimal.append(placement)
        todo.extend(reversed(possible))
    found.minimal.sort(key=_order)
    return found


def _order(placement: Points) -> tuple[int, list[int]]:
    return len(placement), sorted(placement)
