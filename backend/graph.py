"""The control-flow automata of a program as a picture: each process, its instructions as edges.

An atomic block, whatever it contains, is one step and so one edge; a branch is two, its condition and the negation of
it. Made labels (`L7`) stay in the background. In SVG every edge tells the source position of its instruction.
"""

import re
from collections.abc import Iterator

from ebb.backend import drawing
from ebb.backend.drawing import Automaton, Location, Look, Picture, Step, Tone
from ebb.backend.source_text import show_action, show_body
from ebb.formats.errors import Position
from ebb.formats.expressions import negation, show, show_name
from ebb.formats.ir import Atomic, Branch, Goto, Instruction, Process, Program, Skip, Transaction

_MADE_LABEL = re.compile(r"L[0-9]+")
_END = "(end)"


def graph_source(program: Program) -> str:
    """The automata in Graphviz's DOT language."""
    return drawing.dot_text(_picture(program))


def render(program: Program, path: str) -> None:
    """Write the automata to a file in the format that its suffix says."""
    drawing.render(_picture(program), path)


def _picture(program: Program) -> Picture:
    """Titled with the program's name and what is to be checked: the locations that the picture is looked at for."""
    properties = (f"assert {property_.kind} ({show(property_.condition)})" for property_ in program.properties)
    automata = (_automaton(process, program.source) for process in program.processes)
    return Picture(program.name, (program.name, *properties), tuple(automata))


def _automaton(process: Process, source: str) -> Automaton:
    background = " background" if process.background else ""
    when = "" if process.when is None else f" when {show_name(process.when)}"
    steps = tuple(_steps(process, source))
    entry = process.body[0].label if process.body else _END
    locations = [_location(instruction, source) for instruction in process.body]
    if entry == _END or any(step.end == _END for step in steps):
        locations.append(Location(_END, "end", "end", Look.END))
    return Automaton(
        process.name,
        f"process {show_name(process.name) + background + when}",
        (_position(process.at, source),),
        entry,
        tuple(locations),
        steps,
    )


def _location(instruction: Instruction, source: str) -> Location:
    look = Look.MADE if _MADE_LABEL.fullmatch(instruction.label) else Look.WRITTEN
    return Location(instruction.label, instruction.label, _position(instruction.at, source), look)


def _steps(process: Process, source: str) -> Iterator[Step]:
    numbers = {instruction.label: number for number, instruction in enumerate(process.body)}
    for number, instruction in enumerate(process.body):
        start = instruction.label
        follower = process.body[number + 1].label if number + 1 < len(process.body) else _END
        tooltip = _tooltip(instruction, source)
        match instruction.action:
            case Goto(targets):
                for target in targets:
                    yield Step(start, target, (), tooltip, numbers[target] - number)
            case Branch(condition, target):
                yield Step(start, target, (f"[{show(condition)}]",), tooltip, numbers[target] - number)
                yield Step(start, follower, (f"[{show(negation(condition))}]",), tooltip)
            case Transaction(edge):
                yield Step(start, follower, (f"transaction {edge}",), tooltip)
            case Atomic():
                yield Step(start, follower, _atomic_text(instruction), tooltip, tone=Tone.ATOMIC)
            case Skip():
                yield Step(start, follower, (show_action(instruction.action),), tooltip, tone=Tone.QUIET)
            case action:
                yield Step(start, follower, (show_action(action),), tooltip)


def _atomic_text(instruction: Instruction) -> tuple[str, ...]:
    """What the block models, if it says so (`lock m`); otherwise what stands in it."""
    return (instruction.note,) if instruction.note else tuple(show_body((instruction,)))


def _tooltip(instruction: Instruction, source: str) -> tuple[str, ...]:
    return (f"{_position(instruction.at, source)} {instruction.note}".rstrip(), *show_body((instruction,)))


def _position(at: Position, source: str) -> str:
    return f"{source}:{at.line}:{at.column}"
