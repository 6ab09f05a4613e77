"""Minimal placements for people to read: a table, the first as a change to the source, and a run without each fence."""

import json
from dataclasses import replace
from typing import Any

from ebb.backend.fences.checking import Failure
from ebb.backend.fences.finding import Placements, WrongRun
from ebb.backend.fences.hitting_sets import Points
from ebb.backend.fences.points import Point, candidate
from ebb.backend.outcomes_text import columns, show_run
from ebb.backend.source_text import show_action
from ebb.backend.verification.verification_text import counterexample
from ebb.formats.ir import Flush

_MODELS = {"tso": "TSO", "pso": "PSO", "rma": "RMA"}


def show_placements(result: Placements, difference: str | None, *, times: bool = True) -> str:
    """The report; the difference is that between the source and its first repair."""
    lines = [f"{result.program.source} under {_MODELS[result.model]}: {_headline(result)}"]
    if result.found is not None:
        lines += _table(result)
        lines.append(f"  {_effort(result, times=times)}")
    elif result.sc_violation is None:
        lines.append(f"  not even under sc, where no {_word(result)} can matter")
    if result.sc_violation is not None and (violation := result.sc_violation.violation) is not None:
        place = f"{result.program.source}:{violation.at.line}:{violation.at.column}"
        lines += ["", f"under sc: violation ({violation.kind}) at {place}: {violation.message}"]
        lines += show_run(violation.run)
    elif result.sc_counterexample is not None and result.sc_counterexample.verdict == "unsafe":
        lines += ["", *counterexample(result.sc_counterexample)]
    if result.unproved is not None and not _limit(result.unproved):
        lines += ["", *_abstract_run(result, result.unproved)]
    if difference:
        lines += ["", *difference.splitlines()]
    for run in result.runs:
        lines += ["", *_run(result, run)]
    return "\n".join(lines) + "\n"


def _headline(result: Placements) -> str:
    word = _word(result)
    if result.found is None:
        wrong = result.sc_violation is not None
        return f"wrong under sc: no {word} mends it" if wrong else "unknown: it is not proved with these predicates"
    minimal = result.found.minimal
    if not minimal:
        if result.unproved is not None and (limit := _limit(result.unproved)):
            return f"unknown: not proved with a {word} at every point; {limit}"
        if result.unproved is not None and result.unproved.overflow:
            return f"unknown: not proved with a {word} at every point; a store buffer overflows"
        reason = "the abstraction has a counterexample, which may be spurious"
        return f"unknown: not proved with a {word} at every point; {reason}"
    if not minimal[0]:
        return f"no {word} is needed"
    fewest = len(minimal[0])
    most = _many(len(minimal[-1]), word)
    sizes = most if fewest == len(minimal[-1]) else f"{fewest} to {most}"
    return f"{_many(len(minimal), 'minimal placement')} of {sizes}, out of {_many(len(result.points), 'point')}"


def _limit(failure: Failure) -> str:
    """The limit that was reached, where there is no run to show."""
    return failure.verdict.reason if failure.verdict.verdict == "unknown" else ""


def _word(result: Placements) -> str:
    return "flush" if result.model == "rma" else "fence"


def _many(number: int, what: str) -> str:
    if number == 1:
        return f"1 {what}"
    if what.endswith("y"):
        return f"{number} {what.removesuffix('y')}ies"
    return f"{number} {what}{'es' if what.endswith('sh') else 's'}"


def _table(result: Placements) -> list[str]:
    assert result.found is not None
    rows: list[list[str]] = []
    for number, placement in enumerate(result.found.minimal, start=1):
        for position, point in enumerate(result.placed(placement)):
            rows.append([str(number) if position == 0 else "", *_cells(result, point)])
    return ["", *columns([["", "process", "line", "", "statement"], *rows]), ""] if rows else []


def _cells(result: Placements, point: Point) -> list[str]:
    fence = f"flush({point.action.process}) " if isinstance(point.action, Flush) else ""
    return [point.process, str(point.at.line), f"{fence}{point.side}", _statement(result, point)]


def _statement(result: Placements, point: Point) -> str:
    process = next(each for each in result.program.processes if each.name == point.process)
    return show_action(process.body[point.index].action)


def _effort(result: Placements, *, times: bool) -> str:
    assert result.found is not None
    some = "" if result.found.complete else " (the search was cut short: there may be others)"
    spent = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in result.seconds.items())
    return f"{_many(result.found.checked, 'placement')} checked{some}" + (f"; seconds: {spent}" if times else "")


def _run(result: Placements, run: WrongRun) -> list[str]:
    word = _word(result)
    where = f"without the {word} {run.point.side} line {run.point.at.line}"
    if run.concrete is not None and (violation := run.concrete.violation) is not None:
        place = f"{result.program.source}:{violation.at.line}:{violation.at.column}"
        return [f"{where}: violation ({violation.kind}) at {place}: {violation.message}", *show_run(violation.run)]
    if run.abstract is None:
        return [f"{where}: no run that goes wrong was found"]
    if limit := _limit(run.abstract):
        return [f"{where} it is not proved: {limit}"]
    if run.abstract.overflow:
        return [
            f"{where} it is not proved: store buffers of {_many(run.abstract.bound or 1, 'entry')} are not enough",
            *_abstract_run(result, run.abstract),
        ]
    return [f"{where} it is not proved", *_abstract_run(result, run.abstract)]


def _abstract_run(result: Placements, failure: Failure) -> list[str]:
    """A run of the abstraction, with the fences that are there and without those that are not."""
    numbers = {candidate(point.number): point.number for point in result.points}
    trace = []
    for step in failure.verdict.trace:
        origin = None if step.place is None else step.place.origin
        number = None if origin is None else numbers.get(origin.note)
        if number is None:
            trace.append(step)
        elif number in failure.placement and step.place is not None and origin is not None:
            trace.append(replace(step, place=replace(step.place, origin=replace(origin, note=_word(result)))))
    violation = failure.verdict.violation
    if failure.overflow and violation is not None:
        violation = replace(violation, checks="there is room in the store buffer")
    return counterexample(replace(failure.verdict, trace=tuple(trace), violation=violation))


# ---- JSON


def dumps(result: Placements, *, times: bool = True) -> str:
    found = result.found
    document: dict[str, Any] = {
        "format": "ebb-fences",
        "version": 1,
        "program": result.program.source,
        "model": result.model,
        "verdict": _verdict(result),
        "points": [_point(result, point) for point in result.points],
        "minimal": [] if found is None else [sorted(placement) for placement in found.minimal],
        "complete": found is not None and found.complete,
        "checked": 0 if found is None else found.checked,
        "clauses": [] if found is None else [sorted(clause) for clause in _strongest(found.clauses)],
        "shown_wrong": {str(run.point.number): run.concrete is not None for run in result.runs},
    }
    if times:
        document["seconds"] = {stage: round(spent, 4) for stage, spent in result.seconds.items()}
    return json.dumps(document, indent=2) + "\n"


def _verdict(result: Placements) -> str:
    if result.found is None:
        return "unsafe" if result.sc_violation is not None else "unknown"
    return "mended" if result.found.minimal else "unknown"


def _strongest(clauses: list[Points]) -> list[Points]:
    unique = sorted(set(clauses), key=lambda clause: (len(clause), sorted(clause)))
    return [clause for clause in unique if not any(other < clause for other in unique)]


def _point(result: Placements, point: Point) -> dict[str, Any]:
    return {
        "number": point.number,
        "process": point.process,
        "line": point.at.line,
        "column": point.at.column,
        "side": point.side,
        "fence": show_action(point.action),
        "statement": _statement(result, point),
    }
