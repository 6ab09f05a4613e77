"""Draws control flow with Graphviz, whatever program it comes from: a frame for each automaton, locations as nodes,
steps as edges.

A location is where control stands between two steps. Labels that somebody wrote stand out, made ones stay in the
background. In SVG whatever has a tooltip shows it when the mouse rests on it.
"""

import re
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import graphviz

from ebb.formats import files
from ebb.formats.errors import UsageError

PICTURES = (".svg", ".png")
DOT = ".dot"

_CODE_FONT, _TEXT_FONT = "Courier", "Helvetica"  # names that every Graphviz maps to what the system has
_FRAME, _LINE, _QUIET, _ACCENT = "#c8ccd0", "#40464d", "#80868d", "#fff1c2"
_BLOCK, _PALE_BLOCK, _CHECK, _THREAD = "#1f5fa8", "#e7f0fa", "#a8321f", "#2b7a3b"
_DEAD_END, _PALE_DEAD_END = "#a85f00", "#fdeed8"
_LINES_SHOWN, _LETTERS_SHOWN = 12, 72  # of an edge's text; the tooltip has them all
_STRAIGHT = "8"  # weight of the edges that a reader follows down the page
_PNG_RESOLUTION = "144"  # dots an inch: sharp enough to print, text still of a readable size on a screen


class Look(Enum):
    """What kind of place a location is."""

    WRITTEN = "a label that somebody wrote"
    MADE = "a label that nobody wrote, or none"
    END = "nothing happens after it"
    OVERFLOW = "what happens after it is unknown"


class Tone(Enum):
    """What kind of step an edge is; its text has a colour of its own."""

    PLAIN = None
    QUIET = _QUIET  # nothing but a step
    ATOMIC = _BLOCK
    CHECK = _CHECK
    THREAD = _THREAD
    OVERFLOW = _DEAD_END


@dataclass(frozen=True, slots=True)
class Location:
    name: str  # unique in the automaton, without colons
    text: str
    tooltip: str
    look: Look
    atomic: bool = False  # no other automaton moves while control is here


@dataclass(frozen=True, slots=True)
class Step:
    start: str
    end: str
    text: tuple[str, ...]  # what it does, in lines; a jump does nothing
    tooltip: tuple[str, ...]
    span: int = 1  # how many locations further on it ends; negative for a way back
    tone: Tone = Tone.PLAIN
    aside: bool = False  # control does not go there: something else begins


@dataclass(frozen=True, slots=True)
class Automaton:
    name: str  # unique in the picture, without colons
    heading: str
    tooltip: tuple[str, ...]
    entry: str
    locations: tuple[Location, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    name: str
    title: tuple[str, ...]
    automata: tuple[Automaton, ...]


def dot_text(picture: Picture) -> str:
    """The picture in Graphviz's DOT language."""
    text: str = _digraph(picture).source
    return text


def render(picture: Picture, path: str) -> None:
    """Write the picture to a file in the format that its suffix says."""
    suffix = Path(path).suffix
    if suffix == DOT:
        files.write_text(path, dot_text(picture))
    elif suffix in PICTURES:
        files.write_bytes(path, _drawn(picture, suffix.removeprefix(".")))
    else:
        known = ", ".join((DOT, *PICTURES))
        raise UsageError(f"{path}: what format should the graph have? The suffix is one of {known}")


def _drawn(picture: Picture, picture_format: str) -> bytes:
    graph = _digraph(picture)
    if picture_format == "png":
        graph.graph_attr["dpi"] = _PNG_RESOLUTION
    try:
        drawn: bytes = graph.pipe(format=picture_format, quiet=True)
    except graphviz.ExecutableNotFound:
        raise UsageError(
            f"a graph in .{picture_format} needs the program dot: install the Debian package graphviz, or ask for {DOT}"
        ) from None
    return drawn


def _digraph(picture: Picture) -> graphviz.Digraph:
    graph = graphviz.Digraph(
        _escape(picture.name),
        graph_attr={
            "label": _left_aligned(picture.title),
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
    for automaton in picture.automata:
        graph.subgraph(_cluster(automaton))
    return graph


def _cluster(automaton: Automaton) -> graphviz.Digraph:
    cluster = graphviz.Digraph(
        f"cluster_{automaton.name}",
        graph_attr={
            "label": _escape(automaton.heading),
            "labeljust": "c",
            "fontname": f"{_TEXT_FONT}-Bold",
            "color": _FRAME,
            "style": "rounded",
            "margin": "14",
            "tooltip": _tooltip(automaton.tooltip),
        },
    )
    entry = f"{automaton.name} (start)"
    cluster.node(entry, label="", shape="point", width="0.08", tooltip=" ")
    for location in automaton.locations:
        cluster.node(f"{automaton.name} {location.name}", **_node(location))
    cluster.edge(entry, f"{automaton.name} {automaton.entry}")
    drawn: Counter[tuple[str, str]] = Counter()
    for step in automaton.steps:
        drawn[step.start, step.end] += 1
        _draw(cluster, automaton.name, step, drawn[step.start, step.end])
    return cluster


def _draw(cluster: graphviz.Digraph, automaton: str, step: Step, number: int) -> None:
    """Add the edge; it is the first, second, … between its ends. One that leads far is drawn through its text, as if
    that were a node: dot gives the text of a long edge a place that may lie outside the frame of the automaton."""
    start, end = f"{automaton} {step.start}", f"{automaton} {step.end}"
    attributes = _edge(step)
    if not step.text or step.span in (0, 1):
        cluster.edge(start, end, **attributes, weight=_STRAIGHT if step.span == 1 else "1")
        return
    through = f"{start} to {step.end}" + (f" #{number}" if number > 1 else "")
    text, tooltip = attributes.pop("label"), attributes["tooltip"]
    colour = {"fontcolor": attributes.pop("fontcolor")} if "fontcolor" in attributes else {}
    cluster.node(through, text, shape="plain", style="", fontname=_CODE_FONT, tooltip=tooltip, **colour)
    if step.span > 0:
        cluster.edge(start, through, **attributes, arrowhead="none", weight=_STRAIGHT)
        cluster.edge(through, end, **attributes)
    else:  # dot ranks the head of an edge below its tail: a way back goes up if it is given in reverse
        cluster.edge(through, start, **attributes, dir="none", weight=_STRAIGHT)
        cluster.edge(end, through, **attributes, dir="back")


def _node(location: Location) -> dict[str, str]:
    attributes = {"label": _escape(location.text), "tooltip": _escape(location.tooltip)} | _LOOKS[location.look]
    if location.atomic:
        attributes = {"style": "rounded,filled", "fillcolor": _PALE_BLOCK} | attributes | {"color": _BLOCK}
    return attributes


_LOOKS: dict[Look, dict[str, str]] = {
    Look.WRITTEN: {"style": "rounded,filled", "fillcolor": _ACCENT, "fontname": f"{_TEXT_FONT}-Bold"},
    Look.MADE: {"fontcolor": _QUIET, "color": _FRAME, "fontsize": "9"},
    Look.END: {"peripheries": "2"},
    Look.OVERFLOW: {"style": "filled", "shape": "octagon", "fillcolor": _PALE_DEAD_END, "color": _DEAD_END},
}


def _edge(step: Step) -> dict[str, str]:
    tooltip = _tooltip(step.tooltip)
    attributes = {"tooltip": tooltip, "labeltooltip": tooltip}
    if step.text:
        attributes["label"] = _left_aligned(_shortened(step.text))
    if step.tone.value is not None:
        attributes["fontcolor"] = step.tone.value
    if step.aside:
        attributes |= {"style": "dashed", "color": step.tone.value or _LINE}
    return attributes


def _shortened(lines: tuple[str, ...]) -> tuple[str, ...]:
    if len(lines) > _LINES_SHOWN:
        lines = (*lines[: _LINES_SHOWN - 2], "  …", lines[-1])
    return tuple(line if len(line) <= _LETTERS_SHOWN else f"{line[: _LETTERS_SHOWN - 1]}…" for line in lines)


def _tooltip(lines: tuple[str, ...]) -> str:
    return "\\n".join(map(_escape, lines))


def _left_aligned(lines: tuple[str, ...]) -> str:
    return "".join(f" {_escape(line)} \\l" for line in lines)


def _escape(text: str) -> str:
    """Text that Graphviz shows as it is: `\\N` and `&lt;` would otherwise stand for something."""
    escaped: str = graphviz.escape(re.sub(r"&(?=#?\w+;)", "&amp;", text))
    return escaped
