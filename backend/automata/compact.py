"""Automata without steps that only move control: what remains is reached exactly if it was before.

    L0: goto L0_1, L0_2;                    L0 --b := T--> L0
    L0_1: b := T;                           L0 --assume(b)--> L0
    goto L0;
    L0_2: assume(b);
    goto L0;

A location from which control can only jump on is passed over; a location that is only jumped to gives its edges to
those who jump there. Other threads cannot tell: a jump changes no data, and whatever they do while control is in
between they can do before. An edge of the result stands for a run of edges of the original.

A shortest run of the result need not come from a shortest run of the original.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ebb.backend.automata.automaton import FIRST, Automata, Edge, Outcome, Thread
from ebb.formats import bp

_GROWTH = 8  # edges that giving up a location may cost


_Piece = tuple[Edge, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Compacted:
    automata: Automata
    runs: Mapping[int, tuple[int, ...]]  # the edges of the original, by number, that an edge stands for


def compact(automata: Automata) -> Compacted:
    local = {constraint.thread for constraint in automata.constraints}
    runs: dict[int, tuple[int, ...]] = {}
    threads = []
    for number, thread in enumerate(automata.threads):
        pieces: list[_Piece] = [(edge, (edge.number,)) for edge in thread.edges]
        if number not in local:
            pieces = _Thread(thread).compacted()
        edges = []
        for edge, run in pieces:
            edges.append(replace(edge, number=len(runs)))
            runs[len(runs)] = run
        threads.append(replace(thread, edges=tuple(edges)))
    return Compacted(replace(automata, threads=tuple(threads)), runs)


class _Thread:
    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self.leaving: defaultdict[int, list[_Piece]] = defaultdict(list)
        for edge in thread.edges:
            self.leaving[edge.source].append((edge, (edge.number,)))

    def compacted(self) -> list[_Piece]:
        changed = True
        while changed:
            changed = False
            for location in self.locations():
                changed |= self.pass_over(location) or self.give_up(location)
        return [piece for location in sorted(self.leaving) for piece in self.leaving[location]]

    def locations(self) -> list[int]:
        return [location for location in sorted(self.leaving) if location >= FIRST and location != self.thread.entry]

    def entering(self, location: int) -> list[_Piece]:
        return [
            piece
            for pieces in self.leaving.values()
            for piece in pieces
            if piece[0].outcome is Outcome.LOCATION and piece[0].target == location
        ]

    def alike(self, one: int, other: int) -> bool:
        return (one in self.thread.atomic) == (other in self.thread.atomic)

    def pass_over(self, location: int) -> bool:
        """A location with nothing but one jump: whoever comes there goes on at once."""
        leaving = self.leaving[location]
        if len(leaving) != 1:
            return False
        jump, rest = leaving[0]
        if not _is_jump(jump) or jump.target == location or not self.alike(location, jump.target):
            return False
        for pieces in self.leaving.values():
            for number, (edge, run) in enumerate(pieces):
                if edge.outcome is Outcome.LOCATION and edge.target == location:
                    pieces[number] = (replace(edge, target=jump.target), (*run, *rest))
        del self.leaving[location]
        return True

    def give_up(self, location: int) -> bool:
        """A location that is only jumped to: its edges leave from where the jumps do."""
        entering, leaving = self.entering(location), self.leaving[location]
        if not entering or len(entering) * len(leaving) > len(entering) + len(leaving) + _GROWTH:
            return False
        if any(
            not _is_jump(edge) or edge.source == location or not self.alike(edge.source, location)
            for edge, _ in entering
        ):
            return False
        for jump, first in entering:
            pieces = self.leaving[jump.source]
            pieces.remove((jump, first))
            pieces += [(replace(edge, source=jump.source), (*first, *run)) for edge, run in leaving]
        del self.leaving[location]
        return True


def _is_jump(edge: Edge) -> bool:
    return (
        edge.outcome is Outcome.LOCATION
        and edge.guard == bp.TRUE
        and not edge.targets
        and edge.constrain is None
        and edge.starts is None
        and not edge.busy
    )
