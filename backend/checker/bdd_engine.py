"""The engine `bdd`: sets of valuations as binary decision diagrams.

First with explicit control: a diagram for each combination of locations, breadth-first, so that the first violation
found is a shortest one. If that does not end soon, control becomes data (`automata.encode`), and the threads take
turns, each going as far as it can alone; that decides whether there is a violation, in few rounds. If there is one, the
search for a shortest goes on from where it was, or, where there are too many combinations, with control as data.
"""

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.encode import encode
from ebb.backend.automata.order import order
from ebb.backend.automata.runs import plan
from ebb.backend.checker.answer import Answer, stopped, without_violation
from ebb.backend.checker.bdd_kernel import Kernel
from ebb.backend.checker.bdd_layers import Layers
from ebb.backend.checker.bdd_steps import steps
from ebb.backend.checker.bdd_turns import Turns
from ebb.backend.checker.limits import LimitReached, Limits, Meter, Progress

FIRST_STATES = 3_000  # of the search with explicit control, before the threads take turns
MORE_STATES = 50_000  # of it, where it is known that there is a violation


def check(
    automata: Automata,
    limits: Limits,
    progress: Progress | None = None,
    first_states: int = FIRST_STATES,
    more_states: int = MORE_STATES,
) -> Answer:
    meter = Meter(limits, progress)
    explicit = plan(automata)
    kernel = Kernel(order(automata))
    layers = Layers(explicit, kernel, steps(kernel, explicit), meter)
    turns: Turns | None = None
    try:
        answer = layers.run(first_states)
        if answer is not None:
            return answer
        encoded = encode(explicit)
        kernel = Kernel(order(encoded.automata))
        moves = steps(kernel, encoded)
        turns = Turns(encoded, kernel, moves, meter)
        if not turns.find_violation():
            return without_violation(turns.overflow, turns.counts())
        answer = layers.run(more_states) or Layers(encoded, kernel, moves, meter).run()
        assert answer is not None, "only a search with a limit has no answer"
        return answer
    except LimitReached as limit:
        overflow = layers.overflow or (turns.overflow if turns is not None else None)
        return stopped(limit.reason, overflow, layers.counts())
