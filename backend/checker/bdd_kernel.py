"""Binary decision diagrams over the bits of automata: the variable order, and expressions as diagrams.

Order. Bits that statements mention together stand together: FORCE (Aloul, Markov, Sakallah 2003) moves every bit to the
centre of gravity of the statements it occurs in, again and again, from the order of declarations. The value of a bit
after a step stands directly below its value before. When diagrams have grown large all the same, sifting improves the
order at run time.

An expression with choices is a pair of diagrams: where it can be true, and where it can be false. No two occurrences
of a choice are the same, so operators can be applied to such pairs without a variable for any choice.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.expressions import support
from ebb.formats import bp
from ebb.formats.bp import Expression

Diagram: TypeAlias = Any  # a function of CUDD, or of the package's own Python implementation

_NOTHING: Mapping[str, str] = {}
_ROUNDS = 30
_FIRST_SIFTING = 2_000_000  # nodes


@dataclass(frozen=True, slots=True)
class Possible:
    """Where an expression can be true, and where it can be false."""

    true: Diagram
    false: Diagram


class Kernel:
    def __init__(self, automata: Automata) -> None:
        self._module, self._manager = _manager()
        names = force_order([bit.name for bit in automata.bits], _groups(automata))
        self.before = {name: f"x{number}" for number, name in enumerate(names)}
        self.after = {name: f"y{number}" for number, name in enumerate(names)}
        for number in range(len(names)):
            self._manager.declare(f"x{number}", f"y{number}")
        self._sift_at = _FIRST_SIFTING
        self.true = self._manager.true
        self.false = self._manager.false

    def __len__(self) -> int:
        return len(self._manager)

    def variable(self, name: str) -> Diagram:
        return self._manager.var(name)

    def literal(self, name: str, value: bool) -> Diagram:
        variable = self._manager.var(name)
        return variable if value else ~variable

    def exists(self, names: Sequence[str], diagram: Diagram) -> Diagram:
        return self._manager.exist(names, diagram) if names else diagram

    def product(self, left: Diagram, right: Diagram, names: Sequence[str]) -> Diagram:
        """∃ names. left ∧ right."""
        if self._module is not None:
            return self._module.and_exists(left, right, names) if names else left & right
        return self.exists(names, left & right)

    def renamed(self, diagram: Diagram, names: dict[str, str]) -> Diagram:
        return self._manager.let(names, diagram) if names else diagram

    def restricted(self, diagram: Diagram, values: dict[str, bool]) -> Diagram:
        return self._manager.let(values, diagram) if values else diagram

    def pick(self, diagram: Diagram) -> dict[str, bool]:
        """Some valuation of the variables that the diagram depends on."""
        found: dict[str, bool] = self._manager.pick(diagram)
        return found

    def sift_if_large(self) -> None:
        if self._module is not None and len(self._manager) > self._sift_at:
            self._module.reorder(self._manager)
            self._sift_at = max(_FIRST_SIFTING, 2 * len(self._manager))

    # -- expressions

    def possible(self, expression: Expression, after: Mapping[str, str] = _NOTHING) -> Possible:
        """Over values before the step; `'b` is the variable that `after` gives it, or b, which stays as it is."""
        match expression:
            case bp.Constant(value):
                return Possible(self.true, self.false) if value else Possible(self.false, self.true)
            case bp.Variable(name):
                return self._certain(self._manager.var(self.before[name]))
            case bp.Next(name):
                return self._certain(self._manager.var(after.get(name, self.before[name])))
            case bp.Nondet():
                return Possible(self.true, self.true)
            case bp.Not(operand):
                found = self.possible(operand, after)
                return Possible(found.false, found.true)
            case bp.Schoose(true_if, false_if):
                wanted, refused = self.possible(true_if, after), self.possible(false_if, after)
                return Possible(wanted.true | (wanted.false & refused.false), wanted.false)
            case bp.Conditional(condition, then, otherwise):
                chosen = self.possible(condition, after)
                yes, no = self.possible(then, after), self.possible(otherwise, after)
                return Possible(
                    (chosen.true & yes.true) | (chosen.false & no.true),
                    (chosen.true & yes.false) | (chosen.false & no.false),
                )
            case bp.Operation(operator, operands):
                joined, *rest = (self.possible(operand, after) for operand in operands)
                for other in rest:
                    joined = _applied(operator, joined, other)
                return joined
        assert_never(expression)

    def _certain(self, diagram: Diagram) -> Possible:
        return Possible(diagram, ~diagram)


def _applied(operator: bp.Operator, left: Possible, right: Possible) -> Possible:
    match operator:
        case "&":
            return Possible(left.true & right.true, left.false | right.false)
        case "|":
            return Possible(left.true | right.true, left.false & right.false)
        case "=>":
            return Possible(left.false | right.true, left.true & right.false)
        case "^" | "!=" | "=":
            differ = (left.true & right.false) | (left.false & right.true)
            agree = (left.true & right.true) | (left.false & right.false)
            return Possible(agree, differ) if operator == "=" else Possible(differ, agree)
    assert_never(operator)


def _manager() -> tuple[Any, Any]:
    """CUDD where it loads, else the implementation in Python."""
    try:
        from dd import cudd

        manager = cudd.BDD(initial_cache_size=2**18)
        manager.configure(reordering=False)
        return cudd, manager
    except ImportError:
        from dd import autoref

        return None, autoref.BDD()


def _groups(automata: Automata) -> list[frozenset[str]]:
    groups = [support(constraint.condition) for constraint in automata.constraints]
    for edge in automata.edges:
        constrain = (edge.constrain,) if edge.constrain is not None else ()
        for target, value in zip(edge.targets, edge.values, strict=True):
            groups.append(support(value) | {target})
        groups.append(support(edge.guard, *constrain))
    known = {bit.name for bit in automata.bits}
    return [group & known for group in groups if len(group & known) > 1]


def force_order(names: Sequence[str], groups: Iterable[frozenset[str]]) -> list[str]:
    """The names in an order in which the members of each group are near each other."""
    wanted = [sorted(group) for group in sorted(set(groups), key=sorted)]
    order = list(names)
    best, best_span = order, _span(order, wanted)
    for _ in range(_ROUNDS):
        place = {name: float(number) for number, name in enumerate(order)}
        pull: dict[str, list[float]] = {name: [] for name in order}
        for group in wanted:
            centre = sum(place[name] for name in group) / len(group)
            for name in group:
                pull[name].append(centre)
        order = sorted(order, key=lambda name: sum(pull[name]) / len(pull[name]) if pull[name] else place[name])
        span = _span(order, wanted)
        if span >= best_span:
            break
        best, best_span = order, span
    return best


def _span(order: Sequence[str], groups: Sequence[Sequence[str]]) -> int:
    place = {name: number for number, name in enumerate(order)}
    return sum(max(place[name] for name in group) - min(place[name] for name in group) for group in groups)
