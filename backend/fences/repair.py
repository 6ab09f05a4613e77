"""Fences put into a source text, where it is: on lines of their own, with everything else as it was.

Whether a change does what it should is checked by reading the changed text again.
"""

import difflib
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ebb.backend.fences.points import Point, labels_in_properties, with_fences
from ebb.formats.errors import InputError, Position
from ebb.formats.ir import Action, Atomic, Branch, Flush, Goto, Instruction, Program, Skip

Parse = Callable[[str], Program]


def repaired(text: str, program: Program, points: Sequence[Point], chosen: Collection[int], parse: Parse) -> str | None:
    """The text with fences at the chosen points alone; None if that cannot be written by adding lines."""
    edits: list[_Edit] = []
    for point in points:
        if (point.number in chosen) == (point.side == "at"):
            continue
        wanted = chosen if point.side == "at" else {point.number}
        left = {each.number for each in points if each.side == "at" and each.number != point.number}
        goal = with_fences(program, points, left if point.side == "at" else wanted)
        for written in _ways(text, point):
            if _says(_applied(text, written), goal, parse):
                edits += written
                break
        else:
            return None
    result = _applied(text, edits)
    return result if _says(result, with_fences(program, points, chosen), parse) else None


def unified_diff(before: str, after: str, name: str) -> str:
    lines = difflib.unified_diff(_lines(before), _lines(after), name, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """The lines with their ends, which only a newline is; `splitlines` knows others, as a form feed."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    """Replace what stands between two offsets."""

    begin: int
    end: int
    text: str


def _applied(text: str, edits: Sequence[_Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.begin] + edit.text + text[edit.end :]
    return text


def _ways(text: str, point: Point) -> list[list[_Edit]]:
    """The ways to write a fence at a point (or to take it away), the plainest first."""
    begin = _offset(text, point.at)
    end = _end_of_statement(text, begin)
    line = text.rfind("\n", 0, begin) + 1
    alone = not text[line:begin].strip()
    indent = text[line:begin] if alone else ""
    rest = text.find("\n", end)
    rest = len(text) if rest < 0 else rest
    nothing_follows = not text[end:rest].strip() or text[end:rest].lstrip().startswith("//")
    fence = f"flush({point.action.process});" if isinstance(point.action, Flush) else "fence;"
    if point.side == "at":
        whole_line = alone and not text[end:rest].strip()
        without_line = [[_Edit(line, min(rest + 1, len(text)), "")]] if whole_line else []
        return [*without_line, [_Edit(begin, end, "skip;")]]
    if point.side == "before":
        braced = [_Edit(begin, begin, f"{{ {fence} "), _Edit(end, end, " }")]
        return [[_Edit(line, line, f"{indent}{fence}\n") if alone else _Edit(begin, begin, f"{fence} ")], braced]
    inline = [_Edit(end, end, f" {fence}")]
    braced = [_Edit(begin, begin, "{ "), _Edit(end, end, f" {fence} }}")]
    return (
        [[_Edit(rest, rest, f"\n{indent}{fence}")], inline, braced] if alone and nothing_follows else [inline, braced]
    )


def _offset(text: str, at: Position) -> int:
    return sum(len(line) for line in _lines(text)[: at.line - 1]) + at.column - 1


def _end_of_statement(text: str, begin: int) -> int:
    """Behind the semicolon that ends the statement, or where the text does."""
    at = begin
    while at < len(text):
        if text.startswith("//", at):
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
        elif text.startswith("/*", at):
            at = text.find("*/", at)
            at = len(text) if at < 0 else at + 2
        elif text[at] == ";":
            return at + 1
        else:
            at += 1
    return at


# ---- do two programs do the same?


def _says(text: str, goal: Program, parse: Parse) -> bool:
    """Whether the text is that program, but for positions, labels that no property asks about, and what skips."""
    try:
        found = parse(text)
    except InputError:
        return False
    return _meaning(found) == _meaning(goal)


def _meaning(program: Program) -> list[object]:
    meaning: list[object] = []
    for process in program.processes:
        asked = labels_in_properties(program, process.name)
        body, number = _steps(process.body, asked)
        meaning.append((body, {label: number[label] for label in asked}))
    return meaning


def _steps(body: tuple[Instruction, ...], asked: Collection[str]) -> tuple[list[object], dict[str, int]]:
    """What a body does, with numbers for labels. A skip is nothing, as where a fence was, unless a property asks."""
    number: dict[str, int] = {}
    kept: list[Action] = []
    for instruction in body:
        number[instruction.label] = len(kept)
        if not isinstance(instruction.action, Skip) or instruction.label in asked:
            kept.append(instruction.action)
    return [_step(action, number, asked) for action in kept], number


def _step(action: Action, number: dict[str, int], asked: Collection[str]) -> object:
    match action:
        case Goto(targets):
            return "goto", tuple(number[target] for target in targets)
        case Branch(condition, target):
            return "branch", condition, number[target]
        case Atomic(body):
            return "atomic", _steps(body, asked)[0]
        case _:
            return action
