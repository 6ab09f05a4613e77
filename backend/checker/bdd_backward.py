"""A short look backwards: from where a violation or overflow would happen to where that could come from.

Where the reason that nothing happens lies close to the assertion, a few steps backwards have no predecessors at all,
however many states lie in front. Atomic blocks are not respected here, so finding the beginning proves nothing.
"""

from ebb.backend.automata.automaton import Outcome
from ebb.backend.automata.runs import Plan
from ebb.backend.checker.bdd_kernel import Diagram, Kernel
from ebb.backend.checker.bdd_steps import Step, initial_states
from ebb.backend.checker.limits import Meter

_STEPS = 10
_LARGE = 300  # nodes of a set that is not followed further


class Backward:
    """Works on a plan in which control is data."""

    def __init__(self, plan: Plan, kernel: Kernel, steps: list[Step], meter: Meter) -> None:
        self._automata = plan.automata
        self._kernel = kernel
        self._meter = meter
        self._steps = [step for step in steps if step.move.edge.outcome is Outcome.LOCATION]
        self._goals = [step.guard for step in steps if step.move.edge.outcome is not Outcome.LOCATION]
        conditions = (constraint.condition for constraint in plan.automata.constraints)
        self._constraints = [kernel.possible(condition).true for condition in conditions]

    def proves_safety(self) -> bool:
        """Whether no outcome can be reached; False if that takes more than a short look."""
        false = self._kernel.false
        found = self._kernel.false
        for goal in self._goals:
            found = found | goal
        found = self._existing(found)
        seen = found
        initial = initial_states(self._kernel, self._automata)
        for _ in range(_STEPS):
            if found == false:
                return True
            if len(found) > _LARGE or found & initial != false:
                return False
            self._meter.count(0)
            earlier = false
            for step in self._steps:
                earlier = earlier | step.preimage(found, ())
            found = self._existing(earlier & ~seen)
            seen = seen | found
        return False

    def _existing(self, states: Diagram) -> Diagram:
        """Without the states that violate a constraint on bits that matter to the set."""
        support = states.support
        for constraint in self._constraints:
            if not support.isdisjoint(constraint.support):
                states = states & constraint
        return states
