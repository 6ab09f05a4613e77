"""Concrete states that were seen, and in which of them a condition holds.

A state that satisfies a combination of predicates settles every later question whether that combination is possible,
so the solver is asked only what no known state answers. A set of states is an integer, one bit a state; conditions are
evaluated once for each state, however often they are asked for.
"""

from collections.abc import Callable, Mapping
from typing import assert_never

from ebb.backend.abstraction.cells import Cell
from ebb.formats.expressions import At, Binary, Conditional, Element, Expression, Integer, Name, Unary
from ebb.formats.ir import Variable

State = tuple[int, ...]
_Evaluate = Callable[[State], int]


class Column:
    """The states in which one condition holds, as far as they have been looked at."""

    __slots__ = ("evaluate", "holds", "seen")

    def __init__(self, evaluate: _Evaluate) -> None:
        self.evaluate = evaluate
        self.holds = 0
        self.seen = 0


class States:
    def __init__(self, cells: Mapping[Cell, int], variables: Mapping[str, Variable]) -> None:
        self.rows: list[State] = []
        self._known: dict[State, int] = {}
        self._cells = cells
        self._variables = variables
        self._columns: dict[Expression, Column] = {}

    @property
    def all(self) -> int:
        return (1 << len(self.rows)) - 1

    def add(self, state: State) -> int:
        """The number of the state, which is now known."""
        number = self._known.get(state)
        if number is None:
            number = self._known[state] = len(self.rows)
            self.rows.append(state)
        return number

    def where(self, condition: Expression) -> int:
        """The states in which the condition, over variables of the program, holds."""
        match condition:
            case Integer(value):
                return self.all if value else 0
            case Unary("!", operand):
                return self.all & ~self.where(operand)
            case Binary("&&", left, right):
                return self.where(left) & self.where(right)
            case Binary("||", left, right):
                return self.where(left) | self.where(right)
            case _:
                return self._column(condition)

    def _column(self, condition: Expression) -> int:
        column = self._columns.get(condition)
        if column is None:
            column = self._columns[condition] = Column(self.evaluator(condition))
        if column.seen < len(self.rows):
            evaluate = column.evaluate
            found = 0
            for number in range(len(self.rows) - 1, column.seen - 1, -1):
                found = found << 1 | (evaluate(self.rows[number]) != 0)
            column.holds |= found << column.seen
            column.seen = len(self.rows)
        return column.holds

    def evaluator(self, expression: Expression) -> _Evaluate:
        """The value of an expression as a function of the state. Closures: an evaluation is one call an operation."""
        match expression:
            case Integer(value):
                return lambda _: value
            case Name(name):
                cell = self._cells[(name, 0)]
                return lambda state: state[cell]
            case Element(array, index):
                return self._element(array, self.evaluator(index))
            case Unary("!", operand):
                inner = self.evaluator(operand)
                return lambda state: int(inner(state) == 0)
            case Unary(_, operand):
                inner = self.evaluator(operand)
                return lambda state: -inner(state)
            case Binary(operator, left, right):
                return _operation(operator, self.evaluator(left), self.evaluator(right))
            case Conditional(condition, then, otherwise):
                test, one, other = map(self.evaluator, (condition, then, otherwise))
                return lambda state: one(state) if test(state) else other(state)
            case At():
                raise AssertionError("control is not part of a state")
            case _:
                assert_never(expression)

    def _element(self, array: str, index: _Evaluate) -> _Evaluate:
        first, size = self._cells[(array, 0)], self._variables[array].size or 1

        def read(state: State) -> int:
            at = index(state)
            return state[first + (at if 0 <= at < size else size)]

        return read


def _operation(operator: str, left: _Evaluate, right: _Evaluate) -> _Evaluate:
    match operator:
        case "+":
            return lambda state: left(state) + right(state)
        case "-":
            return lambda state: left(state) - right(state)
        case "*":
            return lambda state: left(state) * right(state)
        case "/":
            return lambda state: _quotient(left(state), right(state))
        case "%":
            return lambda state: _remainder(left(state), right(state))
        case "==":
            return lambda state: left(state) == right(state)
        case "!=":
            return lambda state: left(state) != right(state)
        case "<":
            return lambda state: left(state) < right(state)
        case "<=":
            return lambda state: left(state) <= right(state)
        case ">":
            return lambda state: left(state) > right(state)
        case ">=":
            return lambda state: left(state) >= right(state)
        case "&&":
            return lambda state: left(state) != 0 and right(state) != 0
        case "||":
            return lambda state: left(state) != 0 or right(state) != 0
        case _:
            raise AssertionError(operator)


def _quotient(left: int, right: int) -> int:
    return 0 if right == 0 else (left - left % abs(right)) // right


def _remainder(left: int, right: int) -> int:
    return left if right == 0 else left % abs(right)
