"""Expressions on cubes: three-valued states, in which a bit is true, false, or either.

A cube is a pair of integers: the bits that have a value, and those of them that are true. An expression on a cube is
one of four numbers. UNDECIDED: its value depends on bits of which the cube leaves both values open. Otherwise the set
of values that its own choices leave it, the same for every state of the cube: FALSE, TRUE, or EITHER.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from ebb.formats import bp
from ebb.formats.bp import Expression

Cube = tuple[int, int]
UNDECIDED, FALSE, TRUE, EITHER = 0, 1, 2, 3

Evaluate = Callable[[int, int], int]  # of a cube

_NEGATED = (UNDECIDED, TRUE, FALSE, EITHER)


def compiled(expression: Expression, before: Mapping[str, int], after: Mapping[str, int]) -> Evaluate:
    """The expression as a function of cubes; the mappings give the bit of each name, as a power of two."""

    def rest(expression: Expression) -> Evaluate:
        return compiled(expression, before, after)

    match expression:
        case bp.Constant(value):
            constant = TRUE if value else FALSE
            return lambda known, true: constant
        case bp.Variable(name):
            return _bit(before[name])
        case bp.Next(name):
            return _bit(after.get(name, before[name]))
        case bp.Nondet():
            return lambda known, true: EITHER
        case bp.Not(operand):
            inner = rest(operand)
            return lambda known, true: _NEGATED[inner(known, true)]
        case bp.Schoose(true_if, false_if):
            return _schoose(rest(true_if), rest(false_if))
        case bp.Conditional(condition, then, otherwise):
            return _conditional(rest(condition), rest(then), rest(otherwise))
        case bp.Operation("&", operands):
            return _conjunction([rest(operand) for operand in operands])
        case bp.Operation("|", operands):
            negated = _conjunction([rest(bp.Not(operand)) for operand in operands])
            return lambda known, true: _NEGATED[negated(known, true)]
        case bp.Operation("=>", (left, right)):
            return rest(bp.Operation("|", (bp.Not(left), right)))
        case bp.Operation("=", operands):
            return rest(bp.Not(bp.Operation("^", operands)))
        case bp.Operation("^" | "!=", operands):
            return _exclusive([rest(operand) for operand in operands])
        case bp.Operation():
            raise ValueError(f"{expression.operator} takes two operands")
    assert_never(expression)


def _bit(bit: int) -> Evaluate:
    def evaluate(known: int, true: int) -> int:
        if not known & bit:
            return UNDECIDED
        return TRUE if true & bit else FALSE

    return evaluate


def _conjunction(operands: Sequence[Evaluate]) -> Evaluate:
    def evaluate(known: int, true: int) -> int:
        undecided = False
        can_fail, can_hold = 0, TRUE
        for operand in operands:
            value = operand(known, true)
            if value == FALSE:
                return FALSE
            if value == UNDECIDED:
                undecided = True
            can_fail |= value & FALSE
            can_hold &= value
        return UNDECIDED if undecided else can_fail | can_hold

    return evaluate


def _exclusive(operands: Sequence[Evaluate]) -> Evaluate:
    def evaluate(known: int, true: int) -> int:
        odd, free = False, False
        for operand in operands:
            value = operand(known, true)
            if value == UNDECIDED:
                return UNDECIDED
            odd ^= value == TRUE
            free |= value == EITHER
        if free:
            return EITHER
        return TRUE if odd else FALSE

    return evaluate


def _schoose(true_if: Evaluate, false_if: Evaluate) -> Evaluate:
    def evaluate(known: int, true: int) -> int:
        wanted = true_if(known, true)
        if wanted != FALSE:
            return wanted  # where it may also fail, whatever `false_if` says, both values are possible
        refused = false_if(known, true)
        return _REFUSED[refused]

    return evaluate


_REFUSED = (UNDECIDED, EITHER, FALSE, EITHER)  # `schoose[F, f]` by the values of f


def _conditional(condition: Evaluate, then: Evaluate, otherwise: Evaluate) -> Evaluate:
    def evaluate(known: int, true: int) -> int:
        chosen = condition(known, true)
        if chosen == TRUE:
            return then(known, true)
        if chosen == FALSE:
            return otherwise(known, true)
        yes, no = then(known, true), otherwise(known, true)
        if chosen == EITHER:
            return yes | no if yes and no else UNDECIDED
        return yes if yes == no else UNDECIDED

    return evaluate
