"""What a checker says about a Boolean program: the product of `ebb-check` (`docs/formats/verdict.md`)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ebb.formats.bp import Origin
from ebb.formats.errors import Position

Outcome = Literal["safe", "unsafe", "unknown"]


@dataclass(frozen=True, slots=True)
class Place:
    """A statement of a thread: where it stands in the Boolean program, and where that came from."""

    thread: str
    function: str
    label: str  # "" where the statement has none
    statement: str
    way: str  # which of several ways on it took: `then`, `elsif`, `else`, `do`, `od` or a label; else ""
    at: Position
    origin: Origin | None
    checks: str  # what an assertion is about


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A step and the values after it; the first has no place: the values at the beginning."""

    place: Place | None
    values: Mapping[str, bool]
    changed: tuple[str, ...]  # the variables that have another value than before


@dataclass(frozen=True, slots=True)
class VariableReport:
    name: str
    predicate: str  # "" where the program gives none
    thread: str | None  # whose local variable it is


@dataclass(frozen=True, slots=True)
class Verdict:
    program: str
    engine: str
    verdict: Outcome
    reason: str  # of an unknown verdict
    violation: Place | None  # the assertion that fails after the last step of the trace
    overflow: Place | None  # a place that was reached and lies beyond what was checked
    threads: tuple[str, ...]
    variables: tuple[VariableReport, ...]
    trace: tuple[TraceStep, ...]
    counts: Mapping[str, int]
    seconds: Mapping[str, float] | None  # the one thing that differs from run to run


def dumps(verdict: Verdict) -> str:
    """The document as JSON, one variable and one step a line."""
    lines = [f"  {json.dumps(key)}: {_laid_out(value)}" for key, value in _document(verdict).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _laid_out(value: Any) -> str:
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return json.dumps(value, ensure_ascii=False)
    rows = ",\n".join(f"    {json.dumps(part, ensure_ascii=False)}" for part in value)
    return f"[\n{rows}\n  ]"


def _document(verdict: Verdict) -> dict[str, Any]:
    document: dict[str, Any] = {
        "format": "ebb-verdict",
        "version": 1,
        "program": verdict.program,
        "engine": verdict.engine,
        "verdict": verdict.verdict,
        "reason": verdict.reason or None,
        "violation": _place(verdict.violation),
        "overflow": _place(verdict.overflow),
        "threads": list(verdict.threads),
        "variables": [
            {"name": variable.name, "predicate": variable.predicate or None, "thread": variable.thread}
            for variable in verdict.variables
        ],
        "trace": [
            {"step": number} | (_place(step.place) or {}) | {"changed": list(step.changed), "values": dict(step.values)}
            for number, step in enumerate(verdict.trace)
        ],
        "counts": dict(verdict.counts),
    }
    if verdict.seconds is not None:
        document["seconds"] = {key: round(value, 3) for key, value in verdict.seconds.items()}
    return document


def _place(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    origin = place.origin
    return {
        "thread": place.thread,
        "function": place.function,
        "label": place.label or None,
        "statement": place.statement,
        "way": place.way or None,
        "at": [place.at.line, place.at.column],
        "origin": None
        if origin is None
        else {"file": origin.file, "line": origin.line, "column": origin.column, "note": origin.note},
        "checks": place.checks or None,
    }
