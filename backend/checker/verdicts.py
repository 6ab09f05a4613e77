"""From what an engine says to a verdict in the terms of the program."""

from collections.abc import Mapping, Sequence

from ebb.backend.automata.automaton import Automata, Edge
from ebb.backend.automata.steps import State
from ebb.backend.checker.answer import Answer
from ebb.formats.verdict import Place, TraceStep, VariableReport, Verdict


def verdict(
    automata: Automata, answer: Answer, program: str, engine: str, seconds: Mapping[str, float] | None
) -> Verdict:
    edges = [automata.edges[number] for number in answer.edges]
    return Verdict(
        program,
        engine,
        answer.verdict,
        answer.reason,
        _place(automata, edges[-1]) if edges else None,
        None if answer.overflow is None else _place(automata, automata.edges[answer.overflow]),
        tuple(thread.name for thread in automata.threads),
        tuple(
            VariableReport(bit.name, bit.predicate, None if bit.thread is None else automata.threads[bit.thread].name)
            for bit in automata.bits
        ),
        _trace(automata, edges, answer.states),
        answer.counts,
        seconds,
    )


def _trace(automata: Automata, edges: Sequence[Edge], states: Sequence[State]) -> tuple[TraceStep, ...]:
    steps = [TraceStep(None, state, ()) for state in states[:1]]
    for edge, before, after in zip(edges, states, states[1:], strict=False):
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
        statement.way,
        statement.at,
        statement.origin,
        statement.checks,
    )
