"""A state before and after every edge of a path: what a counterexample shows.

Engines leave out bits and forget values; here the edges are run on the whole program. Cubes along one path are few as
a rule; where they are not, diagrams do it.
"""

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.runs import Move, plain_moves
from ebb.backend.automata.steps import Control, Path, after_edge, initial_control, may_move
from ebb.backend.checker.cube_steps import Bits, CubeStep
from ebb.backend.checker.cube_values import Cube
from ebb.backend.checker.limits import Splits, TooManySplits

_MANY = 500  # cubes after one step
_SPLITS = 1_000  # of cubes on the whole path


def concretise(automata: Automata, numbers: tuple[int, ...]) -> Path | None:
    """States for edges that lead from an initial state to an outcome, by their numbers; None if there are none."""
    edges = tuple(automata.edges[number] for number in numbers)
    controls = [initial_control(automata)]
    for edge in edges:
        if not may_move(automata, controls[-1], edge):
            return None
        controls.append(after_edge(controls[-1], edge, automata))
    controls.pop()
    moves = plain_moves(automata)
    path = [moves[number] for number in numbers]
    try:
        states = _with_cubes(automata, path, controls)
    except TooManySplits:
        states = _with_diagrams(automata, path, controls)
    return None if states is None else Path(edges, tuple(states))


def _with_cubes(automata: Automata, path: list[Move], controls: list[Control]) -> list[dict[str, bool]] | None:
    """Forwards all cubes that the path leads through, then backwards one state in each."""
    bits = Bits(automata, Splits(_SPLITS))
    steps = [CubeStep(bits, move) for move in path]
    layers: list[list[tuple[Cube, int]]] = [[((0, 0), 0)]]  # a cube, and the one before that it comes from
    for number, step in enumerate(steps[:-1]):
        layer: list[tuple[Cube, int]] = []
        for parent, (cube, _) in enumerate(layers[-1]):
            layer += [(found, parent) for found in step.successors(cube, controls[number], controls[number + 1])]
            if len(layer) > _MANY:
                raise TooManySplits
        layers.append(layer)
    for cube, parent in layers[-1]:
        state = bits.some_state(cube, controls[-1], (steps[-1].guard,))
        if state is None:
            continue
        states = [state]
        for number in range(len(steps) - 2, -1, -1):
            cube, grandparent = layers[number][parent]
            state = steps[number].predecessor(cube, controls[number], state)
            assert state is not None, "a state without a predecessor in the cube it comes from"
            states.append(state)
            parent = grandparent
        return [bits.state(state) for state in reversed(states)]
    return None


def _with_diagrams(automata: Automata, path: list[Move], controls: list[Control]) -> list[dict[str, bool]] | None:
    """Backwards the states from which the rest of the path can happen, then forwards one state in each."""
    from ebb.backend.automata.order import order
    from ebb.backend.checker.bdd_kernel import Kernel
    from ebb.backend.checker.bdd_steps import Step, initial_states

    kernel = Kernel(order(automata))
    steps = [Step(kernel, move) for move in path]
    wanted = [steps[-1].guard]
    for step, control in zip(reversed(steps[:-1]), reversed(controls[1:]), strict=True):
        wanted.append(step.preimage(wanted[-1], control))
    wanted.reverse()
    first = wanted[0] & initial_states(kernel, automata)
    if first == kernel.false:
        return None
    picked = kernel.pick(first)
    states = [{bit.name: picked.get(kernel.before[bit.name], False) for bit in automata.bits}]
    for step, after, control in zip(steps, wanted[1:], controls[1:], strict=False):
        here = {kernel.before[name]: value for name, value in states[-1].items()}
        picked = kernel.pick(kernel.restricted(step.successors(after, control), here))
        new = {name: picked.get(kernel.after[name], False) for name in step.move.edge.targets}
        states.append(states[-1] | new)
    return states
