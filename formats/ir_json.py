"""Programs as `.ir.json` documents, specified in `docs/formats/ir.md`.

Design choices:
- Tables say which key holds what; an operation of the IR is one row of `_OPERATIONS`, for writing and for reading.
- The layout is fixed and made for `diff`: one variable, instruction, property or predicate on a line.
- Reading is strict. The tables check the shape, `ir_check` the meaning, and whatever is found first is reported at
  the place in the text where it stands.
"""

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ebb.formats.errors import InputError, Position
from ebb.formats.expression_json import EXPRESSION, PLACE
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
    Range,
    Skip,
    Transaction,
    Variable,
)
from ebb.formats.ir_check import check
from ebb.formats.ir_check_code import DEEPEST_ATOMIC, atomic_too_deep
from ebb.formats.json_record import (
    BOOLEAN,
    INTEGER,
    STRING,
    Kind,
    Record,
    ShapeError,
    UnknownKeyError,
    expect_integer,
    expect_object,
    expect_string,
    list_of,
    optional,
    pair_of_integers,
)
from ebb.formats.json_text import Path, key_position, parse, quoted, value_position

FORMAT = "ebb-ir"
VERSION = 1


def dumps(program: Program) -> str:
    """The document of a program: the same bytes for the same program, always."""
    document = {"format": FORMAT, "version": VERSION, **_PROGRAM.write(program)}
    entries = ",\n".join(f"  {_flat(key)}: {_laid_out(value, '  ')}" for key, value in document.items())
    return f"{{\n{entries}\n}}\n"


def loads(text: str) -> Program:
    """The program of a document; an `InputError` at the first place that is wrong."""
    document = parse(text)
    try:
        program = _read_document(document)
    except UnknownKeyError as wrong:
        raise InputError(wrong.message, key_position(text, wrong.path)) from None
    except ShapeError as wrong:
        raise InputError(wrong.message, value_position(text, wrong.path)) from None
    for finding in check(program):
        raise InputError(finding.message, value_position(text, finding.path))
    return program


def _read_document(document: Any) -> Program:
    """Format and version first: a document of another kind is not a document with a wrong key."""
    entries = dict(expect_object(document, ()))
    if "format" not in entries or "version" not in entries:
        raise ShapeError(f"not an {FORMAT} document: 'format' or 'version' is missing", ())
    if (name := expect_string(entries.pop("format"), ("format",))) != FORMAT:
        raise ShapeError(f"expected the format '{FORMAT}', not {quoted(name)}", ("format",))
    version = expect_integer(entries.pop("version"), ("version",))
    if version > VERSION:
        raise ShapeError(f"written by a newer ebb: version {version}; this one reads version {VERSION}", ("version",))
    if version != VERSION:
        raise ShapeError(f"there is no version {version}; this ebb reads version {VERSION}", ("version",))
    program: Program = _PROGRAM.read(entries, ())
    return program


def _write_initial(initial: int | None) -> int | str:
    return "*" if initial is None else initial


def _read_initial(value: Any, path: Path) -> int | None:
    if value == "*":
        return None
    if isinstance(value, str):
        raise ShapeError(f"expected an integer or '*', not {quoted(value)}", path)
    return expect_integer(value, path)


def _write_instruction(instruction: Instruction) -> dict[str, Any]:
    action = instruction.action
    operation = _OPERATION_OF[type(action)]
    parts = {field.name: getattr(action, field.name) for field in fields(action)}
    parts |= {"label": instruction.label, "op": operation, "at": instruction.at, "note": instruction.note}
    entries = _OPERATIONS[operation].write_parts(parts)
    if "body" in entries:
        entries["body"] = entries.pop("body")  # last, so that what is said of a block stands at its head
    return entries


def _read_instruction(value: Any, path: Path) -> Instruction:
    entries = expect_object(value, path)
    if "op" not in entries:
        raise ShapeError("the key 'op' is missing", path)
    operation = expect_string(entries["op"], (*path, "op"))
    if operation not in _OPERATIONS:
        raise ShapeError(f"unknown operation {quoted(operation)}", (*path, "op"))
    # Every step into a list of instructions is called `body`, and the first of them is the process itself.
    if operation == "atomic" and path.count("body") > DEEPEST_ATOMIC:
        raise ShapeError(atomic_too_deep(), path)
    instruction: Instruction = _OPERATIONS[operation].read(entries, path)
    return instruction


def _operation(action: Callable[..., Action], **kinds: Kind) -> Record:
    """The record of the instructions with this action, whose parts stand beside the label."""

    def make(label: str, op: str, at: Position, note: str, **parts: Any) -> Instruction:
        return Instruction(label, action(**parts), at, note)

    return Record(make, {"label": STRING, "op": STRING, **kinds, "at": _AT, "note": optional(STRING, "")})


_AT = pair_of_integers(Position, lambda at: (at.line, at.column), "a line and a column")
_RANGE = pair_of_integers(Range, lambda range: (range.low, range.high), "the lowest and the highest value")
_BODY = list_of(Kind(_write_instruction, _read_instruction))

_ACTIONS: dict[str, tuple[type[Action], dict[str, Kind]]] = {
    "assign": (Assign, {"target": PLACE, "value": EXPRESSION}),
    "havoc": (Havoc, {"target": PLACE}),
    "assume": (Assume, {"condition": EXPRESSION}),
    "assert": (Assert, {"condition": EXPRESSION}),
    "skip": (Skip, {}),
    "goto": (Goto, {"targets": list_of(STRING)}),
    "branch": (Branch, {"condition": EXPRESSION, "target": STRING}),
    "atomic": (Atomic, {"body": _BODY}),
    "fence": (Fence, {"variable": optional(STRING)}),
    "put": (Put, {"target": PLACE, "process": STRING, "source": PLACE}),
    "get": (Get, {"target": PLACE, "source": PLACE, "process": STRING}),
    "flush": (Flush, {"process": STRING}),
    "transaction": (Transaction, {"edge": STRING}),
    "overflow": (Overflow, {}),
    "forget": (Forget, {"target": PLACE}),
    "collect": (Collect, {"set": STRING, "value": EXPRESSION}),
    "add": (Add, {"set": STRING, "value": EXPRESSION}),
    "choose": (Choose, {"target": PLACE, "set": STRING}),
}
_OPERATIONS = {name: _operation(action, **kinds) for name, (action, kinds) in _ACTIONS.items()}
_OPERATION_OF = {action: name for name, (action, _) in _ACTIONS.items()}

_VARIABLE = Record(
    Variable,
    {
        "name": STRING,
        "initial": Kind(_write_initial, _read_initial),
        "range": optional(_RANGE),
        "size": optional(INTEGER),
        "owner": optional(STRING),
        "type": optional(STRING, "integer"),
        "at": _AT,
        "note": optional(STRING, ""),
    },
)
_PROCESS = Record(
    Process,
    {
        "name": STRING,
        "at": _AT,
        "when": optional(STRING),
        "background": optional(BOOLEAN, False),
        "locals": list_of(_VARIABLE.kind()),
        "body": _BODY,
    },
)
_PROPERTY = Record(Property, {"kind": STRING, "condition": EXPRESSION, "at": _AT})
_PREDICATE = Record(Predicate, {"expression": EXPRESSION, "at": _AT})
_PROGRAM = Record(
    Program,
    {
        "name": STRING,
        "source": STRING,
        "model": STRING,
        "reduced": optional(STRING),
        "shared": list_of(_VARIABLE.kind()),
        "processes": list_of(_PROCESS.kind()),
        "properties": list_of(_PROPERTY.kind()),
        "predicates": list_of(_PREDICATE.kind()),
    },
)

_encode = json.JSONEncoder(ensure_ascii=False).encode
_encode_ascii = json.JSONEncoder(ensure_ascii=True).encode


def _flat(value: Any) -> str:
    """A value on one line, readable where that is safe and escaped where it is not."""
    text = _encode(value)
    return text if text.isprintable() else _encode_ascii(value)


def _laid_out(value: Any, indent: str) -> str:
    """Lists of objects take one line for each of them, everything else stays on the line it is on."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flat(key)}: {_laid_out(item, indent)}" for key, item in value.items()) + "}"
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return _flat(value)
    deeper = f"{indent}  "
    rows = ",\n".join(f"{deeper}{_laid_out(item, deeper)}" for item in value)
    return f"[\n{rows}\n{indent}]"
