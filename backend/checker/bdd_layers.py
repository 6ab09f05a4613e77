"""Breadth-first search with explicit control, and a diagram of the valuations that reach each node."""

from ebb.backend.automata.automaton import Edge, Outcome
from ebb.backend.automata.runs import Plan
from ebb.backend.checker.answer import Answer, without_violation
from ebb.backend.checker.bdd_kernel import Diagram, Kernel
from ebb.backend.checker.bdd_steps import Step, initial_states
from ebb.backend.checker.bdd_worklist import Worklist
from ebb.backend.checker.limits import Meter
from ebb.backend.checker.search_nodes import Node, Nodes


class Layers:
    def __init__(self, plan: Plan, kernel: Kernel, steps: list[Step], meter: Meter) -> None:
        self._automata = plan.automata
        self._meter = meter
        self._nodes = Nodes(plan)
        self._kernel = kernel
        self._steps = steps
        self._layers: list[dict[Node, Diagram]] = []
        self._reached: dict[Node, Diagram] = {}
        self._states = 0
        self.overflow: Edge | None = None

    def counts(self) -> dict[str, int]:
        return {"states": self._meter.states, "nodes": len(self._reached), "layers": sum(map(bool, self._layers))}

    def run(self, most: int | None = None) -> Answer | None:
        """The answer; None if there are more states than `most`. Called again it goes on from there."""
        if not self._layers:
            self._layers.append(self._new({self._nodes.first(): initial_states(self._kernel, self._automata)}))
        while self._layers[-1]:
            if most is not None and self._states > most:
                return None
            found: dict[Node, Diagram] = {}
            for node, states in self._layers[-1].items():
                violation = self._expand(node, states, found)
                if violation is not None:
                    return Answer("unsafe", edges=tuple(edge.number for edge in violation), counts=self.counts())
            self._layers.append(self._new(found))
        return without_violation(self.overflow, self.counts())

    def worklist(self) -> Worklist:
        """The same search in another order, from where this one is."""
        found = Worklist(self._nodes, self._kernel, self._steps, self._meter, self._reached, self._layers[-1])
        found.overflow = self.overflow
        return found

    def _expand(self, node: Node, states: Diagram, found: dict[Node, Diagram]) -> tuple[Edge, ...] | None:
        """Add the successors to `found`; the edges to a violation if the node has one."""
        false = self._kernel.false
        for move, after in self._nodes.moves(node):
            step = self._steps[move.index]
            if move.edge.outcome is not Outcome.LOCATION:
                reaching = states & step.guard
                if reaching == false:
                    continue
                if move.edge.outcome is Outcome.VIOLATION:
                    return (*self._edges_to(node, reaching), move.edge)
                self.overflow = self.overflow or move.edge
            elif not self._nodes.is_dead_end(after):
                image = step.image(states, after[0])
                if image != false:
                    found[after] = found[after] | image if after in found else image
        return None

    def _new(self, found: dict[Node, Diagram]) -> dict[Node, Diagram]:
        """What was not reached before."""
        fresh = {}
        for node, states in found.items():
            known = self._reached.get(node)
            new = states if known is None else states & ~known
            if new != self._kernel.false:
                self._meter.count(len(found))
                self._states += 1
                self._reached[node] = states if known is None else known | states
                fresh[node] = new
        self._kernel.sift_if_large()
        return fresh

    def _edges_to(self, node: Node, states: Diagram) -> list[Edge]:
        """Backwards through the layers."""
        edges: list[Edge] = []
        for layer in reversed(self._layers[:-1]):
            for move, before in self._nodes.into(node):
                if before not in layer or move.edge.outcome is not Outcome.LOCATION:
                    continue
                earlier = layer[before] & self._steps[move.index].preimage(states, node[0])
                if earlier != self._kernel.false:
                    edges.append(move.edge)
                    node, states = before, earlier
                    break
            else:
                raise AssertionError("a state without a predecessor in the layer before")
        return edges[::-1]
