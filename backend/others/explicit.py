"""Moves as a search from state to state takes them: few values for few bits, one after the other.

A step asks its guard, decides bit by bit what it can, asks as early as possible what has to hold afterwards, and then
changes everything at once. Where there is little to choose, each choice is a step of its own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ebb.backend.automata.automaton import Automata, Constraint, Outcome
from ebb.backend.automata.expressions import support
from ebb.backend.others.expression_text import Syntax, show
from ebb.backend.others.flags import Flag
from ebb.backend.others.live_bits import Initial, LiveBits
from ebb.backend.others.moves import Move, Update, after, cases, checks, moves
from ebb.formats import bp
from ebb.formats.bp import Expression

_FEW_CHOICES = 2  # up to so many, each combination is a step of its own
_SHORT = 12  # parts of a value that may stand wherever the value is asked for


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on the states before and after a step. With a flag, it need hold only where that is true."""

    condition: Expression
    flag: Flag | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """`checks[0]` needs none of the decided values, `checks[n]` the first n."""

    move: Move
    decided: tuple[Update, ...]
    checks: tuple[tuple[Check, ...], ...]

    def values(self) -> dict[str, Expression]:
        """Of the updates that are not decided before the step."""
        decided = {update.bit for update in self.decided}
        return {update.bit: update.true for update in self.move.updates if update.bit not in decided}


class Steps:
    """All steps, how they begin, and the flags that they need."""

    def __init__(self, automata: Automata, goal: Outcome, thread_names: tuple[str, ...]) -> None:
        self._automata = automata
        self._thread_names = thread_names
        self._regions: dict[tuple[int, frozenset[int]], Flag] = {}
        live = LiveBits(automata, moves(automata, goal))
        self.initial: Initial = live.initial()
        self.all = tuple(step for move in live.forgetting() for step in self._steps(move))
        self.most_decided = max((len(step.decided) for step in self.all), default=0)

    @property
    def regions(self) -> tuple[Flag, ...]:
        return tuple(self._regions.values())

    def _steps(self, move: Move) -> Iterator[Step]:
        for case in cases(move) if len(move.chosen) <= _FEW_CHOICES else (move,):
            yield self._step(case)

    def _step(self, move: Move) -> Step:
        wanted = [Check(after(found.condition), self._flag(found)) for found in checks(self._automata, move)]
        if move.constrain != bp.TRUE:
            wanted.append(Check(move.constrain))
        asked = support(*(check.condition for check in wanted))
        decided = tuple(
            update
            for update in move.updates
            if not update.fixed or (update.bit in asked and _size(update.true) > _SHORT)
        )
        places = {update.bit: place for place, update in enumerate(decided, 1)}
        sorted_checks: list[list[Check]] = [[] for _ in range(len(decided) + 1)]
        for check in wanted:
            sorted_checks[max((places.get(bit, 0) for bit in _later(check.condition)), default=0)].append(check)
        return Step(move, decided, tuple(map(tuple, sorted_checks)))

    def _flag(self, constraint: Constraint) -> Flag | None:
        if constraint.thread is None:
            return None
        region = constraint.thread, constraint.locations
        if region not in self._regions:
            name = f"in_{len(self._regions)}_{self._thread_names[constraint.thread]}"
            self._regions[region] = Flag(name, {constraint.thread: constraint.locations})
        return self._regions[region]


def _size(expression: Expression) -> int:
    return 1 + sum(map(_size, bp.parts(expression)))


def _later(expression: Expression) -> Iterator[str]:
    if isinstance(expression, bp.Next):
        yield expression.name
    for part in bp.parts(expression):
        yield from _later(part)


def in_order(values: dict[str, Expression]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How to assign one after the other: the bits whose values have to be kept first, and the order of the others."""
    reads = {bit: support(value) - {bit} for bit, value in values.items()}
    kept, order = [], []
    while reads:
        free = next((bit for bit in reads if not any(bit in read for read in reads.values())), None)
        if free is None:
            kept.append(next(iter(reads)))
            del reads[kept[-1]]
        else:
            order.append(free)
            del reads[free]
    return tuple(kept), tuple(order)


class StepText:
    """The conditions of steps, in the syntax of a language; bits that are being decided are called `n0`, `n1`, …"""

    def __init__(self, syntax: Syntax, bits: Mapping[str, str]) -> None:
        self._syntax = syntax
        self._bits = bits

    def before(self, expression: Expression) -> str:
        return show(expression, self._syntax, self._bits.__getitem__, self._bits.__getitem__)

    def asked(self, step: Step, place: int) -> Iterator[str]:
        """What has to hold once so many of the decided values are known."""
        values = step.values()
        decided = {update.bit: f"n{number}" for number, update in enumerate(step.decided)}

        def later(bit: str) -> str:
            if bit in decided:
                return decided[bit]
            return self.before(values[bit]) if bit in values else self._bits[bit]

        for check in step.checks[place]:
            text = show(check.condition, self._syntax, self._bits.__getitem__, later)
            yield text if check.flag is None else f"(!{check.flag.name} {self._syntax.either} {text})"
