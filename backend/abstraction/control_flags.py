"""Where processes stand, as far as properties ask for it, and properties that speak of it.

`P0@cs` becomes a variable that is 1 while P0 stands at its label `cs`, and `P0@` one that is 1 when P0 has ended. A
Boolean program keeps them exactly: each transition knows where it begins and ends.
"""

from dataclasses import dataclass
from typing import assert_never

from ebb.backend.abstraction.faults import faults
from ebb.backend.abstraction.questions import all_of, any_of
from ebb.backend.abstraction.transitions import END, Control, qualified_variables
from ebb.formats.errors import Position
from ebb.formats.expressions import (
    At,
    Binary,
    Expression,
    Integer,
    Name,
    negation,
    operands,
    rebuilt,
    show,
)
from ebb.formats.ir import Program, Property, Range, Variable

Flag = tuple[str, str]  # a process and a label, or END

_NOWHERE = Position(1, 1)


@dataclass(frozen=True, slots=True)
class Obligation:
    """What has to hold in every state, with control in flags."""

    condition: Expression
    what: str
    at: Position


def flag_name(flag: Flag) -> str:
    return f"{flag[0]}@{flag[1]}"


def flag_variable(flag: Flag) -> Variable:
    return Variable(flag_name(flag), _NOWHERE, 0, Range(0, 1))


def obligations(program: Program, controls: tuple[Control, ...]) -> list[Obligation]:
    """The properties of a program as conditions on every state. An `exists` is a question and obliges to nothing.

    A property that has no value in a state, since it divides by zero or reads beyond an array, is violated there.
    """
    variables = qualified_variables(program)
    found = []
    for prop in program.properties:
        condition = with_flags(prop.condition)
        has_value = [needed for needed, _ in faults(condition, variables)]
        match prop.kind:
            case "always":
                condition = all_of([*has_value, condition])
            case "never":
                condition = all_of([*has_value, negation(condition)])
            case "final" | "forall":
                condition = Binary("||", _unfinished(program, controls), all_of([*has_value, condition]))
            case "~exists":
                condition = Binary("||", _unfinished(program, controls), all_of([*has_value, negation(condition)]))
            case "exists":
                continue
            case _:
                assert_never(prop.kind)
        found.append(Obligation(condition, _text(prop), prop.at))
    return found


def _text(prop: Property) -> str:
    return f"{prop.kind} ({show(prop.condition)})"


def _unfinished(program: Program, controls: tuple[Control, ...]) -> Expression:
    """Some process has not ended. One that was never started has; a background process has nothing to end."""
    parts: list[Expression] = []
    for process, control in zip(program.processes, controls, strict=True):
        if control.background:
            continue
        running = negation(Name(flag_name((process.name, END))))
        if process.when is not None:
            running = Binary("&&", running, Binary("!=", Name(process.when), Integer(0)))
        parts.append(running)
    return any_of(parts)


def with_flags(expression: Expression) -> Expression:
    """The expression with flags for places of control."""
    if isinstance(expression, At):
        return Name(flag_name((expression.process, expression.label)))
    return rebuilt(expression, with_flags)


def flags(program: Program) -> list[Flag]:
    """The places of control that some property asks for."""
    found: list[Flag] = []
    for prop in program.properties:
        if prop.kind == "exists":
            continue
        stack = [prop.condition]
        while stack:
            expression = stack.pop()
            if isinstance(expression, At):
                found.append((expression.process, expression.label))
            stack.extend(reversed(operands(expression)))
        if prop.kind in ("final", "forall", "~exists"):
            found += [(process.name, END) for process in program.processes if not process.background]
    return list(dict.fromkeys(found))
