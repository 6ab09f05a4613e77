"""`ebb verify`: abstract under SC, reduce the memory model, extrapolate, check; larger buffers where they overflow.

A proof at a bound k is a proof for buffers of any size if no run needs more than k entries, that is, if no overflow is
reached; otherwise the bound is raised. An abstract counterexample may be spurious, so it is no verdict: *unknown*.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ebb.backend.abstraction.figures import Figures
from ebb.backend.abstraction.options import Options
from ebb.backend.checker.limits import Limits, Progress
from ebb.backend.extrapolation.methods import Method
from ebb.backend.extrapolation.pending import most_under_way
from ebb.backend.extrapolation.sc_proof import Proof
from ebb.formats import bp
from ebb.formats.ir import Predicate, Program
from ebb.formats.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from ebb.backend.abstraction.cube_search import Knowledge

Model = Literal["sc", "tso", "pso", "rma"]
MethodChoice = Literal["auto", "predicates", "cubes", "program"]


@dataclass(frozen=True, slots=True)
class Settings:
    model: Model
    method: MethodChoice = "auto"
    bound: int | None = None  # of the buffers; None: from 1 up to the largest
    largest_bound: int = 6
    pairs: bool = False  # RMA: predicates about elements of two sets
    engine: str = "auto"
    options: Options = field(default_factory=Options)
    limits: Limits = field(default_factory=lambda: Limits(None, None, None))


@dataclass(slots=True)
class Attempt:
    """One Boolean program that was built and checked."""

    bound: int | None
    method: str
    figures: Figures
    verdict: Verdict | None = None


@dataclass(slots=True)
class Verification:
    """The verdict on a program under a model, and how it came about."""

    program: Program
    model: Model
    predicates: int  # that were given
    verdict: Outcome = "unknown"
    reason: str = ""
    sc_figures: Figures | None = None  # of the SC abstraction that was extrapolated from
    attempts: list[Attempt] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)


Reduce = Callable[[Program, str, int], Program]  # a program, a model, a bound
Keep = Callable[
    [str, "Program | bp.Program | Verdict"], None
]  # what an intermediate product is called, and the product


def verify(
    program: Program,
    predicates: Sequence[Predicate],
    file: str,
    settings: Settings,
    reduce: Reduce,
    keep: Keep,
    progress: Progress | None = None,
) -> Verification:
    """The verdict; `file` is the one that the predicates stand in."""
    return _Run(program, predicates, file, settings, reduce, keep, progress).verification()


class _Run:
    def __init__(
        self,
        program: Program,
        predicates: Sequence[Predicate],
        file: str,
        settings: Settings,
        reduce: Reduce,
        keep: Keep,
        progress: Progress | None,
    ) -> None:
        self.program = program
        self.predicates = predicates
        self.file = file
        self.settings = settings
        self.reduce = reduce
        self.keep = keep
        self.progress = progress
        self.result = Verification(program, settings.model, len(predicates))
        self._sc: tuple[bp.Program, Figures] | None = None

    def verification(self) -> Verification:
        self.keep("ir.json", self.program)
        if self.settings.model == "sc":
            boolean, figures = self.sc_abstraction()
            attempt = Attempt(None, "predicates", figures)
            self.check(attempt, boolean, "sc")
            self.conclude(attempt)
            return self.result
        if self.settings.model == "rma":
            with self.timed("reduce"):
                reduced = self.reduce(self.program, "rma", 1)
            self.keep("rma.ir.json", reduced)
            self.conclude(self.attempt(reduced, None, "program"))
            return self.result
        bounds = [self.settings.bound] if self.settings.bound else range(1, self.settings.largest_bound + 1)
        for bound in bounds:
            if not self.overflows(bound):
                break
        return self.result

    def overflows(self, bound: int) -> bool:
        """Try to prove the program with buffers of that size; True if larger ones are needed."""
        model = self.settings.model
        with self.timed("reduce"):
            reduced = self.reduce(self.program, model, bound)
        self.keep(f"{model}.k{bound}.ir.json", reduced)
        methods: tuple[Method, ...] = (
            ("program", "predicates") if self.settings.method == "auto" else (self.settings.method,)
        )
        for method in methods:
            attempt = self.attempt(reduced, bound, method)
            self.conclude(attempt)
            if attempt.verdict is None or attempt.verdict.verdict != "unsafe":
                break
        assert attempt.verdict is not None
        return attempt.verdict.verdict == "unknown" and attempt.verdict.overflow is not None

    def attempt(self, reduced: Program, bound: int | None, method: Method) -> Attempt:
        from ebb.backend.extrapolation.methods import extrapolated

        proof = self.proof(reduced, method)
        with self.timed("extrapolate"):
            boolean, figures = extrapolated(
                reduced,
                proof,
                method,
                self.settings.options,
                pairs=self.settings.pairs,
                check=self.check_predicates,
            )
        attempt = Attempt(bound, method, figures)
        name = f"{self.settings.model}.{'' if bound is None else f'k{bound}.'}{method}"
        self.check(attempt, boolean, name, until_overflow=self.is_too_small(reduced, bound))
        return attempt

    def is_too_small(self, reduced: Program, bound: int | None) -> bool:
        """Whether a larger bound will be tried and is certain to do: then an overflow need not be searched around."""
        if bound is None:
            return False
        needed = most_under_way(reduced, self.settings.largest_bound)
        return self.settings.bound is None and needed is not None and bound < needed

    def proof(self, reduced: Program, method: Method) -> Proof:
        """What is extrapolated from; copies of predicates need no more than the predicates."""
        from ebb.backend.extrapolation.sc_proof import read_proof

        if method == "predicates" and self._sc is None:
            return Proof([predicate.expression for predicate in self.predicates], {}, {}, [], [])
        boolean, figures = self.sc_abstraction()
        self.result.sc_figures = figures
        return read_proof(boolean, reduced)

    def sc_abstraction(self) -> tuple[bp.Program, Figures]:
        from ebb.backend.abstraction.build import abstract

        if self._sc is None:
            with self.timed("abstract"):
                self._sc = abstract(
                    self.program,
                    [predicate.expression for predicate in self.predicates],
                    self.settings.options,
                    check=self.check_predicates,
                )
            self.keep("sc.bp", self._sc[0])
        return self._sc

    def check_predicates(self, knowledge: "Knowledge") -> None:
        from ebb.backend.abstraction.predicate_meaning import check_meaning

        check_meaning(knowledge, self.predicates, self.file)

    def check(self, attempt: Attempt, boolean: bp.Program, name: str, *, until_overflow: bool = False) -> None:
        from ebb.backend.automata.build import build
        from ebb.backend.checker.supervise import check_within
        from ebb.backend.checker.verdicts import verdict

        if name != "sc":
            self.keep(f"{name}.bp", boolean)
        with self.timed("check"):
            automata = build(boolean)
            answer = check_within(
                automata,
                self.settings.engine,
                self.settings.limits,
                self.progress,
                until_overflow=until_overflow,
            )
        attempt.verdict = verdict(automata, answer, f"{name}.bp", self.settings.engine, None)
        self.keep(f"{name}.verdict.json", attempt.verdict)

    def conclude(self, attempt: Attempt) -> None:
        """What the attempt means for the program."""
        self.result.attempts.append(attempt)
        found = attempt.verdict
        assert found is not None
        self.result.verdict = "safe" if found.verdict == "safe" else "unknown"
        match found.verdict:
            case "safe":
                self.result.reason = ""
            case "unsafe":
                self.result.reason = "the abstraction has a counterexample, which may be spurious"
            case "unknown":
                overflow = found.overflow is not None and found.reason.startswith("overflow")
                self.result.reason = (
                    f"a store buffer of {attempt.bound} {'entry' if attempt.bound == 1 else 'entries'} overflows"
                    if overflow
                    else found.reason
                )

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - begin
            self.result.seconds[stage] = self.result.seconds.get(stage, 0.0) + spent
