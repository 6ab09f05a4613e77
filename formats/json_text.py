"""JSON text, read strictly, and the position of any value in it.

The reader of the standard library is fast but forgets where each value stood, forgives repeated keys and accepts
`NaN`. Here hooks refuse what no document of ours may contain, and positions come from a second, slower walk over the
text that is made only when there is an error to report. The walk keeps its own stack, so no nesting can overflow it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ebb.formats.errors import InputError, Position

Path = tuple[str | int, ...]  # the keys and indices that lead from the whole document to a value

MOST_DIGITS = 100
_DEEPEST = 450  # more than a sound document needs, less than the standard reader can take
_LONGEST = 60  # characters of a string that a message quotes

# A string, a bracket or separator, or a run of anything else (a number or a word).
_TOKEN = re.compile(r'[ \t\n\r]*("(?:[^"\\]|\\.)*"|[\[\]{},:]|[^ \t\n\r\[\]{},:"]+)', re.DOTALL)


class _IrregularError(Exception):
    """A hook of the reader has met something that is JSON, or nearly, but not allowed; hooks do not know where."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A key, or the beginning of a value."""

    kind: Literal["key", "value"]
    path: Path
    text: str
    offset: int


def parse(text: str) -> Any:
    """The value of a JSON text; an `InputError` if it is not JSON, or repeats a key, says `NaN`, or goes too far."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise InputError(message, _position(text, error.pos)) from None
    except (_IrregularError, RecursionError):
        irregularity = _first_irregularity(text)
        if irregularity is None:
            raise  # the caller's own stack was nearly used up: not the text's fault
    raise irregularity


def value_position(text: str, path: Path) -> Position:
    """Where the value at a path begins, or the innermost value on the way to it that exists."""
    found = 0
    for token in _tokens(text):
        if token.kind == "value" and token.path == path[: len(token.path)]:
            found = token.offset
            if len(token.path) == len(path):
                break
    return _position(text, found)


def key_position(text: str, path: Path) -> Position:
    """Where the key stands that a path ends with."""
    for token in _tokens(text):
        if token.kind == "key" and token.path == path:
            return _position(text, token.offset)
    return value_position(text, path)


def quoted(text: str) -> str:
    """A string from a document as a message shows it: on one line, printable, not too long."""
    return repr(text) if len(text) <= _LONGEST else f"{text[:_LONGEST]!r}..."


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _IrregularError
    return result


def _constant(_: str) -> Any:
    raise _IrregularError


def _integer(text: str) -> int:
    if _digits(text) > MOST_DIGITS:
        raise _IrregularError
    return int(text)


def _digits(number: str) -> int:
    return len(number.removeprefix("-"))


def _first_irregularity(text: str) -> InputError | None:
    keys: set[Path] = set()
    for token in _tokens(text):
        message = ""
        if len(token.path) + (token.text in ("[", "{")) > _DEEPEST:
            message = f"nested deeper than {_DEEPEST} lists and objects"
        elif token.kind == "key" and token.path in keys:
            message = f"the key {quoted(str(token.path[-1]))} occurs twice in one object"
        elif token.kind == "value" and token.text in ("NaN", "Infinity", "-Infinity"):
            message = f"{token.text} is not JSON"
        elif re.fullmatch(r"-?\d+", token.text) and _digits(token.text) > MOST_DIGITS:
            message = f"an integer of more than {MOST_DIGITS} digits"
        if message:
            return InputError(message, _position(text, token.offset))
        if token.kind == "key":
            keys.add(token.path)
    return None


def _tokens(text: str) -> Iterator[_Token]:
    """The keys and values in the order of the text; ends early where the text is not JSON."""
    steps: list[str | int | None] = []  # for each open list the index, for each open object the key or None before it
    offset = 0
    while (match := _TOKEN.match(text, offset)) is not None:
        token, start, offset = match[1], match.start(1), match.end()
        if token in "]}":
            if not steps:
                return
            steps.pop()
        elif token == ",":
            if not steps:
                return
            step = steps[-1]
            steps[-1] = step + 1 if isinstance(step, int) else None
        elif token == ":":
            pass
        elif steps and steps[-1] is None:
            if not token.startswith('"'):
                return
            steps[-1] = _string(token)
            yield _Token("key", _path(steps), token, start)
        else:
            yield _Token("value", _path(steps), token, start)
            if token == "[":
                steps.append(0)
            elif token == "{":
                steps.append(None)


def _string(token: str) -> str:
    """The string that a token stands for; as it stands where the text is not JSON."""
    try:
        return str(json.loads(token))
    except json.JSONDecodeError:
        return token


def _path(steps: list[str | int | None]) -> Path:
    return tuple(step for step in steps if step is not None)


def _position(text: str, offset: int) -> Position:
    return Position(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
