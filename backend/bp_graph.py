"""The control flow of a Boolean program as a picture: each function as it is written, its statements as edges.

A location is the place before a statement, with its label or its line. `if` and `while` are the conditions that lead
along each edge; locations at which an atomic block is open are blue. A statement that is an overflow leads to a dead
end, and a dashed arrow leads to the label at which a new thread begins. In SVG every edge tells where its statement
stands and where it comes from.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from urllib.parse import quote

from ebb.backend import drawing
from ebb.backend.automata.expressions import conjunction, negation
from ebb.backend.drawing import Automaton, Location, Look, Picture, Step, Tone
from ebb.formats import bp
from ebb.formats.bp import Expression
from ebb.formats.bp_text import show, show_action

_MADE_LABEL = re.compile(r"L?[0-9]+")
_END, _OVERFLOW = "(end)", "(overflow)"
_WIDE = 48  # letters after which an assignment takes several lines
_DEEPEST = 16  # open atomic blocks that are told apart


def graph_source(program: bp.Program, source: str) -> str:
    """The functions in Graphviz's DOT language; `source` is the name of the file."""
    return drawing.dot_text(_picture(program, source))


def render(program: bp.Program, source: str, path: str) -> None:
    """Write the functions to a file in the format that its suffix says."""
    drawing.render(_picture(program, source), path)


def _picture(program: bp.Program, source: str) -> Picture:
    name = Path(source).stem
    declared = (line for declaration in program.declarations for line in _declared(declaration))
    automata = (_Flow(function, source).automaton() for function in program.functions)
    return Picture(name, (name, *declared), tuple(automata))


def _declared(declaration: bp.Declaration) -> Iterator[str]:
    """What the variables are: the predicates behind them, where the names do not say that."""
    if not declaration.predicates:
        yield f"decl {', '.join(declaration.names)}"
        return
    for name, predicate in zip(declaration.names, declaration.predicates, strict=True):
        yield f"decl {name}" if name == f"{{{predicate}}}" else f"decl {name}: {predicate}"


@dataclass(frozen=True, slots=True)
class _Placed:
    """A statement, its number in the text of the function, and the statements inside it."""

    statement: bp.Statement
    number: int
    parts: tuple[tuple["_Placed", ...], ...]

    @property
    def name(self) -> str:
        """Of the location before it."""
        return str(self.number)


def _placed(block: tuple[bp.Statement, ...], numbers: Iterator[int]) -> tuple[_Placed, ...]:
    placed = []
    for statement in block:
        number = next(numbers)
        parts: tuple[tuple[bp.Statement, ...], ...] = ()
        match statement.action:
            case bp.If(branches, otherwise):
                parts = (*(part for _, part in branches), otherwise or ())
            case bp.While(_, part):
                parts = (part,)
        placed.append(_Placed(statement, number, tuple(_placed(part, numbers) for part in parts)))
    return tuple(placed)


def _all(block: tuple[_Placed, ...]) -> Iterator[_Placed]:
    for here in block:
        yield here
        for part in here.parts:
            yield from _all(part)


def _first(block: tuple[_Placed, ...], follow: str) -> str:
    return block[0].name if block else follow


class _Flow:
    """The control flow of one function."""

    def __init__(self, function: bp.Function, source: str) -> None:
        self._function = function
        self._source = source
        self._body = _placed(function.body, count(1))
        self._everywhere = tuple(_all(self._body))
        self._labels = {label: here.name for here in self._everywhere for label in here.statement.labels}
        self._steps = tuple(self._block(self._body, _END))

    def automaton(self) -> Automaton:
        function = self._function
        entry = _first(self._body, _END)
        atomic = self._atomic()
        locations = [self._location(here, here.name in atomic) for here in self._everywhere]
        ends = {step.end for step in self._steps}
        if _END in (entry, *ends):
            locations.append(Location(_END, "end", "end", Look.END))
        if _OVERFLOW in ends:
            locations.append(Location(_OVERFLOW, "overflow", "what happens from here on is unknown", Look.OVERFLOW))
        tooltip = (f"{self._source}:{function.at.line}:{function.at.column}", *_head(function))
        return Automaton(_identifier(function.name), _heading(function), tooltip, entry, tuple(locations), self._steps)

    def _location(self, here: _Placed, atomic: bool) -> Location:
        statement = here.statement
        written = [label for label in statement.labels if not _MADE_LABEL.fullmatch(label)]
        text = ", ".join(written or statement.labels) or f"line {statement.at.line}"
        return Location(here.name, text, self._position(here), Look.WRITTEN if written else Look.MADE, atomic)

    def _atomic(self) -> frozenset[str]:
        """The locations at which an atomic block of this function can be open."""
        changes = {here.name: _DEPTH.get(type(here.statement.action), 0) for here in self._everywhere}
        successors = defaultdict(list)
        work = [(_first(self._body, _END), 0)]
        for step in self._steps:
            if step.aside:
                work.append((step.end, 0))
            else:
                successors[step.start].append(step.end)
        found: set[tuple[str, int]] = set()
        while work:
            place, depth = work.pop()
            if (place, depth) not in found:
                found.add((place, depth))
                after = min(max(depth + changes.get(place, 0), 0), _DEEPEST)
                work.extend((end, after) for end in successors[place])
        return frozenset(place for place, depth in found if depth)

    # -- steps

    def _block(self, block: tuple[_Placed, ...], follow: str) -> Iterator[Step]:
        for index, here in enumerate(block):
            after = _first(block[index + 1 :], follow)
            yield from self._statement(here, after)
            loops = isinstance(here.statement.action, bp.While)
            for part in here.parts:
                yield from self._block(part, here.name if loops else after)

    def _statement(self, here: _Placed, after: str) -> Iterator[Step]:
        statement = here.statement
        if statement.overflow:
            yield self._step(here, _OVERFLOW, _text(statement), Tone.OVERFLOW)
            return
        match statement.action:
            case bp.Goto(targets):
                for target in dict.fromkeys(targets):
                    yield self._step(here, self._labels[target], ())
            case bp.If(branches):
                failed: list[Expression] = []
                for (condition, _), part in zip(branches, here.parts, strict=False):
                    yield from self._branch(here, _first(part, after), conjunction((*failed, condition)))
                    failed.append(negation(condition))
                yield from self._branch(here, _first(here.parts[-1], after), conjunction(failed))
            case bp.While(condition):
                yield from self._branch(here, _first(here.parts[0], here.name), condition)
                yield from self._branch(here, after, negation(condition))
            case bp.Return() | bp.EndThread():
                yield self._step(here, _END, _text(statement))
            case bp.StartThreadAt(label):
                yield self._step(here, after, _text(statement), Tone.THREAD)
                yield replace(self._step(here, self._labels[label], (), Tone.THREAD), aside=True)
            case action:
                yield self._step(here, after, _text(statement), _TONES.get(type(action), Tone.PLAIN))

    def _branch(self, here: _Placed, end: str, condition: Expression) -> Iterator[Step]:
        if not isinstance(condition, bp.Constant) or condition.value:
            yield self._step(here, end, (_guard(condition),))

    def _step(self, here: _Placed, end: str, text: tuple[str, ...], tone: Tone = Tone.PLAIN) -> Step:
        last = len(self._everywhere)
        span = (last + 1 if end in (_END, _OVERFLOW) else int(end)) - here.number
        return Step(here.name, end, text, (self._position(here), *_details(here.statement)), span, tone)

    def _position(self, here: _Placed) -> str:
        return f"{self._source}:{here.statement.at.line}:{here.statement.at.column}"


_DEPTH: dict[type[bp.Action], int] = {bp.AtomicBegin: 1, bp.AtomicEnd: -1}
_TONES: dict[type[bp.Action], Tone] = {
    bp.Skip: Tone.QUIET,
    bp.Assert: Tone.CHECK,
    bp.AtomicBegin: Tone.ATOMIC,
    bp.AtomicEnd: Tone.ATOMIC,
    bp.StartThread: Tone.THREAD,
}


def _identifier(name: str) -> str:
    """Of a function, for Graphviz: a colon or a backslash, which names in braces may have, means something to it."""
    return quote(name, safe="$")


def _heading(function: bp.Function) -> str:
    if function.process:
        return f"process {function.process}"
    result = {0: "void", 1: "bool"}.get(function.results, f"bool<{function.results}>")
    return f"{result} {function.name}({', '.join(function.parameters)})"


def _head(function: bp.Function) -> Iterator[str]:
    for declaration in function.declarations:
        yield from _declared(declaration)
    for enforce in function.enforce:
        yield f"enforce {show(enforce.condition)}"


def _guard(condition: Expression) -> str:
    match condition:
        case bp.Not(bp.Nondet() as either):
            condition = either
        case bp.Not(bp.Operation("=", operands)):
            condition = bp.Operation("!=", operands)
    text = show(condition)
    return f"[{text[1:-1] if isinstance(condition, bp.Operation | bp.Conditional) else text}]"


def _text(statement: bp.Statement) -> tuple[str, ...]:
    """The statement; above it what it models."""
    action = statement.action
    lines = _assignment(action) if isinstance(action, bp.Assign) else (show_action(action).removesuffix(";"),)
    return (f"// {statement.origin.note}", *lines) if statement.origin and statement.origin.note else lines


def _assignment(assign: bp.Assign) -> tuple[str, ...]:
    """In as few lines as give each of them a readable width."""
    whole = show_action(assign).removesuffix(";")
    if len(whole) <= _WIDE:
        return (whole,)
    constrain = () if assign.constrain is None else (f"  constrain {show(assign.constrain)}",)
    plain = show_action(replace(assign, constrain=None)).removesuffix(";")
    if len(plain) <= _WIDE or len(assign.values) == 1:
        return (plain, *constrain)
    *rest, last = map(show, assign.values)
    return (f"{', '.join(assign.targets)} :=", *(f"  {value}," for value in rest), f"  {last}", *constrain)


def _details(statement: bp.Statement) -> Iterator[str]:
    """Where the statement comes from, all of its text, and what it checks."""
    if (origin := statement.origin) is not None:
        column = "" if origin.column is None else f":{origin.column}"
        yield f"{origin.file}:{origin.line}{column} {origin.note}".rstrip()
    yield show_action(statement.action)
    if statement.checks:
        yield f"checks {statement.checks}"
