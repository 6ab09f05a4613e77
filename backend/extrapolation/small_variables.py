"""Counts and targets of store buffers: variables with few values, about which everything can be found by trying."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from ebb.backend.abstraction.simplification import simplified
from ebb.backend.abstraction.subject import Subject
from ebb.backend.abstraction.substitution import with_values
from ebb.backend.abstraction.vocabulary import Cube
from ebb.formats.expressions import (
    Expression,
    Integer,
    negation,
    variables,
)

_MOST_TOGETHER = 3  # variables whose values are tried together


class SmallVariables:
    def __init__(self, names: set[str], subject: Subject) -> None:
        self.names = names
        self.known = subject.variables
        self.vocabulary = subject.vocabulary

    def speaks(self, expression: Expression) -> bool:
        """Whether it speaks of one of them."""
        return not variables(expression).isdisjoint(self.names)

    def excluding(self, guard: Sequence[Expression]) -> list[Cube]:
        """The cubes that exclude what a guard says of them."""
        found: list[Cube] = []
        for part in guard:
            if self.speaks(part):
                literal = self.vocabulary.literal(negation(part))
                found += [1 << literal] if literal is not None else self.cubes(negation(part), variables(part))
        return found

    def cubes(self, goal: Expression, names: set[str]) -> list[Cube]:
        """Cubes about the names that imply a goal about them; for the goal 0, those that no values satisfy."""
        ordered = sorted(names)
        ranges = [self.known[name].range for name in ordered if self.known[name].size is None]
        values = [range(each.low, each.high + 1) for each in ranges if each is not None]
        if not names <= self.names or len(values) < len(ordered) or len(ordered) > _MOST_TOGETHER:
            return []
        states = [{(name, 0): v for name, v in zip(ordered, chosen, strict=True)} for chosen in product(*values)]
        relevant = [n for n, mentioned in enumerate(self.vocabulary.mentions) if mentioned and mentioned <= names]
        conditions = {literal: self.vocabulary.conditions[literal] for n in relevant for literal in (2 * n, 2 * n + 1)}
        holds = {
            literal: {number for number, state in enumerate(states) if _value(condition, state)}
            for literal, condition in conditions.items()
        }
        failing = {number for number, state in enumerate(states) if not _value(goal, state)}
        pairs = [chosen for size in (1, 2) for chosen in combinations(sorted(conditions), size)]
        nothing = tuple(literal for literal in sorted(conditions) if literal & 1)  # no value is the one
        found: list[Cube] = []
        for chosen in [*pairs, nothing]:
            cube = sum(1 << literal for literal in chosen)
            if any(not other & ~cube for other in found) or any(literal ^ 1 in chosen for literal in chosen):
                continue
            where = set.intersection(*(holds[literal] for literal in chosen)) if chosen else failing
            if not where & failing and (where or goal == Integer(0)):
                found.append(cube)
        return found


def _value(condition: Expression, state: Mapping[tuple[str, int], int]) -> int:
    """The value of a condition all of whose variables are known."""
    value = simplified(with_values(condition, state))
    assert isinstance(value, Integer)
    return value.value
