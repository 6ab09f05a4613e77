"""Questions to z3 about integer expressions, with as little between us and the solver as possible.

Terms are made once and kept; a question is a list of assumption literals, so that nothing is built while asking; what a
model says of the variables is read through the solver's own interface. Questions are counted, and so is the time the
solver takes for them.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, assert_never

import z3
from z3 import z3core

from ebb.backend.abstraction.cells import Cell, cells_of
from ebb.backend.abstraction.figures import Count
from ebb.backend.abstraction.simplification import is_truth
from ebb.formats.expressions import At, Binary, Conditional, Element, Expression, Integer, Name, Unary
from ebb.formats.ir import Range, Variable

# A question that takes longer is answered "satisfiable as far as we know": a measure of work, not of time, so that the
# answer is the same on every machine.
_MOST_WORK = 3_000_000

_SAT, _UNSAT = 1, -1


@dataclass(frozen=True, slots=True)
class Yes:
    """A state that satisfies the question, one value a cell; None if the solver gave up."""

    state: tuple[int, ...] | None


class Solver:
    """Knows the variables of a program and their ranges; every question is asked in that context."""

    def __init__(self, variables: Mapping[str, Variable]) -> None:
        self.count = Count()
        self.cells: dict[Cell, int] = {}
        self.variables = variables
        begin = time.perf_counter()
        self._context = z3.Context()
        self._solver = z3.SimpleSolver(ctx=self._context)
        self.count.seconds += time.perf_counter() - begin
        self._solver.set("rlimit", _MOST_WORK)
        self._solver.set("random_seed", 0)
        self._constants: list[Any] = []
        self._declarations: list[Any] = []
        self._lowest: list[int] = []
        self._terms: dict[Expression, Any] = {}
        self._truths: dict[Expression, Any] = {}
        self._switches: dict[Expression, Any] = {}
        self._fresh: dict[str, Any] = {}
        self._zero = z3.IntVal(0, self._context)
        self._one = z3.IntVal(1, self._context)
        for name, variable in variables.items():
            if variable.type != "integer":
                continue
            for index in range(cells_of(variable)):
                self._add_cell(name, index, variable.range)

    def _add_cell(self, name: str, index: int, values: Range | None) -> None:
        constant = z3.Int(f"{name}#{index}", self._context)
        self.cells[(name, index)] = len(self._constants)
        self._constants.append(constant)
        self._declarations.append(constant.decl().ast)
        self._lowest.append(0 if values is None or 0 in values else values.low)
        if values is not None:
            self._solver.add(constant >= values.low, constant <= values.high)

    # -- questions

    def switch(self, condition: Expression) -> Any:
        """A literal to assume: the condition then holds."""
        found = self._switches.get(condition)
        if found is None:
            found = z3.FreshBool("s", ctx=self._context)
            self._solver.add(z3.Implies(found, self.truth(condition)))
            self._switches[condition] = found
        return found

    @contextmanager
    def supposing(
        self, conditions: Iterable[Expression], fresh: Iterable[tuple[str, Range | None]] = ()
    ) -> Iterator[None]:
        """Questions inside are asked where all of this holds."""
        self._solver.push()
        kept = self._switches
        self._switches = dict(kept)
        try:
            for name, values in fresh:
                if values is not None:
                    constant = self._name(name)
                    self._solver.add(constant >= values.low, constant <= values.high)
            for condition in conditions:
                self._solver.add(self.truth(condition))
            yield
        finally:
            self._solver.pop()
            self._switches = kept

    def ask(self, assumptions: list[Any]) -> Yes | None:
        """A state in which the switches of the assumptions hold, or None if there is none."""
        context, solver = self._context.ref(), self._solver.solver
        array = (z3.Ast * len(assumptions))(*(assumption.ast for assumption in assumptions))
        self.count.calls += 1
        begin = time.perf_counter()
        answer = z3core.Z3_solver_check_assumptions(context, solver, len(assumptions), array)
        self.count.seconds += time.perf_counter() - begin
        if answer == _UNSAT:
            return None
        return Yes(self._state() if answer == _SAT else None)

    def _state(self) -> tuple[int, ...]:
        context = self._context.ref()
        begin = time.perf_counter()
        model = z3core.Z3_solver_get_model(context, self._solver.solver)
        self.count.seconds += time.perf_counter() - begin
        z3core.Z3_model_inc_ref(context, model)
        values = []
        for declaration, lowest in zip(self._declarations, self._lowest, strict=True):
            value = z3core.Z3_model_get_const_interp(context, model, declaration)
            values.append(int(z3core.Z3_get_numeral_string(context, value)) if value else lowest)
        z3core.Z3_model_dec_ref(context, model)
        return tuple(values)

    # -- terms

    def truth(self, condition: Expression) -> Any:
        """The condition as a Boolean term."""
        found = self._truths.get(condition)
        if found is None:
            found = self._truths[condition] = self._truth(condition)
        return found

    def _truth(self, condition: Expression) -> Any:
        match condition:
            case Unary("!", operand):
                return z3.Not(self.truth(operand))
            case Binary("&&", left, right):
                return z3.And(self.truth(left), self.truth(right))
            case Binary("||", left, right):
                return z3.Or(self.truth(left), self.truth(right))
            case Binary("==", left, right):
                return self.term(left) == self.term(right)
            case Binary("!=", left, right):
                return self.term(left) != self.term(right)
            case Binary("<", left, right):
                return self.term(left) < self.term(right)
            case Binary("<=", left, right):
                return self.term(left) <= self.term(right)
            case Binary(">", left, right):
                return self.term(left) > self.term(right)
            case Binary(">=", left, right):
                return self.term(left) >= self.term(right)
            case Integer(value):
                return z3.BoolVal(value != 0, self._context)
            case Conditional(test, then, otherwise):
                return z3.If(self.truth(test), self.truth(then), self.truth(otherwise))
            case _:
                return self.term(condition) != self._zero

    def term(self, expression: Expression) -> Any:
        """The expression as an integer term."""
        found = self._terms.get(expression)
        if found is None:
            found = self._terms[expression] = self._term(expression)
        return found

    def _term(self, expression: Expression) -> Any:
        if is_truth(expression) and not isinstance(expression, Integer):
            return z3.If(self.truth(expression), self._one, self._zero)
        match expression:
            case Integer(value):
                return z3.IntVal(value, self._context)
            case Name(name):
                return self._name(name)
            case Element(array, index):
                return self._element(array, index)
            case Unary("-", operand):
                return -self.term(operand)
            case Binary("+", left, right):
                return self.term(left) + self.term(right)
            case Binary("-", left, right):
                return self.term(left) - self.term(right)
            case Binary("*", left, right):
                return self.term(left) * self.term(right)
            case Binary("/", left, right):
                return self.term(left) / self.term(right)
            case Binary("%", left, right):
                return self.term(left) % self.term(right)
            case Conditional(condition, then, otherwise):
                return z3.If(self.truth(condition), self.term(then), self.term(otherwise))
            case Unary() | Binary() | At():
                raise AssertionError(expression)
            case _:
                assert_never(expression)

    def _name(self, name: str) -> Any:
        cell = self.cells.get((name, 0))
        if cell is not None:
            return self._constants[cell]
        if name not in self._fresh:
            self._fresh[name] = z3.Int(name, self._context)
        return self._fresh[name]

    def _element(self, array: str, index: Expression) -> Any:
        size = self.variables[array].size or 1
        if isinstance(index, Integer):
            return self._constants[self.cells[(array, index.value if 0 <= index.value < size else size)]]
        term = self.term(index)
        read = self._constants[self.cells[(array, size)]]
        for number in range(size - 1, -1, -1):
            read = z3.If(term == number, self._constants[self.cells[(array, number)]], read)
        return read
