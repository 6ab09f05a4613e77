"""Integer arithmetic and the value of expressions, exactly as the language defines them."""

from collections.abc import Callable
from typing import assert_never

from ebb.formats.expressions import At, Binary, Conditional, Element, Expression, Integer, Name, Unary


class Fault(Exception):
    """Evaluation went wrong in a way that is a violation of the program's: `kind` and what happened."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class TooLarge(Exception):
    """A number outgrew what an exploration can carry on with."""


MOST_BITS = 4096


def evaluate(
    expression: Expression,
    read: Callable[[str, int | None], int],
    stands_at: Callable[[str, str], bool] | None = None,
) -> int:
    """The value; `read(name, index)` gives variables, `stands_at(process, label)` where processes stand."""
    match expression:
        case Integer(value):
            return value
        case Name(name):
            return read(name, None)
        case Element(array, index):
            return read(array, evaluate(index, read, stands_at))
        case Unary("!", operand):
            return int(evaluate(operand, read, stands_at) == 0)
        case Unary(_, operand):
            return -evaluate(operand, read, stands_at)
        case Binary(operator, left, right):
            return _apply(operator, evaluate(left, read, stands_at), evaluate(right, read, stands_at))
        case Conditional(condition, then, otherwise):
            chosen = then if evaluate(condition, read, stands_at) else otherwise
            return evaluate(chosen, read, stands_at)
        case At(process, label):
            assert stands_at is not None
            return int(stands_at(process, label))
        case _:
            assert_never(expression)


def _apply(operator: str, left: int, right: int) -> int:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            if left.bit_length() + right.bit_length() > MOST_BITS:
                raise TooLarge(f"a product has more than {MOST_BITS} bits")
            return left * right
        case "/":
            return _euclid(left, right)[0]
        case "%":
            return _euclid(left, right)[1]
        case "==":
            return int(left == right)
        case "!=":
            return int(left != right)
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
        case "&&":
            return int(left != 0 and right != 0)
        case "||":
            return int(left != 0 or right != 0)
        case _:
            raise AssertionError(operator)


def _euclid(left: int, right: int) -> tuple[int, int]:
    """Quotient and remainder with 0 <= remainder < |right|, as in SMT-LIB."""
    if right == 0:
        raise Fault("division by zero", f"{left} is divided by 0")
    remainder = left % abs(right)
    return (left - remainder) // right, remainder
