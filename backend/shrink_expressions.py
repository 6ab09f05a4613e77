"""Reductions of expressions: less of them, and simpler ones. See `delta_debugging`."""

from collections.abc import Callable
from dataclasses import replace

from ebb.backend.bp_rewriting import change_actions, change_enforce, change_expressions, change_parts
from ebb.backend.delta_debugging import Reduction, Take, all_but_taken
from ebb.formats import bp
from ebb.formats.bp import Expression


def enforce(program: bp.Program, take: Take) -> bp.Program:
    """Without `enforce`."""
    functions = tuple(
        replace(function, enforce=tuple(each for each in function.enforce if not take()))
        for function in program.functions
    )
    return replace(program, functions=functions)


def constrain(program: bp.Program, take: Take) -> bp.Program:
    """Assignments without `constrain`."""

    def change(action: bp.Action) -> bp.Action:
        match action:
            case bp.Assign(targets, values, constrain) if constrain is not None and take():
                return bp.Assign(targets, values)
            case _:
                return action

    return change_actions(program, change)


def return_values(program: bp.Program, take: Take) -> bp.Program:
    """`return` without values, which gives any results."""

    def change(action: bp.Action) -> bp.Action:
        match action:
            case bp.Return(values) if values and take():
                return bp.Return()
            case _:
                return action

    return change_actions(program, change)


def operands(program: bp.Program, take: Take) -> bp.Program:
    """Without some operands where there are more than two."""

    def change(expression: Expression) -> Expression:
        match expression:
            case bp.Operation(operator, operands) if len(operands) > 2:
                kept = tuple(map(change, all_but_taken(operands, take)))
                return bp.Operation(operator, kept) if len(kept) > 1 else kept[0]
            case _:
                return change_parts(expression, change)

    return _change_everywhere(program, change)


def one_operand(program: bp.Program, take: Take) -> bp.Program:
    """One of the expressions that an expression is made of in place of it."""

    def change(expression: Expression) -> Expression:
        part = next((part for part in bp.parts(expression) if take()), None)
        return change_parts(expression, change) if part is None else part

    return _change_everywhere(program, change)


def expressions_by(value: bp.Constant) -> Reduction:
    """A constant in place of what is none."""

    def reduce(program: bp.Program, take: Take) -> bp.Program:
        def change(expression: Expression) -> Expression:
            if isinstance(expression, bp.Constant):
                return expression
            return value if take() else change_parts(expression, change)

        return _change_everywhere(program, change)

    return reduce


def expressions_by_choice(program: bp.Program, take: Take) -> bp.Program:
    """`*` in place of variables and of what is made of other expressions; in `enforce` there is nothing to choose."""

    def change(expression: Expression) -> Expression:
        if isinstance(expression, bp.Constant | bp.Nondet):
            return expression
        return bp.Nondet() if take() else change_parts(expression, change)

    return _change_in_statements(program, change)


def _change_everywhere(program: bp.Program, change: Callable[[Expression], Expression]) -> bp.Program:
    return _change_in_statements(change_enforce(program, change), change)


def _change_in_statements(program: bp.Program, change: Callable[[Expression], Expression]) -> bp.Program:
    return change_actions(program, lambda action: change_expressions(action, change))
