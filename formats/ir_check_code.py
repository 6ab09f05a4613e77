"""What can be wrong with the instructions of a process."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from ebb.formats.errors import Position
from ebb.formats.expressions import Element, Expression, Name, Place, place_name
from ebb.formats.ir import (
    Action,
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
    Put,
    Skip,
    Transaction,
)
from ebb.formats.ir_check_expressions import Finding, Scope, check_expression, check_name, shared_reads
from ebb.formats.json_text import Path, quoted

DEEPEST_ATOMIC = 60
LARGEST_POSITION = 10**9
Body = tuple[Instruction, ...]


def atomic_too_deep() -> str:
    return f"atomic blocks nested deeper than {DEEPEST_ATOMIC}"


@dataclass(frozen=True, slots=True)
class Code:
    """A process whose instructions are checked, and what is around it."""

    process: Process
    scope: Scope
    labels: frozenset[str]  # all of the process, atomic blocks included
    reduced: bool


def is_note(note: str) -> bool:
    """One line of printable characters, with no blank at either end that a comment would lose."""
    return note.isprintable() and note == note.strip()


def check_position(at: Position, path: Path) -> Iterator[Finding]:
    if min(at.line, at.column) < 1:
        yield Finding("lines and columns count from 1", (*path, "at"), at)
    if max(at.line, at.column) >= LARGEST_POSITION:
        yield Finding("no source has so many lines or columns", (*path, "at"), at)


def check_code(process: Process, path: Path, scope: Scope, *, reduced: bool) -> Iterator[Finding]:
    """Everything wrong with the instructions of the process at a path; more is allowed in a reduced program."""
    first: dict[str, Position] = {}
    for instruction, where in _all_instructions(process.body, (*path, "body")):
        label = instruction.label
        yield from check_name(label, "label", (*where, "label"), instruction.at)
        if label in first:
            message = f"the label {quoted(label)} occurs twice in the process {quoted(process.name)}"
            yield Finding(message, (*where, "label"), instruction.at)
        first.setdefault(label, instruction.at)
    code = Code(process, scope, frozenset(first), reduced)
    yield from _check_body(process.body, (*path, "body"), code, depth=0)


def _all_instructions(body: Body, path: Path) -> Iterator[tuple[Instruction, Path]]:
    """Every instruction in the order of the document, down to the deepest atomic blocks that are allowed."""
    for index, instruction in enumerate(body):
        where = (*path, index)
        yield instruction, where
        if isinstance(instruction.action, Atomic) and path.count("body") <= DEEPEST_ATOMIC:
            yield from _all_instructions(instruction.action.body, (*where, "body"))


def _check_body(body: Body, path: Path, code: Code, depth: int) -> Iterator[Finding]:
    yield from _check_transactions(body, path)
    yield from _check_jumps(body, path, code)
    for index, instruction in enumerate(body):
        where = (*path, index)
        action = instruction.action
        for key, operand in _operands(action):
            yield from check_expression(operand, (*where, key), instruction.at, code.scope)
        yield from _check_action(instruction, where, code)
        if depth == 0 and not code.reduced and len(accesses := _shared_accesses(action, code.scope.shared)) > 1:
            names = ", ".join(sorted({quoted(place_name(place)) for place in accesses}))
            message = f"{len(accesses)} shared accesses in one step outside atomic blocks, to {names}"
            yield Finding(message, where, instruction.at)
        if isinstance(action, Atomic):
            if depth == DEEPEST_ATOMIC:
                yield Finding(atomic_too_deep(), where, instruction.at)
            else:
                yield from _check_body(action.body, (*where, "body"), code, depth + 1)


def _operands(action: Action) -> list[tuple[str, Expression]]:
    """The expressions of an action with the keys they have in a document."""
    match action:
        case Assign(target, value):
            return [("target", target), ("value", value)]
        case Havoc(target):
            return [("target", target)]
        case Assume(condition) | Assert(condition) | Branch(condition, _):
            return [("condition", condition)]
        case Put(target, _, source) | Get(target, source, _):
            return [("target", target), ("source", source)]
        case Collect(_, value) | Add(_, value):
            return [("value", value)]
        case Choose(target, _):
            return [("target", target)]
        case Forget(target):
            return [] if isinstance(target, Name) else [("target", target)]  # a name may be that of a set
        case Skip() | Goto() | Atomic() | Fence() | Flush() | Transaction() | Overflow():
            return []
        case _:
            assert_never(action)


def _shared_accesses(action: Action, shared: frozenset[str]) -> list[Place]:
    """The shared places an action touches. A put or a get is one copy by definition, so neither counts here."""
    match action:
        case Assign(target, value):
            return [*_stored(target, shared), *(shared_reads(value, shared) | _index_reads(target, shared))]
        case Havoc(target):
            return [*_stored(target, shared), *_index_reads(target, shared)]
        case Assume(condition) | Assert(condition) | Branch(condition, _):
            return [*shared_reads(condition, shared)]
        case Skip() | Goto() | Atomic() | Fence() | Put() | Get() | Flush() | Transaction():
            return []
        case Overflow() | Forget() | Collect() | Add() | Choose():
            return []  # only reduced programs have them, and there a step may do anything
        case _:
            assert_never(action)


def _stored(target: Place, shared: frozenset[str]) -> list[Place]:
    return [target] if place_name(target) in shared else []


def _index_reads(place: Place, shared: frozenset[str]) -> set[Place]:
    return shared_reads(place.index, shared) if isinstance(place, Element) else set()


def _check_action(instruction: Instruction, path: Path, code: Code) -> Iterator[Finding]:
    """What is wrong with the parts of an action that are not expressions, labels or instructions."""
    at = instruction.at
    match instruction.action:
        case Goto(()):
            yield Finding("a goto needs a target", (*path, "targets"), at)
        case Fence(str(variable)) if variable not in code.scope.shared:
            yield Finding(f"{quoted(variable)} is not a shared variable", (*path, "variable"), at)
        case Put(target, process, source):
            yield from _check_process(process, path, at, code)
            yield from _check_copied(target, process, (*path, "target"), at, code)
            yield from _check_copied(source, code.process.name, (*path, "source"), at, code)
        case Get(target, source, process):
            yield from _check_process(process, path, at, code)
            yield from _check_copied(target, code.process.name, (*path, "target"), at, code)
            yield from _check_copied(source, process, (*path, "source"), at, code)
        case Flush(process):
            yield from _check_process(process, path, at, code)
        case Collect(name, _) | Add(name, _) | Choose(_, name):
            yield from _check_set(name, (*path, "set"), at, code)
        case Forget(Name(name)) if name not in code.scope.variables:
            yield Finding(f"{quoted(name)} is not declared", (*path, "target"), at)
        case Forget(Name(name)) if code.scope.variables[name].size is not None:
            yield Finding(f"the array {quoted(name)} is used without an index", (*path, "target"), at)
        case _:
            pass
    if isinstance(instruction.action, Overflow | Forget | Collect | Add | Choose) and not code.reduced:
        yield Finding("only a reduced program has such an instruction", (*path, "op"), at)
    if not is_note(instruction.note):
        yield Finding("a note is one line of printable characters", (*path, "note"), at)
    yield from check_position(at, path)


def _check_set(name: str, path: Path, at: Position, code: Code) -> Iterator[Finding]:
    if name not in code.scope.variables or code.scope.variables[name].type != "set":
        yield Finding(f"{quoted(name)} is not a set", path, at)


def _check_process(process: str, path: Path, at: Position, code: Code) -> Iterator[Finding]:
    if process not in code.scope.labels:
        yield Finding(f"there is no process {quoted(process)}", (*path, "process"), at)


def _check_copied(place: Place, memory: str, path: Path, at: Position, code: Code) -> Iterator[Finding]:
    """A place that a put or a get copies in the memory of a process. The network has no registers and computes no
    index: the place is shared, and its index is known to the process when it issues the copy."""
    name = place_name(place)
    if name not in code.scope.variables:
        return  # found among the expressions
    if name not in code.scope.shared:
        yield Finding(f"{quoted(name)} is not shared, so it cannot be copied remotely", path, at)
    owner = code.scope.variables[name].owner
    if owner is not None and owner != memory:
        message = f"{quoted(name)} lives in the memory of {quoted(owner)}, not of {quoted(memory)}"
        yield Finding(message, path, at)
    if isinstance(place, Element) and shared_reads(place.index, code.scope.shared):
        yield Finding("the index of a place that is copied remotely reads locals only", (*path, 2), at)


def _check_jumps(body: Body, path: Path, code: Code) -> Iterator[Finding]:
    """Jumps stay in their own list of instructions and in their own transaction."""
    regions = _regions(body)
    index_of: dict[str, int] = {}
    for index, instruction in enumerate(body):
        index_of.setdefault(instruction.label, index)
    for index, instruction in enumerate(body):
        for where, target in _jumps(instruction.action, (*path, index)):
            if target not in code.labels:
                yield Finding(f"there is no label {quoted(target)}", where, instruction.at)
            elif target not in index_of:
                message = f"the jump to {quoted(target)} crosses the edge of an atomic block"
                yield Finding(message, where, instruction.at)
            elif regions[index_of[target]] != regions[index]:
                message = f"the jump to {quoted(target)} crosses the edge of a transaction"
                yield Finding(message, where, instruction.at)


def _jumps(action: Action, path: Path) -> list[tuple[Path, str]]:
    match action:
        case Goto(targets):
            return [((*path, "targets", index), target) for index, target in enumerate(targets)]
        case Branch(_, target):
            return [((*path, "target"), target)]
        case _:
            return []


def _regions(body: Body) -> list[int]:
    """For each instruction the index at which the innermost transaction around it begins, or -1.

    A `begin` is still outside and an `end` still inside: control that is at one of them has yet to execute it.
    """
    regions: list[int] = []
    open_at: list[int] = []
    for index, instruction in enumerate(body):
        regions.append(open_at[-1] if open_at else -1)
        if instruction.action == Transaction("begin"):
            open_at.append(index)
        elif instruction.action == Transaction("end") and open_at:
            open_at.pop()
    return regions


def _check_transactions(body: Body, path: Path) -> Iterator[Finding]:
    open_at: list[int] = []
    for index, instruction in enumerate(body):
        if not isinstance(instruction.action, Transaction):
            continue
        edge, where = instruction.action.edge, (*path, index, "edge")
        if edge not in ("begin", "end"):
            message = f"a transaction has the edges 'begin' and 'end', not {quoted(edge)}"
            yield Finding(message, where, instruction.at)
        elif edge == "begin":
            open_at.append(index)
        elif open_at:
            open_at.pop()
        else:
            yield Finding("a transaction ends that has not begun", where, instruction.at)
    for index in open_at:
        message = "a transaction begins that does not end in the same list of instructions"
        yield Finding(message, (*path, index, "edge"), body[index].at)
