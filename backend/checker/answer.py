"""What an engine says about automata."""

from dataclasses import dataclass, field
from typing import Literal

from ebb.backend.automata.automaton import Edge

Verdict = Literal["safe", "unsafe", "unknown"]


@dataclass(frozen=True, slots=True)
class Answer:
    """`unsafe` comes with the edges to a violation, `unknown` with a reason, and with an overflow if that is it."""

    verdict: Verdict
    reason: str = ""
    edges: tuple[Edge, ...] = ()
    overflow: Edge | None = None
    counts: dict[str, int] = field(default_factory=dict)


def without_violation(overflow: Edge | None, counts: dict[str, int]) -> Answer:
    """The answer of a search that is complete: an overflow outranks safe."""
    if overflow is None:
        return Answer("safe", counts=counts)
    return Answer("unknown", f"overflow: {overflow.reason}", overflow=overflow, counts=counts)
