"""The moves of a plan on cubes: exact successors, by splitting an open bit where a step depends on it and it matters.

A cube stands for those of its states that exist, that is, satisfy the constraints in force. Constraints are not
resolved before they have to be: a step that changes a bit, or leaves the locations where a constraint is in force,
first splits the cube until the constraints that are about to lose a meaning hold throughout.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ebb.backend.automata.automaton import Automata, Constraint
from ebb.backend.automata.expressions import support
from ebb.backend.automata.runs import Move
from ebb.backend.automata.steps import Control, State
from ebb.backend.checker.cube_values import FALSE, TRUE, UNDECIDED, Cube, Evaluate, compiled
from ebb.backend.checker.limits import Splits
from ebb.formats.bp import Expression


@dataclass(frozen=True, slots=True)
class _Formula:
    """An expression, and the bits it depends on."""

    evaluate: Evaluate
    bits: int

    def open_bit(self, known: int) -> int:
        """A bit to split on."""
        candidates = self.bits & ~known
        return candidates & -candidates


@dataclass(frozen=True, slots=True)
class _Constraint:
    formula: _Formula
    source: Constraint

    def in_force(self, control: Control) -> bool:
        return self.source.thread is None or control[self.source.thread] in self.source.locations


class Bits:
    """The bits of automata as powers of two; above them, each once more for its value after a step."""

    def __init__(self, automata: Automata, splits: Splits) -> None:
        self.splits = splits
        self.names = [bit.name for bit in automata.bits]
        self.before = {name: 1 << number for number, name in enumerate(self.names)}
        self._shift = len(self.names)
        self.constraints = [
            _Constraint(self.formula(constraint.condition), constraint) for constraint in automata.constraints
        ]

    def formula(self, expression: Expression, targets: Sequence[str] = ()) -> _Formula:
        after = {name: self.after(self.before[name]) for name in targets}
        bits = 0
        for name in support(expression):
            bits |= self.before[name] | after.get(name, 0)
        return _Formula(compiled(expression, self.before, after), bits)

    def after(self, bit: int) -> int:
        return bit << self._shift

    def now(self, after: int) -> int:
        return after >> self._shift

    def mask(self, names: Sequence[str]) -> int:
        return sum(self.before[name] for name in names)

    def cube(self, state: State) -> Cube:
        full = (1 << self._shift) - 1
        return full, sum(bit for name, bit in self.before.items() if state[name])

    def state(self, true: int) -> dict[str, bool]:
        return {name: bool(true & bit) for name, bit in self.before.items()}

    def some_state(self, cube: Cube, control: Control, wanted: Sequence[_Formula] = ()) -> int | None:
        """A state of the cube that exists and for which all of `wanted` can hold; None if there is none."""
        formulas = [*wanted, *(c.formula for c in self.constraints if c.in_force(control))]
        work = [cube]
        while work:
            known, true = work.pop()
            for formula in formulas:
                value = formula.evaluate(known, true)
                if value == UNDECIDED:
                    self.splits.one()
                    bit = formula.open_bit(known)
                    work += [(known | bit, true | bit), (known | bit, true)]
                    break
                if value == FALSE:
                    break
            else:
                return true
        return None


class CubeStep:
    """One move."""

    def __init__(self, bits: Bits, move: Move) -> None:
        self.move = move
        self._bits = bits
        edge = move.edge
        self.guard = bits.formula(edge.guard)
        self._values = [(bits.before[t], bits.formula(v)) for t, v in zip(edge.targets, edge.values, strict=True)]
        self._constrain = None if edge.constrain is None else bits.formula(edge.constrain, edge.targets)
        self._targets = bits.mask(edge.targets)
        self._forgets = bits.mask(move.forgets)
        self._about_targets = [c for c in bits.constraints if c.formula.bits & self._targets]
        self._left = [
            c
            for c in bits.constraints
            if c.source.thread == edge.thread
            and edge.source in c.source.locations
            and edge.target not in c.source.locations
            and not c.formula.bits & self._targets
        ]
        self._reads = self._support()
        self._known: dict[tuple[int, int, tuple[bool, ...]], list[tuple[int, int, int, int]]] = {}

    def _support(self) -> int:
        bits = self.guard.bits
        for _, formula in self._values:
            bits |= formula.bits
        if self._constrain is not None:
            bits |= self._constrain.bits & ((1 << len(self._bits.names)) - 1)
        for constraint in (*self._about_targets, *self._left):
            bits |= constraint.formula.bits
        return bits

    def successors(self, cube: Cube, before: Control, after: Control) -> Iterator[Cube]:
        """The cubes after the move; together exactly the states that it leads to."""
        known, true = cube
        in_force = tuple([c.in_force(before) for c in self._about_targets])
        key = (known & self._reads, true & self._reads, in_force)
        pieces = self._known.get(key)
        if pieces is None:
            pieces = self._known[key] = list(self._pieces(key[0], key[1], before))
        keep = ~(self._targets | self._forgets)
        drop = ~self._forgets
        for piece_known, piece_true, new_known, new_true in pieces:
            found_known = ((known | piece_known) & keep) | (new_known & drop)
            found_true = ((true | piece_true) & keep) | (new_true & drop)
            for constraint in self._about_targets:
                if constraint.formula.evaluate(found_known, found_true) == FALSE and constraint.in_force(after):
                    break
            else:
                yield found_known, found_true

    def _pieces(self, known: int, true: int, control: Control) -> Iterator[tuple[int, int, int, int]]:
        """The cube split into parts on which everything is decided, each with the new values of the targets."""
        resolved = [c.formula for c in (*self._about_targets, *self._left) if c.in_force(control)]
        work = [(known, true)]
        while work:
            known, true = work.pop()
            bit = self._undecided(known, true, resolved)
            if bit is None:
                continue
            if bit:
                self._bits.splits.one()
                work += [(known | bit, true | bit), (known | bit, true)]
                continue
            new_known = new_true = 0
            for target, formula in self._values:
                value = formula.evaluate(known, true)
                new_known |= target if value in (TRUE, FALSE) else 0
                new_true |= target if value == TRUE else 0
            if self._constrain is None:
                yield known, true, new_known, new_true
            else:
                yield from self._constrained(known, true, new_known, new_true)

    def _undecided(self, known: int, true: int, resolved: Sequence[_Formula]) -> int | None:
        """A bit to split on, 0 if there is none, None if nothing is left of the cube."""
        value = self.guard.evaluate(known, true)
        if value == FALSE:
            return None
        if value == UNDECIDED:
            return self.guard.open_bit(known)
        for formula in resolved:
            value = formula.evaluate(known, true)
            if value == FALSE:
                return None
            if value == UNDECIDED:
                return formula.open_bit(known)
        for _, formula in self._values:
            if formula.evaluate(known, true) == UNDECIDED:
                return formula.open_bit(known)
        return 0

    def _constrained(self, known: int, true: int, new_known: int, new_true: int) -> Iterator[tuple[int, int, int, int]]:
        """The parts, over old and new values, on which `constrain` can hold."""
        assert self._constrain is not None
        bits = self._bits
        work = [(known | bits.after(new_known), true | bits.after(new_true))]
        while work:
            known, true = work.pop()
            value = self._constrain.evaluate(known, true)
            if value == UNDECIDED:
                bits.splits.one()
                bit = self._constrain.open_bit(known)
                work += [(known | bit, true | bit), (known | bit, true)]
            elif value != FALSE:
                new_known, new_true = bits.now(known), bits.now(true)
                old = (1 << len(bits.names)) - 1
                yield known & old, true & old, new_known, new_true

    def predecessor(self, cube: Cube, before: Control, state: int) -> int | None:
        """A state of the cube that exists and that the move takes to `state`, but for bits that it forgets."""
        bits = self._bits
        known, true = cube
        full = (1 << len(bits.names)) - 1
        kept = full & ~(self._targets | self._forgets)
        if (state ^ true) & known & kept:
            return None
        start = (known | kept, (true & ~kept) | (state & kept))
        wanted = [self.guard]
        for target, formula in self._values:
            if not target & self._forgets:
                wanted.append(formula if state & target else _negated(formula))
            elif self._constrain is not None and self._constrain.bits & bits.after(target):
                wanted.append(_is(formula, bits.after(target)))
        if self._constrain is not None:
            wanted.append(self._with_new_values(self._constrain, state))
        found = bits.some_state(start, before, wanted)
        return None if found is None else found & full

    def _with_new_values(self, constrain: _Formula, state: int) -> _Formula:
        """`constrain` where the values after the step are those of a state, but for bits that the move forgets."""
        bits = self._bits
        fixed = self._targets & ~self._forgets
        new_known, new_true = bits.after(fixed), bits.after(state & fixed)

        def evaluate(known: int, true: int) -> int:
            return constrain.evaluate(known | new_known, true | new_true)

        return _Formula(evaluate, constrain.bits & ~new_known)


def _negated(formula: _Formula) -> _Formula:
    evaluate = formula.evaluate

    def negated(known: int, true: int) -> int:
        value = evaluate(known, true)
        return (UNDECIDED, TRUE, FALSE, TRUE | FALSE)[value]

    return _Formula(negated, formula.bits)


def _is(formula: _Formula, bit: int) -> _Formula:
    """Whether the formula can have the value of a bit."""
    negated = _negated(formula).evaluate

    def evaluate(known: int, true: int) -> int:
        if not known & bit:
            return UNDECIDED
        return formula.evaluate(known, true) if true & bit else negated(known, true)

    return _Formula(evaluate, formula.bits | bit)
