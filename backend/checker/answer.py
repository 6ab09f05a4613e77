"""What an engine says about automata."""

from dataclasses import dataclass, field

from ebb.backend.automata.automaton import Edge
from ebb.backend.automata.steps import State
from ebb.formats.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Answer:
    """`unsafe` comes with the edges to a violation, by number; `unknown` with a reason, and any overflow seen."""

    verdict: Outcome
    reason: str = ""
    edges: tuple[int, ...] = ()
    states: tuple[State, ...] = ()  # before, between and after the edges
    overflow: int | None = None
    counts: dict[str, int] = field(default_factory=dict)


def without_violation(overflow: Edge | None, counts: dict[str, int]) -> Answer:
    """The answer of a search that is complete: an overflow outranks safe."""
    if overflow is None:
        return Answer("safe", counts=counts)
    return Answer("unknown", f"overflow: {overflow.reason}", overflow=overflow.number, counts=counts)


def stopped(reason: str, overflow: Edge | None, counts: dict[str, int]) -> Answer:
    """The answer of a search that came to a limit."""
    return Answer("unknown", reason, overflow=None if overflow is None else overflow.number, counts=counts)
