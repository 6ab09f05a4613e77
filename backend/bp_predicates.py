"""Shows predicates in place of the variables that stand for them.

    decl b0;  //@ predicate F0 == 0          decl {F0 == 0};  //@ predicate F0 == 0
    …                                   →    …
    b0 := schoose[b1, F];                    {F0 == 0} := schoose[{Turn == 0}, F];

A name in braces is a name, so the result is a Boolean program and means the same. A variable keeps its own name where
the new one would not be a name, or not the only one of its kind in the program.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from ebb.formats import bp
from ebb.formats.bp import Expression

_Names = Mapping[str, str]  # from variables to what they are called now


def with_predicates(program: bp.Program) -> bp.Program:
    """The program with every predicate that can be a name in place of its variable."""
    taken = Counter(_variables(program))
    taken.update(
        f"{{{predicate}}}"
        for declaration in _declarations(program)
        for name, predicate in zip(declaration.names, declaration.predicates, strict=False)
        if name != f"{{{predicate}}}"
    )
    names = _new_names(program.declarations, taken)
    return replace(
        program,
        declarations=_renamed_declarations(program.declarations, names),
        functions=tuple(_function(function, names, taken) for function in program.functions),
    )


def _declarations(program: bp.Program) -> Iterator[bp.Declaration]:
    yield from program.declarations
    for function in program.functions:
        yield from function.declarations


def _variables(program: bp.Program) -> Iterator[str]:
    for declaration in _declarations(program):
        yield from declaration.names
    for function in program.functions:
        yield from function.parameters


def _new_names(declarations: tuple[bp.Declaration, ...], taken: Mapping[str, int]) -> dict[str, str]:
    names = {}
    for declaration in declarations:
        for name, predicate in zip(declaration.names, declaration.predicates or declaration.names, strict=True):
            new = f"{{{predicate}}}"
            usable = declaration.predicates and predicate and taken[new] == 1 and not set("{}\n") & set(predicate)
            names[name] = new if usable else name
    return names


def _renamed_declarations(declarations: tuple[bp.Declaration, ...], names: _Names) -> tuple[bp.Declaration, ...]:
    return tuple(replace(each, names=tuple(names[name] for name in each.names)) for each in declarations)


def _function(function: bp.Function, names: _Names, taken: Mapping[str, int]) -> bp.Function:
    own = _new_names(function.declarations, taken)
    visible = {**names, **{name: name for name in function.parameters}, **own}
    return replace(
        function,
        declarations=_renamed_declarations(function.declarations, own),
        enforce=tuple(replace(each, condition=_expression(each.condition, visible)) for each in function.enforce),
        body=_block(function.body, visible),
    )


def _block(block: tuple[bp.Statement, ...], names: _Names) -> tuple[bp.Statement, ...]:
    return tuple(replace(statement, action=_action(statement.action, names)) for statement in block)


def _action(action: bp.Action, names: _Names) -> bp.Action:
    match action:
        case bp.Assume(condition) | bp.Assert(condition):
            return replace(action, condition=_expression(condition, names))
        case bp.Assign(targets, values, constrain):
            constrained = None if constrain is None else _expression(constrain, names)
            return bp.Assign(_targets(targets, names), _expressions(values, names), constrained)
        case bp.Call(targets, function, arguments):
            return bp.Call(_targets(targets, names), function, _expressions(arguments, names))
        case bp.Return(values):
            return bp.Return(_expressions(values, names))
        case bp.If(branches, otherwise):
            return replace(
                action,
                branches=tuple((_expression(condition, names), _block(part, names)) for condition, part in branches),
                otherwise=None if otherwise is None else _block(otherwise, names),
            )
        case bp.While(condition, body):
            return replace(action, condition=_expression(condition, names), body=_block(body, names))
        case bp.StartThread(function, arguments):
            return bp.StartThread(function, _expressions(arguments, names))
        case bp.Dead(variables):
            return bp.Dead(_targets(variables, names))
        case bp.Skip() | bp.Goto() | bp.StartThreadAt() | bp.EndThread() | bp.AtomicBegin() | bp.AtomicEnd():
            return action
    assert_never(action)


def _targets(targets: tuple[str, ...], names: _Names) -> tuple[str, ...]:
    return tuple(names.get(target, target) for target in targets)


def _expressions(expressions: tuple[Expression, ...], names: _Names) -> tuple[Expression, ...]:
    return tuple(_expression(expression, names) for expression in expressions)


def _expression(expression: Expression, names: _Names) -> Expression:
    match expression:
        case bp.Variable(name) | bp.Next(name):
            return replace(expression, name=names[name])
        case bp.Not(operand):
            return bp.Not(_expression(operand, names))
        case bp.Operation(operator, operands):
            return bp.Operation(operator, _expressions(operands, names))
        case bp.Schoose(true_if, false_if):
            return bp.Schoose(_expression(true_if, names), _expression(false_if, names))
        case bp.Conditional(condition, then, otherwise):
            return bp.Conditional(*_expressions((condition, then, otherwise), names))
        case bp.Constant() | bp.Nondet():
            return expression
    assert_never(expression)
