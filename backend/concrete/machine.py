"""What each process of a program can do next, straight from the IR.

A machine numbers memory cells and locals, and answers one question: given the state of one process and memory, which
steps are possible, and what is the state after each? Processes influence each other through memory alone, so the
answer depends on nothing else.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, assert_never

from ebb.backend.concrete.liveness import dead_temporaries
from ebb.backend.concrete.models import Buffer, Memory, Model, Move
from ebb.backend.concrete.values import Fault, evaluate
from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import At, Expression, Name, Place, operands, place_name
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
    Program,
    Put,
    Skip,
    Transaction,
    Variable,
    instructions,
)

MOST_VALUES = 100_000  # that `*` may stand for


class TooManyValues(Exception):
    """A `*` stands for more values than can be tried."""


class Thread(NamedTuple):
    """One process: the number of its next instruction, its locals, and what it has under way."""

    pc: int
    locals: tuple[int, ...]
    buffer: Buffer


class Violation(NamedTuple):
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Step:
    """Something one process, or its buffer, does."""

    process: int
    cause: Instruction | Move


class Outcome(NamedTuple):
    """A step and the state it leads to, or how it ends the run."""

    step: Step
    thread: Thread
    memory: Memory
    ending: "Violation | Overflow | None"


class _Now(NamedTuple):
    """A process in the middle of a step."""

    pc: int
    locals: tuple[int, ...]
    buffer: Buffer
    memory: Memory


class Layout:
    """Where variables lie: each name with its first cell, in the order of declaration."""

    def __init__(self, variables: tuple[Variable, ...]) -> None:
        self.variables = {variable.name: variable for variable in variables}
        self.first: dict[str, int] = {}
        self.cells: list[tuple[str, Variable]] = []
        for variable in variables:
            self.first[variable.name] = len(self.cells)
            if variable.size is None:
                self.cells.append((variable.name, variable))
            else:
                self.cells.extend((f"{variable.name}[{index}]", variable) for index in range(variable.size))

    def cell(self, name: str, index: int | None) -> int:
        if index is None:
            return self.first[name]
        size = self.variables[name].size or 0
        if not 0 <= index < size:
            raise Fault("out of bounds", f"{name}[{index}] does not exist: {name} has elements 0 to {size - 1}")
        return self.first[name] + index

    def addresses(self, name: str) -> range:
        return range(self.first[name], self.first[name] + (self.variables[name].size or 1))

    def initial(self) -> Iterator[tuple[int, ...]]:
        """Every combination of initial values."""
        return product(*(_initial(variable) for _, variable in self.cells))


def _initial(variable: Variable) -> Iterable[Any]:
    if variable.type == "set":
        return ((),)
    return any_value(variable) if variable.initial is None else (variable.initial,)


def any_value(variable: Variable) -> range:
    """The values `*` stands for."""
    if variable.range is None:
        raise TooManyValues(f"`{variable.name}` can have any value: declare its range, `{variable.name} : 0..3`")
    if variable.range.high - variable.range.low >= MOST_VALUES:
        raise TooManyValues(f"`{variable.name}` can have more than {MOST_VALUES} values: declare a smaller range")
    return range(variable.range.low, variable.range.high + 1)


class Body:
    """A list of instructions with the number of each label."""

    def __init__(self, body: tuple[Instruction, ...], process: str) -> None:
        self.process = process
        self.instructions = body
        self.end = len(body)
        self.number = {instruction.label: number for number, instruction in enumerate(body)}
        self.inner = {i.label: Body(i.action.body, process) for i in body if isinstance(i.action, Atomic)}


class Machine:
    """A program under a memory model."""

    def __init__(self, program: Program, model: Model) -> None:
        self.program = program
        self.model = model
        self.shared = Layout(program.shared)
        self.locals = [Layout(process.locals) for process in program.processes]
        self.bodies = [Body(process.body, process.name) for process in program.processes]
        self.numbers = {process.name: number for number, process in enumerate(program.processes)}
        self.landing = [_landings(body, _mentioned(program, body.process)) for body in self.bodies]
        self.dead = [dead_temporaries(program, process) for process in program.processes]
        if not model.remote:
            self._refuse_remote()

    def _refuse_remote(self) -> None:
        for process in self.program.processes:
            for instruction in instructions(process.body):
                if isinstance(instruction.action, Put | Get | Flush):
                    message = f"put, get and flush have no meaning under {self.model.name}: use sc or rma"
                    raise InputError(message, instruction.at, file=self.program.source)

    def initial(self) -> Iterator[tuple[tuple[Thread, ...], Memory]]:
        for memory in self.shared.initial():
            for locals_ in product(*(list(layout.initial()) for layout in self.locals)):
                yield self._started(locals_), memory

    def _started(self, locals_: tuple[tuple[int, ...], ...]) -> tuple[Thread, ...]:
        starts = (landing[0] for landing in self.landing)
        return tuple(Thread(pc, values, self.model.empty) for pc, values in zip(starts, locals_, strict=True))

    def entries_without_loops(self, process: int) -> int:
        """No buffer of the process can have more entries unless some instruction is executed twice."""
        count = 0
        for instruction in instructions(self.program.processes[process].body):
            match instruction.action:
                case Assign(target, _) | Havoc(target):
                    count += place_name(target) in self.shared.first
                case Put() | Get():
                    count += 1
                case _:
                    pass
        return count

    def origin(self, process: int, address: int) -> Position:
        """The first instruction of the process that stores to the cell or has it written remotely."""
        name = self.shared.cells[address][1].name
        body = self.program.processes[process].body
        for instruction in instructions(body):
            match instruction.action:
                case Assign(target, _) | Havoc(target) | Put(target, _, _) | Get(target, _, _):
                    if place_name(target) == name:
                        return instruction.at
                case _:
                    pass
        return self.program.processes[process].at

    def passes_flush(self, instruction: Instruction) -> bool:
        return any(isinstance(inner.action, Flush) for inner in instructions((instruction,)))

    def has_ended(self, process: int, thread: Thread, memory: Memory) -> bool:
        """At its end with nothing under way; or never started."""
        if self._waits_for_start(process, thread, memory):
            return True
        return thread.pc == self.bodies[process].end and thread.buffer == self.model.empty

    def _waits_for_start(self, process: int, thread: Thread, memory: Memory) -> bool:
        when = self.program.processes[process].when
        return when is not None and thread.pc == self.landing[process][0] and memory[self.shared.first[when]] == 0

    def outcomes(self, process: int, thread: Thread, memory: Memory) -> Iterator[Outcome]:
        """Every step of the process and of its buffer."""
        body = self.bodies[process]
        if thread.pc < body.end and not self._waits_for_start(process, thread, memory):
            instruction = body.instructions[thread.pc]
            step = Step(process, instruction)
            for result in _Execution(self, process, self.model).run(body, _Now(*thread, memory)):
                if isinstance(result, Violation | Overflow):
                    yield Outcome(step, thread, memory, result)
                else:
                    pc = self.landing[process][result.pc]
                    locals_ = self._forget(process, pc, result.locals)
                    yield Outcome(step, Thread(pc, locals_, result.buffer), result.memory, None)
        for move in self.model.moves(thread.buffer, memory):
            yield self._moved(process, thread, move)

    def _moved(self, process: int, thread: Thread, move: Move) -> Outcome:
        after = Thread(thread.pc, thread.locals, move.buffer)
        violation = None
        if move.kind == "remote write":
            name, variable = self.shared.cells[move.address]
            violation = _outside(name, variable, move.value)
        return Outcome(Step(process, move), after, move.memory, violation)

    def _forget(self, process: int, pc: int, locals_: tuple[int, ...]) -> tuple[int, ...]:
        """Temporaries that no later instruction reads keep no value: they would only multiply states."""
        dead = self.dead[process][pc]
        if not dead:
            return locals_
        forgotten = list(locals_)
        for slot in dead:
            forgotten[slot] = 0
        return tuple(forgotten)


def _mentioned(program: Program, process: str) -> set[str]:
    """The labels of the process that a property asks for."""
    found: set[str] = set()
    stack = [prop.condition for prop in program.properties]
    while stack:
        expression = stack.pop()
        if isinstance(expression, At) and expression.process == process:
            found.add(expression.label)
        stack.extend(operands(expression))
    return found


def _landings(body: Body, mentioned: set[str]) -> list[int]:
    """Where control really is when it comes to each instruction: a plain jump that no property asks for is no step."""
    landings = []
    for number in range(body.end + 1):
        passed = set()
        while number < body.end and number not in passed:
            instruction = body.instructions[number]
            if not isinstance(instruction.action, Goto) or len(instruction.action.targets) != 1:
                break
            if instruction.label in mentioned:
                break
            passed.add(number)
            number = body.number[instruction.action.targets[0]]
        landings.append(number)
    return landings


def _outside(name: str, variable: Variable, value: int) -> Violation | None:
    if variable.range is None or value in variable.range:
        return None
    return Violation("out of range", f"{name} becomes {value}, outside {variable.range.low}..{variable.range.high}")


class _Execution:
    """One instruction of one process. Inside an atomic block `model` is SC: it acts on memory."""

    def __init__(self, machine: Machine, process: int, model: Model) -> None:
        self.machine = machine
        self.process = process
        self.model = model

    def run(self, body: Body, now: _Now) -> Iterator[_Now | Violation | Overflow]:
        """Every way the instruction at `now.pc` can be executed; none if it has to wait."""
        instruction = body.instructions[now.pc]
        after = now._replace(pc=now.pc + 1)
        try:
            match instruction.action:
                case Assign(target, value):
                    yield self._assign(after, target, self._value(now, value))
                case Havoc(target):
                    for choice in any_value(self._variable(target)):
                        yield self._assign(after, target, choice)
                case Assume(condition):
                    if self._value(now, condition):
                        yield after
                case Assert(condition):
                    if self._value(now, condition):
                        yield after
                    else:
                        what = f": {instruction.note}" if instruction.note else ""
                        yield Violation("assertion", f"the assertion does not hold{what}")
                case Goto(targets):
                    for label in targets:
                        yield now._replace(pc=body.number[label])
                case Branch(condition, label):
                    yield now._replace(pc=body.number[label]) if self._value(now, condition) else after
                case Skip() | Transaction():
                    yield after
                case Atomic():
                    if self.model.may_act_on_memory(now.buffer):
                        yield from self._atomic(body.inner[instruction.label], now, after.pc)
                case Fence(variable):
                    addresses = None if variable is None else self.machine.shared.addresses(variable)
                    if self.model.may_pass_fence(now.buffer, addresses):
                        yield after
                case Put(target, process, source) | Get(target, source, process):
                    yield self._copy(after, source, target, process)
                case Flush(process):
                    if self.machine.model.may_pass_flush(now.buffer, self.machine.numbers[process]):
                        yield after
                case Overflow():
                    yield instruction.action
                case Forget(target):
                    yield self._write(after, target, () if self._variable(target).type == "set" else 0)
                case Collect(name, value):
                    yield self._write(after, Name(name), (self._value(now, value),))
                case Add(name, value):
                    elements = {*self._elements(now, name), self._value(now, value)}
                    yield self._write(after, Name(name), tuple(sorted(elements)))
                case Choose(target, name):
                    for element in self._elements(now, name):
                        yield self._assign(after, target, element)
                case _:
                    assert_never(instruction.action)
        except Fault as fault:
            yield Violation(fault.kind, fault.message)

    def _atomic(self, body: Body, now: _Now, pc_after: int) -> Iterator[_Now | Violation | Overflow]:
        """All runs through the block from its start to its end, each result once; a run that cannot end is none."""
        inside = _Execution(self.machine, self.process, Model())
        todo = [now._replace(pc=0)]
        seen = set(todo)
        endings: set[Violation | Overflow] = set()
        while todo:
            current = todo.pop()
            if current.pc == body.end:
                yield current._replace(pc=pc_after)
                continue
            for result in inside.run(body, current):
                if isinstance(result, Violation | Overflow):
                    if result not in endings:
                        endings.add(result)
                        yield result
                elif result not in seen:
                    if len(seen) > MOST_VALUES:
                        raise TooManyValues(f"an atomic block has more than {MOST_VALUES} states inside")
                    seen.add(result)
                    todo.append(result)

    def _copy(self, after: _Now, source: Place, target: Place, process: str) -> _Now | Violation:
        machine = self.machine
        if machine.model.name == "sc":  # one atomic copy; under RMA the value is known only when it is written
            value = int(after.memory[self._cell(after, source)])
            if violation := _outside(place_name(target), self._variable(target), value):
                return violation
        buffer, memory = machine.model.copy(
            after.buffer, after.memory, self._cell(after, source), self._cell(after, target), machine.numbers[process]
        )
        return after._replace(buffer=buffer, memory=memory)

    def _assign(self, after: _Now, target: Place, value: int) -> _Now | Violation:
        return _outside(place_name(target), self._variable(target), value) or self._write(after, target, value)

    def _write(self, after: _Now, target: Place, value: Any) -> _Now:
        cell = self._cell(after, target)
        if place_name(target) in self.machine.shared.first:
            buffer, memory = self.model.store(after.buffer, after.memory, cell, value)
            return after._replace(buffer=buffer, memory=memory)
        return after._replace(locals=(*after.locals[:cell], value, *after.locals[cell + 1 :]))

    def _elements(self, now: _Now, name: str) -> tuple[int, ...]:
        elements: tuple[int, ...] = now.memory[self.machine.shared.first[name]]
        return elements

    def _variable(self, place: Place) -> Variable:
        name = place_name(place)
        own = self.machine.locals[self.process].variables
        return own[name] if name in own else self.machine.shared.variables[name]

    def _cell(self, now: _Now, place: Place) -> int:
        index = None if isinstance(place, Name) else self._value(now, place.index)
        name = place_name(place)
        own = self.machine.locals[self.process]
        return (own if name in own.first else self.machine.shared).cell(name, index)

    def _value(self, now: _Now, expression: Expression) -> int:
        return evaluate(expression, self._reader(now))

    def _reader(self, now: _Now) -> Callable[[str, int | None], int]:
        own, shared = self.machine.locals[self.process], self.machine.shared

        def read(name: str, index: int | None) -> int:
            if name in own.first:
                return now.locals[own.cell(name, index)]
            return self.model.load(now.buffer, now.memory, shared.cell(name, index))

        return read
