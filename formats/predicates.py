"""Predicates: YAML files of them, and what makes one usable (`docs/formats/predicates.md`).

predicates:
  - F0 == 0
  - P0.f == 0
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, assert_never

from ebb.formats import files
from ebb.formats.errors import InputError, Position
from ebb.formats.expression_text import parse_expression
from ebb.formats.expressions import (
    At,
    Binary,
    Conditional,
    Element,
    Expression,
    Integer,
    Name,
    Unary,
    show,
    variables,
)
from ebb.formats.ir import Predicate, Program, Variable


def read_predicates(path: str, program: Program) -> tuple[Predicate, ...]:
    """The predicates of a file, which are about the variables of the program."""
    text = files.read_text(path)
    try:
        found = tuple(predicate_in(item, Position(line, column), program) for item, line, column in _items(text))
        check_predicates(found)
        return found
    except InputError as error:
        raise error.within(files.shown_name(path), text) from None


def predicates_of(program: Program, path: str, given: str | None) -> tuple[tuple[Predicate, ...], str, str]:
    """The predicates to use for the program of a file, the path of the file they stand in, and its name in messages.

    They are in the file given; else in the program; else in a file beside it, `NAME.preds.yaml`.
    """
    if given is None and not program.predicates and path != files.STANDARD:
        beside = Path(path).with_name(f"{Path(path).name.split('.')[0]}.preds.yaml")
        given = str(beside) if beside.exists() else None
    if given is None:
        check_predicates(program.predicates, program.source)
        return program.predicates, path, program.source
    return read_predicates(given, program), given, files.source_name(given)


def dumps(predicates: Iterable[Expression]) -> str:
    """The text of a file with these predicates."""
    lines = [f"  - {_quoted(show(predicate))}" for predicate in predicates]
    return "\n".join(["predicates:", *lines] if lines else ["predicates: []"]) + "\n"


def _quoted(text: str) -> str:
    """A plain scalar where YAML allows it."""
    if text[0] in "-!`" or ": " in text or " #" in text:
        return "'" + text.replace("'", "''") + "'"
    return text


def _items(text: str) -> list[tuple[str, int, int]]:
    """The texts of the predicates with the line and column where each begins."""
    import yaml

    try:
        document: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        position = None if mark is None else Position(mark.line + 1, mark.column + 1)
        raise InputError(f"not YAML: {getattr(error, 'problem', None) or error}", position) from None
    if document is None:
        return []
    if isinstance(document, yaml.MappingNode):
        for key, _ in document.value:
            if not isinstance(key, yaml.ScalarNode) or key.value != "predicates":
                raise InputError("expected `predicates:` and a list", _at(key))
        if len(document.value) != 1:
            raise InputError("expected `predicates:` once", _at(document))
        document = document.value[0][1]
    if isinstance(document, yaml.ScalarNode) and document.tag.endswith(":null"):
        return []
    if not isinstance(document, yaml.SequenceNode):
        raise InputError("expected a list of predicates, each after `- `", _at(document))
    found = []
    for item in document.value:
        if not isinstance(item, yaml.ScalarNode):
            raise InputError("expected a predicate", _at(item))
        if not item.tag.startswith("tag:yaml.org,2002:"):
            raise InputError(f"a predicate that begins with `!` has to be quoted: '{item.tag}{item.value}'", _at(item))
        quoted = item.style in ("'", '"')
        found.append((item.value, item.start_mark.line + 1, item.start_mark.column + 1 + quoted))
    return found


def _at(node: Any) -> Position:
    return Position(node.start_mark.line + 1, node.start_mark.column + 1)


def predicate_in(text: str, at: Position, program: Program) -> Predicate:
    """The predicate in a text that begins at a position of some file."""
    try:
        return Predicate(resolved(parse_expression(text), program), at)
    except InputError as error:
        column = at.column + (error.position.column - 1 if error.position else 0)
        raise InputError(error.message, Position(at.line, column)) from None


def resolved(expression: Expression, program: Program) -> Expression:
    """The expression with each local under its full name; whatever is no variable of the program is a mistake."""
    shared = {variable.name: variable for variable in program.shared}
    locals_ = {process.name: {v.name: v for v in process.locals} for process in program.processes}

    def find(name: str) -> tuple[str, Variable]:
        if "." in name:
            process, local = name.split(".", 1)
            if local not in locals_.get(process, {}):
                raise InputError(f"`{name}` is not a variable of the program {program.name}")
            return name, locals_[process][local]
        if name in shared:
            return name, shared[name]
        owners = [process for process, own in locals_.items() if name in own]
        if len(owners) > 1:
            choices = " or ".join(f"{process}.{name}" for process in owners)
            raise InputError(f"`{name}` is a local of several processes; write {choices}")
        if not owners:
            raise InputError(f"`{name}` is not a variable of the program {program.name}")
        return f"{owners[0]}.{name}", locals_[owners[0]][name]

    def walk(part: Expression) -> Expression:
        match part:
            case Integer():
                return part
            case Name(name):
                full, variable = find(name)
                if variable.size is not None:
                    raise InputError(f"the array `{name}` needs an index")
                if variable.type == "set":
                    raise InputError(f"`{name}` is a set, not a number")
                return Name(full)
            case Element(array, index):
                full, variable = find(array)
                if variable.size is None:
                    raise InputError(f"`{array}` is not an array")
                return Element(full, walk(index))
            case Unary(operator, operand):
                return Unary(operator, walk(operand))
            case Binary(operator, left, right):
                return Binary(operator, walk(left), walk(right))
            case Conditional(condition, then, otherwise):
                return Conditional(walk(condition), walk(then), walk(otherwise))
            case At():
                raise InputError("a predicate is about variables; a label has no place in it")
            case _:
                assert_never(part)

    return walk(expression)


def check_predicates(predicates: Sequence[Predicate], file: str = "") -> None:
    """Each predicate is about some variable, and none stands there twice; complaints are about the file."""
    seen: set[Expression] = set()
    for predicate in predicates:
        text = show(predicate.expression)
        if not variables(predicate.expression):
            raise InputError(f"`{text}` is a constant: a predicate is about variables", predicate.at, file=file)
        if predicate.expression in seen:
            raise InputError(f"the predicate `{text}` stands here twice", predicate.at, file=file)
        seen.add(predicate.expression)
