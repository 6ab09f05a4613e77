"""What makes a Boolean program that parses a program that means something; the first mistake is an `InputError`."""

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass

from ebb.formats import bp
from ebb.formats.bp import Expression
from ebb.formats.errors import InputError, Position

ENTRY = "main"
NOBODY = "_"


def read(text: str) -> bp.Program:
    """The program in a text, checked."""
    from ebb.formats.bp_grammar import parse

    program = parse(text)
    check(program)
    return program


def check(program: bp.Program) -> None:
    functions: dict[str, bp.Function] = {}
    for function in program.functions:
        if function.name in functions:
            raise InputError(f"there is another function {function.name}", function.at)
        functions[function.name] = function
    declared = _declared(program.declarations, ())
    for function in program.functions:
        _Body(function, declared, functions).check()
    _check_entry(program)
    _check_recursion(program)


def statements(body: Iterable[bp.Statement]) -> Iterator[bp.Statement]:
    """Every statement of a body, those inside others too, in the order of the text."""
    for statement in body:
        yield statement
        match statement.action:
            case bp.If(branches, otherwise):
                for _, inner in branches:
                    yield from statements(inner)
                yield from statements(otherwise or ())
            case bp.While(_, inner):
                yield from statements(inner)


def entries(program: bp.Program) -> tuple[bp.Function, ...]:
    """The functions that run from the beginning: `main`; else the processes; else the only function there is."""
    main = tuple(function for function in program.functions if function.name == ENTRY)
    if main:
        return main
    processes = tuple(function for function in program.functions if function.process)
    return processes or program.functions[:1]


def _check_entry(program: bp.Program) -> None:
    functions = program.functions
    if not functions:
        raise InputError("a program has at least one function", bp.NOWHERE)
    begin = entries(program)
    if begin[0].name != ENTRY and not begin[0].process and len(functions) > 1:
        raise InputError(
            f"which function runs first? There is no {ENTRY}, and no function with `//@ process` beside it",
            functions[0].at,
        )
    for function in begin:
        if function.parameters:
            raise InputError(f"{function.name} runs from the beginning, so it cannot have parameters", function.at)


def _check_recursion(program: bp.Program) -> None:
    calls = {
        function.name: [
            (statement.action.function, statement.names_at[-1] if statement.names_at else statement.at)
            for statement in statements(function.body)
            if isinstance(statement.action, bp.Call)
        ]
        for function in program.functions
    }
    done: set[str] = set()
    for first in calls:
        path = [first]
        work = [iter(calls[first])]
        while work:
            callee, at = next(work[-1], (None, bp.NOWHERE))
            if callee is None:
                done.add(path.pop())
                work.pop()
            elif callee in path:
                cycle = " calls ".join([*path[path.index(callee) :], callee])
                raise InputError(f"recursion: {cycle}", at)
            elif callee not in done:
                path.append(callee)
                work.append(iter(calls[callee]))


def _declared(declarations: Iterable[bp.Declaration], known: Iterable[str]) -> frozenset[str]:
    found = set(known)
    for declaration in declarations:
        for number, name in enumerate(declaration.names):
            if name in found:
                at = declaration.names_at[number] if declaration.names_at else declaration.at
                raise InputError(f"{name} is declared twice", at)
            found.add(name)
    return frozenset(found)


@dataclass(frozen=True)
class _Body:
    """One function, among the global variables and all functions."""

    function: bp.Function
    declared: frozenset[str]
    functions: dict[str, bp.Function]

    def check(self) -> None:
        function = self.function
        for number, name in enumerate(function.parameters):
            if name in function.parameters[:number]:
                raise InputError(f"{function.name} has two parameters {name}", function.at)
        visible = self.declared | _declared(function.declarations, function.parameters)
        for enforce in function.enforce:
            if _chooses(enforce.condition):
                raise InputError("enforce says what always holds, so there is nothing to choose in it", enforce.at)
            self._expression(enforce.condition, visible, next_allowed=False)
        labels = self._labels()
        for statement in statements(function.body):
            self._statement(statement, visible, labels)

    def _labels(self) -> frozenset[str]:
        labels: set[str] = set()
        for statement in statements(self.function.body):
            for number, label in enumerate(statement.labels):
                if label in labels:
                    at = statement.labels_at[number] if statement.labels_at else statement.at
                    raise InputError(f"{self.function.name} has two labels {label}", at)
                labels.add(label)
        return frozenset(labels)

    def _statement(self, statement: bp.Statement, visible: frozenset[str], labels: frozenset[str]) -> None:
        match statement.action:
            case bp.Goto(targets):
                self._known_labels(statement, targets, labels)
            case bp.StartThreadAt(label):
                self._known_labels(statement, (label,), labels)
            case bp.Assume(condition) | bp.Assert(condition) | bp.While(condition):
                self._expressions((condition,), visible)
            case bp.If(branches):
                self._expressions([condition for condition, _ in branches], visible)
            case bp.Assign(targets, values, constrain):
                self._targets(statement, targets, visible)
                if len(targets) != len(values):
                    raise InputError(f"{_count(targets, 'variable')}, but {_count(values, 'value')}", statement.at)
                self._expressions(values, visible)
                if constrain is not None:
                    self._expression(constrain, visible, next_allowed=True)
            case bp.Dead(names):
                self._targets(statement, names, visible)
            case bp.Call(targets, name, arguments):
                self._targets(statement, targets, visible)
                callee = self._called(statement, name, arguments, visible)
                if targets and len(targets) != callee.results:
                    has = _count(range(callee.results), "result")
                    raise InputError(f"{_count(targets, 'variable')}, but {name} has {has}", statement.at)
            case bp.StartThread(name, arguments):
                self._called(statement, name, arguments, visible)
            case bp.Return(values):
                if values and len(values) != self.function.results:
                    has = _count(range(self.function.results), "result")
                    raise InputError(f"{_count(values, 'value')}, but {self.function.name} has {has}", statement.at)
                self._expressions(values, visible)

    def _called(
        self, statement: bp.Statement, name: str, arguments: tuple[Expression, ...], visible: frozenset[str]
    ) -> bp.Function:
        at = statement.names_at[-1] if statement.names_at else statement.at
        callee = self.functions.get(name)
        if callee is None:
            raise InputError(f"there is no function {name}", at)
        if len(arguments) != len(callee.parameters):
            has = _count(callee.parameters, "parameter")
            raise InputError(f"{_count(arguments, 'argument')}, but {name} has {has}", at)
        self._expressions(arguments, visible)
        return callee

    def _known_labels(self, statement: bp.Statement, targets: tuple[str, ...], labels: frozenset[str]) -> None:
        for number, label in enumerate(targets):
            if label not in labels:
                raise InputError(f"{self.function.name} has no label {label}", _place(statement, number))

    def _targets(self, statement: bp.Statement, targets: tuple[str, ...], visible: frozenset[str]) -> None:
        for number, name in enumerate(targets):
            if name == NOBODY:
                continue
            if name not in visible:
                raise InputError(f"there is no variable {name}", _place(statement, number))
            if name in targets[:number]:
                raise InputError(f"{name} is assigned twice", _place(statement, number))

    def _expressions(self, expressions: Iterable[Expression], visible: frozenset[str]) -> None:
        for expression in expressions:
            self._expression(expression, visible, next_allowed=False)

    def _expression(self, expression: Expression, visible: frozenset[str], *, next_allowed: bool) -> None:
        work = [expression]
        while work:
            match work.pop():
                case bp.Variable(name, at):
                    if name not in visible:
                        raise InputError(f"there is no variable {name}", at)
                case bp.Next(name, at):
                    if not next_allowed:
                        raise InputError(f"'{name}, a value after the assignment, stands only in constrain", at)
                    if name not in visible:
                        raise InputError(f"there is no variable {name}", at)
                case other:
                    work.extend(reversed(bp.parts(other)))


def _chooses(expression: Expression) -> bool:
    return isinstance(expression, bp.Nondet | bp.Schoose) or any(map(_chooses, bp.parts(expression)))


def _count(things: Sized, noun: str) -> str:
    return f"{len(things) or 'no'} {noun}{'' if len(things) == 1 else 's'}"


def _place(statement: bp.Statement, number: int) -> Position:
    return statement.names_at[number] if number < len(statement.names_at) else statement.at
