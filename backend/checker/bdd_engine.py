"""The engine `bdd`: sets of valuations as binary decision diagrams.

First with explicit control: a diagram for each combination of locations, breadth-first, so that the first violation
found is a shortest one. If that does not end soon, what matters is whether there is a violation at all: the same search
goes on in any order. Where there are too many combinations, control becomes data (`automata.encode`). A short look
backwards from the assertions may then show that they hold. Otherwise the threads take turns, each going as far as it
can alone, and few rounds decide. Where there is a violation, the search for a shortest goes on from where it was, or,
again, with control as data.
"""

from dataclasses import dataclass

from ebb.backend.automata.automaton import Automata, Edge
from ebb.backend.automata.encode import encode
from ebb.backend.automata.order import order
from ebb.backend.automata.runs import plan
from ebb.backend.checker.answer import Answer, stopped, without_violation
from ebb.backend.checker.bdd_backward import Backward
from ebb.backend.checker.bdd_kernel import Kernel
from ebb.backend.checker.bdd_layers import Layers
from ebb.backend.checker.bdd_steps import steps
from ebb.backend.checker.bdd_turns import Turns
from ebb.backend.checker.bdd_worklist import Worklist
from ebb.backend.checker.limits import LimitReached, Limits, Meter, Progress

FIRST_STATES = 3_000  # of the breadth-first search, before it matters only whether there is a violation
MOST_NODES = 3_000  # combinations of locations in a search in any order
MORE_STATES = 50_000  # of the breadth-first search, where it is known that there is a violation


@dataclass(frozen=True, slots=True)
class Effort:
    """How far each kind of search goes before the next one has its turn."""

    first_states: int = FIRST_STATES
    most_nodes: int = MOST_NODES
    more_states: int = MORE_STATES
    until_overflow: bool = False  # an overflow is all that matters: it ends the search


def check(automata: Automata, limits: Limits, progress: Progress | None = None, effort: Effort | None = None) -> Answer:
    search = _Search(automata, Meter(limits, progress), effort or Effort())
    try:
        return search.run()
    except LimitReached as limit:
        return stopped(limit.reason, search.overflow(), search.layers.counts())


class _Search:
    def __init__(self, automata: Automata, meter: Meter, effort: Effort) -> None:
        self._effort = effort
        self._meter = meter
        self._plan = plan(automata)
        kernel = Kernel(order(automata))
        self.layers = Layers(self._plan, kernel, steps(kernel, self._plan), meter)
        self._worklist: Worklist | None = None
        self._turns: Turns | None = None

    def overflow(self) -> Edge | None:
        searches = (self.layers, self._worklist, self._turns)
        return next((search.overflow for search in searches if search is not None and search.overflow), None)

    def run(self) -> Answer:
        answer = self.layers.run(self._effort.first_states)
        if answer is not None:
            return answer
        self._worklist = self.layers.worklist()
        violation = self._worklist.find_violation(self._effort.most_nodes, until_overflow=self._effort.until_overflow)
        if violation is False:
            return without_violation(self._worklist.overflow, self._worklist.counts())
        if violation:
            answer = self.layers.run(self._effort.more_states)
            if answer is not None:
                return answer
        return self._with_control_as_data(violation)

    def _with_control_as_data(self, violation: bool | None) -> Answer:
        encoded = encode(self._plan)
        kernel = Kernel(order(encoded.automata))
        moves = steps(kernel, encoded)
        if violation is None:
            if Backward(encoded, kernel, moves, self._meter).proves_safety():
                return without_violation(None, self.layers.counts())
            self._turns = Turns(encoded, kernel, moves, self._meter)
            if not self._turns.find_violation():
                return without_violation(self._turns.overflow, self._turns.counts())
            answer = self.layers.run(self._effort.more_states)
            if answer is not None:
                return answer
        answer = Layers(encoded, kernel, moves, self._meter).run()
        assert answer is not None, "only a search with a limit has no answer"
        return answer
