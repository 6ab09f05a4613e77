"""Binary decision diagrams over the bits of automata.

An expression with choices is a pair of diagrams: where it can be true, and where it can be false. No two occurrences
of a choice are the same, so operators can be applied to such pairs without a variable for any choice.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from ebb.formats import bp
from ebb.formats.bp import Expression

Diagram: TypeAlias = Any  # a function of CUDD, or of the package's own Python implementation

_NOTHING: Mapping[str, str] = {}
_FIRST_SIFTING = 20_000  # nodes
_BETWEEN_LOOKS = 64  # calls


@dataclass(frozen=True, slots=True)
class Possible:
    """Where an expression can be true, and where it can be false."""

    true: Diagram
    false: Diagram


class Kernel:
    """Sets of valuations. The value of a bit after a step stands directly below its value before it in the order."""

    def __init__(self, order: Sequence[str]) -> None:
        self._module, self._manager = _manager()
        self.before = {name: f"x{number}" for number, name in enumerate(order)}
        self.after = {name: f"y{number}" for number, name in enumerate(order)}
        for number in range(len(order)):
            self._manager.declare(f"x{number}", f"y{number}")
        self._sift_at = _FIRST_SIFTING
        self._calls = 0
        self.true = self._manager.true
        self.false = self._manager.false

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

    def replaced(self, diagram: Diagram, values: dict[str, Diagram]) -> Diagram:
        """With diagrams in place of variables, all at once."""
        return self._manager.let(values, diagram) if values else diagram

    def restricted(self, diagram: Diagram, values: dict[str, bool]) -> Diagram:
        return self._manager.let(values, diagram) if values else diagram

    def pick(self, diagram: Diagram) -> dict[str, bool]:
        """Some valuation of the variables that the diagram depends on."""
        found: dict[str, bool] = self._manager.pick(diagram)
        return found

    def sift_if_large(self) -> None:
        """Improve the order if there are many nodes. Counting them takes time, so that is not done at every call."""
        self._calls += 1
        if self._module is None or self._calls % _BETWEEN_LOOKS:
            return
        if len(self._manager) > self._sift_at:
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
    # For drawings dd can use networkx, and does without where that is missing. None are drawn here, and loading it
    # takes longer than checking most programs.
    unloaded = "networkx" not in sys.modules
    if unloaded:
        sys.modules["networkx"] = None  # type: ignore[assignment]
    try:
        from dd import cudd

        manager = cudd.BDD(memory_estimate=2**28, initial_cache_size=2**16)
        manager.configure(reordering=False)
        return cudd, manager
    except ImportError:
        from dd import autoref

        return None, autoref.BDD()
    finally:
        if unloaded:
            del sys.modules["networkx"]
