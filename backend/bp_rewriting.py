"""Boolean programs with something in them replaced: the walks over the syntax tree that such changes share.

Every walk follows the text: an outer statement or expression comes before what is inside it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias, assert_never

from ebb.formats import bp
from ebb.formats.bp import Expression

Block: TypeAlias = tuple[bp.Statement, ...]


def change_bodies(program: bp.Program, change: Callable[[Block], Block]) -> bp.Program:
    """Blocks inside statements are left to `change`; `change_inner_blocks` helps it."""
    return replace(program, functions=tuple(replace(each, body=change(each.body)) for each in program.functions))


def change_inner_blocks(statement: bp.Statement, change: Callable[[Block], Block]) -> bp.Statement:
    """The blocks that are directly inside a statement."""
    match statement.action:
        case bp.If(branches, otherwise) as action:
            changed = tuple((condition, change(body)) for condition, body in branches)
            last = None if otherwise is None else change(otherwise)
            return replace(statement, action=replace(action, branches=changed, otherwise=last))
        case bp.While(_, body) as action:
            return replace(statement, action=replace(action, body=change(body)))
        case _:
            return statement


def change_block(block: Block, change: Callable[[bp.Statement], bp.Statement]) -> Block:
    """Every statement of a block, and every one inside what it has become."""
    return tuple(change_inner_blocks(change(each), lambda inner: change_block(inner, change)) for each in block)


def change_statements(program: bp.Program, change: Callable[[bp.Statement], bp.Statement]) -> bp.Program:
    return change_bodies(program, lambda body: change_block(body, change))


def change_actions(program: bp.Program, change: Callable[[bp.Action], bp.Action]) -> bp.Program:
    return change_statements(program, lambda statement: with_action(statement, change(statement.action)))


def with_action(statement: bp.Statement, action: bp.Action) -> bp.Statement:
    """The statement doing something else; only of an assertion there is anything to say what it checks."""
    if action is statement.action:
        return statement
    checks = statement.checks if isinstance(action, bp.Assert) else ""
    return replace(statement, action=action, checks=checks, names_at=())


def change_expressions(action: bp.Action, change: Callable[[Expression], Expression]) -> bp.Action:
    """The expressions of an action, as wholes, but not those of statements inside it."""
    match action:
        case bp.Assume(condition) | bp.Assert(condition) | bp.While(condition):
            return replace(action, condition=change(condition))
        case bp.If(branches):
            return replace(action, branches=tuple((change(condition), body) for condition, body in branches))
        case bp.Assign(targets, values, constrain):
            changed = tuple(map(change, values))
            return bp.Assign(targets, changed, None if constrain is None else change(constrain))
        case bp.Return(values):
            return bp.Return(tuple(map(change, values)))
        case bp.Call(_, _, arguments) | bp.StartThread(_, arguments):
            return replace(action, arguments=tuple(map(change, arguments)))
        case (
            bp.Skip() | bp.Goto() | bp.StartThreadAt() | bp.EndThread() | bp.AtomicBegin() | bp.AtomicEnd() | bp.Dead()
        ):
            return action
    assert_never(action)


def change_enforce(program: bp.Program, change: Callable[[Expression], Expression]) -> bp.Program:
    functions = tuple(
        replace(function, enforce=tuple(replace(each, condition=change(each.condition)) for each in function.enforce))
        for function in program.functions
    )
    return replace(program, functions=functions)


def change_parts(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expressions that one is directly made of."""
    match expression:
        case bp.Not(operand):
            return bp.Not(change(operand))
        case bp.Operation(operator, operands):
            return bp.Operation(operator, tuple(map(change, operands)))
        case bp.Schoose(true_if, false_if):
            return bp.Schoose(change(true_if), change(false_if))
        case bp.Conditional(condition, then, otherwise):
            return bp.Conditional(change(condition), change(then), change(otherwise))
        case bp.Constant() | bp.Variable() | bp.Next() | bp.Nondet():
            return expression
    assert_never(expression)
