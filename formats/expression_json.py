"""Expressions in JSON: an integer is itself, a name is a string, all else is a list with its operator first.

`["+", "x", 1]` is `x + 1`, `["[]", "Q", "i"]` is `Q[i]`, `["?", "c", 1, 2]` is `c ? 1 : 2`, `["@", "P0", "cs"]` is
`P0@cs`. Lists are the shortest form that needs no grammar to read, and they keep an instruction on one line.
"""

from typing import Any, assert_never

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
    minus,
)
from ebb.formats.json_record import Kind, ShapeError, expect_string
from ebb.formats.json_text import Path, quoted

DEEPEST_EXPRESSION = 300  # lists within each other: deeper ones would make recursion over expressions fail somewhere


def to_json(expression: Expression) -> Any:
    match expression:
        case Integer(value):
            return value
        case Name(name):
            return name
        case Element(array, index):
            return ["[]", array, to_json(index)]
        case Unary(operator, operand):
            return [operator, to_json(operand)]
        case Binary(operator, left, right):
            return [operator, to_json(left), to_json(right)]
        case Conditional(condition, then, otherwise):
            return ["?", to_json(condition), to_json(then), to_json(otherwise)]
        case At(process, label):
            return ["@", process, label]
        case _:
            assert_never(expression)


def from_json(value: Any, path: Path = (), depth: int = 0) -> Expression:
    """The expression that a value stands for; `ShapeError` with the path of what makes it none."""
    if type(value) is int:
        return Integer(value)
    if isinstance(value, str):
        return Name(value)
    if not isinstance(value, list) or not value:
        raise ShapeError("expected an expression: an integer, a name, or a list with its operator first", path)
    if depth == DEEPEST_EXPRESSION:
        raise ShapeError(too_deep(), path)
    operator = expect_string(value[0], (*path, 0))
    match value:
        case ["[]", array, index]:
            return Element(expect_string(array, (*path, 1)), from_json(index, (*path, 2), depth + 1))
        case ["@", process, label]:
            return At(expect_string(process, (*path, 1)), expect_string(label, (*path, 2)))
        case ["?", condition, then, otherwise]:
            return Conditional(
                from_json(condition, (*path, 1), depth + 1),
                from_json(then, (*path, 2), depth + 1),
                from_json(otherwise, (*path, 3), depth + 1),
            )
        case [_, operand] if operator in UNARY_OPERATORS:
            inner = from_json(operand, (*path, 1), depth + 1)
            return minus(inner) if operator == "-" else Unary(operator, inner)
        case [_, left, right] if operator in BINARY_OPERATORS:
            return Binary(
                operator, from_json(left, (*path, 1), depth + 1), from_json(right, (*path, 2), depth + 1)
            )  # fmt: skip
        case _ if operator in ("[]", "@", "?", *UNARY_OPERATORS, *BINARY_OPERATORS):
            raise ShapeError(f"the operator {operator!r} does not take {len(value) - 1} operands", path)
        case _:
            raise ShapeError(f"unknown operator {quoted(operator)}", (*path, 0))


def too_deep() -> str:
    return f"an expression nested deeper than {DEEPEST_EXPRESSION}"


def _place_from_json(value: Any, path: Path) -> Place:
    expression = from_json(value, path)
    if not isinstance(expression, Name | Element):
        raise ShapeError("expected a variable or an element of an array", path)
    return expression


EXPRESSION = Kind(to_json, from_json)
PLACE = Kind(to_json, _place_from_json)
