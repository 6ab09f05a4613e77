"""From what a search found to what users read: outcomes with runs in terms of the source."""

from dataclasses import replace

from ebb.backend.concrete.machine import Machine, Step, Thread
from ebb.backend.concrete.models import Memory, ModelName, model_named
from ebb.backend.concrete.search import Found, Limits, Progress, Result, Search, State
from ebb.backend.source_text import show_action
from ebb.formats.errors import InputError
from ebb.formats.expressions import Name, place_name, show
from ebb.formats.ir import (
    Assign,
    Atomic,
    Branch,
    Choose,
    Havoc,
    Instruction,
    Program,
    Property,
    Transaction,
    instructions,
)
from ebb.formats.outcomes import (
    BufferReport,
    Outcomes,
    PropertyReport,
    Run,
    TraceStep,
    Verdict,
    ViolationReport,
    is_bookkeeping,
)
from ebb.formats.outcomes import State as VisibleState


def explore(
    program: Program, model: ModelName, limits: Limits | None = None, progress: Progress | None = None
) -> Outcomes:
    """Everything the program can do under the model, as far as the limits allow."""
    if program.model == "sc" and model != "sc":
        message = f"this program already contains its memory model: explore it under sc, not {model}"
        raise InputError(message, program.processes[0].at, file=program.source)
    machine = Machine(program, model_named(model))
    limits = limits or Limits()
    search = Search(machine, limits, progress)
    result = search.run()
    reporter = _Reporter(machine, search)
    return Outcomes(
        program=program.name,
        source=program.source,
        model=model,
        verdict=_verdict(result),
        reason="; ".join(result.reasons) if result.reasons and result.found is None else None,
        final=reporter.final(result),
        complete=result.complete,
        properties=tuple(reporter.property(prop, result) for prop in program.properties),
        violation=reporter.violation(result.found) if result.found else None,
        buffers=BufferReport(result.largest, limits.buffer_bound, result.exceeded),
        stuck=result.stuck,
        states=result.states,
    )


def _verdict(result: Result) -> Verdict:
    if result.found is not None:
        return "unsafe"
    return "safe" if result.complete else "unknown"


def _shown(instruction: Instruction) -> str:
    """An instruction on one line; an atomic block by what it stands for, or else by all it does."""
    if isinstance(instruction.action, Atomic):
        return instruction.note or f"atomic {{ {'; '.join(map(_shown, instruction.action.body))} }}"
    if isinstance(instruction.action, Transaction):
        return f"transaction {instruction.action.edge}s"
    return show_action(instruction.action)


class _Reporter:
    def __init__(self, machine: Machine, search: Search) -> None:
        self.machine = machine
        self.search = search

    def final(self, result: Result) -> tuple[VisibleState, ...]:
        """Every final state once, in order; states that differ only in bookkeeping are one."""
        states = {
            tuple(
                (name, value)
                for name, value in {**self._locals(threads), **self._memory(memory)}.items()
                if not is_bookkeeping(name)
            )
            for threads, memory in result.final
        }
        return tuple(dict(state) for state in sorted(states))

    def property(self, prop: Property, result: Result) -> PropertyReport:
        holds: bool | None = True if result.complete else None
        witness = result.witnesses.get(prop)
        if prop.kind == "exists":
            holds = True if witness is not None else (False if result.complete else None)
        elif prop in result.broken:
            holds = False
        run = self.run(witness) if witness is not None else None
        return PropertyReport(prop.kind, show(prop.condition), prop.at, holds, run)

    def violation(self, found: Found) -> ViolationReport:
        run = self.run(found.state)
        if found.step is not None:
            last = run.steps[-1] if run.steps else run.initial
            failed = self._step(found.step, *self.search.decode(found.state))
            # What fails has no state after it, so a branch goes nowhere: show the state it fails in.
            failed = replace(failed, memory=last.memory, locals=last.locals, assigned=(), pending=last.pending)
            if isinstance(found.step.cause, Instruction):
                failed = replace(failed, action=_shown(found.step.cause))
            run = Run(run.initial, (*run.steps, failed))
        return ViolationReport(found.violation.kind, found.violation.message, found.at, run)

    def run(self, state: State) -> Run:
        initial, *steps = [self._step(step, *self.search.decode(after)) for step, after in self.search.way_to(state)]
        return Run(initial, tuple(steps))

    def _step(self, step: Step | None, threads: tuple[Thread, ...], memory: Memory) -> TraceStep:
        process, action, at, note, assigned = "", "initially", None, "", tuple[str, ...]()
        if step is not None:
            process = self.machine.program.processes[step.process].name
            if isinstance(step.cause, Instruction):
                action, at, note = _shown(step.cause), step.cause.at, step.cause.note
                if isinstance(step.cause.action, Branch):
                    taken = self._takes(step.process, step.cause.action, threads[step.process])
                    action += ": yes" if taken else ": no"
                assigned = self._assigned(step.process, step.cause)
            else:
                move = step.cause
                place = self._cell(move.address)
                text = {
                    "flush": f"memory: {place} = {move.value}",
                    "remote read": f"network: read {place} = {move.value} for {self._cell(move.target)}",
                    "remote write": f"network: write {place} = {move.value}",
                }
                action = text[move.kind]
        return TraceStep(
            process, action, at, note, self._memory(memory), self._locals(threads), assigned, self._pending(threads)
        )

    def _takes(self, process: int, branch: Branch, after: Thread) -> bool:
        return after.pc == self.machine.landing[process][self.machine.bodies[process].number[branch.target]]

    def _assigned(self, process: int, instruction: Instruction) -> tuple[str, ...]:
        """The locals that an instruction gives a value to."""
        name = self.machine.program.processes[process].name
        return tuple(
            f"{name}.{place_name(inner.action.target)}"
            for inner in instructions((instruction,))
            if isinstance(inner.action, Assign | Havoc | Choose) and isinstance(inner.action.target, Name)
            if inner.action.target.name in self.machine.locals[process].first
        )

    # -- states in the user's names

    def _memory(self, memory: Memory) -> VisibleState:
        cells = zip(self.machine.shared.cells, memory, strict=True)
        return {name: value for (name, _), value in cells}

    def _locals(self, threads: tuple[Thread, ...]) -> VisibleState:
        return {
            f"{process.name}.{name}": value
            for process, layout, thread in zip(
                self.machine.program.processes, self.machine.locals, threads, strict=True
            )
            for (name, _), value in zip(layout.cells, thread.locals, strict=True)
        }

    def _pending(self, threads: tuple[Thread, ...]) -> dict[str, tuple[str, ...]]:
        pending = {}
        for process, thread in zip(self.machine.program.processes, threads, strict=True):
            if entries := tuple(self.machine.model.describe(thread.buffer, self._cell)):
                pending[process.name] = entries
        return pending

    def _cell(self, address: int) -> str:
        return self.machine.shared.cells[address][0]
