"""What an expression needs to have a value: indices within bounds, and nothing divided by zero."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from ebb.formats.expressions import (
    At,
    Binary,
    Conditional,
    Element,
    Expression,
    Integer,
    Name,
    Unary,
    negation,
    show,
)
from ebb.formats.ir import Variable


def faults(expression: Expression, variables: Mapping[str, Variable]) -> Iterator[tuple[Expression, str]]:
    """What has to hold for the expression to have a value."""
    match expression:
        case Integer() | Name() | At():
            return
        case Element(array, index):
            yield from faults(index, variables)
            size = variables[array].size or 1
            if not (isinstance(index, Integer) and 0 <= index.value < size):
                inside = Binary("&&", Binary("<=", Integer(0), index), Binary("<", index, Integer(size)))
                yield inside, f"{show(expression)} in bounds"
        case Unary(_, operand):
            yield from faults(operand, variables)
        case Binary(operator, left, right):
            yield from faults(left, variables)
            yield from faults(right, variables)
            if operator in ("/", "%") and not (isinstance(right, Integer) and right.value != 0):
                yield Binary("!=", right, Integer(0)), f"the divisor of {show(expression)} is not 0"
        case Conditional(condition, then, otherwise):
            yield from faults(condition, variables)
            for fault, what in faults(then, variables):
                yield Binary("||", negation(condition), fault), what
            for fault, what in faults(otherwise, variables):
                yield Binary("||", condition, fault), what
        case _:
            assert_never(expression)
