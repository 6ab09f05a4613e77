"""Prints a program as `.ebb` source, so that what a pass made can be read, edited and parsed again.

    Instruction("again", Assign(Name("F0"), Integer(1)), Position(7, 3))         again:
    Instruction("L1", Fence(), Position(8, 3))                               →     F0 = 1;      //@ 7:3
    Instruction("L2", Goto(("again",)), Position(9, 3), "next round")              fence;       //@ 8:3
                                                                                   goto again;  //@ 9:3 next round

`show_program` loses nothing: the structured comments `//@ LINE:COLUMN note` carry every position and note back into
the IR, so the text stands for the program in a pipeline as well as its JSON does. Such a comment stands on the line of
the first token of what it is about. `show_program_without_positions` prints what somebody would have written; parsed
again, its positions are about the printed text and its notes are gone.

A label is printed when something refers to it, or when the parser would not give the instruction the same one.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from ebb.formats.errors import Position
from ebb.formats.expressions import At, Expression, operands, show, show_label, show_name
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
    Predicate,
    Process,
    Program,
    Property,
    Put,
    Skip,
    Transaction,
    Variable,
    default_label,
    instructions,
)

_INDENT = "  "
_COMMENT_COLUMN = 48  # the furthest to the right that comments are aligned; longer lines push their own out


def show_program(program: Program) -> str:
    """Source that parses back to the same program, positions and notes included."""
    return _text([[_header(program)], *(_aligned(block) for block in _blocks(program))])


def show_program_without_positions(program: Program) -> str:
    """Source without the comments that say where each part came from and what it models.

    The line about the program as a whole goes too, as positions will be about the text itself; but a program that
    already contains its memory model keeps it, or it would mean something else.
    """
    header = [] if program.model == "any" else [[_header(program)]]
    return _text([*header, *([line.text for line in block] for block in _blocks(program))])


def show_action(action: Action) -> str:
    """An action that is a single line of source, without the semicolon; blocks are shown by their first line."""
    match action:
        case Assign(target, value):
            return f"{show(target)} = {show(value)}"
        case Havoc(target):
            return f"{show(target)} = *"
        case Assume(condition):
            return f"assume({show(condition)})"
        case Assert(condition):
            return f"assert({show(condition)})"
        case Skip():
            return "skip"
        case Goto(targets):
            return f"goto {', '.join(map(show_label, targets))}"
        case Branch(condition, target):
            return f"if ({show(condition)}) goto {show_label(target)}"
        case Fence(variable):
            return "fence" if variable is None else f"fence({show_name(variable)})"
        case Put(target, process, source):
            return f"put({show(target)}, {show_name(process)}, {show(source)})"
        case Get(target, source, process):
            return f"{show(target)} = get({show(source)}, {show_name(process)})"
        case Flush(process):
            return f"flush({show_name(process)})"
        case Atomic():
            return "atomic {"
        case Transaction(edge):
            return "transaction {" if edge == "begin" else "}"
        case Overflow():
            return "overflow"
        case Forget(target):
            return f"forget({show(target)})"
        case Collect(set_, value):
            return f"{show_name(set_)} = {{{show(value)}}}"
        case Add(set_, value):
            return f"add({show_name(set_)}, {show(value)})"
        case Choose(target, set_):
            return f"{show(target)} = choose({show_name(set_)})"
        case _:
            assert_never(action)


def show_body(body: tuple[Instruction, ...]) -> list[str]:
    """Part of a process as lines of source; of the labels only those that the part itself jumps to."""
    return [line.text for line in _body(body, 0, _jump_targets(body))]


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    comment: str = ""


def _text(blocks: list[list[str]]) -> str:
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _aligned(block: list[_Line]) -> list[str]:
    """The lines of a block with their comments in one column, as far as that column is not too far away."""
    longest = max(len(line.text) for line in block if line.comment)
    column = min(longest + 2, _COMMENT_COLUMN)
    return [f"{line.text:<{column - 2}}  {line.comment}" if line.comment else line.text for line in block]


def _header(program: Program) -> str:
    model = "" if program.model == "any" else f" model {program.model}"
    reduced = "" if program.reduced is None else f" reduced {program.reduced}"
    return f"//@ program {json.dumps(program.name)} from {json.dumps(program.source)}{model}{reduced}"


def _blocks(program: Program) -> list[list[_Line]]:
    """What stands between blank lines: declarations, each process, properties, predicates."""
    blocks = [
        [_declaration("shared", variable) for variable in program.shared if variable.owner is None],
        *(list(_process(process, program)) for process in program.processes),
        [_property(property_) for property_ in program.properties],
        list(_predicates(program.predicates)),
    ]
    return [block for block in blocks if block]


def _comment(at: Position, note: str = "") -> str:
    return f"//@ {at.line}:{at.column} {note}".rstrip()


def _declaration(keyword: str, variable: Variable) -> _Line:
    size = "" if variable.size is None else f"[{variable.size}]"
    range_ = "" if variable.range is None else f" : {variable.range.low}..{variable.range.high}"
    initial = "{}" if variable.type == "set" else "*" if variable.initial is None else str(variable.initial)
    comment = _comment(variable.at, variable.note)
    return _Line(f"{keyword} {show_name(variable.name)}{size}{range_} = {initial};", comment)


def _process(process: Process, program: Program) -> Iterator[_Line]:
    when = "" if process.when is None else f" when {show_name(process.when)}"
    background = " background" if process.background else ""
    yield _Line(f"process {show_name(process.name)}{background}{when} {{", _comment(process.at))
    owned = [_declaration("shared", variable) for variable in program.shared if variable.owner == process.name]
    for line in [*owned, *(_declaration("local", variable) for variable in process.locals)]:
        yield _Line(_INDENT + line.text, line.comment)
    yield from _body(process.body, 1, _printed_labels(process, program))
    yield _Line("}")


def _printed_labels(process: Process, program: Program) -> set[str]:
    """The labels that something refers to, and those that the parser would not give by itself."""
    mentions = (at for property_ in program.properties for at in _locations(property_.condition))
    return (
        _own_labels(process.body, None)
        | _jump_targets(process.body)
        | {at.label for at in mentions if at.process == process.name}
    )


def _own_labels(body: tuple[Instruction, ...], block: str | None) -> set[str]:
    found: set[str] = set()
    for number, instruction in enumerate(body):
        if instruction.label != default_label(block, number):
            found.add(instruction.label)
        if isinstance(instruction.action, Atomic):
            found |= _own_labels(instruction.action.body, instruction.label)
    return found


def _jump_targets(body: tuple[Instruction, ...]) -> set[str]:
    targets: set[str] = set()
    for instruction in instructions(body):
        match instruction.action:
            case Goto(labels):
                targets.update(labels)
            case Branch(_, label):
                targets.add(label)
    return targets


def _locations(expression: Expression) -> Iterator[At]:
    if isinstance(expression, At):
        yield expression
    for operand in operands(expression):
        yield from _locations(operand)


def _body(body: tuple[Instruction, ...], depth: int, labels: set[str]) -> Iterator[_Line]:
    """The instructions, each on its line; a label stands on a line before, outdented, where the eye finds it."""
    for instruction in body:
        action, label = instruction.action, instruction.label
        comment = _comment(instruction.at, instruction.note)
        if action == Transaction("end"):
            depth -= 1
            label_text = f"{show_label(label)}: " if label in labels else ""
            yield _Line(_INDENT * depth + label_text + show_action(action), comment)
            continue
        if label in labels:
            yield _Line(f"{_INDENT * (depth - 1)}{show_label(label)}:")
        match action:
            case Atomic(inner):
                yield _Line(_INDENT * depth + show_action(action), comment)
                yield from _body(inner, depth + 1, labels)
                yield _Line(_INDENT * depth + "}")
            case Transaction():
                yield _Line(_INDENT * depth + show_action(action), comment)
                depth += 1
            case _:
                yield _Line(f"{_INDENT * depth}{show_action(action)};", comment)


def _property(property_: Property) -> _Line:
    return _Line(f"assert {property_.kind} ({show(property_.condition)});", _comment(property_.at))


def _predicates(predicates: tuple[Predicate, ...]) -> Iterator[_Line]:
    if not predicates:
        return
    yield _Line("predicates {")
    for number, predicate in enumerate(predicates, start=1):
        comma = "," if number < len(predicates) else ""
        yield _Line(f"{_INDENT}{show(predicate.expression)}{comma}", _comment(predicate.at))
    yield _Line("}")
