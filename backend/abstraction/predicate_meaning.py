"""Predicates that tell no states apart: one that always holds, or never, and two that mean the same."""

from collections.abc import Sequence

from ebb.backend.abstraction.cube_search import Knowledge
from ebb.formats.errors import InputError
from ebb.formats.expressions import show
from ebb.formats.ir import Predicate


def check_meaning(knowledge: Knowledge, predicates: Sequence[Predicate], file: str) -> None:
    """The predicates are the first ones of the vocabulary; a mistake is reported where it stands in the file."""
    impossible = set(knowledge.consistency.cubes)
    for number, predicate in enumerate(predicates):
        text = show(predicate.expression)
        for literal, always in ((2 * number, "never holds"), (2 * number + 1, "always holds")):
            if 1 << literal in impossible:
                raise InputError(f"`{text}` {always}: it tells no states apart", predicate.at, file=file)
        for other in range(number):
            pairs = (1 << 2 * number | 2 << 2 * other, 2 << 2 * number | 1 << 2 * other)
            if all(pair in impossible for pair in pairs):
                twin = show(predicates[other].expression)
                raise InputError(f"`{text}` means the same as `{twin}`", predicate.at, file=file)
