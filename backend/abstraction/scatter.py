"""States to begin with, scattered around the constants and the equalities that predicates speak of.

Most combinations of predicates are possible, and most cubes imply nothing. A state that shows it costs far less than a
question to the solver. The states are arbitrary, but always the same.
"""

import random
from collections.abc import Iterator

from ebb.backend.abstraction.cube_search import Knowledge
from ebb.formats.expressions import Expression, Integer, operands

_MANY = 200
_SMALL_RANGE = 8


def scatter(knowledge: Knowledge) -> None:
    """Make some states known."""
    generator = random.Random(0)
    solver = knowledge.solver
    found = {number for predicate in knowledge.vocabulary.predicates for number in _numbers(predicate)}
    numbers = sorted({number + more for number in found | {0} for more in (-1, 0, 1)})
    ranges = [solver.variables[name].range for name, _ in solver.cells]
    order = list(range(len(ranges)))
    for _ in range(_MANY if order else 0):
        state = [0] * len(order)
        generator.shuffle(order)
        for place, cell in enumerate(order):
            values = ranges[cell]
            if values is not None and values.high - values.low < _SMALL_RANGE:
                state[cell] = generator.randint(values.low, values.high)
                continue
            if place and generator.random() < 0.5:
                state[cell] = state[order[generator.randrange(place)]] + generator.choice((-1, 0, 0, 1))
            else:
                state[cell] = generator.choice(numbers)
            if values is not None:
                state[cell] = min(max(state[cell], values.low), values.high)
        knowledge.add(tuple(state))


def _numbers(expression: Expression) -> Iterator[int]:
    if isinstance(expression, Integer):
        yield expression.value
    for operand in operands(expression):
        yield from _numbers(operand)
