"""The nodes of a search with explicit control, and which moves lead from one to another."""

from collections import defaultdict
from collections.abc import Iterator

from ebb.backend.automata.automaton import ENDED, IDLE, Outcome, Thread
from ebb.backend.automata.runs import Move, Plan
from ebb.backend.automata.steps import Control, after_edge, initial_control

NOBODY = -1
Node = tuple[Control, int]  # where the threads are, and the thread that goes on alone, if one does
_NOT_RUNNING = (IDLE, ENDED)


class Nodes:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._threads = range(len(plan.automata.threads))
        self._into: dict[tuple[int, int], list[Move]] = defaultdict(list)
        self._places = [_places(thread) for thread in plan.automata.threads]
        for move in plan.all_moves():
            self._into[move.edge.thread, move.edge.target].append(move)

    def advance(self, node: Node) -> int:
        """How far the threads are, loops left aside."""
        return sum(places[location] for places, location in zip(self._places, node[0], strict=True))

    def first(self) -> Node:
        return initial_control(self._plan.automata), NOBODY

    def moves(self, node: Node) -> Iterator[tuple[Move, Node]]:
        """What can happen as far as control goes, and where it leads."""
        control, alone = node
        for thread in self._threads if alone == NOBODY else (alone,):
            for move in self._plan.moves[thread].get(control[thread], ()):
                edge = move.edge
                if edge.starts is not None and control[edge.starts] not in _NOT_RUNNING:
                    continue
                if edge.busy and any(control[other] in _NOT_RUNNING for other in edge.busy):
                    continue
                yield move, (after_edge(control, edge, self._plan.automata), thread if move.goes_on else NOBODY)

    def is_dead_end(self, node: Node) -> bool:
        """Whether a thread goes on alone and has nowhere to go."""
        control, alone = node
        return alone != NOBODY and control[alone] not in self._plan.moves[alone]

    def into(self, node: Node) -> Iterator[tuple[Move, Node]]:
        """The moves that can lead here, with the node that each comes from."""
        control, alone = node
        for thread in self._threads:
            for move in self._into[thread, control[thread]]:
                edge = move.edge
                if (thread if move.goes_on else NOBODY) != alone:
                    continue
                if edge.starts is not None and control[edge.starts] != self._plan.automata.threads[edge.starts].entry:
                    continue
                if any(control[other] in _NOT_RUNNING for other in edge.busy):
                    continue
                before = list(control)
                before[thread] = edge.source
                for earlier in _NOT_RUNNING if edge.starts is not None else (None,):
                    if edge.starts is not None and earlier is not None:
                        before[edge.starts] = earlier
                    yield move, (tuple(before), NOBODY)
                    yield move, (tuple(before), thread)


def _places(thread: Thread) -> dict[int, int]:
    """The locations in an order in which every edge leads on, except those that close a loop."""
    successors: dict[int, list[int]] = defaultdict(list)
    for edge in thread.edges:
        if edge.outcome is Outcome.LOCATION:
            successors[edge.source].append(edge.target)
    left: list[int] = []
    entered = {thread.entry}
    work = [(thread.entry, iter(successors[thread.entry]))]
    while work:
        location, rest = work[-1]
        following = next(rest, None)
        if following is None:
            left.append(location)
            work.pop()
        elif following not in entered:
            entered.add(following)
            work.append((following, iter(successors[following])))
    places = {location: number for number, location in enumerate(reversed(left), 1)}
    return {IDLE: 0, ENDED: len(places) + 1} | places
