"""Predicates about all elements of a set, with the three-way logic of the RMA paper.

    X != 3, where X1Set holds what a put of X may have read:   all(X1Set != 3)    every element satisfies it
                                                               none(X1Set != 3)   no element does

The paper's set predicate is true, false or neither. "Neither" has to be told from "either": what is chosen from a mixed
set says nothing about what is chosen next, while a Boolean variable with an unknown value keeps the one that it turns
out to have. So there are two variables; where both are false, the elements differ, or nothing is known of them. Both
are false of a set that nobody needs any more, and to begin with, when it is empty.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ebb.formats.expressions import Element, Expression, Integer, Name, Place, places, rebuilt, show
from ebb.formats.ir import Add, Collect, Program, instructions

Lifting = Mapping[Place, str]  # places of which an element of a set is meant


@dataclass(frozen=True, slots=True)
class SetPredicate:
    """A predicate of the SC proof about elements of sets; in the expression the names of the sets stand for these."""

    original: Expression
    lifting: Mapping[Place, str]
    expression: Expression

    @property
    def all(self) -> Name:
        return all_of(self.expression)

    @property
    def none(self) -> Name:
        return none_of(self.expression)


def all_of(expression: Expression) -> Name:
    return Name(f"all({show(expression)})")


def none_of(expression: Expression) -> Name:
    return Name(f"none({show(expression)})")


def sources(program: Program) -> dict[str, Place]:
    """The sets of a program, and the variable whose values each of them holds."""
    found: dict[str, Place] = {}
    for process in program.processes:
        for instruction in instructions(process.body):
            match instruction.action:
                case Collect(name, Name() | Element() as value) | Add(name, Name() | Element() as value):
                    found[name] = value
                case _:
                    pass
    return found


def set_predicates(
    predicates: Sequence[Expression], sets: Mapping[str, Place], *, pairs: bool
) -> Iterator[SetPredicate]:
    """Each predicate for each set of a variable in it; with `pairs`, also for two sets of two variables."""
    for predicate in predicates:
        mentioned = list(dict.fromkeys(places(predicate)))
        options: list[list[tuple[Place, str] | None]] = [
            [None, *((place, name) for name, source in sets.items() if source == place)] for place in mentioned
        ]
        for chosen in product(*options):
            lifting = dict(choice for choice in chosen if choice is not None)
            if lifting and len(lifting) <= (2 if pairs else 1):
                expression = lifted(predicate, lifting)
                if expression is not None:
                    yield SetPredicate(predicate, lifting, expression)


def lifted(expression: Expression, lifting: Lifting) -> Expression | None:
    """The expression about elements of sets; None if it may speak of a place in another way as well."""
    arrays = {place.array: place.index for place in lifting if isinstance(place, Element)}
    for place in places(expression):
        if isinstance(place, Element) and place.array in arrays and not isinstance(place.index, Integer):
            return None
    return _replaced(expression, lifting)


def _replaced(expression: Expression, lifting: Lifting) -> Expression:
    if isinstance(expression, Name | Element) and expression in lifting:
        return Name(lifting[expression])
    return rebuilt(expression, lambda part: _replaced(part, lifting))
