"""Expressions over bits: renaming, simplification, support."""

from collections.abc import Callable, Iterable
from typing import assert_never

from ebb.formats import bp
from ebb.formats.bp import Expression


def negation(expression: Expression) -> Expression:
    match expression:
        case bp.Constant(value):
            return bp.FALSE if value else bp.TRUE
        case bp.Not(operand):
            return operand
        case _:
            return bp.Not(expression)


def conjunction(expressions: Iterable[Expression]) -> Expression:
    return _joined("&", expressions)


def disjunction(expressions: Iterable[Expression]) -> Expression:
    return _joined("|", expressions)


def _joined(operator: bp.Operator, expressions: Iterable[Expression]) -> Expression:
    """`&` or `|` of simplified operands: flat, without constants and repetitions.

    A repeated choice may go too: what `* & *` can be is what `*` can be.
    """
    neutral, absorbing = (bp.TRUE, bp.FALSE) if operator == "&" else (bp.FALSE, bp.TRUE)
    kept: dict[Expression, None] = {}
    for expression in expressions:
        if expression == absorbing:
            return absorbing
        if isinstance(expression, bp.Operation) and expression.operator == operator:
            kept.update(dict.fromkeys(expression.operands))
        elif expression != neutral:
            kept[expression] = None
    operands = tuple(kept)
    if not operands:
        return neutral
    return operands[0] if len(operands) == 1 else bp.Operation(operator, operands)


def renamed(expression: Expression, rename: Callable[[str], str]) -> Expression:
    """The expression over other names, simplified where constants allow it."""
    match expression:
        case bp.Constant(value):
            return bp.TRUE if value else bp.FALSE
        case bp.Variable(name):
            return bp.Variable(rename(name))
        case bp.Next(name):
            return bp.Next(rename(name))
        case bp.Nondet():
            return expression
        case bp.Not(operand):
            return negation(renamed(operand, rename))
        case bp.Schoose(true_if, false_if):
            return schoose(renamed(true_if, rename), renamed(false_if, rename))
        case bp.Conditional(condition, then, otherwise):
            return _conditional(renamed(condition, rename), renamed(then, rename), renamed(otherwise, rename))
        case bp.Operation(operator, operands):
            return _operation(operator, [renamed(operand, rename) for operand in operands])
    assert_never(expression)


def schoose(true_if: Expression, false_if: Expression) -> Expression:
    if true_if == bp.TRUE or false_if == bp.TRUE or false_if == negation(true_if):
        return true_if
    if true_if == false_if == bp.FALSE:
        return bp.Nondet()
    return bp.Schoose(true_if, false_if)


def _conditional(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    if condition == bp.TRUE or condition == bp.FALSE:
        return then if condition == bp.TRUE else otherwise
    return bp.Conditional(condition, then, otherwise)


def _operation(operator: bp.Operator, operands: list[Expression]) -> Expression:
    match operator:
        case "&" | "|":
            return _joined(operator, operands)
        case "=>":
            return disjunction((negation(operands[0]), operands[1]))
        case "=":
            return negation(_exclusive(operands))
        case "^" | "!=":
            return _exclusive(operands)
    assert_never(operator)


def _exclusive(operands: list[Expression]) -> Expression:
    flipped = False
    rest = []
    for operand in operands:
        if operand in (bp.TRUE, bp.FALSE):
            flipped ^= operand == bp.TRUE
        else:
            rest.append(operand)
    if not rest:
        return bp.TRUE if flipped else bp.FALSE
    joined = rest[0] if len(rest) == 1 else bp.Operation("^", tuple(rest))
    return negation(joined) if flipped else joined


def chooses(expression: Expression) -> bool:
    """Whether its value depends on more than the state."""
    return isinstance(expression, bp.Nondet | bp.Schoose) or any(map(chooses, bp.parts(expression)))


def support(*expressions: Expression) -> frozenset[str]:
    """The bits that the values depend on, before and after the step alike."""
    found: set[str] = set()
    work = list(expressions)
    while work:
        expression = work.pop()
        if isinstance(expression, bp.Variable | bp.Next):
            found.add(expression.name)
        else:
            work.extend(bp.parts(expression))
    return frozenset(found)


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """The parts that all have to hold; negated disjunctions are taken apart as well."""
    match expression:
        case bp.Operation("&", operands):
            return tuple(part for operand in operands for part in conjuncts(operand))
        case bp.Not(bp.Operation("|", operands)):
            return tuple(part for operand in operands for part in conjuncts(negation(operand)))
        case bp.Not(bp.Not(inner)):
            return conjuncts(inner)
        case bp.Constant(True):
            return ()
        case _:
            return (expression,)
