"""Bits that tell a thread where others are. They follow from control, so a search has no more states for them."""

from collections.abc import Mapping
from dataclasses import dataclass

from ebb.backend.automata.automaton import FIRST, Automata, Edge
from ebb.backend.automata.steps import initial_control


@dataclass(frozen=True, slots=True)
class Flag:
    """True while one of the threads is at one of its places."""

    name: str
    places: Mapping[int, frozenset[int]]

    def initially(self, automata: Automata) -> bool:
        control = initial_control(automata)
        return any(control[thread] in places for thread, places in self.places.items())

    def after(self, automata: Automata, edge: Edge) -> bool | None:
        """What the edge makes of it; None if it stays as it is.

        Where several threads have places, at most one of them is at a place at a time, and none begins at one.
        """
        if edge.starts is not None and self.places.keys() == {edge.starts}:
            return automata.threads[edge.starts].entry in self.places[edge.starts]
        places = self.places.get(edge.thread, frozenset())
        before, now = edge.source in places, edge.target in places
        return now if before != now else None


def held(automata: Automata) -> Flag | None:
    """Somebody is in an atomic block. Threads begin outside of one, and enter it only if nobody else is in one."""
    places = {number: thread.atomic for number, thread in enumerate(automata.threads) if thread.atomic}
    return Flag("held", places) if places else None


def running(automata: Automata, thread: int, name: str) -> Flag:
    return Flag(f"run_{name}", {thread: frozenset(range(FIRST, automata.threads[thread].locations))})
