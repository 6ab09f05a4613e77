"""What can be wrong with an expression where it stands, and which shared variables it reads there.

The walk over an expression keeps its own stack and stops at the depth that documents allow: a validator that overflows
on a bad program is no validator.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, assert_never

from ebb.formats.errors import Position
from ebb.formats.expression_json import DEEPEST_EXPRESSION, too_deep
from ebb.formats.expressions import (
    BINARY_OPERATORS,
    UNARY_OPERATORS,
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
)
from ebb.formats.ir import Variable
from ebb.formats.json_text import MOST_DIGITS, Path, quoted

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a program: where in its document, and where in the source it came from."""

    message: str
    path: Path
    at: Position


@dataclass(frozen=True, slots=True)
class Scope:
    """What names stand for in a process, in properties, or in predicates."""

    where: Literal["process", "property", "predicate"]
    variables: Mapping[str, Variable]
    shared: frozenset[str]
    labels: Mapping[str, frozenset[str]]  # of each process, those that `@` can name


def check_expression(expression: Expression, path: Path, at: Position, scope: Scope) -> Iterator[Finding]:
    for part, where in _parts(expression, path):
        if _is_too_deep(part, where, path):
            yield Finding(too_deep(), where, at)
            continue
        match part:
            case Integer(value):
                yield from check_digits(value, where, at)
            case Name(name):
                yield from _check_use(name, where, at, scope)
                if name in scope.variables and scope.variables[name].size is not None:
                    yield Finding(f"the array {quoted(name)} is used without an index", where, at)
            case Element(array, _):
                yield from _check_use(array, (*where, 1), at, scope)
                if array in scope.variables and scope.variables[array].size is None:
                    yield Finding(f"{quoted(array)} has an index but is not an array", (*where, 1), at)
            case Unary(operator, operand):
                if operator not in UNARY_OPERATORS:
                    yield Finding(f"unknown operator {quoted(operator)}", (*where, 0), at)
                elif operator == "-" and isinstance(operand, Integer):
                    yield Finding("a minus before an integer: the negative integer is its only spelling", where, at)
            case Binary(operator, _, _):
                if operator not in BINARY_OPERATORS:
                    yield Finding(f"unknown operator {quoted(operator)}", (*where, 0), at)
            case Conditional():
                pass
            case At(process, label):
                yield from _check_at(process, label, where, at, scope)
            case _:
                assert_never(part)


def check_digits(value: int, path: Path, at: Position) -> Iterator[Finding]:
    if abs(value) >= 10**MOST_DIGITS:
        yield Finding(f"an integer of more than {MOST_DIGITS} digits", path, at)


def check_name(name: str, what: str, path: Path, at: Position) -> Iterator[Finding]:
    if not _NAME.fullmatch(name):
        yield Finding(f"{quoted(name)} cannot be the name of a {what}: letters, digits and _ only", path, at)


def shared_reads(expression: Expression, shared: frozenset[str]) -> set[Place]:
    """The places of shared variables that evaluating the expression reads; each counts once, however often it is read.

    An expression that is nested too deep reads nothing: comparing its parts would overflow.
    """
    parts = list(_parts(expression, ()))
    if any(_is_too_deep(part, where, ()) for part, where in parts):
        return set()
    return {part for part, _ in parts if isinstance(part, Name | Element) and place_name(part) in shared}


def _check_use(name: str, path: Path, at: Position, scope: Scope) -> Iterator[Finding]:
    if name in scope.variables:
        if scope.variables[name].type == "set":
            yield Finding(f"{quoted(name)} is a set, not a number", path, at)
        return
    if scope.where == "process" and "." in name:
        yield Finding(f"{quoted(name)}: only properties and predicates name the locals of a process", path, at)
    elif "." in name:
        yield Finding(f"{quoted(name)} is no process and a local of it", path, at)
    else:
        yield Finding(f"{quoted(name)} is not declared", path, at)


def _check_at(process: str, label: str, path: Path, at: Position, scope: Scope) -> Iterator[Finding]:
    if scope.where != "property":
        yield Finding("`@` stands only in properties", path, at)
    elif process not in scope.labels:
        yield Finding(f"there is no process {quoted(process)}", (*path, 1), at)
    elif label not in scope.labels[process]:
        message = f"the process {quoted(process)} has no label {quoted(label)} outside atomic blocks"
        yield Finding(message, (*path, 2), at)


def _parts(expression: Expression, path: Path) -> Iterator[tuple[Expression, Path]]:
    """The expression and all its parts down to the first that are too deep, each with its path."""
    stack: list[tuple[Expression, Path]] = [(expression, path)]
    while stack:
        part, where = stack.pop()
        yield part, where
        if _is_too_deep(part, where, path):
            continue
        match part:
            case Element(_, index):
                stack.append((index, (*where, 2)))
            case Unary(_, operand):
                stack.append((operand, (*where, 1)))
            case Binary(_, left, right):
                stack.append((right, (*where, 2)))
                stack.append((left, (*where, 1)))
            case Conditional(condition, then, otherwise):
                stack += [(otherwise, (*where, 3)), (then, (*where, 2)), (condition, (*where, 1))]
            case Integer() | Name() | At():
                pass
            case _:
                assert_never(part)


def _is_too_deep(part: Expression, where: Path, path: Path) -> bool:
    """Whether the part at `where` of the expression at `path` is one list too many."""
    return len(where) - len(path) >= DEEPEST_EXPRESSION and not isinstance(part, Integer | Name)
