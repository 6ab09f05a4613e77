"""Reachability where control is data and the threads take turns.

A turn takes a set of states as far as one thread goes alone. Layer by layer, sets would remember how many steps all
threads have made together; turn by turn they do not, and their diagrams stay small.
"""

from ebb.backend.automata.automaton import Edge, Outcome
from ebb.backend.automata.runs import Plan
from ebb.backend.automata.steps import initial_control
from ebb.backend.checker.bdd_kernel import Diagram, Kernel
from ebb.backend.checker.bdd_steps import Step, initial_states
from ebb.backend.checker.limits import Meter


class Turns:
    """States in which a thread is in the middle of going on alone exist only within its turn."""

    def __init__(self, plan: Plan, kernel: Kernel, steps: list[Step], meter: Meter) -> None:
        self._automata = plan.automata
        self._kernel = kernel
        self._meter = meter
        self._steps: list[list[Step]] = [[] for _ in plan.automata.threads]
        for step in steps:
            self._steps[step.move.edge.thread].append(step)
        self._control = initial_control(plan.automata)
        self._rounds = 0
        self.overflow: Edge | None = None

    def counts(self) -> dict[str, int]:
        return {"states": self._meter.states, "rounds": self._rounds}

    def find_violation(self) -> bool:
        """Whether a violation can be reached. Without one, every overflow that can be reached has been seen."""
        false = self._kernel.false
        reached = initial_states(self._kernel, self._automata)
        done = [false] * len(self._steps)  # what each thread has gone on from
        changed = True
        while changed:
            changed = False
            self._rounds += 1
            for thread in range(len(self._steps)):
                while (work := reached & ~done[thread]) != false:
                    done[thread] = done[thread] | work
                    found = self._turn(thread, work)
                    if found is None:
                        return True
                    changed = changed or found & ~reached != false
                    reached = reached | found
                    self._kernel.sift_if_large()
        return False

    def _turn(self, thread: int, work: Diagram) -> Diagram | None:
        """The states in which the thread lets others move again; None for a violation."""
        false = self._kernel.false
        alone = others_move = false
        while work != false:
            self._meter.count(0)
            on = false
            for step in self._steps[thread]:
                edge = step.move.edge
                if edge.outcome is not Outcome.LOCATION:
                    if work & step.guard != false:
                        if edge.outcome is Outcome.VIOLATION:
                            return None
                        self.overflow = self.overflow or edge
                    continue
                image = step.image(work, self._control)
                if image == false:
                    continue
                if step.move.goes_on:
                    on = on | image
                else:
                    others_move = others_move | image
            work = on & ~alone
            alone = alone | on
        return others_move
