"""A verification for people to read: the verdict, what was proved and how, or the abstract counterexample."""

import json
from typing import Any

from ebb.backend.verification.pipeline import Attempt, Verification
from ebb.formats.verdict import Place, TraceStep, Verdict

_MODELS = {"sc": "sequential consistency", "tso": "TSO", "pso": "PSO", "rma": "RMA"}


def show_verification(verification: Verification, *, times: bool = True) -> str:
    program = verification.program
    lines = [f"{program.source} under {_MODELS[verification.model]}: {verification.verdict}"]
    last = verification.attempts[-1]
    if verification.verdict == "safe":
        lines += [f"  {_proved(verification, last)}"]
    else:
        lines += [f"  {verification.reason}"]
    lines += [f"  {_how(verification, attempt)}" for attempt in verification.attempts]
    if times:
        spent = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in verification.seconds.items())
        lines += [f"  seconds: {spent}"]
    if last.verdict is not None and last.verdict.verdict == "unsafe":
        lines += ["", *counterexample(last.verdict)]
    if verification.verdict == "unknown":
        lines += ["", *(f"try: {hint}" for hint in _hints(verification, last))]
    return "\n".join(lines) + "\n"


def _proved(verification: Verification, last: Attempt) -> str:
    kinds = {prop.kind for prop in verification.program.properties}
    what = "every assertion and property holds" if kinds - {"exists"} else "every assertion holds"
    if "exists" in kinds:
        what += " (an `exists` is a question, and not answered here)"
    if verification.model == "sc":
        return f"proved: {what}"
    if verification.model == "rma":
        return f"proved: {what}, however long remote operations take"
    return f"proved: {what}, whatever the size of the store buffers (no run fills more than {last.bound})"


def _how(verification: Verification, attempt: Attempt) -> str:
    figures = attempt.figures
    found = attempt.verdict
    counts = found.counts if found is not None else {}
    outcome = {"safe": "proved", "unsafe": "counterexample", "unknown": "overflow"}
    result = "" if found is None else outcome[found.verdict]
    if found is not None and found.verdict == "unknown" and found.overflow is None:
        result = "given up"
    bound = "" if attempt.bound is None else f"k = {attempt.bound}, method {attempt.method}: "
    if verification.model == "rma":
        bound = f"method {attempt.method}: "
    larger = f", {figures.cubes} cubes of up to {figures.largest}" if figures.cubes else ""
    smt = f"{figures.smt.calls} SMT calls"
    if verification.sc_figures is not None and attempt is verification.attempts[0]:
        smt += f" (and {verification.sc_figures.smt.calls} under SC)"
    return f"{bound}{result}; {figures.predicates} predicates, {smt}{larger}, {counts.get('states', 0)} states"


def _hints(verification: Verification, last: Attempt) -> list[str]:
    found = last.verdict
    if found is not None and found.verdict == "unsafe":
        waits = "flushes" if verification.model == "rma" else "fences"
        real = f"more {waits} (ebb fences finds them), if the counterexample can really happen"
        if verification.model == "sc":
            real = "ebb-explore, to see whether the counterexample can really happen"
        hints = [real, "more predicates, if it cannot"]
        if not verification.predicates:
            hints = ["predicates: the program has none (docs/formats/predicates.md)"]
        return hints
    if found is not None and found.overflow is not None:
        return [f"--max-bound {2 * (last.bound or 1)}, or a fence where stores pile up"]
    return ["a larger limit"]


# ---- the counterexample, in the terms of the source


def counterexample(verdict: Verdict) -> list[str]:
    predicates = {variable.name: variable.predicate for variable in verdict.variables}
    rows = [("process", "where", "what", "then")]
    for step in verdict.trace:
        if step.place is None or step.place.origin is None:
            continue
        if step.place.statement.startswith("goto ") and not step.changed:
            continue  # only chooses which way to go
        changes = ", ".join(_change(step, name, predicates) for name in step.changed if predicates.get(name))
        rows.append((step.place.thread, _where(step.place), step.place.origin.note, changes))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = ["an abstract counterexample:"]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
        lines.append(f"  {'  '.join([*cells, row[3]])}".rstrip())
    if verdict.violation is not None:
        lines.append(
            f"  violated: {_where(verdict.violation)}: {verdict.violation.checks or verdict.violation.statement}"
        )
    return lines


def _change(step: TraceStep, name: str, predicates: dict[str, str]) -> str:
    predicate = predicates[name]
    return predicate if step.values[name] else f"not {predicate}"


def _where(place: Place) -> str:
    return "" if place.origin is None else f"{place.origin.file}:{place.origin.line}"


# ---- JSON


def dumps(verification: Verification, *, times: bool = True) -> str:
    document: dict[str, Any] = {
        "format": "ebb-verification",
        "version": 1,
        "program": verification.program.source,
        "model": verification.model,
        "verdict": verification.verdict,
        "reason": verification.reason or None,
        "sc": None if verification.sc_figures is None else _figures(verification.sc_figures, times),
        "attempts": [_attempt(attempt, times) for attempt in verification.attempts],
    }
    if times:
        document["seconds"] = {stage: round(spent, 4) for stage, spent in verification.seconds.items()}
    return json.dumps(document, indent=2) + "\n"


def _attempt(attempt: Attempt, times: bool) -> dict[str, Any]:
    found = attempt.verdict
    return {
        "bound": attempt.bound,
        "method": attempt.method,
        "verdict": None if found is None else found.verdict,
        "overflow": found is not None and found.overflow is not None,
        **_figures(attempt.figures, times),
        "states": None if found is None else found.counts.get("states"),
    }


def _figures(figures: Any, times: bool) -> dict[str, Any]:
    document = {
        "predicates": figures.predicates,
        "smt_calls": figures.smt.calls,
        "cubes": figures.cubes,
        "largest_cube": figures.largest,
    }
    if times:
        document |= {"seconds": round(figures.seconds, 4), "solver_seconds": round(figures.smt.seconds, 4)}
    return document
