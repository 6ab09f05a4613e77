r"""The front end for x86 litmus tests, the format of herd, litmus and diy.

    X86 SB                                    shared x = 0, y = 0;
    "Fre PodWR Fre PodWR"                     process P0 { local EAX = 0; L0: x = 1; L1: EAX = y; }
    { x=0; y=0; }                     →       process P1 { local EAX = 0; L0: y = 1; L1: EAX = x; }
     P0          | P1          ;              exists (P0.EAX == 0 && P1.EAX == 0)
     MOV [x],$1  | MOV [y],$1  ;
     MOV EAX,[y] | MOV EAX,[x] ;
    exists (0:EAX=0 /\ 1:EAX=0)

Locations are shared variables, registers that are written are locals of their process. A register that is only read
cannot change, so it is a constant and no outcome mentions it. `X86` files are in Intel order, `X86_64` files in AT&T's.
"""

import re
from pathlib import PurePath

from ebb.formats.errors import InputError, Position
from ebb.formats.ir import Program, Variable
from ebb.frontend.litmus_condition import read_property, starts_condition
from ebb.frontend.litmus_instructions import Operation, ends_cell, lower_process, read_operation
from ebb.frontend.litmus_names import Architecture, Names
from ebb.frontend.litmus_tokens import Cursor, Source, Token, shown

_FIRST_LINE = re.compile(r"\s*(\S+)[^\S\n]*([^\n]*)")
_INFORMATION = re.compile(r'"[^"\n]*"|[A-Za-z_][A-Za-z0-9_.]*[ \t]*=[^\n]*')
_TYPES = ("int", "int32_t", "int64_t", "uint32_t", "uint64_t")


def parse(text: str, source: str) -> Program:
    """The program in the text of a litmus file; what is wrong with it is an `InputError` with its position."""
    cleaned = Source(text)
    architecture, offset = _read_header(cleaned)
    cursor = Cursor(cleaned, offset)
    names = Names(architecture)
    state = _InitialState(names)
    state.read(cursor)
    cursor.line_by_line = True
    heads = _read_process_row(cursor)
    state.check_owners(len(heads))
    columns = _read_rows(cursor, names, len(heads))
    cursor.line_by_line = False
    processes = tuple(
        lower_process(head.text, head.at, operations, state.of(number))
        for number, (head, operations) in enumerate(zip(heads, columns, strict=True))
    )
    condition = read_property(cursor, names, processes)
    initial = state.of(None)
    shared = tuple(Variable(name, at, initial.get(name, 0)) for name, at in names.locations.items())
    return Program(PurePath(source).stem, source, shared, processes, (condition,))


def _read_header(source: Source) -> tuple[Architecture, int]:
    """The architecture, and where the initial state begins; all that stands between says nothing about the program."""
    first = _FIRST_LINE.match(source.text)
    if first is None:
        raise InputError("the file is empty; a litmus test begins with `X86 name`", Position(1, 1))
    try:
        architecture = Architecture(first[1])
    except ValueError:
        known = " and ".join(f"`{each.value}`" for each in Architecture)
        raise source.error(f"unknown architecture {shown(first[1])}; known are {known}", first.start(1)) from None
    if not first[2].strip():
        raise source.error(f"expected the name of the test after `{first[1]}`", first.end(1))
    offset = first.end()
    while offset < source.end:
        here = source.text[offset]
        if here == "{":
            return architecture, offset
        if here.isspace():
            offset += 1
        elif information := _INFORMATION.match(source.text, offset):
            offset = information.end()
        elif here == '"':
            raise source.error('this `"` is not closed on its line', offset)
        else:
            raise source.error('expected `{`, `"…"` or `Key=value`', offset)
    raise source.error("expected `{` and the initial state, found the end of the file", source.end)


class _InitialState:
    """What the block in braces says of locations, which no process owns, and of registers."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._values: dict[int | None, dict[str, int]] = {}
        self._owners: dict[int, Position] = {}

    def of(self, owner: int | None) -> dict[str, int]:
        return self._values.get(owner, {})

    def read(self, cursor: Cursor) -> None:
        cursor.expect("{")
        while not cursor.accept("}"):
            self._read_entry(cursor)
            if not cursor.accept(";") and cursor.token.text != "}":
                raise cursor.unexpected("`;` or `}`")

    def check_owners(self, processes: int) -> None:
        """Possible only when the table has said how many processes there are."""
        for owner, at in self._owners.items():
            if not 0 <= owner < processes:
                raise InputError(f"there is no process {owner}", at)

    def _read_entry(self, cursor: Cursor) -> None:
        """`x=1`, `[x]=1` or `0:EAX=1`; behind a type, as in `int x`, the value may be missing."""
        typed = cursor.token.kind == "word" and cursor.following.kind in ("word", "number")
        if typed and cursor.token.text not in _TYPES:
            raise InputError(f"unknown type {cursor.token}; known are {', '.join(_TYPES)}", cursor.token.at)
        if typed:
            cursor.take()
        at = cursor.token.at
        owner, name = self._read_register(cursor) if cursor.token.kind == "number" else self._read_location(cursor)
        values = self._values.setdefault(owner, {})
        if name in values:
            raise InputError(f"{name} has two initial values", at)
        if typed and cursor.token.text in (";", "}"):
            values[name] = 0
        else:
            cursor.expect("=")
            values[name] = cursor.integer()

    def _read_register(self, cursor: Cursor) -> tuple[int, str]:
        at = cursor.token.at
        process = cursor.integer()
        self._owners.setdefault(process, at)
        cursor.expect(":")
        return process, self._names.register_word(cursor)

    def _read_location(self, cursor: Cursor) -> tuple[None, str]:
        if not cursor.accept("["):
            return None, self._names.location(cursor.word("`x=1`, `0:EAX=1` or `}`"))
        name = self._names.location(cursor.word("a location"))
        cursor.expect("]")
        return None, name


def _read_process_row(cursor: Cursor) -> list[Token]:
    """` P0 | P1 ;`."""
    cursor.skip_newlines()
    heads: list[Token] = []
    while True:
        expected = f"P{len(heads)}"
        if cursor.token.text != expected:
            raise cursor.unexpected(f"`{expected}` at the head of a column")
        heads.append(cursor.take())
        if _take_separator(cursor).text == ";":
            return heads


def _read_rows(cursor: Cursor, names: Names, count: int) -> list[list[Operation]]:
    """The instructions of each process, from all rows up to the condition."""
    columns: list[list[Operation]] = [[] for _ in range(count)]
    while True:
        cursor.skip_newlines()
        if cursor.token.kind == "end" or starts_condition(cursor.token):
            return columns
        _read_row(cursor, names, columns)


def _read_row(cursor: Cursor, names: Names, columns: list[list[Operation]]) -> None:
    for cells, column in enumerate(columns, start=1):
        if not ends_cell(cursor.token):
            column.append(read_operation(cursor, names))
        separator = _take_separator(cursor)
        if (separator.text == ";") != (cells == len(columns)):
            wrong = "fewer" if separator.text == ";" else "more"
            raise InputError(f"this row has {wrong} cells than there are processes ({len(columns)})", separator.at)


def _take_separator(cursor: Cursor) -> Token:
    """`|` or `;`; a row that ends without the latter is by far the most likely mistake."""
    if cursor.token.kind in ("newline", "end"):
        raise InputError("expected `;` at the end of this row", cursor.behind)
    if cursor.token.text not in ("|", ";"):
        raise cursor.unexpected("`|` or `;`")
    return cursor.take()
