"""What is asked of a search for cubes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from ebb.formats.expressions import Binary, Expression, Integer
from ebb.formats.ir import Range


@dataclass(frozen=True, slots=True)
class Question:
    """Which cubes imply the goal where the context holds?"""

    context: tuple[Expression, ...]
    goal: Expression
    fresh: tuple[tuple[str, Range | None], ...] = ()


def any_of(conditions: Sequence[Expression]) -> Expression:
    """Their disjunction."""
    return _joined("||", conditions) if conditions else Integer(0)


def all_of(conditions: Sequence[Expression]) -> Expression:
    """Their conjunction."""
    return _joined("&&", conditions) if conditions else Integer(1)


def _joined(operator: str, conditions: Sequence[Expression]) -> Expression:
    return reduce(lambda left, right: Binary(operator, left, right), conditions)
