"""Outcomes as a person reads them: a table of final states, and a violation step by step."""

from collections.abc import Iterable

from ebb.formats.outcomes import Outcomes, PropertyReport, Run, State, TraceStep, is_bookkeeping

_HOLDS = {True: "holds", False: "does not hold", None: "unknown"}


def show_outcomes(outcomes: Outcomes) -> str:
    lines = [_headline(outcomes)]
    if outcomes.reason:
        lines.append(f"unknown: {outcomes.reason}")
    if outcomes.buffers.bound is not None:
        lines.append(_bound(outcomes))
    if outcomes.stuck:
        lines.append(f"{_count(outcomes.stuck, 'state')} with no way on, though not every process has ended")
    if outcomes.final and outcomes.final[0]:
        lines += ["", *_table(outcomes.final)]
    if outcomes.properties:
        lines += ["", *(_property(outcomes, report) for report in outcomes.properties)]
    if outcomes.violation:
        violation = outcomes.violation
        place = f"{outcomes.source}:{violation.at.line}:{violation.at.column}"
        lines += ["", f"violation ({violation.kind}) at {place}: {violation.message}", *show_run(violation.run)]
    for report in outcomes.properties:
        if report.witness is not None:
            lines += ["", f"a run to {report.kind} ({report.condition})", *show_run(report.witness)]
    return "\n".join(lines) + "\n"


def _headline(outcomes: Outcomes) -> str:
    so_far = "" if outcomes.complete else " so far"
    final = _count(len(outcomes.final), "final state") + so_far
    return f"{outcomes.program} under {outcomes.model}: {outcomes.verdict}, {final}, {_count(outcomes.states, 'state')}"


def _bound(outcomes: Outcomes) -> str:
    bound = outcomes.buffers.bound
    if outcomes.buffers.exceeded:
        return f"buffers: some run needs more than {bound} entries; the runs that do are cut there"
    return f"buffers: no run needs more than {outcomes.buffers.largest} of the {bound} entries"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _property(outcomes: Outcomes, report: PropertyReport) -> str:
    return f"{outcomes.source}:{report.at.line}: {report.kind} ({report.condition}) {_HOLDS[report.holds]}"


def _table(states: tuple[State, ...]) -> list[str]:
    names = list(states[0])
    return columns([names, *([_value(state[name]) for name in names] for state in states)])


def columns(rows: Iterable[list[str]]) -> list[str]:
    """Rows of cells, aligned to the left."""
    rows = list(rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip() for row in rows
    ]


def show_run(run: Run) -> list[str]:
    """One row a step: who, where, what, the values after it, and what is under way. Locals start at 0 unless shown."""
    rows = [["step", "process", "line", "action", "values", "under way"]]
    start = {**run.initial.memory, **{name: value for name, value in run.initial.locals.items() if value}}
    shown = {name: value for name, value in start.items() if not is_bookkeeping(name)}
    rows.append(["0", "", "", run.initial.action, _assignments(shown), ""])
    before = run.initial
    for number, step in enumerate(run.steps, start=1):
        line = str(step.at.line) if step.at else ""
        action = step.action if not step.note or step.note == step.action else f"{step.action}  // {step.note}"
        rows.append([str(number), step.process, line, action, _values(before, step), _pending(step)])
        before = step
    return columns(rows)


def _values(before: TraceStep, after: TraceStep) -> str:
    """What the step assigned and what else changed, but not temporaries that are merely forgotten."""
    memory = {name: value for name, value in after.memory.items() if before.memory[name] != value}
    locals_ = {
        name: value
        for name, value in after.locals.items()
        if name in after.assigned or (before.locals[name] != value and not is_bookkeeping(name))
    }
    return _assignments({**memory, **locals_})


def _assignments(values: State) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in values.items())


def _value(value: int | tuple[int, ...]) -> str:
    return str(value) if isinstance(value, int) else f"{{{', '.join(map(str, value))}}}"


def _pending(step: TraceStep) -> str:
    return "; ".join(f"{process}: {', '.join(entries)}" for process, entries in step.pending.items())
