"""Expressions without choices, in the syntax of another language."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import assert_never

from ebb.formats import bp
from ebb.formats.bp import Expression


@dataclass(frozen=True, slots=True)
class Syntax:
    true: str
    false: str
    both: str  # between two operands
    either: str
    differ: str
    conditional: tuple[str, str]  # between the condition and the first value, and between the values


def show(expression: Expression, syntax: Syntax, before: Callable[[str], str], after: Callable[[str], str]) -> str:
    """The text, in parentheses where it has parts. `before` and `after` say what a bit is called before and after."""

    def text(part: Expression) -> str:
        return show(part, syntax, before, after)

    match expression:
        case bp.Constant(value):
            return syntax.true if value else syntax.false
        case bp.Variable(name):
            return before(name)
        case bp.Next(name):
            return after(name)
        case bp.Not(operand):
            inner = text(operand)
            return f"!({inner})" if inner.startswith("!") else f"!{inner}"  # `!!` is a token of Promela
        case bp.Conditional(condition, then, otherwise):
            first, second = syntax.conditional
            return f"({text(condition)} {first} {text(then)} {second} {text(otherwise)})"
        case bp.Operation("&" | "|" as operator, operands):
            joint = syntax.both if operator == "&" else syntax.either
            return f"({f' {joint} '.join(map(text, operands))})"
        case bp.Operation("^" | "!=", operands):
            return reduce(lambda left, right: f"({left} {syntax.differ} {right})", map(text, operands))
        case bp.Operation("=", (left, right)):
            return text(bp.Not(bp.Operation("^", (left, right))))
        case bp.Operation("=>", (left, right)):
            return text(bp.Operation("|", (bp.Not(left), right)))
        case bp.Operation() | bp.Nondet() | bp.Schoose():
            raise ValueError(f"{expression} is not simplified")
    assert_never(expression)
