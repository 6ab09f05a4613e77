"""Boolean programs the way `ebb-show` prints them: what is one, and what to leave out."""

import re
from dataclasses import replace
from pathlib import Path

from ebb.formats import bp, files

SUFFIX = ".bp"

_COMMENTS = r"(?:\s|//[^\n]*+|/\*(?:[^*]|\*+[^*/])*+\*+/)*+"
_HEADING = re.compile(r"// ebb boolean program ")
_BEGINNING = re.compile(rf"{_COMMENTS}(?:decl|void|bool)\b")  # no other language begins with these


def is_boolean_program(path: str, text: str) -> bool:
    """By the name of the file; for standard input, by how the text begins."""
    if path != files.STANDARD:
        return Path(path).suffix == SUFFIX
    return bool(_HEADING.match(text) or _BEGINNING.match(text))


def without_positions(program: bp.Program) -> bp.Program:
    """The program without what its comments say of where statements come from."""
    functions = (replace(function, body=_block(function.body)) for function in program.functions)
    return replace(program, functions=tuple(functions))


def _block(block: tuple[bp.Statement, ...]) -> tuple[bp.Statement, ...]:
    return tuple(replace(statement, action=_action(statement.action), origin=None) for statement in block)


def _action(action: bp.Action) -> bp.Action:
    match action:
        case bp.If(branches, otherwise):
            return replace(
                action,
                branches=tuple((condition, _block(part)) for condition, part in branches),
                otherwise=None if otherwise is None else _block(otherwise),
            )
        case bp.While(_, body):
            return replace(action, body=_block(body))
    return action
