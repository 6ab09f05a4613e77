"""Where a fence (under RMA, a flush) could stand: every point of a program at which one could matter.

A fence matters where a store may still be in a buffer and an access follows. Between two accesses it does not matter
where it stands, so there is one point for each such stretch: after a store, and before an access to which control comes
in another way (from a load, from a jump, from two sides). A point that no line of source stands for, as at the head of
a `while`, is not one. Under RMA it is the place after each put and get, for the process at the other end.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ebb.formats.errors import Position
from ebb.formats.expressions import At, Expression, operands, place_name, variables
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
    Goto,
    Havoc,
    Instruction,
    Process,
    Program,
    Put,
    Skip,
    default_label,
    following,
)

Side = Literal["after", "before", "at"]


@dataclass(frozen=True, slots=True)
class Point:
    """A place for a fence, next to an instruction of a process; `at` it if it is the instruction itself."""

    number: int
    process: str
    index: int  # of the instruction in the body of the process
    side: Side
    action: Fence | Flush
    at: Position  # of the statement


def points(program: Program, model: str, *, after_stores: bool = False) -> list[Point]:
    """Every point at which a fence could matter, in the order of the source; or only those after a store."""
    find = _after_remote_statements if model == "rma" else _between_accesses
    found = (place for process in program.processes for place in find(program, process))
    return _numbered(place for place in found if place[2] == "after" or not after_stores)


def points_of_fences(program: Program, model: str) -> list[Point]:
    """The fences (flushes) that the program has."""
    kind = Flush if model == "rma" else Fence
    return _numbered(
        (process, index, "at", instruction.action, instruction.at)
        for process in program.processes
        for index, instruction in enumerate(process.body)
        if isinstance(instruction.action, Fence | Flush) and isinstance(instruction.action, kind)
    )


_Found = tuple[Process, int, Side, Fence | Flush, Position]


def _numbered(found: Iterator[_Found]) -> list[Point]:
    return [
        Point(number, process.name, index, side, action, at)
        for number, (process, index, side, action, at) in enumerate(found, start=1)
    ]


def _after_remote_statements(_: Program, process: Process) -> Iterator[_Found]:
    for index, instruction in enumerate(process.body):
        match instruction.action:
            case Put(_, far, _) | Get(_, _, far):
                if _following(process.body, index) != Flush(far):
                    yield process, index, "after", Flush(far), instruction.at
            case _:
                pass


# ---- store buffers


def _between_accesses(program: Program, process: Process) -> Iterator[_Found]:
    shared = {variable.name for variable in program.shared}
    body = process.body
    sources = _sources(body)
    buffered = _buffered(body, shared)
    kept = labels_in_properties(program, process.name)
    for index, instruction in enumerate(body):
        if _matters_before(index, body, shared, sources, buffered) and instruction.label not in kept:
            yield process, index, "before", Fence(), instruction.at
        if _stores(instruction.action, shared) and not _waits(instruction.action, _following(body, index)):
            yield process, index, "after", Fence(), instruction.at


def _matters_before(
    index: int,
    body: Sequence[Instruction],
    shared: Collection[str],
    sources: Sequence[set[int]],
    buffered: Sequence[set[str]],
) -> bool:
    """Whether a fence before an access is another one than a fence after the access that comes before it."""
    instruction = body[index]
    if not buffered[index] or not (_stores(instruction.action, shared) or _loads(instruction.action, shared)):
        return False
    if index and body[index - 1].at == instruction.at:
        return False  # in the middle of a statement
    if any(source >= index for source in sources[index]) and instruction.label == default_label(None, index):
        return False  # the head of a loop
    at = index
    while sources[at] == {at - 1}:
        at -= 1
        if _stores(body[at].action, shared):
            return False
        if _loads(body[at].action, shared) or isinstance(body[at].action, Branch | Atomic | Fence):
            return True
    return True


def _sources(body: Sequence[Instruction]) -> list[set[int]]:
    """From where control comes to each instruction; -1 is the beginning of the process."""
    number = {instruction.label: index for index, instruction in enumerate(body)}
    found: list[set[int]] = [set() for _ in range(len(body) + 1)]
    found[0].add(-1)
    for index, instruction in enumerate(body):
        for target in following(instruction.action, index, number):
            found[target].add(index)
    return found


def _buffered(body: Sequence[Instruction], shared: Collection[str]) -> list[set[str]]:
    """The variables to which a store may be buffered before each instruction."""
    number = {instruction.label: index for index, instruction in enumerate(body)}
    found: list[set[str]] = [set() for _ in range(len(body) + 1)]
    todo = list(range(len(body)))
    while todo:
        index = todo.pop()
        after = set(found[index])
        match body[index].action:
            case Fence(None) | Atomic():
                after = set()
            case Fence(str() as name):
                after -= {name}
            case Assign(place) | Havoc(place) if place_name(place) in shared:
                after.add(place_name(place))
            case _:
                pass
        for target in following(body[index].action, index, number):
            if not after <= found[target]:
                found[target] |= after
                if target < len(body):
                    todo.append(target)
    return found


def _stores(action: Action, shared: Collection[str]) -> bool:
    return isinstance(action, Assign | Havoc) and place_name(action.target) in shared


def _loads(action: Action, shared: Collection[str]) -> bool:
    match action:
        case Assign(_, read) | Assume(read) | Assert(read) | Branch(read, _):
            return not variables(read).isdisjoint(shared)
        case _:
            return False


def _waits(store: Action, following: Action | None) -> bool:
    """Whether what follows a store waits for it anyway; so does the end of a process."""
    match following:
        case None | Fence(None) | Atomic():
            return True
        case Fence(str() as name):
            return isinstance(store, Assign | Havoc) and place_name(store.target) == name
        case _:
            return False


def _following(body: Sequence[Instruction], index: int) -> Action | None:
    return body[index + 1].action if index + 1 < len(body) else None


def labels_in_properties(program: Program, process: str) -> set[str]:
    """The labels that properties ask about: a fence there would move them."""
    found: set[str] = set()
    todo: list[Expression] = [prop.condition for prop in program.properties]
    while todo:
        expression = todo.pop()
        if isinstance(expression, At) and expression.process == process:
            found.add(expression.label)
        todo += operands(expression)
    return found


# ---- programs with fences


def candidate(number: int) -> str:
    """The note of a fence that may be left out."""
    return f"candidate {number}"


def with_candidates(program: Program, found: Sequence[Point]) -> Program:
    """The program with a fence at every point, which its note tells from the others."""
    return _with(program, found, {point.number: candidate(point.number) for point in found})


def with_fences(program: Program, found: Sequence[Point], chosen: Collection[int]) -> Program:
    """The program with fences at the chosen points, and only there; those it has elsewhere stay."""
    return _with(program, found, dict.fromkeys(chosen, ""))


def _with(program: Program, found: Sequence[Point], notes: dict[int, str]) -> Program:
    processes = []
    for process in program.processes:
        own = [point for point in found if point.process == process.name]
        processes.append(_process(process, own, notes))
    return replace(program, processes=tuple(processes))


def _process(process: Process, found: Sequence[Point], notes: dict[int, str]) -> Process:
    taken = {instruction.label for instruction in process.body}
    body: list[Instruction] = []
    moved: dict[str, str] = {}  # where jumps to a label go now
    for index, instruction in enumerate(process.body):
        own = {point.side: point for point in found if point.index == index}
        if (point := own.get("before")) is not None and point.number in notes:
            label = _new_label(point, taken)
            moved[instruction.label] = label
            body.append(Instruction(label, point.action, point.at, notes[point.number]))
        if (point := own.get("at")) is None:
            body.append(instruction)
        elif point.number in notes:
            body.append(replace(instruction, note=notes[point.number]))
        else:
            body.append(replace(instruction, action=Skip()))
        if (point := own.get("after")) is not None and point.number in notes:
            body.append(Instruction(_new_label(point, taken), point.action, point.at, notes[point.number]))
    return replace(process, body=tuple(_redirected(instruction, moved) for instruction in body))


def _new_label(point: Point, taken: set[str]) -> str:
    label = f"fence_{point.number}"
    while label in taken:
        label += "_"
    taken.add(label)
    return label


def _redirected(instruction: Instruction, moved: dict[str, str]) -> Instruction:
    match instruction.action:
        case Goto(targets):
            return replace(instruction, action=Goto(tuple(moved.get(target, target) for target in targets)))
        case Branch(condition, target):
            return replace(instruction, action=Branch(condition, moved.get(target, target)))
        case _:
            return instruction
