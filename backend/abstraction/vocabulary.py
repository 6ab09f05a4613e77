"""The predicates of an abstraction, as literals of cubes.

Literal 2i says that predicate i holds, literal 2i + 1 that it does not. A cube is a set of literals, written as an
integer with one bit a literal: the conjunction of what they say.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ebb.backend.abstraction.simplification import simplified
from ebb.formats.expressions import Binary, Expression, Integer, Name, Unary, negation, variables
from ebb.formats.ir import Variable

Cube = int


def literals(cube: Cube) -> Iterator[int]:
    """The literals of a cube, in order."""
    while cube:
        low = cube & -cube
        yield low.bit_length() - 1
        cube ^= low


def size(cube: Cube) -> int:
    return cube.bit_count()


def rank(cube: Cube) -> tuple[int, list[int]]:
    """The order in which cubes are listed: small ones first."""
    return cube.bit_count(), list(literals(cube))


def is_flag(predicate: Expression) -> bool:
    """Whether it says where a process stands."""
    return isinstance(predicate, Name) and "@" in predicate.name


@dataclass(slots=True)
class Vocabulary:
    predicates: Sequence[Expression]
    known: Mapping[str, Variable]
    conditions: list[Expression] = field(init=False)  # what each literal says
    mentions: list[frozenset[str]] = field(init=False)  # the variables of each predicate
    numbers: dict[str, int] = field(init=False)  # of the variables, for sets of them
    with_variable: dict[int, Cube] = field(init=False)  # the literals that mention a variable
    occurring: list[int] = field(init=False)  # the variables of each literal
    loose: list[int] = field(init=False)  # those that can make it true, whatever the others are
    _literal: dict[Expression, int] = field(init=False)

    def __post_init__(self) -> None:
        self.conditions = []
        self._literal = {}
        self.mentions = [frozenset(variables(predicate)) for predicate in self.predicates]
        for number, predicate in enumerate(self.predicates):
            plain, negated = simplified(predicate), simplified(negation(predicate))
            self.conditions += [plain, negated]
            for form in (predicate, plain):
                self._literal.setdefault(form, 2 * number)
            for form in (negation(predicate), negated):
                self._literal.setdefault(form, 2 * number + 1)

        self.numbers = {name: number for number, name in enumerate(self.known)}
        self.occurring = [self.numbered(self.mentions[literal // 2]) for literal in range(len(self.conditions))]
        self.loose = [self.numbered(loose_variables(condition, self.known)) for condition in self.conditions]
        self.with_variable = {}
        for literal, names in enumerate(self.occurring):
            for number in literals(names):
                self.with_variable[number] = self.with_variable.get(number, 0) | 1 << literal

    def numbered(self, names: Iterable[str]) -> int:
        """A set of variables; names that stand for any value are not among them."""
        return sum(1 << self.numbers[name] for name in names if name in self.numbers)

    def literal(self, condition: Expression) -> int | None:
        """The literal that says exactly that, if one does in so many words."""
        found = self._literal.get(condition)
        return self._literal.get(simplified(condition)) if found is None else found

    def connected(self, names: Iterable[str]) -> list[int]:
        """The predicates that have to do with the variables, directly or through others: the cone of influence."""
        reached = set(names)
        left = list(range(len(self.predicates)))
        found: list[int] = []
        while True:
            touching = [number for number in left if self.mentions[number] & reached]
            if not touching:
                return sorted(found)
            found += touching
            left = [number for number in left if not self.mentions[number] & reached]
            for number in touching:
                reached |= self.mentions[number]


class Family:
    """A set of cubes, of which one may be part of another cube."""

    def __init__(self, cubes: Iterable[Cube] = ()) -> None:
        self.cubes: list[Cube] = []
        self.by_literal: defaultdict[int, list[Cube]] = defaultdict(list)
        for cube in cubes:
            self.add(cube)

    def add(self, cube: Cube) -> None:
        self.cubes.append(cube)
        for literal in literals(cube):
            self.by_literal[literal].append(cube)

    def within(self, cube: Cube, literal: int) -> bool:
        """Whether one that has the literal is part of the cube, which also has it."""
        return any(not each & ~cube for each in self.by_literal[literal])


class Consistency(Family):
    """The combinations of literals that no state satisfies, as far as they are known."""


def loose_variables(condition: Expression, known: Mapping[str, Variable]) -> set[str]:
    """The variables each of which can make the condition true, whatever the others are.

    In a comparison of sums that is every variable without bounds that occurs with the factor 1 or -1: with it the
    difference of the two sides can be made anything.
    """
    match condition:
        case Binary("==" | "!=" | "<" | "<=" | ">" | ">=", left, right):
            factors: dict[str, int] = {}
            if not (_sum(left, 1, factors) and _sum(right, -1, factors)):
                return set()
            return {
                name
                for name, factor in factors.items()
                if abs(factor) == 1 and name in known and known[name].range is None
            }
        case _:
            return set()


def _sum(expression: Expression, sign: int, factors: dict[str, int]) -> bool:
    """Collects the factors of a sum of variables and numbers; False if it is something else."""
    match expression:
        case Integer():
            return True
        case Name(name):
            factors[name] = factors.get(name, 0) + sign
            return True
        case Unary("-", operand):
            return _sum(operand, -sign, factors)
        case Binary("+", left, right):
            return _sum(left, sign, factors) and _sum(right, sign, factors)
        case Binary("-", left, right):
            return _sum(left, sign, factors) and _sum(right, -sign, factors)
        case _:
            return False
