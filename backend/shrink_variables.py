"""Reductions of variables: less of them, and fewer assignments to them. See `delta_debugging`."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from ebb.backend.automata.expressions import support
from ebb.backend.bp_rewriting import change_actions, change_block, change_expressions, change_parts, with_action
from ebb.backend.delta_debugging import Reduction, Take, all_but_taken
from ebb.backend.shrink_functions import without_parameters
from ebb.formats import bp
from ebb.formats.bp import Expression
from ebb.formats.bp_check import NOBODY, statements


def unused_variables(program: bp.Program, take: Take) -> bp.Program:
    """Without variables that are mentioned nowhere but where they are declared."""
    mentioned = {function.name: _mentioned(function) for function in program.functions}
    used = {name for each in program.functions for name in mentioned[each.name] - set(_own(each))}
    gone = {name for name in _declared(program.declarations) if name not in used and take()}

    def change(function: bp.Function) -> bp.Function:
        names = _declared(function.declarations)
        own = {name for name in names if name not in mentioned[function.name] and take()}
        return replace(function, declarations=_without(function.declarations, own))

    return replace(
        program,
        declarations=_without(program.declarations, gone),
        functions=tuple(map(change, program.functions)),
    )


def variables_by(value: Expression) -> Reduction:
    """Without variables and parameters: a value in place of them, and no assignments to them."""

    def reduce(program: bp.Program, take: Take) -> bp.Program:
        gone = {name for name in _declared(program.declarations) if take()}
        own = {function.name: {name for name in _own(function) if take()} for function in program.functions}

        def change(function: bp.Function) -> bp.Function:
            hidden = set(_own(function))
            return _Replacement(frozenset(own[function.name] | (gone - hidden)), value).function(function)

        changed = replace(
            program,
            declarations=_without(program.declarations, gone),
            functions=tuple(map(change, program.functions)),
        )
        numbers = {
            function.name: {number for number, name in enumerate(function.parameters) if name in own[function.name]}
            for function in program.functions
        }
        return without_parameters(changed, numbers)

    return reduce


@dataclass(frozen=True, slots=True)
class _Replacement:
    names: frozenset[str]
    value: Expression

    def function(self, function: bp.Function) -> bp.Function:
        """The parameters are still there."""
        return replace(
            function,
            declarations=_without(function.declarations, self.names),
            enforce=tuple(replace(each, condition=self.expression(each.condition)) for each in function.enforce),
            body=change_block(function.body, lambda each: with_action(each, self.action(each.action))),
        )

    def action(self, action: bp.Action) -> bp.Action:
        match change_expressions(action, self.expression):
            case bp.Assign(targets, values, constrain):
                assigned = tuple(pair for pair in zip(targets, values, strict=True) if pair[0] not in self.names)
                return _assignment(assigned, constrain)
            case bp.Call(targets, function, arguments):
                return bp.Call(tuple(NOBODY if each in self.names else each for each in targets), function, arguments)
            case bp.Dead(names) if names:
                kept = tuple(name for name in names if name not in self.names)
                return bp.Dead(kept) if kept else bp.Skip()
            case other:
                return other

    def expression(self, expression: Expression) -> Expression:
        match expression:
            case bp.Variable(name) | bp.Next(name):
                return self.value if name in self.names else expression
            case _:
                return change_parts(expression, self.expression)


def _assignment(assigned: tuple[tuple[str, Expression], ...], constrain: Expression | None) -> bp.Action:
    """Where nothing is assigned, what remains is the condition: values after the step are those before it."""
    if assigned:
        targets, values = zip(*assigned, strict=True)
        return bp.Assign(targets, values, constrain)
    return bp.Skip() if constrain is None else bp.Assume(_before(constrain))


def _before(expression: Expression) -> Expression:
    match expression:
        case bp.Next(name, at):
            return bp.Variable(name, at)
        case _:
            return change_parts(expression, _before)


def targets(program: bp.Program, take: Take) -> bp.Program:
    """Without some of the assignments that happen in one step, or without some of the variables of `dead`."""

    def change(action: bp.Action) -> bp.Action:
        match action:
            case bp.Assign(targets, values, constrain):
                return _assignment(all_but_taken(tuple(zip(targets, values, strict=True)), take), constrain)
            case bp.Dead(names) if names:
                return bp.Dead(all_but_taken(names, take))
            case _:
                return action

    return change_actions(program, change)


def call_targets(program: bp.Program, take: Take) -> bp.Program:
    """Calls whose results nobody wants: without targets, or with `_` for some."""

    def change(action: bp.Action) -> bp.Action:
        match action:
            case bp.Call(targets, function, arguments) if targets:
                if take():
                    return bp.Call((), function, arguments)
                kept = tuple(NOBODY if name != NOBODY and take() else name for name in targets)
                return bp.Call(kept, function, arguments)
            case _:
                return action

    return change_actions(program, change)


def _declared(declarations: tuple[bp.Declaration, ...]) -> tuple[str, ...]:
    return tuple(name for declaration in declarations for name in declaration.names)


def _own(function: bp.Function) -> tuple[str, ...]:
    return (*function.parameters, *_declared(function.declarations))


def _without(declarations: tuple[bp.Declaration, ...], gone: Collection[str]) -> tuple[bp.Declaration, ...]:
    changed = (_less(declaration, gone) for declaration in declarations)
    return tuple(declaration for declaration in changed if declaration.names)


def _less(declaration: bp.Declaration, gone: Collection[str]) -> bp.Declaration:
    kept = [number for number, name in enumerate(declaration.names) if name not in gone]
    return replace(
        declaration,
        names=tuple(declaration.names[number] for number in kept),
        predicates=tuple(declaration.predicates[number] for number in kept) if declaration.predicates else (),
        names_at=(),
    )


def _mentioned(function: bp.Function) -> set[str]:
    """The names of variables in expressions and to the left of `:=`."""
    names: set[str] = set()

    def note(expression: Expression) -> Expression:
        names.update(support(expression))
        return expression

    for enforce in function.enforce:
        note(enforce.condition)
    for statement in statements(function.body):
        change_expressions(statement.action, note)
        match statement.action:
            case bp.Assign(targets) | bp.Call(targets) | bp.Dead(targets):
                names.update(targets)
    return names
