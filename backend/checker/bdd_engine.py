"""The engine `bdd`: sets of valuations as binary decision diagrams.

First with explicit control: a diagram for each combination of locations, breadth-first, so that the first violation
found is a shortest one. Where there are too many combinations, control becomes data (`automata.encode`), and the
threads take turns, each going as far as it can alone; that decides whether there is a violation, in few rounds. If
there is one, a breadth-first search over the same diagrams finds a shortest.
"""

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.encode import encode
from ebb.backend.automata.order import order
from ebb.backend.automata.runs import plan
from ebb.backend.checker.answer import Answer, stopped, without_violation
from ebb.backend.checker.bdd_kernel import Kernel
from ebb.backend.checker.bdd_layers import Layers, TooManyNodes
from ebb.backend.checker.bdd_steps import steps
from ebb.backend.checker.bdd_turns import Turns
from ebb.backend.checker.limits import LimitReached, Limits, Meter, Progress

EXPLICIT = 10_000  # combinations of locations that are looked at one by one


def check(automata: Automata, limits: Limits, progress: Progress | None = None, explicit: int = EXPLICIT) -> Answer:
    meter = Meter(limits, progress)
    known = plan(automata)
    kernel = Kernel(order(automata))
    layers = Layers(known, kernel, steps(kernel, known), meter, explicit)
    try:
        try:
            return layers.run()
        except TooManyNodes:
            known = encode(known)
            kernel = Kernel([bit.name for bit in known.automata.bits])
            moves = steps(kernel, known)
            turns = Turns(known, kernel, moves, meter)
            if not turns.find_violation():
                return without_violation(turns.overflow, turns.counts())
            return Layers(known, kernel, moves, meter).run()
    except LimitReached as limit:
        return stopped(limit.reason, layers.overflow, layers.counts())
