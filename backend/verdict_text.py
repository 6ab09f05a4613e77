"""A verdict for people to read: the trace as a table, at each step only what changed."""

from ebb.formats.verdict import Outcome, Place, TraceStep, Verdict

LINES: dict[Outcome, str] = {
    "safe": "VERIFICATION SUCCESSFUL",
    "unsafe": "VERIFICATION FAILED",
    "unknown": "VERIFICATION INCONCLUSIVE",
}
_LONGEST = 60  # letters of a statement


def show_verdict(verdict: Verdict) -> str:
    predicates = {variable.name: variable.predicate for variable in verdict.variables}
    lines = []
    if verdict.trace:
        lines += _table(verdict, predicates)
    if verdict.violation is not None:
        lines += ["", f"{_source(verdict.violation, verdict.program)}: {_failure(verdict.violation)}"]
    if verdict.overflow is not None and verdict.verdict == "unknown":
        lines += [f"{_source(verdict.overflow, verdict.program)}: {verdict.overflow.thread} reaches an overflow"]
    if verdict.reason:
        lines += [verdict.reason]
    counts = ", ".join(f"{what} {number}" for what, number in verdict.counts.items())
    if counts:
        lines += [f"{verdict.engine}: {counts}"]
    return "\n".join([*lines, LINES[verdict.verdict]]) + "\n"


def _failure(place: Place) -> str:
    checks = f" ({place.checks})" if place.checks else ""
    return f"{place.thread} fails {place.statement.rstrip(';')}{checks}"


def _source(place: Place, program: str) -> str:
    return f"{program}:{place.at.line}:{place.at.column}"


def _table(verdict: Verdict, predicates: dict[str, str]) -> list[str]:
    rows = [("step", "thread", "statement", "what changes", "")]
    for number, step in enumerate(verdict.trace):
        if step.place is None:
            rows.append((str(number), "", "(start)", _values(step, tuple(step.values), predicates), ""))
            continue
        label = f"{step.place.label}: " if step.place.label else ""
        changes = _values(step, step.changed, predicates) or (f"on to {step.place.way}" if step.place.way else "")
        rows.append((str(number), step.place.thread, _cut(label + step.place.statement), changes, _origin(step.place)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = []
    for first, thread, statement, changes, origin in rows:
        head = f"{first:>{widths[0]}}  {thread:<{widths[1]}}  {statement:<{widths[2]}}"
        lines.append("  ".join(filter(None, [head, changes, origin and f"[{origin}]"])).rstrip())
    return lines


def _values(step: TraceStep, names: tuple[str, ...], predicates: dict[str, str]) -> str:
    """`b0 = 1 {x == 0}`: the variable, its value, and what it stands for."""
    shown = []
    for name in names:
        meaning = f" {{{predicates[name]}}}" if predicates.get(name) else ""
        shown.append(f"{name} = {int(step.values[name])}{meaning}")
    return ", ".join(shown)


def _origin(place: Place) -> str:
    if place.origin is None:
        return ""
    return f"{place.origin.file}:{place.origin.line} {place.origin.note}".rstrip()


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
