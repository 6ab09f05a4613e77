"""Checks of placements, and what a failure teaches: without a point of its clause, every placement fails."""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import pytest

from ebb.backend.abstraction.build import abstract
from ebb.backend.abstraction.options import Options
from ebb.backend.checker.limits import Limits
from ebb.backend.extrapolation.methods import Method, extrapolated
from ebb.backend.extrapolation.sc_proof import Proof, read_proof
from ebb.backend.fences.checking import AbstractChecks
from ebb.backend.fences.hitting_sets import Points
from ebb.backend.fences.points import points, with_candidates
from ebb.backend.verification.pipeline import Settings
from ebb.formats import bp
from ebb.formats.ir import Program
from ebb.formats.verdict import Verdict
from ebb.frontend.ebb_source import parse
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_rma import reduce_rma
from ebb.passes.reduce_tso import reduce_tso

Model = Literal["tso", "pso", "rma"]

STORE_BUFFERING = """shared X = 0, Y = 0, Z = 0;
process P0 { local r = 1, s = 1; X = 1; s = Z; r = Y; }
process P1 { local r = 1; Y = 1; r = X; }
assert final (!(P0.r == 0 && P1.r == 0));
predicates { X == 0, Y == 0, P0.r == 0, P1.r == 0 }
"""
MESSAGE = """shared X = 0, Y = 0, Z = 0;
process P { X = 1; Z = 1; Y = 1; }
process R { local x = 0, y = 0, z = 0; y = Y; x = X; z = Z; assert (y == 0 || x == 1 && z == 1); }
predicates { X == 1, Y == 0, Z == 1, y == 0, x == 1, z == 1 }
"""
BRANCHES = """shared X = 0, Y = 0, C = 0;
process P { local c = 0, r = 1; c = C; if (c == 0) { X = 1; } else { X = 2; } r = Y; }
process Q { local r = 1; Y = 1; r = X; }
process S { C = 1; }
assert final (!(P.r == 0 && Q.r == 0));
predicates { X == 0, Y == 0, C == 0, c == 0, P.r == 0, Q.r == 0 }
"""
LOOP = """shared X = 0, Y = 0;
process P { local r = 1; again: X = 1; r = Y; if (r == 0) goto cs; X = 0; goto again; cs: skip; X = 0; goto again; }
process Q { local r = 1; Y = 1; r = X; if (r != 0) goto out; cs: skip; out: Y = 0; }
assert never (P@cs && Q@cs);
predicates { X == 0, Y == 0, P.r == 0, Q.r == 0 }
"""
REMOTE = """process A { shared X = 0, Y = 0; local x = 0, y = 0; y = Y; x = X; assert (y == 0 || x == 1); }
process B { shared One = 1, U = 1; put(X, A, One); put(Y, A, U); U = 0; }
predicates { X == 1, Y == 0, One == 1, U == 0, x == 1, y == 0 }
"""
CASES: list[tuple[str, Model]] = [
    (STORE_BUFFERING, "tso"),
    (STORE_BUFFERING, "pso"),
    (MESSAGE, "pso"),
    (BRANCHES, "tso"),
    (BRANCHES, "pso"),
    (LOOP, "pso"),
    (REMOTE, "rma"),
]


def reduced(program: Program, model: str, bound: int | None) -> Program:
    if model == "rma":
        return reduce_rma(program)
    return reduce_pso(program, bound or 1) if model == "pso" else reduce_tso(program, bound or 1)


def checks_of(text: str, model: Model) -> AbstractChecks:
    program = parse(text, "p.ebb")
    found = points(program, model)
    everywhere = with_candidates(program, found)
    predicates = [predicate.expression for predicate in program.predicates]
    sc, _ = abstract(everywhere, predicates, Options())

    def built(size: int | None) -> tuple[Program, bp.Program]:
        smaller = reduced(everywhere, model, size)
        method: Method = "program" if model == "rma" else "predicates"
        proof = read_proof(sc, smaller) if model == "rma" else Proof(predicates, {}, {}, [], [])
        boolean, _ = extrapolated(smaller, proof, method, Options(), pairs=False)
        return smaller, boolean

    settings = Settings(model, "auto", None, 6, False, "auto", Options(), Limits(None, None, None))
    return AbstractChecks(found, settings, built)


def all_placements(numbers: Sequence[int]) -> list[Points]:
    return [frozenset(chosen) for size in range(len(numbers) + 1) for chosen in combinations(numbers, size)]


@pytest.mark.parametrize(("text", "model"), CASES)
def test_what_a_failure_teaches(text: str, model: Model) -> None:
    checks = checks_of(text, model)
    everything = frozenset(point.number for point in checks.points)
    failures = {placement: checks.failure([placement]) for placement in all_placements(sorted(everything))}
    proved = {placement for placement, failure in failures.items() if failure is None}
    assert everything in proved
    assert len(proved) < len(failures)
    for placement, failure in failures.items():
        if failure is None:  # more fences never do harm
            assert {other for other in failures if placement < other} <= proved
            continue
        assert failure.placement == placement
        assert failure.clause
        assert not failure.clause & placement
        # More fences never do harm, so the largest placement without a point of the clause stands for all.
        assert everything - failure.clause not in proved, (sorted(placement), sorted(failure.clause))


@pytest.mark.parametrize(("text", "model"), [(STORE_BUFFERING, "tso"), (BRANCHES, "pso"), (REMOTE, "rma")])
def test_placements_checked_together(text: str, model: Model) -> None:
    checks = checks_of(text, model)
    everything = all_placements([point.number for point in checks.points])
    proved = [placement for placement in everything if checks.failure([placement]) is None]
    failing = [placement for placement in everything if placement not in proved]
    assert checks.failure(proved, expected=False) is None
    failure = checks.failure([*proved, *failing], expected=False)
    assert failure is not None
    assert failure.placement in failing


def test_buffers_that_fill_without_end_are_a_failure() -> None:
    text = """shared X = 0;
process P { again: X = 1; goto again; }
assert always (X <= 1);
predicates { X <= 1 }
"""
    checks = checks_of(text, "tso")
    failure = checks.failure([frozenset()])
    assert failure is not None
    assert failure.overflow
    everything = frozenset(point.number for point in checks.points)
    assert failure.clause == everything
    assert checks.failure([everything]) is None


class OnlyOneAtATime(AbstractChecks):
    """Reaches a limit with several placements at once, and says what is the case of each of them."""

    def checked(self, placements: Sequence[Points], bound: int | None, *, overflow_fails: bool = False) -> Verdict:
        found = super().checked(placements, bound, overflow_fails=overflow_fails)
        if len(placements) > 1:
            object.__setattr__(found, "verdict", "unknown")
        return found


def test_a_limit_that_only_several_placements_reach_says_nothing_of_each() -> None:
    checks = checks_of(STORE_BUFFERING, "tso")
    everything = all_placements([point.number for point in checks.points])
    proved = [placement for placement in everything if checks.failure([placement]) is None]
    assert len(proved) >= 3
    slow = OnlyOneAtATime(checks.points, checks.settings, checks.build_for)
    assert slow.failure(proved) is None
    failure = slow.failure([*proved, frozenset()])
    assert failure is not None
    assert failure.placement == frozenset()
