"""Reachability with explicit control, where a node waits until everything that can reach it before has done so.

Layer by layer a node comes up again in every layer in which something new reaches it. That is the price of shortest
counterexamples; to know whether there is one at all, it need not be paid. The node that is least advanced comes first:
the sum of the places of its locations, loops left aside. So the states that reach a node on different ways are looked
at together, and a loop is gone round until it is stable before what follows it.
"""

from heapq import heapify, heappop, heappush

from ebb.backend.automata.automaton import Edge, Outcome
from ebb.backend.checker.bdd_kernel import Diagram, Kernel
from ebb.backend.checker.bdd_steps import Step
from ebb.backend.checker.limits import Meter
from ebb.backend.checker.search_nodes import Node, Nodes


class Worklist:
    """Goes on from what another search has reached, and from what it was about to look at."""

    def __init__(
        self,
        nodes: Nodes,
        kernel: Kernel,
        steps: list[Step],
        meter: Meter,
        reached: dict[Node, Diagram],
        frontier: dict[Node, Diagram],
    ) -> None:
        self._nodes = nodes
        self._kernel = kernel
        self._steps = steps
        self._meter = meter
        self._reached = dict(reached)
        self._waiting = dict(frontier)
        self._order = [(nodes.advance(node), node) for node in frontier]
        heapify(self._order)
        self.overflow: Edge | None = None

    def counts(self) -> dict[str, int]:
        return {"states": self._meter.states, "nodes": len(self._reached)}

    def find_violation(self, most_nodes: int, *, until_overflow: bool = False) -> bool | None:
        """Whether a violation can be reached; None if there are more nodes than `most_nodes`.

        A search until an overflow ends there, and says that there was no violation so far.
        """
        while self._order:
            _, node = heappop(self._order)
            states = self._waiting.pop(node)
            self._meter.count(len(self._order))
            if self._expand(node, states):
                return True
            if until_overflow and self.overflow is not None:
                return False
            if len(self._reached) > most_nodes:
                return None
            self._kernel.sift_if_large()
        return False

    def _expand(self, node: Node, states: Diagram) -> bool:
        false = self._kernel.false
        for move, after in self._nodes.moves(node):
            step = self._steps[move.index]
            if move.edge.outcome is not Outcome.LOCATION:
                if states & step.guard != false:
                    if move.edge.outcome is Outcome.VIOLATION:
                        return True
                    self.overflow = self.overflow or move.edge
            elif not self._nodes.is_dead_end(after):
                self._add(after, step.image(states, after[0]))
        return False

    def _add(self, node: Node, states: Diagram) -> None:
        known = self._reached.get(node)
        new = states if known is None else states & ~known
        if new == self._kernel.false:
            return
        self._reached[node] = states if known is None else known | new
        if node in self._waiting:
            self._waiting[node] = self._waiting[node] | new
        else:
            self._waiting[node] = new
            heappush(self._order, (self._nodes.advance(node), node))
