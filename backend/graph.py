"""Draws a program as control-flow automata: a cluster for each process, locations as nodes, instructions as edges.

A location is where control stands between two steps, so an atomic block, whatever it contains, is one edge; a branch
is two, its condition and the negation of it. Labels that somebody wrote stand out, made ones (`L7`) stay in the
background. In SVG every edge tells the source position of its instruction when the mouse rests on it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import graphviz

from ebb.backend.source_text import show_action, show_body
from ebb.formats import files
from ebb.formats.errors import Position, UsageError
from ebb.formats.expressions import negation, show, show_name
from ebb.formats.ir import Atomic, Branch, Goto, Instruction, Process, Program, Skip, Transaction

PICTURES = (".svg", ".png")
DOT = ".dot"

_MADE_LABEL = re.compile(r"L[0-9]+")
_CODE_FONT, _TEXT_FONT = "Courier", "Helvetica"  # names that every Graphviz maps to what the system has
_FRAME, _LINE, _QUIET, _ACCENT, _BLOCK = "#c8ccd0", "#40464d", "#80868d", "#fff1c2", "#1f5fa8"
_LINES_SHOWN, _LETTERS_SHOWN = 12, 72  # of an edge's text; the tooltip has them all
_STRAIGHT = "8"  # weight of the edges that a reader follows down the page
_PNG_RESOLUTION = "144"  # dots an inch: sharp enough to print, text still of a readable size on a screen


def graph_source(program: Program) -> str:
    """The automata in Graphviz's DOT language."""
    text: str = _digraph(program).source
    return text


def render(program: Program, path: str) -> None:
    """Write the automata to a file in the format that its suffix says."""
    suffix = Path(path).suffix
    if suffix == DOT:
        files.write_text(path, graph_source(program))
    elif suffix in PICTURES:
        files.write_bytes(path, _picture(program, suffix.removeprefix(".")))
    else:
        known = ", ".join((DOT, *PICTURES))
        raise UsageError(f"{path}: what format should the graph have? The suffix is one of {known}")


def _picture(program: Program, picture_format: str) -> bytes:
    graph = _digraph(program)
    if picture_format == "png":
        graph.graph_attr["dpi"] = _PNG_RESOLUTION
    try:
        picture: bytes = graph.pipe(format=picture_format, quiet=True)
    except graphviz.ExecutableNotFound:
        raise UsageError(
            f"a graph in .{picture_format} needs the program dot: install the Debian package graphviz, or ask for {DOT}"
        ) from None
    return picture


def _digraph(program: Program) -> graphviz.Digraph:
    graph = graphviz.Digraph(
        _escape(program.name),
        graph_attr={
            "label": _left_aligned(_title(program)),
            "labelloc": "t",
            "labeljust": "l",
            "fontname": _TEXT_FONT,
            "fontsize": "13",
            "fontcolor": _LINE,
            "nodesep": "0.4",
            "ranksep": "0.35",
            "tooltip": " ",
        },
        node_attr={
            "shape": "box",
            "style": "rounded",
            "fontname": _TEXT_FONT,
            "fontsize": "11",
            "color": _LINE,
            "width": "0.3",
            "height": "0.25",
            "margin": "0.09,0.04",
        },
        edge_attr={"fontname": _CODE_FONT, "fontsize": "11", "color": _LINE, "arrowsize": "0.7"},
    )
    for process in program.processes:
        graph.subgraph(_cluster(process, program.source))
    return graph


def _title(program: Program) -> list[str]:
    """The program's name and what is to be checked: the locations that the picture is looked at for."""
    properties = [f"assert {property_.kind} ({show(property_.condition)})" for property_ in program.properties]
    return [program.name, *properties]


@dataclass(frozen=True, slots=True)
class _Edge:
    start: str
    end: str | None  # None: the end of the process
    instruction: Instruction
    text: list[str]  # what it does, in lines; a jump does nothing
    span: int = 1  # how many instructions further on it ends; negative for a way back


def _edges(process: Process) -> Iterator[_Edge]:
    numbers = {instruction.label: number for number, instruction in enumerate(process.body)}
    for number, instruction in enumerate(process.body):
        start = instruction.label
        follower = process.body[number + 1].label if number + 1 < len(process.body) else None
        match instruction.action:
            case Goto(targets):
                for target in targets:
                    yield _Edge(start, target, instruction, [], numbers[target] - number)
            case Branch(condition, target):
                yield _Edge(start, target, instruction, [f"[{show(condition)}]"], numbers[target] - number)
                yield _Edge(start, follower, instruction, [f"[{show(negation(condition))}]"])
            case Transaction(edge):
                yield _Edge(start, follower, instruction, [f"transaction {edge}"])
            case Atomic():
                yield _Edge(start, follower, instruction, _atomic_text(instruction))
            case action:
                yield _Edge(start, follower, instruction, [show_action(action)])


def _cluster(process: Process, source: str) -> graphviz.Digraph:
    background = " background" if process.background else ""
    when = "" if process.when is None else f" when {show_name(process.when)}"
    cluster = graphviz.Digraph(
        f"cluster_{process.name}",
        graph_attr={
            "label": f"process {_escape(show_name(process.name) + background + when)}",
            "labeljust": "c",
            "fontname": f"{_TEXT_FONT}-Bold",
            "color": _FRAME,
            "style": "rounded",
            "margin": "14",
            "tooltip": _escape(_position(process.at, source)),
        },
    )
    edges = list(_edges(process))
    entry = process.body[0].label if process.body else None
    cluster.node(f"{process.name} (start)", label="", shape="point", width="0.08", tooltip=" ")
    for instruction in process.body:
        cluster.node(_location(process, instruction.label), **_node(instruction, source))
    if entry is None or any(edge.end is None for edge in edges):
        cluster.node(_location(process, None), label="end", peripheries="2", tooltip="end")
    cluster.edge(f"{process.name} (start)", _location(process, entry))
    for edge in edges:
        _draw(cluster, process, edge, source)
    return cluster


def _draw(cluster: graphviz.Digraph, process: Process, edge: _Edge, source: str) -> None:
    """Add the edge. One that leads far is drawn through its text, as if that were a node: dot gives the text of a long
    edge a place that may lie outside the frame of the process."""
    start, end = _location(process, edge.start), _location(process, edge.end)
    attributes = _edge(edge, source)
    if not edge.text or edge.span in (0, 1):
        cluster.edge(start, end, **attributes, weight=_STRAIGHT if edge.span == 1 else "1")
        return
    through = f"{start} to {edge.end}"
    text, tooltip = attributes.pop("label"), attributes["tooltip"]
    cluster.node(through, text, shape="plain", style="", fontname=_CODE_FONT, tooltip=tooltip)
    if edge.span > 0:
        cluster.edge(start, through, **attributes, arrowhead="none", weight=_STRAIGHT)
        cluster.edge(through, end, **attributes)
    else:  # dot ranks the head of an edge below its tail: a way back goes up if it is given in reverse
        cluster.edge(through, start, **attributes, dir="none", weight=_STRAIGHT)
        cluster.edge(end, through, **attributes, dir="back")


def _location(process: Process, label: str | None) -> str:
    """The name of a node; no label is the end of the process."""
    return f"{process.name} {'(end)' if label is None else label}"


def _node(instruction: Instruction, source: str) -> dict[str, str]:
    attributes = {"label": _escape(instruction.label), "tooltip": _escape(_position(instruction.at, source))}
    if _MADE_LABEL.fullmatch(instruction.label):
        return attributes | {"fontcolor": _QUIET, "color": _FRAME, "fontsize": "9"}
    return attributes | {"style": "rounded,filled", "fillcolor": _ACCENT, "fontname": f"{_TEXT_FONT}-Bold"}


def _edge(edge: _Edge, source: str) -> dict[str, str]:
    tooltip = _tooltip(edge.instruction, source)
    attributes = {"tooltip": tooltip, "labeltooltip": tooltip}
    if edge.text:
        attributes["label"] = _left_aligned(_shortened(edge.text))
    match edge.instruction.action:
        case Atomic():
            attributes["fontcolor"] = _BLOCK
        case Skip():
            attributes["fontcolor"] = _QUIET
    return attributes


def _atomic_text(instruction: Instruction) -> list[str]:
    """What the block models, if it says so (`lock m`); otherwise what stands in it."""
    return [instruction.note] if instruction.note else show_body((instruction,))


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) > _LINES_SHOWN:
        lines = [*lines[: _LINES_SHOWN - 2], "  …", lines[-1]]
    return [line if len(line) <= _LETTERS_SHOWN else f"{line[: _LETTERS_SHOWN - 1]}…" for line in lines]


def _tooltip(instruction: Instruction, source: str) -> str:
    head = f"{_position(instruction.at, source)} {instruction.note}".rstrip()
    return "\\n".join(map(_escape, [head, *show_body((instruction,))]))


def _position(at: Position, source: str) -> str:
    return f"{source}:{at.line}:{at.column}"


def _left_aligned(lines: list[str]) -> str:
    return "".join(f" {_escape(line)} \\l" for line in lines)


def _escape(text: str) -> str:
    """Text that Graphviz shows as it is: `\\N` and `&lt;` would otherwise stand for something."""
    escaped: str = graphviz.escape(re.sub(r"&(?=#?\w+;)", "&amp;", text))
    return escaped
