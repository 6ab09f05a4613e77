"""What the reductions of TSO and PSO share: every access of a process goes through its store buffer.

    X = e;                  atomic { the entry after the last one = e; }         // enqueue X
    r = X + 1;              r = (the newest entry for X, or X) + 1;              // load X
    fence;                  assume(the buffer is empty);
    atomic { … }            atomic { assume(the buffer is empty); … }
    (end of the process)    assume(the buffer is empty);                         // drain

and one process more, `memory`, which takes stores out of the buffers, one a step, whenever it likes. The papers put a
loop that may flush behind each statement of each process; a process of its own says the same ("between any two steps")
once. A store that finds no room goes to `overflow`, which ends the run and is no violation.

Sound and complete up to the bound: the reduced program has a run for each run of the original under its memory model
that never needs more entries than there are, and none besides; it reaches `overflow` exactly if some run needs more.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Protocol, assert_never

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import (
    At,
    Binary,
    Conditional,
    Element,
    Expression,
    Integer,
    Name,
    Place,
    Unary,
    place_name,
    places,
    show,
)
from ebb.formats.ir import (
    Action,
    Assert,
    Assign,
    Assume,
    Atomic,
    Branch,
    Fence,
    Flush,
    Get,
    Havoc,
    Instruction,
    Process,
    Program,
    Put,
    Skip,
    Variable,
    instructions,
)
from ebb.passes.blocks import Labels, Part, all_of, background_process, block, new_name, refuse_reduced, with_variables


class StoreBuffer(Protocol):
    """The buffer of one process, as variables of the reduced program."""

    def variables(self) -> list[Variable]:
        """What it is made of."""

    def enqueue(self, target: Place, value: Expression | None) -> list[Part]:
        """A store (None: of any value); to `overflow` if the buffer is full."""

    def view(self, place: Place) -> Expression:
        """What the process reads there: its newest store, or memory."""

    def empty(self, variable: str | None) -> list[Expression]:
        """What has to hold for no store to be buffered (to the variable, or at all)."""

    def flushes(self) -> list[list[Part]]:
        """The ways in which an oldest store can go to memory, each with its condition first."""


def reduce_buffered(
    program: Program,
    model: Literal["tso", "pso"],
    buffer_of: Callable[[Process, list[Variable]], StoreBuffer],
) -> Program:
    """The program with the buffers in it; `buffer_of` makes the one of a process for the variables it stores to."""
    refuse_reduced(program)
    refuse_remote(program, model)
    shared = {variable.name for variable in program.shared}
    buffers: dict[str, StoreBuffer] = {}
    for process in program.processes:
        if written := buffered_variables(process) & shared:
            buffers[process.name] = buffer_of(process, [v for v in program.shared if v.name in written])
    processes = [
        _Translation(process, buffers[process.name], shared).process()
        if process.name in buffers
        else _without_buffer(process)
        for process in program.processes
    ]
    if buffers:
        processes.append(_memory(program, list(buffers.values())))
    added = [variable for buffer in buffers.values() for variable in buffer.variables()]
    return replace(
        program,
        shared=with_variables(program, added),
        processes=tuple(processes),
        model="sc",
        reduced=model,
    )


def refuse_remote(program: Program, model: str) -> None:
    for process in program.processes:
        for instruction in instructions(process.body):
            if isinstance(instruction.action, Put | Get | Flush):
                message = f"put, get and flush have no meaning under {model}: reduce with --model rma"
                raise InputError(message, instruction.at, file=program.source)


def buffered_variables(process: Process) -> set[str]:
    """What the process stores to outside atomic blocks."""
    return {place_name(i.action.target) for i in process.body if isinstance(i.action, Assign | Havoc)}


def first_store(process: Process, variable: str) -> Position:
    """Where the process stores to a variable for the first time: what a flush of it comes from."""
    return next(
        instruction.at
        for instruction in process.body
        if isinstance(instruction.action, Assign | Havoc) and place_name(instruction.action.target) == variable
    )


def _without_buffer(process: Process) -> Process:
    """A process that stores nothing has no buffer, and nothing for a fence to wait for."""
    return replace(process, body=_unfenced(process.body))


def _unfenced(body: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
    """Fences where the buffer is empty anyway, as it is inside atomic blocks."""
    unfenced = []
    for instruction in body:
        match instruction.action:
            case Fence():
                unfenced.append(replace(instruction, action=Skip(), note=instruction.note or "fence"))
            case Atomic(inner):
                unfenced.append(replace(instruction, action=Atomic(_unfenced(inner))))
            case _:
                unfenced.append(instruction)
    return tuple(unfenced)


class _Translation:
    """One process, instruction by instruction; each keeps its label, its position and its place in the list."""

    def __init__(self, process: Process, buffer: StoreBuffer, shared: set[str]) -> None:
        self.source = process
        self.buffer = buffer
        self.shared = shared
        self.labels = Labels.of(process)

    def process(self) -> Process:
        body = [self.instruction(instruction) for instruction in self.source.body]
        last = self.source.body[-1].at
        drain = Instruction(self.labels.new(None, len(body)), self.drained(), last, "drain")
        return replace(self.source, body=(*body, drain))

    def drained(self) -> Assume:
        return Assume(all_of(self.buffer.empty(None)))

    def instruction(self, instruction: Instruction) -> Instruction:
        match instruction.action:
            case Assign(target, value) if place_name(target) in self.shared:
                return self.enqueue(instruction, target, value)
            case Havoc(target) if place_name(target) in self.shared:
                return self.enqueue(instruction, target, None)
            case Atomic(body):
                parts: list[Part] = [(self.drained(), "drain"), *_unfenced(body)]
                return block(instruction.label, parts, instruction.at, instruction.note, self.labels)
            case Fence(variable):
                waits = self.buffer.empty(variable)
                action: Action = Assume(all_of(waits)) if waits else Skip()
                what = "fence" if variable is None else f"fence {variable}"
                return replace(instruction, action=action, note=instruction.note or what)
            case Assign(target, value):
                return self.reading(instruction, Assign(target, self.seen(value)))
            case Assume(condition):
                return self.reading(instruction, Assume(self.seen(condition)))
            case Assert(condition):
                return self.reading(instruction, Assert(self.seen(condition)))
            case Branch(condition, label):
                return self.reading(instruction, Branch(self.seen(condition), label))
            case _:
                return instruction

    def enqueue(self, instruction: Instruction, target: Place, value: Expression | None) -> Instruction:
        parts = self.buffer.enqueue(target, value)
        return block(instruction.label, parts, instruction.at, f"enqueue {show(target)}", self.labels)

    def reading(self, instruction: Instruction, action: Action) -> Instruction:
        """An instruction that reads: if it sees the buffer, a note says which variable it loads."""
        if action == instruction.action or isinstance(instruction.action, Assert):
            return replace(instruction, action=action)
        loaded = next(place for place in _places(instruction.action) if place_name(place) in self.shared)
        return replace(instruction, action=action, note=instruction.note or f"load {show(loaded)}")

    def seen(self, expression: Expression) -> Expression:
        """The expression as this process sees it."""
        match expression:
            case Name() | Element() if place_name(expression) in self.shared:
                return self.buffer.view(expression)
            case Element(array, index):
                return Element(array, self.seen(index))
            case Unary(operator, operand):
                return Unary(operator, self.seen(operand))
            case Binary(operator, left, right):
                return Binary(operator, self.seen(left), self.seen(right))
            case Conditional(condition, then, otherwise):
                return Conditional(self.seen(condition), self.seen(then), self.seen(otherwise))
            case Integer() | Name() | At():
                return expression
            case _:
                assert_never(expression)


def _places(action: Action) -> list[Place]:
    match action:
        case Assign(_, expression) | Assume(expression) | Branch(expression, _):
            return list(places(expression))
        case _:
            return []


def _memory(program: Program, buffers: Sequence[StoreBuffer]) -> Process:
    name = new_name("memory", {process.name for process in program.processes})
    flushes = [flush for buffer in buffers for flush in buffer.flushes()]
    return background_process(name, program.processes[0].at, "flush", flushes)
