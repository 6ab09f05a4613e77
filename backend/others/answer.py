"""What another checker says of a program."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether an edge with the outcome in question can happen; None if the checker could not tell.

    `edges` are numbers in `Automata.edges`: a run from an initial state up to and including that edge.
    """

    reached: bool | None
    edges: tuple[int, ...] = ()
    reason: str = ""  # why there is no answer
