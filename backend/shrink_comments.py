"""Reductions of comments, plain and structured. See `delta_debugging`."""

from collections.abc import Callable
from dataclasses import replace

from ebb.backend.bp_rewriting import change_statements
from ebb.backend.delta_debugging import Take
from ebb.formats import bp


def comments(program: bp.Program, take: Take) -> bp.Program:
    """Without plain comments and blank lines."""

    def kept(remarks: bp.Comments) -> bp.Comments:
        return bp.NO_COMMENTS if remarks != bp.NO_COMMENTS and take() else remarks

    def change_declaration(declaration: bp.Declaration) -> bp.Declaration:
        return replace(declaration, comments=kept(declaration.comments))

    def change_function(function: bp.Function) -> bp.Function:
        return replace(
            function,
            comments=kept(function.comments),
            enforce=tuple(replace(each, comments=kept(each.comments)) for each in function.enforce),
            below=() if function.below and take() else function.below,
            beside_end="" if function.beside_end and take() else function.beside_end,
        )

    def change_statement(statement: bp.Statement) -> bp.Statement:
        statement = replace(statement, comments=kept(statement.comments))
        match statement.action:
            case bp.If(below=below) as action if below and take():
                return replace(statement, action=replace(action, below=()))
            case bp.While(below=lines) as action if lines and take():
                return replace(statement, action=replace(action, below=()))
            case _:
                return statement

    program = _change_declarations(program, change_declaration)
    program = replace(
        program,
        functions=tuple(map(change_function, program.functions)),
        below=() if program.below and take() else program.below,
    )
    return change_statements(program, change_statement)


def marks(program: bp.Program, take: Take) -> bp.Program:
    """Without the structured comments that are for people: `predicate`, `at` and `checks`."""

    def change_declaration(declaration: bp.Declaration) -> bp.Declaration:
        return replace(declaration, predicates=()) if declaration.predicates and take() else declaration

    def change_statement(statement: bp.Statement) -> bp.Statement:
        return replace(
            statement,
            origin=None if statement.origin is not None and take() else statement.origin,
            checks="" if statement.checks and take() else statement.checks,
        )

    return change_statements(_change_declarations(program, change_declaration), change_statement)


def roles(program: bp.Program, take: Take) -> bp.Program:
    """Without the structured comments that mean something: `process` and `overflow`."""

    def change_function(function: bp.Function) -> bp.Function:
        return replace(function, process="") if function.process and take() else function

    def change_statement(statement: bp.Statement) -> bp.Statement:
        return replace(statement, overflow=False) if statement.overflow and take() else statement

    functions = tuple(map(change_function, program.functions))
    return change_statements(replace(program, functions=functions), change_statement)


def _change_declarations(program: bp.Program, change: Callable[[bp.Declaration], bp.Declaration]) -> bp.Program:
    own = tuple(map(change, program.declarations))
    functions = tuple(
        replace(function, declarations=tuple(map(change, function.declarations))) for function in program.functions
    )
    return replace(program, declarations=own, functions=functions)
