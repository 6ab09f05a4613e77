"""Sets of points that have an element in common with every clause: the placements that nothing learnt rules out."""

from collections.abc import Collection, Iterator, Sequence

Points = frozenset[int]


def smallest_hitting_sets(clauses: Collection[Points], solutions: Collection[Points]) -> Iterator[Points]:
    """The smallest sets that meet every clause and contain no solution, all of one size; none if there is none.

    They are minimal: whoever takes a point away leaves a clause without one.
    """
    needed = sorted(_without_larger(clauses), key=lambda clause: (len(clause), sorted(clause)))
    most = len(frozenset[int]().union(*needed))
    for size in range(most + 1):
        found = False
        for hitting in _of_size(needed, list(solutions), size, frozenset(), frozenset()):
            found = True
            yield hitting
        if found:
            return


def _of_size(
    clauses: Sequence[Points], solutions: Sequence[Points], size: int, chosen: Points, refused: Points
) -> Iterator[Points]:
    """The sets with so many points that contain the chosen ones and none of the refused."""
    if any(solution <= chosen for solution in solutions):
        return
    open_clauses = [clause - refused for clause in clauses if not clause & chosen]
    if not open_clauses:
        if len(chosen) == size:
            yield chosen
        return
    if _apart(open_clauses) > size - len(chosen):
        return
    clause = min(open_clauses, key=lambda each: (len(each), sorted(each)))
    for point in sorted(clause):
        yield from _of_size(clauses, solutions, size, chosen | {point}, refused)
        refused |= {point}


def _apart(clauses: Sequence[Points]) -> int:
    """A number of points that is needed at least: so many of the clauses have nothing in common."""
    seen: set[int] = set()
    count = 0
    for clause in sorted(clauses, key=len):
        if seen.isdisjoint(clause):
            seen |= clause
            count += 1
    return count


def _without_larger(clauses: Collection[Points]) -> list[Points]:
    """The clauses that do not contain another one."""
    unique = set(clauses)
    return [clause for clause in unique if not any(other < clause for other in unique)]
