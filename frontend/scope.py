"""What names mean: declarations become variables, names in expressions are looked up.

Looking a name up turns the tokens of the syntax tree into plain strings, and is where every complaint about names
comes from.
"""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import assert_never

from lark import Token

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import At, Binary, Conditional, Element, Expression, Integer, Name, Place, Unary
from ebb.formats.ir import Variable
from ebb.formats.ir_check import LARGEST_ARRAY
from ebb.frontend.annotations import Annotations
from ebb.frontend.ebb_tree import Declarator, FileTree, ProcessTree, position, start

DEEPEST_EXPRESSION = 200  # less than IR allows: lowering and reductions add to what the user writes


def at(token: str) -> Position | None:
    """The place of a name, if it still knows it."""
    return position(token) if isinstance(token, Token) else None


@dataclass(slots=True)
class Scope:
    """All shared variables and processes, and the locals of each process."""

    shared: dict[str, Variable] = field(default_factory=dict)
    processes: dict[str, ProcessTree] = field(default_factory=dict)
    locals: dict[str, dict[str, Variable]] = field(default_factory=dict)

    def declare_shared(self, variable: Variable) -> Variable:
        """A shared variable that the front end needs and no declaration gives."""
        return self.shared.setdefault(variable.name, variable)

    def unused_shared(self, name: str) -> str:
        """The name, or one made from it, that a new shared variable can have."""
        return self._unused(name, {local for of_process in self.locals.values() for local in of_process})

    def unused_local(self, name: str, process: str) -> str:
        """The name, or one made from it, that a new local of the process can have."""
        return self._unused(name, set(self.locals[process]))

    def _unused(self, name: str, locals_: set[str]) -> str:
        taken = {*self.shared, *locals_}
        candidate, number = name, 2
        while candidate in taken:
            candidate, number = f"{name}_{number}", number + 1
        return candidate

    def process_of(self, token: Token) -> str:
        """A process by name or by its number from 1."""
        if token.isdigit():
            if not 1 <= int(token) <= len(self.processes):
                count = len(self.processes)
                raise InputError(f"there is no process number {token}; they are numbered 1 to {count}", at(token))
            return str(list(self.processes)[int(token) - 1])
        if token not in self.processes:
            raise InputError(f"there is no process `{token}`{did_you_mean(token, self.processes)}", at(token))
        return str(token)


def build_scope(file: FileTree, annotations: Annotations) -> Scope:
    scope = Scope()
    for process in file.processes:
        if process.name in scope.processes:
            raise InputError(f"there are two processes `{process.name}`", position(process.name))
        scope.processes[str(process.name)] = process
    _declare(scope.shared, file.shared, annotations, owner=None)
    for process in file.processes:
        _declare(scope.shared, process.shared, annotations, owner=str(process.name))
    for process in file.processes:
        locals_ = scope.locals[str(process.name)] = {}
        _declare(locals_, process.locals, annotations, owner=None)
        for declarator in process.locals:
            if declarator.name in scope.shared:
                message = f"`{declarator.name}` is both shared and local in {process.name}"
                raise InputError(message, position(declarator.name))
            if declarator.is_set:
                raise InputError(f"`{declarator.name}` is a local set; sets are shared", position(declarator.name))
    return scope


def _declare(
    into: dict[str, Variable], declarators: Iterable[Declarator], annotations: Annotations, owner: str | None
) -> None:
    for declarator in declarators:
        name, here = declarator.name, position(declarator.name)
        if name in into:
            raise InputError(f"`{name}` is declared twice", here)
        if declarator.range and declarator.range.low > declarator.range.high:
            raise InputError(f"the range of `{name}` is empty", here)
        initial = declarator.initial
        if declarator.range and initial is not None and initial not in declarator.range:
            raise InputError(f"`{name}` starts at {initial}, outside its range", here)
        if declarator.is_set and (declarator.size is not None or declarator.range is not None):
            raise InputError(f"the set `{name}` has a size or a range", here)
        variable = Variable(
            str(name),
            annotations.position(here),
            initial,
            declarator.range,
            _size(declarator),
            owner,
            "set" if declarator.is_set else "integer",
            annotations.note(here, ""),
        )
        into[str(name)] = variable


def _size(declarator: Declarator) -> int | None:
    if declarator.size is None:
        return None
    if len(declarator.size) > 9 or not 1 <= int(declarator.size) <= LARGEST_ARRAY:
        raise InputError(f"an array has 1 to {LARGEST_ARRAY} elements", position(declarator.size))
    return int(declarator.size)


def _check_scalar(variable: Variable, name: str) -> None:
    if variable.size is not None:
        raise InputError(f"`{name}` is an array; name an element, `{name}[…]`", at(name))
    if variable.type == "set":
        raise InputError(f"`{name}` is a set, not a number", at(name))


@dataclass(frozen=True, slots=True)
class ProcessNames:
    """Looks names up in the code of one process."""

    scope: Scope
    process: str

    def variable(self, name: str) -> Variable:
        found = self.scope.locals[self.process].get(name) or self.scope.shared.get(name)
        if found is None:
            known = [*self.scope.locals[self.process], *self.scope.shared]
            if "." in name:
                raise InputError(f"`{name}`: a process sees only its own locals, by their plain name", at(name))
            raise InputError(f"`{name}` is not declared{did_you_mean(name, known)}", at(name))
        return found

    def is_shared(self, name: str) -> bool:
        return name in self.scope.shared

    def expression(self, expression: Expression) -> Expression:
        return _resolve(expression, self.place, self.label)

    def label(self, where: At) -> At:
        raise InputError("where a process stands can be asked in properties only", at(where.process))

    def place(self, place: Place, depth: int = 0) -> Place:
        match place:
            case Name(name):
                _check_scalar(self.variable(name), name)
                return Name(str(name))
            case Element(array, index):
                if self.variable(array).size is None:
                    raise InputError(f"`{array}` is not an array", at(array))
                return Element(str(array), _resolve(index, self.place, self.label, depth + 1))


@dataclass(frozen=True, slots=True)
class PropertyNames:
    """Looks names up in properties and predicates; a local comes out as `Process.name`."""

    scope: Scope
    labels: dict[str, set[str]] | None  # of each process; None where `P@label` has no place

    def expression(self, expression: Expression) -> Expression:
        return _resolve(expression, self.place, self.label)

    def place(self, place: Place, depth: int) -> Place:
        match place:
            case Name(name):
                variable, full = self._find(name)
                _check_scalar(variable, name)
                return Name(full)
            case Element(array, index):
                variable, full = self._find(array)
                if variable.size is None:
                    raise InputError(f"`{array}` is not an array", at(array))
                return Element(full, _resolve(index, self.place, self.label, depth + 1))

    def _find(self, name: str) -> tuple[Variable, str]:
        if "." in name:
            process, local = name.split(".")
            if process not in self.scope.processes:
                hint = did_you_mean(process, self.scope.processes)
                raise InputError(f"`{name}`: there is no process `{process}`{hint}", at(name))
            if local not in self.scope.locals[process]:
                if local in self.scope.shared:
                    raise InputError(f"`{local}` is shared; write it without `{process}.`", at(name))
                hint = did_you_mean(local, self.scope.locals[process])
                raise InputError(f"`{name}`: {process} has no local `{local}`{hint}", at(name))
            return self.scope.locals[process][local], str(name)
        if name in self.scope.shared:
            return self.scope.shared[name], str(name)
        owners = [process for process, locals_ in self.scope.locals.items() if name in locals_]
        if len(owners) > 1:
            choices = " or ".join(f"{process}.{name}" for process in owners)
            raise InputError(f"`{name}` is a local of several processes; write {choices}", at(name))
        if not owners:
            known = {*self.scope.shared, *(local for of_process in self.scope.locals.values() for local in of_process)}
            raise InputError(f"`{name}` is not declared{did_you_mean(name, known)}", at(name))
        return self.scope.locals[owners[0]][name], f"{owners[0]}.{name}"

    def label(self, where: At) -> At:
        if self.labels is None:
            raise InputError("a predicate is about variables; a label has no place in it", at(where.process))
        if where.process not in self.labels:
            hint = did_you_mean(where.process, self.labels)
            raise InputError(f"there is no process `{where.process}`{hint}", at(where.process))
        if where.label not in self.labels[where.process]:
            hint = did_you_mean(where.label, self.labels[where.process])
            raise InputError(
                f"{where.process} has no label `{where.label}` outside atomic blocks{hint}", at(where.label)
            )
        return At(str(where.process), str(where.label))


def _resolve(
    expression: Expression,
    place: Callable[[Place, int], Place],
    label: Callable[[At], At],
    depth: int = 0,
) -> Expression:
    if depth > DEEPEST_EXPRESSION:
        raise InputError(f"an expression is nested more than {DEEPEST_EXPRESSION} levels deep", start(expression))
    match expression:
        case Integer(value):
            return Integer(value)
        case Name() | Element():
            return place(expression, depth)
        case At():
            return label(expression)
        case Unary(operator, operand):
            return Unary(operator, _resolve(operand, place, label, depth + 1))
        case Binary(operator, left, right):
            left = _resolve(left, place, label, depth + 1)
            return Binary(operator, left, _resolve(right, place, label, depth + 1))
        case Conditional(condition, then, otherwise):
            return Conditional(
                _resolve(condition, place, label, depth + 1),
                _resolve(then, place, label, depth + 1),
                _resolve(otherwise, place, label, depth + 1),
            )
        case _:
            assert_never(expression)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A guess at what was meant."""
    close = difflib.get_close_matches(str(name), [str(k) for k in known if not k.startswith("_")], n=1)
    return f"; did you mean `{close[0]}`?" if close else ""
