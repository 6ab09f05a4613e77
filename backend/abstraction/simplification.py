"""Expressions made simpler: constants folded, and values with cases taken apart."""

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
    rebuilt,
)

_MOST_CASES = 32
_TRUTH = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})


def simplified(expression: Expression) -> Expression:
    """The same value, with constants folded and nothing left of a condition that is decided."""
    match expression:
        case Integer() | Name() | At():
            return expression
        case Element(array, index):
            return Element(array, simplified(index))
        case Unary(operator, operand):
            return _unary(operator, simplified(operand))
        case Binary(operator, left, right):
            return _binary(operator, simplified(left), simplified(right))
        case Conditional(condition, then, otherwise):
            condition = simplified(condition)
            if isinstance(condition, Integer):
                return simplified(then if condition.value else otherwise)
            then, otherwise = simplified(then), simplified(otherwise)
            return then if then == otherwise else Conditional(condition, then, otherwise)
        case _:
            assert_never(expression)


def is_truth(expression: Expression) -> bool:
    """Whether the value is certainly 0 or 1."""
    match expression:
        case Integer(value):
            return value in (0, 1)
        case Unary("!", _) | At():
            return True
        case Binary(operator, _, _):
            return operator in _TRUTH
        case Conditional(_, then, otherwise):
            return is_truth(then) and is_truth(otherwise)
        case _:
            return False


def _unary(operator: str, operand: Expression) -> Expression:
    if isinstance(operand, Integer):
        return Integer(-operand.value if operator == "-" else int(operand.value == 0))
    if operator == "!":
        plain = negation(operand)
        if not isinstance(operand, Unary) or operand.operator != "!" or is_truth(plain):
            return plain
    return Unary(operator, operand)


def _binary(operator: str, left: Expression, right: Expression) -> Expression:
    if isinstance(left, Integer) and isinstance(right, Integer):
        folded = _folded(operator, left.value, right.value)
        if folded is not None:
            return Integer(folded)
    match operator:
        case "==" | "<=" | ">=" if left == right:
            return Integer(1)
        case "!=" | "<" | ">" if left == right:
            return Integer(0)
        case "&&" | "||":
            return _connected(operator, left, right)
        case "+" | "-" if right == Integer(0):
            return left
        case "+" if left == Integer(0):
            return right
    return Binary(operator, left, right)


def _connected(operator: str, left: Expression, right: Expression) -> Expression:
    absorbing = operator == "||"  # the truth value that decides
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Integer):
            if bool(one.value) == absorbing:
                return Integer(int(absorbing))
            if is_truth(other):
                return other
    return left if left == right and is_truth(left) else Binary(operator, left, right)


def _folded(operator: str, left: int, right: int) -> int | None:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" | "%":
            if right == 0:
                return None
            remainder = left % abs(right)
            return (left - remainder) // right if operator == "/" else remainder
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


def conjuncts(condition: Expression) -> list[Expression]:
    """The parts that all have to hold."""
    if isinstance(condition, Binary) and condition.operator == "&&":
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition]


def disjuncts(condition: Expression) -> list[Expression]:
    """The parts of which one has to hold."""
    if isinstance(condition, Binary) and condition.operator == "||":
        return [*disjuncts(condition.left), *disjuncts(condition.right)]
    return [condition]


def settled_by(condition: Expression, guard: tuple[Expression, ...]) -> bool | None:
    """Whether a guard already decides a condition, as far as a glance shows."""
    if condition in guard:
        return True
    if negation(condition) in guard:
        return False
    match condition:
        case Binary("==" | "!=" as operator, left, Integer(value)):
            for part in guard:
                match part:
                    case Binary("==", other, Integer(known)) if other == left:
                        return (known == value) == (operator == "==")
    return None


Case = tuple[tuple[Expression, ...], Expression]  # under these conditions, this value


def alternatives(expression: Expression) -> list[Case]:
    """The cases of a value with conditionals in it; together they are all cases, and no two overlap.

    Where there would be too many, the value stays in one piece.
    """
    done: list[Case] = []
    todo: list[Case] = [((), simplified(expression))]
    while todo:
        conditions, value = todo.pop()
        found = _conditional(value)
        if found is None:
            done.append((conditions, value))
            continue
        if len(done) + len(todo) >= _MOST_CASES:
            return [((), simplified(expression))]
        condition = found.condition
        refuted = simplified(negation(condition))
        todo.append(((*conditions, refuted), simplified(_decided(value, condition, taken=False))))
        todo.append(((*conditions, condition), simplified(_decided(value, condition, taken=True))))
    return done


def _conditional(expression: Expression) -> Conditional | None:
    """A conditional in the expression whose own condition has none in it."""
    match expression:
        case Integer() | Name() | At():
            return None
        case Element(_, operand) | Unary(_, operand):
            return _conditional(operand)
        case Binary(_, left, right):
            return _conditional(left) or _conditional(right)
        case Conditional(condition, _, _):
            return _conditional(condition) or expression
        case _:
            assert_never(expression)


def _decided(expression: Expression, condition: Expression, *, taken: bool) -> Expression:
    """The expression where the condition is known to hold, or not to."""
    if isinstance(expression, Conditional) and expression.condition == condition:
        return _decided(expression.then if taken else expression.otherwise, condition, taken=taken)
    return rebuilt(expression, lambda part: _decided(part, condition, taken=taken))
