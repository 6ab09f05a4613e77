"""From IR to guarded parallel assignments: what predicate abstraction works on.

    atomic {                                from L, if cnt != 0:   X, X_1, cnt = X_1, ?1, 0
      assume(cnt != 0);
      X = X_1;
      forget(X_1);
      cnt = 0;
    }
    r = cnt == 0 ? X : X_1;                 from M, if cnt == 0:   r = X
                                            from M, if cnt != 0:   r = X_1

One step of a process is one transition. Each way through an atomic block is one, with everything that it does expressed
over the state before the step, so that no correlation inside the block is lost; each case of a conditional value is
one too. `?1` is any value, chosen anew; if it is an element of a set, the transition says of which. A block with a loop
in it has no such list of ways: its instructions are then transitions of their own, between which no other process
moves.

What the language itself forbids (an index out of bounds, a value out of range, a division by zero) is a check like an
assertion. What follows a check may rely on it: a run that fails it is a violation already.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from ebb.backend.abstraction.faults import faults
from ebb.backend.abstraction.simplification import alternatives, conjuncts, disjuncts, settled_by, simplified
from ebb.backend.abstraction.substitution import Values, substituted
from ebb.formats.errors import Position
from ebb.formats.expressions import (
    Binary,
    Conditional,
    Element,
    Expression,
    Integer,
    Name,
    Place,
    negation,
    place_name,
    rebuilt,
    show,
)
from ebb.formats.ir import (
    Add,
    Assert,
    Assign,
    Assume,
    Atomic,
    Branch,
    Choose,
    Collect,
    Fence,
    Flush,
    Forget,
    Get,
    Goto,
    Havoc,
    Instruction,
    Overflow,
    Process,
    Program,
    Put,
    Range,
    Skip,
    Transaction,
    Variable,
)

END = ""  # the location of a process that has ended
_MOST_WAYS = 200  # through one instruction
_FEW_ELEMENTS = 4  # of an array: each is then a case of its own


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that has to hold where the guard does."""

    guard: tuple[Expression, ...]
    condition: Expression
    fresh: tuple[tuple[str, Range | None], ...]
    what: str
    at: Position


@dataclass(frozen=True, slots=True)
class SetStep:
    """Something that is done with a set: the value, over the state before the transition, is what it is made of, what
    is added, or the name for what is chosen from it."""

    what: Literal["collect", "add", "choose", "forget"]
    set: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Transition:
    """A step: possible where the guard holds. All expressions are over the state before it."""

    process: str
    source: str
    target: str
    guard: tuple[Expression, ...]
    updates: tuple[tuple[Place, Expression], ...]
    given: tuple[Expression, ...]  # what the checks before it have established
    fresh: tuple[tuple[str, Range | None], ...]  # names that stand for any value (of a range)
    overflow: bool
    at: Position
    note: str
    sets: tuple[SetStep, ...] = ()  # in their order

    def after(self, expression: Expression) -> Expression:
        """The weakest precondition: the expression about the state after the step, over the state before it."""
        return simplified(substituted(expression, Values.of(self.updates)))


@dataclass(frozen=True, slots=True)
class Location:
    """A place of control with the ways on from it; `inside` an atomic block nobody else moves."""

    label: str
    transitions: tuple[Transition, ...]
    checks: tuple[Check, ...]
    at: Position
    note: str
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Control:
    """What one process does. The first location is where it begins."""

    process: str
    locations: tuple[Location, ...]
    at: Position
    background: bool


def qualified_variables(program: Program) -> dict[str, Variable]:
    """All variables, a local as `Process.name`."""
    found = {variable.name: variable for variable in program.shared}
    for process in program.processes:
        found |= {f"{process.name}.{variable.name}": variable for variable in process.locals}
    return found


def controls(program: Program) -> tuple[Control, ...]:
    variables = qualified_variables(program)
    return tuple(_Translation(process, variables).control() for process in program.processes)


class _Unbounded(Exception):
    """There is no end of ways through an instruction."""


@dataclass(slots=True)
class _Way:
    """The beginning of a way through an instruction."""

    values: Values
    guard: tuple[Expression, ...] = ()
    given: tuple[Expression, ...] = ()
    fresh: tuple[tuple[str, Range | None], ...] = ()
    note: str = ""  # of an instruction on the way, and where that is
    at: Position | None = None
    sets: tuple[SetStep, ...] = ()

    def copy(self) -> "_Way":
        return replace(self, values=self.values.copy())

    def value(self, expression: Expression) -> Expression:
        return simplified(substituted(expression, self.values))


class _Translation:
    def __init__(self, process: Process, variables: dict[str, Variable]) -> None:
        self.process = process
        self.variables = variables
        self.own = {variable.name: f"{process.name}.{variable.name}" for variable in process.locals}

    def control(self) -> Control:
        locations = self.locations(self.process.body, END, inside=False)
        when = self.process.when
        if when is not None and locations:
            started = Binary("!=", Name(when), Integer(0))
            first = locations[0]
            begins = tuple(replace(t, guard=(started, *t.guard)) for t in first.transitions)
            checks = tuple(replace(check, guard=(started, *check.guard)) for check in first.checks)
            locations[0] = replace(first, transitions=begins, checks=checks)
        return Control(self.process.name, tuple(locations), self.process.at, self.process.background)

    def locations(self, body: tuple[Instruction, ...], after: str, inside: bool) -> list[Location]:
        found: list[Location] = []
        for number, instruction in enumerate(body):
            following = body[number + 1].label if number + 1 < len(body) else after
            try:
                found.append(self.location(instruction, following, inside))
            except _Unbounded:
                assert isinstance(instruction.action, Atomic)
                found.append(self.entry(instruction, inside))
                found += self.locations(instruction.action.body, following, inside=True)
        return found

    def entry(self, instruction: Instruction, inside: bool) -> Location:
        """Into a block whose instructions are transitions of their own."""
        assert isinstance(instruction.action, Atomic)
        first = instruction.action.body[0].label
        way = Transition(
            self.process.name, instruction.label, first, (), (), (), (), False, instruction.at, instruction.note
        )
        return Location(instruction.label, (way,), (), instruction.at, instruction.note, inside)

    def location(self, instruction: Instruction, following: str, inside: bool) -> Location:
        checks: list[Check] = []
        transitions: list[Transition] = []
        start = _Way(Values())
        for way, target in self.ways(instruction, start, following, checks):
            if len(transitions) >= _MOST_WAYS and isinstance(instruction.action, Atomic):
                raise _Unbounded
            transitions.append(
                Transition(
                    self.process.name,
                    instruction.label,
                    END if target is None else target,
                    way.guard,
                    way.values.updates(),
                    way.given,
                    way.fresh,
                    target is None,
                    way.at or instruction.at,
                    way.note or instruction.note,
                    way.sets,
                )
            )
        unique = list(dict.fromkeys(checks))
        return Location(instruction.label, tuple(transitions), tuple(unique), instruction.at, instruction.note, inside)

    def ways(
        self, instruction: Instruction, way: _Way, following: str, checks: list[Check]
    ) -> Iterator[tuple[_Way, str | None]]:
        """The ways on from the beginning of a way, with where they lead; None is an overflow."""
        match instruction.action:
            case Assign(target, value):
                for after in self.assigned(instruction, way, target, value, checks):
                    yield after, following
            case Put(target, _, source) | Get(target, source, _):
                for after in self.assigned(instruction, way, target, source, checks):
                    yield after, following
            case Havoc(target):
                for after in self.any_value(instruction, way, target, self.variable(target).range, checks):
                    yield after, following
            case Choose(target, name):
                for after in self.any_value(instruction, way, target, None, checks):
                    chosen = Name(after.fresh[-1][0])
                    self.check_range(instruction, after, self.variable(target), chosen, checks)
                    after.sets += (SetStep("choose", name, chosen),)
                    yield after, following
            case Collect(name, value):
                yield self.with_step(way, "collect", name, value), following
            case Add(name, value):
                yield self.with_step(way, "add", name, value), following
            case Forget(Name(name)) if self.variable(Name(name)).type != "integer":
                yield self.with_step(way, "forget", name, Integer(0)), following
            case Forget(target):
                for after in self.any_value(instruction, way, target, self.variable(target).range, checks):
                    yield after, following
            case Assume(condition):
                for after, holds in self.evaluated(instruction, way, condition, checks):
                    yield from self.assumed(after, holds, following)
            case Assert(condition):
                for after, holds in self.evaluated(instruction, way, condition, checks):
                    what = instruction.note or f"assert({show(condition)})"
                    self.check(instruction, after, holds, what, checks)
                    yield after, following
            case Branch(condition, label):
                for after, holds in self.evaluated(instruction, way, condition, checks):
                    yield from self.assumed(after, holds, label)
                    yield from self.assumed(after, simplified(negation(holds)), following)
            case Goto(targets):
                for label in targets:
                    yield way.copy(), label
            case Overflow():
                yield way, None
            case Atomic(body):
                yield from self.through(body, way, following, checks)
            case Skip() | Fence() | Flush() | Transaction():
                yield way, following
            case _:
                assert_never(instruction.action)

    def through(
        self, body: tuple[Instruction, ...], way: _Way, following: str, checks: list[Check]
    ) -> Iterator[tuple[_Way, str | None]]:
        """All ways through a block, depth first."""
        number = {instruction.label: index for index, instruction in enumerate(body)}
        labels = [instruction.label for instruction in body] + [END]
        todo: list[tuple[_Way, int, frozenset[int]]] = [(way, 0, frozenset())]
        steps = 0
        while todo:
            current, at, passed = todo.pop()
            if at == len(body):
                yield current, following
                continue
            steps += 1
            if at in passed or steps > 50 * _MOST_WAYS:
                raise _Unbounded
            nexts: list[tuple[_Way, int, frozenset[int]]] = []
            for after, target in self.ways(body[at], current, labels[at + 1], checks):
                if target is None:
                    yield after, None
                else:
                    if self.process.background and body[at].note:
                        after.note, after.at = body[at].note, body[at].at  # which store a flush is of
                    nexts.append((after, number.get(target, len(body)), passed | {at}))
            todo.extend(reversed(nexts))

    # -- one instruction

    def with_step(self, way: _Way, what: Literal["collect", "add", "forget"], name: str, value: Expression) -> _Way:
        after = way.copy()
        after.sets += (SetStep(what, name, after.value(self.named(value))),)
        return after

    def assigned(
        self, instruction: Instruction, way: _Way, target: Place, value: Expression, checks: list[Check]
    ) -> Iterator[_Way]:
        for after, new in self.evaluated(instruction, way, value, checks):
            self.check_range(instruction, after, self.variable(target), new, checks)
            for written, place in self.written(instruction, after, target, checks):
                written.values.write(place, new)
                yield written

    def any_value(
        self, instruction: Instruction, way: _Way, target: Place, values: Range | None, checks: list[Check]
    ) -> Iterator[_Way]:
        after = way.copy()
        name = f"?{len(way.fresh) + 1}"
        after.fresh = (*way.fresh, (name, values))
        for written, place in self.written(instruction, after, target, checks):
            written.values.write(place, Name(name))
            yield written

    def written(
        self, instruction: Instruction, way: _Way, target: Place, checks: list[Check]
    ) -> Iterator[tuple[_Way, Place]]:
        """The place that is written, its index over the state before; of a small array, each element is a case."""
        place = self.place(target)
        if isinstance(place, Name):
            yield way, place
            return
        self.check_faults(instruction, way, place, checks)
        for conditions, index in alternatives(self.cases(way.value(place.index), self.variables[place.array].size)):
            for after, _ in self.assumed_all(way, conditions):
                yield after, Element(place.array, index)

    def cases(self, index: Expression, size: int | None) -> Expression:
        """An index as one of the numbers that it can be, if these are few."""
        if isinstance(index, Integer) or size is None or size > _FEW_ELEMENTS:
            return index
        found: Expression = Integer(size - 1)
        for number in range(size - 2, -1, -1):
            found = Conditional(Binary("==", index, Integer(number)), Integer(number), found)
        return found

    def by_element(self, expression: Expression) -> Expression:
        """The expression with elements of small arrays by number."""
        if isinstance(expression, Element):
            index = self.cases(self.by_element(expression.index), self.variables[expression.array].size)
            return Element(expression.array, index)
        return rebuilt(expression, self.by_element)

    def evaluated(
        self, instruction: Instruction, way: _Way, expression: Expression, checks: list[Check]
    ) -> Iterator[tuple[_Way, Expression]]:
        """The expression over the state before, case by case."""
        own = self.named(expression)
        way = way.copy()
        self.check_faults(instruction, way, own, checks)
        for conditions, value in alternatives(self.by_element(way.value(own))):
            for after, _ in self.assumed_all(way, conditions):
                yield after, value

    def assumed_all(self, way: _Way, conditions: tuple[Expression, ...]) -> Iterator[tuple[_Way, str]]:
        """The way where all of the conditions hold, if it can be."""
        if not conditions:
            yield way.copy(), END
            return
        for after, _ in self.assumed(way, conditions[0], END):
            yield from self.assumed_all(after, conditions[1:])

    def assumed(self, way: _Way, condition: Expression, target: str) -> Iterator[tuple[_Way, str]]:
        after = way.copy()
        for part in conjuncts(condition):
            settled = part.value != 0 if isinstance(part, Integer) else settled_by(part, after.guard)
            if settled is False:
                return
            if settled is None:
                after.guard += (part,)
        yield after, target

    # -- checks

    def check(self, instruction: Instruction, way: _Way, condition: Expression, what: str, checks: list[Check]) -> None:
        """The condition, over the state before, has to hold on this way, and is relied on from now on."""
        condition = simplified(condition)
        if isinstance(condition, Integer) and condition.value != 0:
            return
        if condition in way.given or any(part in way.given for part in disjuncts(condition)):
            return
        guard = (*way.guard, *way.given)
        checks.append(Check(guard, condition, way.fresh, what, instruction.at))
        way.given += (condition,)

    def check_range(
        self, instruction: Instruction, way: _Way, variable: Variable, value: Expression, checks: list[Check]
    ) -> None:
        if variable.range is not None and not self.is_within(value, variable.range):
            low, high = Integer(variable.range.low), Integer(variable.range.high)
            what = f"{variable.name} in {variable.range.low}..{variable.range.high}"
            within = Binary("&&", Binary("<=", low, value), Binary("<=", value, high))
            self.check(instruction, way, within, what, checks)

    def is_within(self, value: Expression, values: Range) -> bool:
        """Whether a value is another variable's, which is of the range already."""
        if not isinstance(value, Name | Element) or place_name(value) not in self.variables:
            return False
        own = self.variables[place_name(value)].range
        return own is not None and values.low <= own.low and own.high <= values.high

    def check_faults(self, instruction: Instruction, way: _Way, expression: Expression, checks: list[Check]) -> None:
        for condition, what in faults(expression, self.variables):
            self.check(instruction, way, way.value(condition), what, checks)

    # -- names

    def variable(self, place: Place) -> Variable:
        return self.variables[place_name(self.place(place))]

    def place(self, place: Place) -> Place:
        named = self.named(place)
        assert isinstance(named, Name | Element)
        return named

    def named(self, expression: Expression) -> Expression:
        """The expression with locals under their full names."""
        match expression:
            case Name(name):
                return Name(self.own.get(name, name))
            case Element(array, index):
                return Element(self.own.get(array, array), self.named(index))
            case _:
                return rebuilt(expression, self.named)
