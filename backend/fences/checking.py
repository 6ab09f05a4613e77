"""Is a program proved with a placement of fences? The abstraction is built once, with a fence at every point.

A fence of a Boolean program is an `assume`. Without the fence it is nothing, so whichever fences are left out, the rest
of the Boolean program stays as it is. Several placements are checked together: a variable says whether a fence is there
that some of them have and others have not, and what the variables are at the beginning is one of the placements.

A counterexample shows where leaving a fence out made a difference: where it passes the place of the fence and the
condition does not hold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ebb.backend.automata.build import build
from ebb.backend.automata.expressions import conjunction, disjunction
from ebb.backend.automata.steps import State, possible
from ebb.backend.bp_rewriting import change_statements, with_action
from ebb.backend.checker.supervise import check_within
from ebb.backend.checker.verdicts import verdict
from ebb.backend.extrapolation.pending import most_under_way
from ebb.backend.fences.hitting_sets import Points
from ebb.backend.fences.points import Point, candidate
from ebb.backend.verification.pipeline import Settings
from ebb.formats import bp
from ebb.formats.ir import Process, Program, Skip
from ebb.formats.verdict import TraceStep, Verdict

Build = Callable[[int | None], tuple[Program, bp.Program]]  # for a bound: the reduced program, and its abstraction


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a program is not proved: a counterexample, or a run that fills the buffers; or a limit was reached."""

    placement: Points
    clause: Points
    verdict: Verdict
    bound: int | None
    overflow: bool = False

    @property
    def undecided(self) -> bool:
        """Whether a limit was reached: then nothing is known, and the clause is only what was not tried."""
        return self.verdict.verdict == "unknown"


@dataclass(slots=True)
class _Level:
    """The abstraction for one size of buffers, with the conditions of all fences."""

    reduced: Program
    boolean: bp.Program
    waits: dict[int, list[bp.Expression]] = field(default_factory=dict)


class AbstractChecks:
    def __init__(self, points: Sequence[Point], settings: Settings, build_for: Build) -> None:
        self.points = points
        self.settings = settings
        self.build_for = build_for
        self.levels: dict[int | None, _Level] = {}
        self.numbers = {candidate(point.number): point.number for point in points}

    def failures(self, batches: Sequence[Sequence[Points]], *, expected: bool) -> list[Failure | None]:
        if len(batches) == 1:
            return [self.failure(batches[0], expected=expected)]
        from ebb.backend.fences.in_parallel import failures

        return failures(self, batches, expected=expected)

    def failure(self, placements: Sequence[Points], *, expected: bool = True) -> Failure | None:
        """None if the program is proved with each of the placements."""
        for bound in self.bounds(placements, expected=expected):
            found = self.checked(placements, bound)
            if found.verdict == "safe":
                return None
            if found.verdict == "unsafe":
                return self.failed(found, placements, bound, overflow=False)
            if found.overflow is None:
                break
        return self.beyond(placements, found, bound)

    def bounds(self, placements: Sequence[Points], *, expected: bool) -> list[int | None]:
        """Small buffers, which show most violations; then one that is large enough, or larger and larger ones."""
        if self.settings.model == "rma":
            return [None]
        if self.settings.bound is not None:
            return [self.settings.bound]
        largest = self.settings.largest_bound
        needed = [most_under_way(self.placed(placement), largest) for placement in placements]
        enough = [bound for bound in needed if bound is not None]
        if len(enough) < len(needed):
            return [*range(1, largest + 1)]
        most = max(1, *enough)
        small = [1] if expected and most > 1 else []
        return [*small, 2, most] if most > 3 else [*small, most]

    def placed(self, placement: Points) -> Program:
        """A reduced program with fences at these points alone."""
        level = self.level(1)

        def each(process: Process) -> Process:
            body = []
            for instruction in process.body:
                number = self.numbers.get(instruction.note)
                if number in placement:
                    instruction = replace(instruction, note="fence")
                elif number is not None:
                    instruction = replace(instruction, action=Skip())
                body.append(instruction)
            return replace(process, body=tuple(body))

        return replace(level.reduced, processes=tuple(each(process) for process in level.reduced.processes))

    def level(self, bound: int | None) -> _Level:
        if bound not in self.levels:
            level = _Level(*self.build_for(bound))
            for function in level.boolean.functions:
                for statement in function.body:
                    if (number := self.number(statement)) is not None:
                        level.waits.setdefault(number, []).append(_condition(statement.action))
            self.levels[bound] = level
        return self.levels[bound]

    def number(self, statement: bp.Statement) -> int | None:
        """The point of a statement that waits, or would without this condition."""
        if statement.origin is None or isinstance(statement.action, bp.Goto):
            return None
        return self.numbers.get(statement.origin.note)

    def checked(self, placements: Sequence[Points], bound: int | None, *, overflow_fails: bool = False) -> Verdict:
        always = frozenset[int].intersection(*placements)
        varying = sorted(frozenset[int].union(*placements) - always)

        def each(statement: bp.Statement) -> bp.Statement:
            number = self.number(statement)
            if number is not None and number not in always:
                return with_action(statement, _waiting_if(statement.action, number if number in varying else None))
            if overflow_fails and statement.overflow:
                return replace(with_action(statement, bp.Assert(bp.FALSE)), overflow=False)
            return statement

        program = change_statements(self.level(bound).boolean, each)
        automata = build(_choosing(program, placements, varying) if varying else program)
        engine = self.settings.engine
        answer = check_within(automata, engine, self.settings.limits)
        return verdict(automata, answer, "", engine, None)

    def failed(self, found: Verdict, placements: Sequence[Points], bound: int | None, *, overflow: bool) -> Failure:
        values = found.trace[-1].values
        placement = next(
            each
            for each in placements
            if all(
                values.get(_variable(point.number), point.number in each) == (point.number in each)
                for point in self.points
            )
        )
        return Failure(placement, self.clause(found, placement, bound), found, bound, overflow)

    def clause(self, found: Verdict, placement: Points, bound: int | None) -> Points:
        """The points that the run cannot but pass while something is left that a fence would wait for.

        Passing one can be put off until the thread does something next: nobody can tell, and meanwhile more may have
        been done. One that a thread passes last need not be passed at all.
        """
        waits = self.level(bound).waits
        before_next: dict[str, State | None] = {}  # of each thread: the state in which it does something next
        needed: set[int] = set()
        for before, step in reversed(list(pairwise(found.trace))):
            if step.place is None or (_only_moves(step.place.statement) and self.passed(step) is None):
                continue
            thread, number = step.place.thread, self.passed(step)
            state: State | None = before.values
            if number is not None and not step.changed:
                state = before_next.get(thread)
            else:
                before_next[thread] = before.values
            if number is None or number in placement or state is None:
                continue
            if not any(True in possible(condition, state, state) for condition in waits[number]):
                needed.add(number)
        return frozenset(needed)

    def passed(self, step: TraceStep) -> int | None:
        if step.place is None or step.place.origin is None or step.place.statement.startswith("goto "):
            return None
        return self.numbers.get(step.place.origin.note)

    def beyond(self, placements: Sequence[Points], found: Verdict, bound: int | None) -> Failure | None:
        """Buffers of the largest size are not enough, or a limit was reached."""
        if found.overflow is not None:
            full = self.checked(placements, bound, overflow_fails=True)
            if full.verdict == "unsafe":
                return self.failed(full, placements, bound, overflow=True)
        if len(placements) > 1:
            failures = (self.failure([placement]) for placement in placements)
            return next((failure for failure in failures if failure is not None), None)
        others = frozenset(point.number for point in self.points) - placements[0]
        return Failure(placements[0], others, found, bound, overflow=found.overflow is not None)


def _variable(number: int) -> str:
    """What says whether there is a fence at a point."""
    return f"fence{number}"


def _choosing(program: bp.Program, placements: Sequence[Points], varying: Sequence[int]) -> bp.Program:
    """The program that begins by choosing one of the placements."""
    names = tuple(_variable(number) for number in varying)
    chosen = disjunction(
        conjunction(
            bp.Next(_variable(number)) if number in placement else bp.Not(bp.Next(_variable(number)))
            for number in varying
        )
        for placement in placements
    )
    choose = bp.Statement(bp.Assign(names, tuple(bp.Nondet() for _ in names), chosen))
    main, *others = program.functions
    begin, *rest = main.body
    main = replace(main, body=(begin, choose, *rest))
    return replace(
        program,
        declarations=(*program.declarations, bp.Declaration(names, ("",) * len(names))),
        functions=(main, *others),
    )


def _only_moves(statement: str) -> bool:
    """Whether a statement, as it is printed, changes nothing but the place of control."""
    return statement == "skip;" or statement.startswith("goto ")


def _condition(action: bp.Action) -> bp.Expression:
    match action:
        case bp.Assume(condition):
            return condition
        case bp.Assign(_, _, condition):
            return bp.TRUE if condition is None else condition
        case _:
            return bp.TRUE


def _waiting_if(action: bp.Action, number: int | None) -> bp.Action:
    """What is left of a fence that is there only if its variable says so, or never."""
    if number is None:
        condition: bp.Expression = bp.TRUE
    else:
        condition = disjunction([bp.Not(bp.Variable(_variable(number))), _condition(action)])
    match action:
        case bp.Assume():
            return bp.Skip() if number is None else bp.Assume(condition)
        case bp.Assign(targets, values, _):
            return bp.Assign(targets, values, None if number is None else condition)
        case _:
            return action
