"""Records as JSON objects: tables that say which key holds what, used for writing and for strict reading.

A format is a table of `Record`s; adding a form to it is adding a row. Reading names the first thing that is not as the
table says, by its path, and leaves positions to whoever has the text.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ebb.formats.json_text import Path, quoted


class ShapeError(Exception):
    """The value at a path is not what the format wants there."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


class UnknownKeyError(ShapeError):
    """The format has no such key; the path ends with it."""


_REQUIRED = object()


@dataclass(frozen=True, slots=True)
class Kind:
    """How values of one kind are written, and read from where a path leads."""

    write: Callable[[Any], Any]
    read: Callable[[Any, Path], Any]
    absent: object = _REQUIRED  # the value that a left-out key stands for


def optional(kind: Kind, absent: object = None) -> Kind:
    """The same kind for a key that is left out when it has the value `absent`."""
    return replace(kind, absent=absent)


def list_of(kind: Kind) -> Kind:
    def write(values: tuple[Any, ...]) -> list[Any]:
        return [kind.write(value) for value in values]

    def read(value: Any, path: Path) -> tuple[Any, ...]:
        items = expect_list(value, path)
        return tuple([kind.read(item, (*path, index)) for index, item in enumerate(items)])

    return Kind(write, read)


def pair_of_integers(make: Callable[[int, int], Any], split: Callable[[Any], tuple[int, int]], what: str) -> Kind:
    def read(value: Any, path: Path) -> Any:
        items = expect_list(value, path)
        if len(items) != 2:
            raise ShapeError(f"expected {what}, not a list of {len(items)}", path)
        return make(expect_integer(items[0], (*path, 0)), expect_integer(items[1], (*path, 1)))

    return Kind(lambda pair: list(split(pair)), read)


@dataclass(frozen=True, slots=True)
class Record:
    """An object with these keys and no others, and what its parts make together."""

    make: Callable[..., Any]
    kinds: Mapping[str, Kind]

    def write(self, record: Any) -> dict[str, Any]:
        return self.write_parts({key: getattr(record, key) for key in self.kinds})

    def write_parts(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        return {key: kind.write(parts[key]) for key, kind in self.kinds.items() if parts[key] != kind.absent}

    def read(self, value: Any, path: Path) -> Any:
        entries = expect_object(value, path)
        for key in entries:
            if key not in self.kinds:
                raise UnknownKeyError(f"unknown key {quoted(key)}", (*path, key))
        parts = {}
        for key, kind in self.kinds.items():
            if key in entries:
                parts[key] = kind.read(entries[key], (*path, key))
                if parts[key] == kind.absent:
                    raise ShapeError(f"{key!r} is left out where it is {json.dumps(entries[key])}", (*path, key))
            elif kind.absent is _REQUIRED:
                raise ShapeError(f"the key {key!r} is missing", path)
            else:
                parts[key] = kind.absent
        return self.make(**parts)

    def kind(self) -> Kind:
        return Kind(self.write, self.read)


def expect_integer(value: Any, path: Path) -> int:
    if type(value) is not int:  # not isinstance: `true` is an int to Python
        raise ShapeError(f"expected an integer, not {_kind_of(value)}", path)
    return value


def expect_boolean(value: Any, path: Path) -> bool:
    if type(value) is not bool:
        raise ShapeError(f"expected true or false, not {_kind_of(value)}", path)
    return value


def expect_string(value: Any, path: Path) -> str:
    if not isinstance(value, str):
        raise ShapeError(f"expected a string, not {_kind_of(value)}", path)
    return value


def expect_list(value: Any, path: Path) -> list[Any]:
    if not isinstance(value, list):
        raise ShapeError(f"expected a list, not {_kind_of(value)}", path)
    return value


def expect_object(value: Any, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ShapeError(f"expected an object, not {_kind_of(value)}", path)
    return value


STRING = Kind(str, expect_string)
INTEGER = Kind(int, expect_integer)
BOOLEAN = Kind(bool, expect_boolean)


def _kind_of(value: Any) -> str:
    match value:
        case None | True | False:
            return {None: "null", True: "true", False: "false"}[value]
        case int():
            return "an integer"
        case float():
            return "a number with a fraction or an exponent"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "an object"
