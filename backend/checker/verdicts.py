"""From what an engine says to a verdict in the terms of the program."""

from collections.abc import Mapping

from ebb.backend.automata.automaton import Automata, Edge
from ebb.backend.automata.steps import Path
from ebb.backend.checker.answer import Answer
from ebb.backend.checker.engines import path_of
from ebb.formats.verdict import Place, TraceStep, VariableReport, Verdict


def verdict(
    automata: Automata, answer: Answer, program: str, engine: str, seconds: Mapping[str, float] | None
) -> Verdict:
    """The verdict, with the states of the counterexample. A counterexample that is none makes it unknown."""
    path = path_of(automata, answer) if answer.verdict == "unsafe" else None
    spurious = answer.verdict == "unsafe" and path is None
    return Verdict(
        program,
        engine,
        "unknown" if spurious else answer.verdict,
        f"{engine} gave a counterexample that is no run of the program" if spurious else answer.reason,
        None if path is None else _place(automata, path.edges[-1]),
        None if answer.overflow is None else _place(automata, automata.edges[answer.overflow]),
        tuple(thread.name for thread in automata.threads),
        tuple(
            VariableReport(bit.name, bit.predicate, None if bit.thread is None else automata.threads[bit.thread].name)
            for bit in automata.bits
        ),
        () if path is None else _trace(automata, path),
        answer.counts,
        seconds,
    )


def _trace(automata: Automata, path: Path) -> tuple[TraceStep, ...]:
    steps = [TraceStep(None, path.states[0], ())]
    for edge, before, after in zip(path.edges, path.states, path.states[1:], strict=False):
        changed = tuple(name for name, value in after.items() if value != before[name])
        steps.append(TraceStep(_place(automata, edge), after, changed))
    return tuple(steps)


def _place(automata: Automata, edge: Edge) -> Place:
    statement = edge.statement
    label = statement.labels[0] if statement.labels else ""
    return Place(
        automata.threads[edge.thread].name,
        statement.function,
        label,
        statement.text,
        statement.at,
        statement.origin,
        statement.checks,
    )
