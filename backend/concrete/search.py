"""Breadth-first exploration of everything a program can do: every final state, and a shortest violation.

Threads and memories are numbered as they turn up, a state is a tuple of those numbers, and what a process can do from a
thread and a memory is computed once.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from ebb.backend.concrete.machine import Machine, Outcome, Step, Thread, TooManyValues, Violation
from ebb.backend.concrete.models import Memory
from ebb.backend.concrete.values import Fault, TooLarge, evaluate
from ebb.formats.errors import Position
from ebb.formats.expressions import Expression, show
from ebb.formats.ir import Instruction, Overflow, Property

Progress = Callable[[int, int], None]  # states so far, states still to look at
State = tuple[int, ...]  # the number of each thread, then the number of memory


class AfterViolation(Enum):
    """What to do when a violation is found that is not about final states."""

    STOP = "stop"
    GO_ON = "go on"


@dataclass(frozen=True, slots=True)
class Limits:
    max_states: int = 1_000_000
    timeout: float | None = None
    buffer_bound: int | None = None
    after_violation: AfterViolation = AfterViolation.STOP


@dataclass(frozen=True, slots=True)
class Found:
    """A violation and the way to it: a state and, if it is a step that fails, that step."""

    violation: Violation
    at: Position
    state: State
    step: Step | None = None


class LimitReached(Exception):
    """The search ends here with an unknown verdict; the message says why."""


@dataclass(slots=True)
class Result:
    """Everything a search found out."""

    final: dict[tuple[tuple[Thread, ...], Memory], State] = field(default_factory=dict)
    found: Found | None = None
    witnesses: dict[Property, State] = field(default_factory=dict)  # exists: a final state where the condition holds
    broken: set[Property] = field(default_factory=set)
    complete: bool = False
    reasons: list[str] = field(default_factory=list)
    exceeded: bool = False
    largest: int = 0
    stuck: int = 0
    states: int = 0


class Search:
    def __init__(self, machine: Machine, limits: Limits, progress: Progress | None = None) -> None:
        self.machine = machine
        self.limits = limits
        self.progress = progress
        self.result = Result()
        self.parent: dict[State, tuple[State, Step] | None] = {}
        self.threads: list[Thread] = []
        self.memories: list[Memory] = []
        self._thread_number: dict[Thread, int] = {}
        self._memory_number: dict[Memory, int] = {}
        self._moves: dict[tuple[int, int, int], list[tuple[int, int, Outcome]]] = {}
        self._sizes: list[int] = []
        self._queue: deque[State] = deque()
        self._growing: dict[int, int] = {}  # process whose buffer grows without bound: the size at which runs are cut
        self._invariants = [p for p in machine.program.properties if p.kind in ("never", "always")]
        self._at_end = [p for p in machine.program.properties if p.kind not in ("never", "always")]
        self._loop_free_size = [machine.entries_without_loops(number) for number in range(len(machine.bodies))]

    # -- the search

    def run(self) -> Result:
        deadline = None if self.limits.timeout is None else time.monotonic() + self.limits.timeout
        result = self.result
        try:
            for threads, memory in self.machine.initial():
                self._check_time(deadline)
                self._reach((*map(self._number_thread, threads), self._number_memory(memory)), None)
            while self._queue and not self._done():
                self._check_time(deadline)
                self._expand(self._queue.popleft())
            result.complete = not self._done() and not result.reasons
        except (LimitReached, TooManyValues, TooLarge) as limit:
            result.reasons.append(str(limit))
        result.states = len(self.parent)
        return result

    def _check_time(self, deadline: float | None) -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise LimitReached(f"the time limit of {self.limits.timeout:g} seconds was reached")

    def _done(self) -> bool:
        found = self.result.found
        return (
            found is not None
            and found.violation.kind not in ("final", "forall", "~exists")
            and self.limits.after_violation is AfterViolation.STOP
        )

    def _expand(self, state: State) -> None:
        if self.progress and len(self.parent) % 1024 == 0:
            self.progress(len(self.parent), len(self._queue))
        moved = False
        memory = state[-1]
        for process, thread in enumerate(state[:-1]):
            for thread_after, memory_after, outcome in self._outcomes(process, thread, memory):
                moved = True
                if isinstance(outcome.ending, Overflow):
                    self._exceeded("a run overflows: a buffer of this reduced program is too small")
                    continue
                if outcome.ending is not None:
                    self._violated(outcome.ending, self._position(outcome.step), state, outcome.step)
                    if self._done():
                        return
                    continue
                after = (*state[:process], thread_after, *state[process + 1 : -1], memory_after)
                if after not in self.parent and self._fits(thread_after, process, after, state, outcome.step):
                    self._reach(after, (state, outcome.step))
                    if self._done():
                        return
        self._judge_end(state, moved)

    def _reach(self, state: State, came: tuple[State, Step] | None) -> None:
        if state in self.parent:
            return
        if len(self.parent) >= self.limits.max_states:
            raise LimitReached(f"the limit of {self.limits.max_states} states was reached")
        self.parent[state] = came
        self._queue.append(state)
        for prop in self._invariants:
            try:
                holds = bool(self.value(prop.condition, state)) == (prop.kind == "always")
            except Fault as fault:
                self.result.broken.add(prop)
                self._violated(Violation(fault.kind, fault.message), prop.at, state)
                continue
            if not holds:
                self.result.broken.add(prop)
                self._violated(Violation(prop.kind, f"{prop.kind} ({show(prop.condition)})"), prop.at, state)

    def _judge_end(self, state: State, moved: bool) -> None:
        threads, memory = self.decode(state)
        ended = (
            not self._outcomes(number, state[number], state[-1])
            if self.machine.program.processes[number].background
            else self.machine.has_ended(number, thread, memory)
            for number, thread in enumerate(threads)
        )
        if not all(ended):
            self.result.stuck += not moved
            return
        self.result.final.setdefault((threads, memory), state)
        for prop in self._at_end:
            try:
                true = bool(self.value(prop.condition, state))
            except Fault as fault:
                self.result.broken.add(prop)
                self._violated(Violation(fault.kind, fault.message), prop.at, state)
                continue
            if prop.kind == "exists":
                if true:
                    self.result.witnesses.setdefault(prop, state)
            elif true == (prop.kind == "~exists"):
                self.result.broken.add(prop)
                self._violated(Violation(prop.kind, f"{prop.kind} ({show(prop.condition)})"), prop.at, state)

    def _violated(self, violation: Violation, at: Position, state: State, step: Step | None = None) -> None:
        if self.result.found is None:
            self.result.found = Found(violation, at, state, step)

    def _position(self, step: Step) -> Position:
        """Where the program says what a step does; what a buffer does was said by an instruction that filled it."""
        if isinstance(step.cause, Instruction):
            return step.cause.at
        return self.machine.origin(step.process, step.cause.address)

    # -- buffers

    def _fits(self, thread: int, process: int, after: State, before: State, step: Step) -> bool:
        """Whether the buffer is one to go on with: within the bound, and not the same again only longer."""
        size = self._sizes[thread]
        if size > self.result.largest:
            self.result.largest = size
        bound = self.limits.buffer_bound
        if bound is not None and size > bound:
            self._exceeded(f"a run needs a buffer of more than {bound} entries")
            return False
        if size <= self._loop_free_size[process] or size <= self._sizes[before[process]]:
            return True
        if process in self._growing:
            return size < self._growing[process]
        if self._repeats(after, before, step):
            # From here on runs are cut at this size: a violation may still turn up, but not every final state will.
            self._growing[process] = size
            name = self.machine.program.processes[process].name
            line = self._position(step).line
            self.result.reasons.append(
                f"what {name} has under way can grow without bound (by a loop through line {line}); "
                f"runs were cut at {size} entries"
            )
            return False
        return True

    def _exceeded(self, reason: str) -> None:
        if not self.result.exceeded:
            self.result.exceeded = True
            self.result.reasons.append(reason)

    def _repeats(self, after: State, before: State, step: Step) -> bool:
        """Whether some earlier state of this run differs only in shorter buffers, and what led from there to here
        can be done again from here: then it can be done for ever."""
        moved: list[set[object]] = [set() for _ in self.machine.bodies]
        came: tuple[State, Step] | None = (before, step)
        while came is not None:
            earlier, step = came
            if not isinstance(step.cause, Instruction):
                moved[step.process].add(step.cause.queue)
            elif self.machine.passes_flush(step.cause):
                moved[step.process].add("flush")
            if earlier[-1] == after[-1] and all(
                old == new or self._grown(self.threads[old], self.threads[new], moved[process])
                for process, (old, new) in enumerate(zip(earlier[:-1], after[:-1], strict=True))
            ):
                return True
            came = self.parent[earlier]
        return False

    def _grown(self, old: Thread, new: Thread, moved: set[object]) -> bool:
        same = old.pc == new.pc and old.locals == new.locals
        return same and self.machine.model.extends(old.buffer, new.buffer, moved)

    # -- numbering

    def _number_thread(self, thread: Thread) -> int:
        number = self._thread_number.setdefault(thread, len(self.threads))
        if number == len(self.threads):
            self.threads.append(thread)
            self._sizes.append(self.machine.model.size(thread.buffer))
        return number

    def _number_memory(self, memory: Memory) -> int:
        number = self._memory_number.setdefault(memory, len(self.memories))
        if number == len(self.memories):
            self.memories.append(memory)
        return number

    def _outcomes(self, process: int, thread: int, memory: int) -> list[tuple[int, int, Outcome]]:
        key = (process, thread, memory)
        known = self._moves.get(key)
        if known is None:
            known = self._moves[key] = [
                (self._number_thread(outcome.thread), self._number_memory(outcome.memory), outcome)
                for outcome in self.machine.outcomes(process, self.threads[thread], self.memories[memory])
            ]
        return known

    def decode(self, state: State) -> tuple[tuple[Thread, ...], Memory]:
        return tuple(self.threads[number] for number in state[:-1]), self.memories[state[-1]]

    def way_to(self, state: State) -> Iterator[tuple[Step | None, State]]:
        """The states of the run that was found to lead to a state, each with the step before it."""
        way: list[tuple[Step | None, State]] = []
        current: State | None = state
        while current is not None:
            came = self.parent[current]
            way.append((came[1] if came else None, current))
            current = came[0] if came else None
        return reversed(way)

    def value(self, expression: Expression, state: State) -> int:
        """The value of a property's expression: shared variables as memory has them."""
        threads, memory = self.decode(state)
        machine = self.machine

        def read(name: str, index: int | None) -> int:
            process, dot, local = name.partition(".")
            if not dot:
                return int(memory[machine.shared.cell(name, index)])
            number = machine.numbers[process]
            return threads[number].locals[machine.locals[number].cell(local, index)]

        def stands_at(process: str, label: str) -> bool:
            number = machine.numbers[process]
            return threads[number].pc == machine.bodies[number].number[label]

        return evaluate(expression, read, stands_at)
