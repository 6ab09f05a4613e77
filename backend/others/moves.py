"""Edges as other languages can say them: choices stand nowhere but in what a bit may become.

No two parts of an expression share a choice, so whether it can be true, and whether it can be false, are conditions
without choices. A guard is then the condition under which it can be true, and a value the two conditions:

    assume(x | *);  b := schoose[x, y];       becomes       [T]  b may be true if x | !y, may be false if !x
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import assert_never

from ebb.backend.automata.automaton import ENDED, Automata, Constraint, Edge, Outcome, Thread
from ebb.backend.automata.expressions import chooses, conjunction, disjunction, negation, support
from ebb.formats import bp
from ebb.formats.bp import Expression


@dataclass(frozen=True, slots=True)
class Update:
    """A bit that a step changes: when it can become true, and when false. One of the two always holds."""

    bit: str
    true: Expression
    false: Expression

    @property
    def fixed(self) -> bool:
        return self.false == negation(self.true)


@dataclass(frozen=True, slots=True)
class Move:
    """An edge without choices but those of its updates. An edge to an outcome has only a guard."""

    number: int  # of the edge in `Automata.edges`
    edge: Edge
    guard: Expression
    updates: tuple[Update, ...] = ()
    constrain: Expression = bp.TRUE

    @property
    def chosen(self) -> tuple[Update, ...]:
        return tuple(update for update in self.updates if not update.fixed)


def moves(automata: Automata, goal: Outcome) -> tuple[Move, ...]:
    """The edges that matter when the question is whether the goal can be reached."""
    return tuple(
        _move(number, edge)
        for number, edge in enumerate(automata.edges)
        if edge.outcome in (Outcome.LOCATION, goal) and can_be(edge.guard, True) != bp.FALSE
    )


def _move(number: int, edge: Edge) -> Move:
    guard = can_be(edge.guard, True)
    if edge.outcome is not Outcome.LOCATION:
        return Move(number, edge, guard)
    updates = tuple(
        Update(target, can_be(value, True), can_be(value, False))
        for target, value in zip(edge.targets, edge.values, strict=True)
    )
    constrain = bp.TRUE if edge.constrain is None else can_be(edge.constrain, True)
    return Move(number, edge, guard, updates, constrain)


def can_be(expression: Expression, value: bool) -> Expression:
    """The condition, without choices, under which the expression can have the value."""
    if not chooses(expression):
        return expression if value else negation(expression)
    match expression:
        case bp.Nondet():
            return bp.TRUE
        case bp.Schoose(true_if, false_if):
            return disjunction((can_be(true_if, True), can_be(false_if, False))) if value else can_be(true_if, False)
        case bp.Not(operand):
            return can_be(operand, not value)
        case bp.Conditional(condition, then, otherwise):
            return disjunction(
                conjunction((can_be(condition, decided), can_be(part, value)))
                for decided, part in ((True, then), (False, otherwise))
            )
        case bp.Operation("&" | "|" as operator, operands):
            joined = conjunction if (operator == "&") == value else disjunction
            return joined(can_be(operand, value) for operand in operands)
        case bp.Operation("=>", (left, right)):
            return can_be(bp.Operation("|", (bp.Not(left), right)), value)
        case bp.Operation("=", operands):
            return can_be(bp.Operation("^", operands), not value)
        case bp.Operation("^" | "!=", operands):
            pairs = ((can_be(operand, True), can_be(operand, False)) for operand in operands)
            return reduce(_differ, pairs)[0 if value else 1]
        case bp.Operation() | bp.Constant() | bp.Variable() | bp.Next():
            raise AssertionError(expression)
    assert_never(expression)


_Pair = tuple[Expression, Expression]  # when it can be true, and when false


def _differ(left: _Pair, right: _Pair) -> _Pair:
    return (
        disjunction((conjunction((left[0], right[1])), conjunction((left[1], right[0])))),
        disjunction((conjunction((left[0], right[0])), conjunction((left[1], right[1])))),
    )


def cases(move: Move) -> Iterator[Move]:
    """The move for each way to choose, as moves that choose nothing."""
    for values in product((False, True), repeat=len(move.chosen)):
        chosen = {update.bit: value for update, value in zip(move.chosen, values, strict=True)}
        guards = (update.true if chosen[update.bit] else update.false for update in move.chosen)
        updates = tuple(
            _constant(update.bit, chosen[update.bit]) if update.bit in chosen else update for update in move.updates
        )
        yield replace(move, guard=conjunction((move.guard, *guards)), updates=updates)


def _constant(bit: str, value: bool) -> Update:
    return Update(bit, bp.TRUE, bp.FALSE) if value else Update(bit, bp.FALSE, bp.TRUE)


def forget(bit: str) -> Update:
    """The value of a bit that nobody looks at any more."""
    return _constant(bit, False)


def after(expression: Expression) -> Expression:
    """A condition on a state, as a condition on the state after a step."""
    match expression:
        case bp.Variable(name):
            return bp.Next(name)
        case bp.Not(operand):
            return bp.Not(after(operand))
        case bp.Operation(operator, operands):
            return bp.Operation(operator, tuple(map(after, operands)))
        case bp.Conditional(condition, then, otherwise):
            return bp.Conditional(after(condition), after(then), after(otherwise))
        case _:
            return expression


def checks(automata: Automata, move: Move) -> tuple[Constraint, ...]:
    """The constraints that the step could violate. One with a thread need hold only where that thread is."""
    edge = move.edge
    if edge.outcome is not Outcome.LOCATION:
        return ()
    changed = {update.bit for update in move.updates}
    found = []
    for constraint in automata.constraints:
        touched = not changed.isdisjoint(support(constraint.condition))
        thread, where = constraint.thread, constraint.locations
        if thread is None:
            needed = always = touched
        elif thread == edge.thread:
            needed = always = edge.target in where and (touched or edge.source not in where)
        elif thread == edge.starts:
            needed = always = automata.threads[thread].entry in where
        else:
            needed = touched
            always = automata.threads[thread].runs and where.issuperset(_places(automata.threads[thread]))
        if needed:
            found.append(Constraint(constraint.condition) if always else constraint)
    return tuple(found)


def _places(thread: Thread) -> range:
    """Where a thread that was started can be."""
    return range(ENDED, thread.locations)
