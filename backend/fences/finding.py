"""`ebb fences`: which fences or flushes a program needs under a memory model, and what goes wrong without each."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ebb.backend.abstraction.build import abstract
from ebb.backend.automata.build import build
from ebb.backend.checker.supervise import check_within
from ebb.backend.checker.verdicts import verdict
from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import Limits
from ebb.backend.extrapolation.methods import Method, extrapolated
from ebb.backend.extrapolation.sc_proof import Proof, read_proof
from ebb.backend.fences.checking import AbstractChecks, Failure
from ebb.backend.fences.hitting_sets import Points
from ebb.backend.fences.points import Point, points, points_of_fences, with_candidates, with_fences
from ebb.backend.fences.search import Found, learning, removal
from ebb.backend.verification.pipeline import Reduce, Settings
from ebb.formats import bp
from ebb.formats.ir import Predicate, Program
from ebb.formats.outcomes import Outcomes
from ebb.formats.verdict import Verdict

if TYPE_CHECKING:
    from ebb.backend.abstraction.cube_search import Knowledge

SearchName = Literal["learning", "removal"]

_RUN_LIMITS = Limits(max_states=100_000)  # of the search for a run that shows what a fence is for


@dataclass(frozen=True, slots=True)
class Request:
    """What is looked for, and how."""

    settings: Settings
    search: SearchName = "learning"
    start: bool = False  # from the fences of the program, instead of every point
    after_stores: bool = False  # only points after a store
    jobs: int = 1
    at_most: int | None = None  # placements, for a search by removal
    runs: bool = True  # whether to look for runs that go wrong without each fence


@dataclass(frozen=True, slots=True)
class WrongRun:
    """What happens without a fence of a minimal placement: a run of the program, or only one of its abstraction."""

    point: Point
    concrete: Outcomes | None
    abstract: Failure | None


@dataclass(slots=True)
class Placements:
    """The minimal placements for a program, if it can be mended."""

    program: Program
    model: str
    points: Sequence[Point]
    found: Found | None = None  # None if the program is not proved under SC
    sc_counterexample: Verdict | None = None
    sc_violation: Outcomes | None = None
    unproved: Failure | None = None  # why no placement is enough
    runs: list[WrongRun] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def placed(self, placement: Points) -> list[Point]:
        return [point for point in self.points if point.number in placement]


def find_placements(
    program: Program, predicates: Sequence[Predicate], file: str, request: Request, reduce: Reduce
) -> Placements:
    """All minimal placements; `file` is the one that the predicates stand in."""
    return _Finding(program, predicates, file, request, reduce).result()


class _Finding:
    def __init__(
        self, program: Program, predicates: Sequence[Predicate], file: str, request: Request, reduce: Reduce
    ) -> None:
        self.program = program
        self.predicates = predicates
        self.file = file
        self.request = request
        self.settings = request.settings
        self.reduce = reduce
        model = self.settings.model
        self.points = (
            points_of_fences(program, model)
            if request.start
            else points(program, model, after_stores=request.after_stores)
        )
        self.everywhere = with_candidates(program, self.points)

    def result(self) -> Placements:
        result = Placements(self.program, self.settings.model, self.points)
        begin = time.perf_counter()
        self.sc, _ = abstract(
            self.everywhere,
            [predicate.expression for predicate in self.predicates],
            self.settings.options,
            check=self.check_predicates,
        )
        automata = build(self.sc)
        engine = self.settings.engine
        under_sc = verdict(automata, check_within(automata, engine, self.settings.limits), "", engine, None)
        result.seconds["sc"] = time.perf_counter() - begin
        if under_sc.verdict != "safe":
            result.sc_counterexample = under_sc
            outcomes = explore(self.program, "sc", _RUN_LIMITS)
            result.sc_violation = outcomes if outcomes.violation is not None else None
            return result
        begin = time.perf_counter()
        checks = AbstractChecks(self.points, self.settings, self.built)
        everything = frozenset(point.number for point in self.points)
        if self.request.search == "removal":
            result.found = removal(everything, checks, self.request.at_most)
        else:
            above = everything if self.settings.model == "rma" else None
            result.found = learning(checks, self.request.jobs, from_above=above)
        result.seconds["search"] = time.perf_counter() - begin
        begin = time.perf_counter()
        if not result.found.minimal:
            result.unproved = checks.failure([everything])
        elif self.request.runs:
            first = result.found.minimal[0]
            result.runs = [self.without(point, first, checks) for point in result.placed(first)]
        result.seconds["runs"] = time.perf_counter() - begin
        return result

    def built(self, bound: int | None) -> tuple[Program, bp.Program]:
        reduced = self.reduce(self.everywhere, self.settings.model, bound or 1)
        method: Method = "predicates"
        if self.settings.method != "auto":
            method = self.settings.method
        elif self.settings.model == "rma":
            method = "program"
        proof = Proof([predicate.expression for predicate in self.predicates], {}, {}, [], [])
        if method != "predicates":
            proof = read_proof(self.sc, reduced)
        boolean, _ = extrapolated(reduced, proof, method, self.settings.options, pairs=self.settings.pairs)
        return reduced, boolean

    def check_predicates(self, knowledge: "Knowledge") -> None:
        from ebb.backend.abstraction.predicate_meaning import check_meaning

        check_meaning(knowledge, self.predicates, self.file)

    def without(self, point: Point, placement: Points, checks: AbstractChecks) -> WrongRun:
        fewer = placement - {point.number}
        model: Literal["tso", "pso", "rma"] = "rma"
        if self.settings.model in ("tso", "pso"):
            model = "tso" if self.settings.model == "tso" else "pso"
        outcomes = explore(with_fences(self.program, self.points, fewer), model, _RUN_LIMITS)
        if outcomes.violation is not None:
            return WrongRun(point, outcomes, None)
        return WrongRun(point, None, checks.failure([fewer]))
