"""Outcomes that constraints rule out on the spot: an assertion that every existing state satisfies needs no search."""

from dataclasses import replace

from ebb.backend.automata.automaton import IDLE, Automata, Edge, Outcome
from ebb.backend.checker.cube_steps import Bits
from ebb.backend.checker.limits import Splits, TooManySplits

_SPLITS = 1_000  # cuts that a look at one edge may take


def without_impossible_outcomes(automata: Automata) -> Automata:
    """The automata without edges to a violation or overflow that no state allows which the constraints admit."""
    if not automata.constraints:
        return automata
    threads = tuple(
        replace(thread, edges=tuple(edge for edge in thread.edges if _possible(automata, edge)))
        for thread in automata.threads
    )
    return replace(automata, threads=threads)


def _possible(automata: Automata, edge: Edge) -> bool:
    if edge.outcome is Outcome.LOCATION:
        return True
    bits = Bits(automata, Splits(_SPLITS))
    # Where other threads are is not known: only what is in force whatever they do may be used.
    control = tuple(edge.source if number == edge.thread else IDLE for number in range(len(automata.threads)))
    try:
        return bits.some_state((0, 0), control, (bits.formula(edge.guard),)) is not None
    except TooManySplits:
        return True
