"""What a program can do under a memory model: the product of `ebb-explore` (`docs/formats/outcomes.md`)."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from ebb.formats.errors import Position
from ebb.formats.ir import PropertyKind

Verdict = Literal["safe", "unsafe", "unknown"]
State = dict[str, Any]  # `P0.r` and `X`: an integer, or the elements of a set


def is_bookkeeping(name: str) -> bool:
    """Whether the front end made the variable: outcomes do not mention it, runs do."""
    return name.rpartition(".")[2].startswith("_")


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of a run, and everything there is to see after it."""

    process: str
    action: str
    at: Position | None  # None: the buffer or the network did it, not the program
    note: str
    memory: State  # every variable, also the front end's bookkeeping
    locals: State
    assigned: tuple[str, ...]  # the variables that the step gave a value to, even the one they had
    pending: dict[str, tuple[str, ...]]  # of each process: buffered stores or remote operations, oldest first


@dataclass(frozen=True, slots=True)
class Run:
    """A run from an initial state."""

    initial: TraceStep
    steps: tuple[TraceStep, ...]


@dataclass(frozen=True, slots=True)
class ViolationReport:
    kind: str  # "assertion", "never", "always", "final", "~exists", "forall", "out of bounds", …
    message: str
    at: Position
    run: Run


@dataclass(frozen=True, slots=True)
class PropertyReport:
    """`holds` is None when the exploration could not tell. A witness shows that an `exists` holds."""

    kind: PropertyKind
    condition: str
    at: Position
    holds: bool | None
    witness: Run | None = None


@dataclass(frozen=True, slots=True)
class BufferReport:
    """How many entries buffers needed: per process under TSO and RMA, per process and location under PSO."""

    largest: int
    bound: int | None
    exceeded: bool


@dataclass(frozen=True, slots=True)
class Outcomes:
    program: str
    source: str
    model: str
    verdict: Verdict
    reason: str | None  # of an unknown verdict
    final: tuple[State, ...]  # every local and shared variable that the source declares
    complete: bool  # whether `final` has every final state
    properties: tuple[PropertyReport, ...]
    violation: ViolationReport | None
    buffers: BufferReport
    stuck: int  # states in which nothing can move though not every process has ended
    states: int


def dumps(outcomes: Outcomes) -> str:
    """The document as JSON, one final state and one step a line."""
    lines = []
    for key, value in _document(outcomes).items():
        lines.append(f"  {json.dumps(key)}: {_laid_out(value, '  ')}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _laid_out(value: Any, indent: str) -> str:
    """A list of objects takes a line for each of them; everything else stays on the line it is on."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_laid_out(part, indent)}" for key, part in value.items()) + "}"
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return json.dumps(value)
    rows = ",\n".join(f"{indent}  {_laid_out(part, indent + '  ')}" for part in value)
    return f"[\n{rows}\n{indent}]"


def _document(outcomes: Outcomes) -> dict[str, Any]:
    return {
        "format": "ebb-outcomes",
        "version": 1,
        "program": outcomes.program,
        "source": outcomes.source,
        "model": outcomes.model,
        "verdict": outcomes.verdict,
        "reason": outcomes.reason,
        "final": list(outcomes.final),
        "complete": outcomes.complete,
        "properties": [_property(report) for report in outcomes.properties],
        "violation": _violation(outcomes.violation) if outcomes.violation else None,
        "buffers": {
            "largest": outcomes.buffers.largest,
            "bound": outcomes.buffers.bound,
            "exceeded": outcomes.buffers.exceeded,
        },
        "stuck": outcomes.stuck,
        "states": outcomes.states,
    }


def _property(report: PropertyReport) -> dict[str, Any]:
    return {
        "kind": report.kind,
        "condition": report.condition,
        "at": _position(report.at),
        "holds": report.holds,
        "witness": _trace(report.witness) if report.witness else None,
    }


def _violation(violation: ViolationReport) -> dict[str, Any]:
    return {
        "kind": violation.kind,
        "message": violation.message,
        "at": _position(violation.at),
        "trace": _trace(violation.run),
    }


def _trace(run: Run) -> list[dict[str, Any]]:
    return [_step(number, step) for number, step in enumerate((run.initial, *run.steps))]


def _step(number: int, step: TraceStep) -> dict[str, Any]:
    return {
        "step": number,
        "process": step.process or None,
        "action": step.action,
        "at": _position(step.at) if step.at else None,
        "note": step.note,
        "memory": step.memory,
        "locals": step.locals,
        "assigned": list(step.assigned),
        "pending": {process: list(entries) for process, entries in step.pending.items()},
    }


def _position(position: Position) -> list[int]:
    return [position.line, position.column]
