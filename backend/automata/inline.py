"""The control flow of one thread: a function with everything it calls, as a graph.

    if (b) then f(); fi;         n1 --[b]--> n2 --call--> …body of f… --return--> n3
                                 n1 --[!b]-------------------------------------> n3

Procedures do not recurse, so a thread runs at most one instance of each at a time: the local variables of a procedure
exist once for a thread, whatever the number of calls, while its control flow is copied for each of them.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from ebb.backend.automata.automaton import Statement
from ebb.backend.automata.expressions import conjunction, negation, renamed
from ebb.formats import bp
from ebb.formats.bp import Expression
from ebb.formats.bp_check import NOBODY
from ebb.formats.bp_text import show_action
from ebb.formats.errors import InputError

END = 0  # the node after the last statement
LARGEST = 200_000  # nodes

LOCAL = "."  # names of local variables begin with it: `.f.l`


@dataclass(frozen=True, slots=True)
class StartSite:
    """A new thread begins: at which function or label, and with which values."""

    function: str
    label: str | None
    arguments: tuple[Expression, ...]
    locals: Mapping[str, str]  # what the local variables of the function are called in the thread that starts it


@dataclass(frozen=True, slots=True)
class Arc:
    """An edge without a thread yet. It may lead to a node, or to a violation or an overflow."""

    source: int
    target: int | None
    statement: Statement
    guard: Expression = bp.TRUE
    targets: tuple[str, ...] = ()
    values: tuple[Expression, ...] = ()
    constrain: Expression | None = None
    violation: bool = False
    start: StartSite | None = None
    depth: int = 0  # what it adds to the number of open atomic blocks


@dataclass
class Flow:
    """The graph. A node belongs to the functions that are running there, the thread's own first."""

    entry: int = END
    arcs: list[Arc] = field(default_factory=list)
    functions: dict[int, tuple[str, ...]] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Frame:
    """One call: where it returns to and what receives the results, in the caller's names."""

    function: bp.Function
    running: tuple[str, ...]
    follow: int
    results: tuple[str, ...]
    nodes: dict[str, int]  # by label

    def name(self, name: str) -> str:
        is_local = name in self.function.parameters or any(name in d.names for d in self.function.declarations)
        return local_name(self.function.name, name) if is_local else name

    def expression(self, expression: Expression) -> Expression:
        return renamed(expression, self.name)


def local_name(function: str, name: str) -> str:
    return f"{LOCAL}{function}.{name}"


def local_variables(function: bp.Function) -> tuple[str, ...]:
    return function.parameters + tuple(name for declaration in function.declarations for name in declaration.names)


def flow(program: bp.Program, function: str, label: str | None) -> Flow:
    """The flow of a thread that runs the function, from the label or from its beginning."""
    return _Builder({function.name: function for function in program.functions}).build(function, label)


class _Builder:
    def __init__(self, functions: Mapping[str, bp.Function]) -> None:
        self._functions = functions
        self._flow = Flow()
        self._size = END
        self._flow.functions[END] = ()

    def build(self, function: str, label: str | None) -> Flow:
        self._flow.functions[END] = (function,)
        frame = _Frame(self._functions[function], (function,), END, (), {})
        entry = self._body(frame)
        self._flow.entry = entry if label is None else frame.nodes[label]
        self._forget_unreachable()
        return self._flow

    def _forget_unreachable(self) -> None:
        arcs = defaultdict(list)
        for arc in self._flow.arcs:
            arcs[arc.source].append(arc)
        reached, work = {self._flow.entry}, [self._flow.entry]
        while work:
            for arc in arcs[work.pop()]:
                if arc.target is not None and arc.target not in reached:
                    reached.add(arc.target)
                    work.append(arc.target)
        self._flow.arcs = [arc for arc in self._flow.arcs if arc.source in reached]
        self._flow.functions = {node: names for node, names in self._flow.functions.items() if node in reached}

    def _body(self, frame: _Frame) -> int:
        """The nodes of a function's body; where it begins."""
        follow = frame.follow
        if frame.results:  # falling off the end without `return` gives any results
            follow = self._node(frame)
            ending = Statement(frame.function.name, (), "end", frame.function.at, None, "")
            wanted = tuple(target for target in frame.results if target != NOBODY)
            self._arc(follow, frame.follow, ending, targets=wanted, values=_any(wanted))
        placed = self._place(frame, frame.function.body)
        self._connect(frame, placed, follow)
        return _first(placed, follow)

    def _place(self, frame: _Frame, body: tuple[bp.Statement, ...]) -> list["_Placed"]:
        """A node for each statement, known by its labels before anything jumps there."""
        placed = []
        for statement in body:
            node = self._node(frame)
            for label in statement.labels:
                frame.nodes[label] = node
                self._flow.labels.setdefault(node, label)
            parts: tuple[tuple[bp.Statement, ...], ...] = ()
            match statement.action:
                case bp.If(branches, otherwise):
                    parts = (*(part for _, part in branches), otherwise or ())
                case bp.While(_, part):
                    parts = (part,)
            placed.append(_Placed(statement, node, [self._place(frame, part) for part in parts]))
        return placed

    def _node(self, frame: _Frame) -> int:
        self._size += 1
        if self._size > LARGEST:
            raise InputError(f"inlining procedures gives more than {LARGEST} locations", frame.function.at)
        self._flow.functions[self._size] = frame.running
        return self._size

    def _connect(self, frame: _Frame, placed: list["_Placed"], follow: int) -> None:
        for number, here in enumerate(placed):
            after = placed[number + 1].node if number + 1 < len(placed) else follow
            self._statement(frame, here, after)
            loops = isinstance(here.statement.action, bp.While)
            for part in here.parts:
                self._connect(frame, part, here.node if loops else after)

    def _statement(self, frame: _Frame, here: "_Placed", after: int) -> None:
        node, action = here.node, here.statement.action
        statement = _origin(frame, here.statement)
        if here.statement.overflow:
            self._arc(node, None, statement)
            return
        match action:
            case bp.Skip():
                self._arc(node, after, statement)
            case bp.Goto(targets):
                for target in dict.fromkeys(targets):
                    way = target if len(targets) > 1 else ""
                    self._arc(node, frame.nodes[target], replace(statement, way=way))
            case bp.Assume(condition):
                self._arc(node, after, statement, guard=frame.expression(condition))
            case bp.Assert(condition):
                holds = frame.expression(condition)
                self._arc(node, after, statement, guard=holds)
                self._arc(node, None, statement, guard=negation(holds), violation=True)
            case bp.Assign(targets, values, constrain):
                wanted = [(t, v) for t, v in zip(targets, values, strict=True) if t != NOBODY]
                self._arc(
                    node,
                    after,
                    statement,
                    targets=tuple(frame.name(target) for target, _ in wanted),
                    values=tuple(frame.expression(value) for _, value in wanted),
                    constrain=None if constrain is None else frame.expression(constrain),
                )
            case bp.Dead(names):
                self._arc(node, after, statement, targets=tuple(map(frame.name, names)), values=_any(names))
            case bp.If(branches):
                failed: list[Expression] = []
                for (condition, _), part in zip(branches, here.parts, strict=False):
                    holds = frame.expression(condition)
                    chosen = replace(statement, way="elsif" if failed else "then")
                    self._arc(node, _first(part, after), chosen, guard=conjunction((*failed, holds)))
                    failed.append(negation(holds))
                left = replace(statement, way="else")
                self._arc(node, _first(here.parts[-1], after), left, guard=conjunction(failed))
            case bp.While(condition):
                holds = frame.expression(condition)
                self._arc(node, _first(here.parts[0], node), replace(statement, way="do"), guard=holds)
                self._arc(node, after, replace(statement, way="od"), guard=negation(holds))
            case bp.Call(targets, function, arguments):
                self._call(frame, here, after, targets, function, arguments)
            case bp.Return(values):
                results = tuple(frame.expression(value) for value in values) or _any(frame.results)
                wanted = [(t, v) for t, v in zip(frame.results, results, strict=False) if t != NOBODY]
                self._arc(
                    node,
                    frame.follow,
                    statement,
                    targets=tuple(t for t, _ in wanted),
                    values=tuple(v for _, v in wanted),
                )
            case bp.StartThread(function, arguments):
                values = tuple(frame.expression(argument) for argument in arguments)
                self._arc(node, after, statement, start=StartSite(function, None, values, {}))
            case bp.StartThreadAt(label):
                copied = {name: frame.name(name) for name in local_variables(frame.function)}
                self._arc(node, after, statement, start=StartSite(frame.function.name, label, (), copied))
            case bp.EndThread():
                self._arc(node, END, statement)
            case bp.AtomicBegin():
                self._arc(node, after, statement, depth=1)
            case bp.AtomicEnd():
                self._arc(node, after, statement, depth=-1)
            case _:
                assert_never(action)

    def _call(
        self,
        frame: _Frame,
        here: "_Placed",
        after: int,
        targets: tuple[str, ...],
        name: str,
        arguments: tuple[Expression, ...],
    ) -> None:
        function = self._functions[name]
        results = tuple(target if target == NOBODY else frame.name(target) for target in targets)
        callee = _Frame(function, (*frame.running, name), after, results, {})
        first = self._body(callee)
        if first == after:  # there is no place where it runs, so it has no variables either
            self._arc(here.node, after, _origin(frame, here.statement))
            return
        variables = local_variables(function)
        values = tuple(frame.expression(argument) for argument in arguments)
        self._arc(
            here.node,
            first,
            _origin(frame, here.statement),
            targets=tuple(callee.name(variable) for variable in variables),
            values=(*values, *_any(variables[len(values) :])),
        )

    def _arc(self, source: int, target: int | None, statement: Statement, **rest: Any) -> None:
        arc = Arc(source, target, statement, **rest)
        if arc.guard != bp.FALSE:
            self._flow.arcs.append(arc)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A statement, its node, and the statements inside it."""

    statement: bp.Statement
    node: int
    parts: list[list["_Placed"]]


def _first(placed: list[_Placed], follow: int) -> int:
    return placed[0].node if placed else follow


def _any(names: tuple[str, ...]) -> tuple[Expression, ...]:
    return (bp.Nondet(),) * len(names)


def _origin(frame: _Frame, statement: bp.Statement) -> Statement:
    return Statement(
        frame.function.name,
        statement.labels,
        show_action(statement.action),
        statement.at,
        statement.origin,
        statement.checks,
    )
