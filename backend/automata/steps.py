"""One step of the automata on concrete states, straight from the definition; what every trace is checked against."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from ebb.backend.automata.automaton import ENDED, IDLE, Automata, Edge, Outcome
from ebb.formats import bp
from ebb.formats.bp import Expression

State = Mapping[str, bool]
Control = tuple[int, ...]  # where each thread is

_EITHER = frozenset({False, True})


@dataclass(frozen=True, slots=True)
class Path:
    """A run: the states before, between and after its edges. An edge to a violation or overflow has no state after."""

    edges: tuple[Edge, ...]
    states: tuple[State, ...]


def possible(expression: Expression, before: State, after: State) -> frozenset[bool]:
    """The values that the expression can have. No two parts share a choice, so parts can be taken one by one."""
    match expression:
        case bp.Constant(value):
            return frozenset({value})
        case bp.Variable(name):
            return frozenset({before[name]})
        case bp.Next(name):
            return frozenset({after[name]})
        case bp.Nondet():
            return _EITHER
        case bp.Not(operand):
            return frozenset(not value for value in possible(operand, before, after))
        case bp.Schoose(true_if, false_if):
            found: set[bool] = set()
            for wanted in possible(true_if, before, after):
                for refused in possible(false_if, before, after):
                    found |= {True} if wanted else {False} if refused else _EITHER
            return frozenset(found)
        case bp.Conditional(condition, then, otherwise):
            choices = possible(condition, before, after)
            parts = [then] * (True in choices) + [otherwise] * (False in choices)
            return frozenset().union(*(possible(part, before, after) for part in parts))
        case bp.Operation(operator, operands):
            first, *rest = (possible(operand, before, after) for operand in operands)
            for values in rest:
                first = frozenset(_OPERATORS[operator](a, b) for a in first for b in values)
            return first
    assert_never(expression)


_OPERATORS: dict[str, Callable[[bool, bool], bool]] = {
    "&": lambda a, b: a and b,
    "|": lambda a, b: a or b,
    "^": lambda a, b: a != b,
    "!=": lambda a, b: a != b,
    "=": lambda a, b: a == b,
    "=>": lambda a, b: not a or b,
}


def initial_control(automata: Automata) -> Control:
    return tuple(thread.entry if thread.runs else IDLE for thread in automata.threads)


def after_edge(control: Sequence[int], edge: Edge, automata: Automata) -> Control:
    moved = list(control)
    moved[edge.thread] = edge.target
    if edge.starts is not None:
        moved[edge.starts] = automata.threads[edge.starts].entry
    return tuple(moved)


def may_move(automata: Automata, control: Control, edge: Edge) -> bool:
    """Whether control lets the edge happen: its thread is there, nobody else is in an atomic block."""
    holders = [n for n, thread in enumerate(automata.threads) if control[n] in thread.atomic]
    return (
        control[edge.thread] == edge.source
        and all(holder == edge.thread for holder in holders)
        and (edge.starts is None or control[edge.starts] in (IDLE, ENDED))
        and all(control[other] not in (IDLE, ENDED) for other in edge.busy)
    )


def exists(automata: Automata, control: Control, state: State) -> bool:
    """Whether every constraint in force holds."""
    return all(
        True in possible(constraint.condition, state, state)
        for constraint in automata.constraints
        if constraint.thread is None or control[constraint.thread] in constraint.locations
    )


def is_step(edge: Edge, before: State, after: State) -> bool:
    """Whether the edge takes the one valuation to the other, whatever control and constraints say."""
    return (
        True in possible(edge.guard, before, after)
        and all(
            after[target] in possible(value, before, after)
            for target, value in zip(edge.targets, edge.values, strict=True)
        )
        and (edge.constrain is None or True in possible(edge.constrain, before, after))
        and all(after[name] == value for name, value in before.items() if name not in edge.targets)
    )


def is_run(automata: Automata, path: Path) -> bool:
    """Whether the path is a run from an initial state, step by step; its last edge may end in an outcome."""
    control = initial_control(automata)
    before = path.states[0]
    if not exists(automata, control, before) or True not in possible(automata.initially, before, before):
        return False
    for number, edge in enumerate(path.edges, 1):
        if not may_move(automata, control, edge):
            return False
        if edge.outcome is not Outcome.LOCATION:
            return number == len(path.edges) == len(path.states) and True in possible(edge.guard, before, before)
        after = path.states[number]
        control = after_edge(control, edge, automata)
        if not is_step(edge, before, after) or not exists(automata, control, after):
            return False
        before = after
    return len(path.states) == len(path.edges) + 1
