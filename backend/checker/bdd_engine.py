"""The engine `bdd`: explicit control, and for each node of the search a diagram of the valuations that reach it.

Breadth-first, one step a layer, so that the first violation found is a shortest one.
"""

from ebb.backend.automata.automaton import Automata, Edge, Outcome
from ebb.backend.automata.runs import Plan, plan
from ebb.backend.automata.steps import Control, Path, after_edge, exists, initial_control
from ebb.backend.checker.answer import Answer, without_violation
from ebb.backend.checker.bdd_kernel import Diagram, Kernel
from ebb.backend.checker.bdd_steps import Step
from ebb.backend.checker.limits import LimitReached, Limits, Meter, Progress
from ebb.backend.checker.search_nodes import Node, Nodes


def check(automata: Automata, limits: Limits, progress: Progress | None = None) -> Answer:
    search = _Search(automata, Meter(limits, progress))
    try:
        return search.run()
    except LimitReached as limit:
        return Answer("unknown", limit.reason, overflow=search.overflow, counts=search.counts())


class _Search:
    def __init__(self, automata: Automata, meter: Meter) -> None:
        self._automata = automata
        self._meter = meter
        self._plan = plan(automata)
        self._nodes = Nodes(self._plan)
        self._kernel = Kernel(automata)
        self._steps = steps(self._kernel, self._plan)
        self._layers: list[dict[Node, Diagram]] = []
        self._reached: dict[Node, Diagram] = {}
        self._peak = 0
        self.overflow: Edge | None = None

    def counts(self) -> dict[str, int]:
        return {
            "states": self._meter.states,
            "nodes": len(self._reached),
            "layers": len(self._layers),
            "diagram_nodes": self._peak,
        }

    def run(self) -> Answer:
        first = self._nodes.first()
        frontier = self._new({first: initial_states(self._kernel, self._automata)})
        while frontier:
            self._layers.append(frontier)
            found: dict[Node, Diagram] = {}
            for node, states in frontier.items():
                violation = self._expand(node, states, found)
                if violation is not None:
                    return Answer("unsafe", edges=violation, counts=self.counts())
            frontier = self._new(found)
        return without_violation(self.overflow, self.counts())

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
                self._reached[node] = states if known is None else known | states
                fresh[node] = new
        self._peak = max(self._peak, len(self._kernel))
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
        return edges[::-1]


def steps(kernel: Kernel, plan: Plan) -> list[Step]:
    return [Step(kernel, move) for move in plan.all_moves()]


def initial_states(kernel: Kernel, automata: Automata) -> Diagram:
    control = initial_control(automata)
    states = kernel.true
    for constraint in automata.constraints:
        if constraint.thread is None or control[constraint.thread] in constraint.locations:
            states = states & kernel.possible(constraint.condition).true
    return states


def concretise(automata: Automata, edges: tuple[Edge, ...]) -> Path | None:
    """States for edges of the whole program, from an initial state to an outcome; None if there are none."""
    kernel = Kernel(automata)
    moves = plan(automata).all_moves()
    path = [Step(kernel, moves[edge.number]) for edge in edges]
    controls: list[Control] = [initial_control(automata)]
    for edge in edges[:-1]:
        controls.append(after_edge(controls[-1], edge, automata))
    wanted = [path[-1].guard]  # at each place of the path the states from which its rest can happen
    for step, control in zip(reversed(path[:-1]), reversed(controls[1:]), strict=True):
        wanted.append(step.preimage(wanted[-1], control))
    wanted.reverse()
    first = wanted[0] & initial_states(kernel, automata)
    if first == kernel.false:
        return None
    names = {kernel.before[bit.name]: bit.name for bit in automata.bits}
    picked = kernel.pick(first)
    states = [{name: picked.get(variable, False) for variable, name in names.items()}]
    for step, after, control in zip(path, wanted[1:], controls[1:], strict=False):
        here = {kernel.before[name]: value for name, value in states[-1].items()}
        targets = step.move.edge.targets
        picked = kernel.pick(kernel.restricted(step.successors(after, control), here))
        states.append(states[-1] | {name: picked.get(kernel.after[name], False) for name in targets})
    assert all(exists(automata, control, state) for control, state in zip(controls, states, strict=True))
    return Path(edges, tuple(states))
