"""RMA to SC: what a pending put or get may still read or write is kept in a set (the RMA paper, Table 2).

For each put and get there are a flag, which says whether it is pending, and a set: the values its source has had since
it was issued, any of which it may have read. A background process `network` makes pending statements happen.

    put(Y, P1, X);          atomic { X1Set = {X}; Put1Active = 1; }           // put 1; add(X1Set, X) if it is pending
    X = 3;                  atomic {                                          // store X
                              X = 3;
                              if (Put1Active != 0) add(X1Set, X);
                            }
    r = Y;                  r = Y;
    flush(P1);              assume(Put1Active == 0);                          // and so on: all puts to P1, gets from it

    network                 for ever, for any pending s:
                              Y = choose(X1Set);                              // remote put 1
                              if (…Active != 0) add(…Set, Y);             // for each s that reads Y
                              Put1Active = 0;  forget(X1Set);

A statement in a loop may be pending more than once; then its flag is 2 and its set has the values of all instances.
When one of them happens, one or more are left.

What differs from the table: the paper lets remote operations happen just before a variable that they can change is
used, in loops that it repeats there, and has no such loop for loads, assertions and properties; here they happen at any
time, as those of a store buffer do. Its row for `flush` does not tell other pending operations of the value that was
written; it has none for `get`; and it lets a statement happen more often than it was issued.

Sound: every run of the original under RMA is one of the reduced program. Without a remote statement in a loop there are
no others; in a loop the values of several instances of a statement share one set, and which came first is forgotten.
With `merge_sets`, so do those of all statements that read the same variable.
"""

from collections.abc import Sequence
from dataclasses import replace

from ebb.formats.errors import InputError
from ebb.formats.expressions import Element, Integer, place_name, show
from ebb.formats.ir import (
    Assign,
    Atomic,
    Fence,
    Flush,
    Get,
    Havoc,
    Instruction,
    Process,
    Program,
    Put,
    Skip,
    instructions,
)
from ebb.passes.blocks import (
    Labels,
    Part,
    background_process,
    block,
    from_place,
    new_name,
    refuse_reduced,
    with_variables,
)
from ebb.passes.remote_statements import Network, none_is_pending


def reduce_rma(program: Program, *, merge_sets: bool = False) -> Program:
    """The program under RMA as a program under SC; with `merge_sets` there is one set for each variable."""
    refuse_reduced(program)
    _check_owners(program)
    network = Network(program, merge_sets=merge_sets)
    processes = [_Translation(process, network).process() for process in program.processes]
    if remotes := list(network.remotes.values()):
        name = new_name("network", {process.name for process in program.processes})
        alternatives = [from_place(network.perform(remote), remote.at) for remote in remotes]
        processes.append(background_process(name, program.processes[0].at, "remote operation", alternatives))
    return replace(
        program,
        shared=with_variables(program, network.variables()),
        processes=tuple(processes),
        model="sc",
        reduced="rma",
    )


def _check_owners(program: Program) -> None:
    owners = {variable.name: variable.owner for variable in program.shared}
    for process in program.processes:
        for instruction in instructions(process.body):
            match instruction.action:
                case Put(far, other, near) | Get(near, far, other):
                    for place, owner in ((far, other), (near, process.name)):
                        if owners[place_name(place)] is None:
                            message = f"`{place_name(place)}` has no owner: declare it inside the process {owner}"
                            raise InputError(message, instruction.at, file=program.source)
                        if isinstance(place, Element) and not isinstance(place.index, Integer):
                            message = (
                                f"the index of {show(place)} is not a number, so its remote access cannot be reduced"
                            )
                            raise InputError(message, instruction.at, file=program.source)
                case _:
                    pass


class _Translation:
    """One process; what is translated keeps its label and its position."""

    def __init__(self, process: Process, network: Network) -> None:
        self.source = process
        self.network = network
        self.labels = Labels.of(process)
        self.body: list[Instruction] = []

    def process(self) -> Process:
        for instruction in self.source.body:
            self.instruction(instruction)
        if own := self.network.between(self.source.name, None):
            label = self.labels.new(None, len(self.body))
            self.body.append(Instruction(label, none_is_pending(own), self.source.body[-1].at, "complete"))
        return replace(self.source, body=tuple(self.body))

    def instruction(self, instruction: Instruction) -> None:
        match instruction.action:
            case Put() | Get():
                remote = self.network.remotes[self.source.name, instruction.label]
                self.replace(instruction, self.network.issue(remote), remote.name)
            case Flush() | Fence():
                self.body.append(self.waiting(instruction))
            case Atomic(body):
                inner = [part for step in body for part in self.inside(step)]
                self.replace(instruction, [*inner, *self.after(body)], instruction.note)
            case Assign(target) | Havoc(target) if told := self.network.tell(target):
                parts = [(instruction.action, instruction.note), *told]
                self.replace(instruction, parts, f"store {show(target)}")
            case _:
                self.body.append(instruction)

    def waiting(self, instruction: Instruction) -> Instruction:
        """A flush waits for what was issued; a fence has nothing to wait for."""
        if not isinstance(instruction.action, Flush):
            return replace(instruction, action=Skip(), note=instruction.note or "fence")
        far = instruction.action.process
        remotes = self.network.between(self.source.name, far)
        action = none_is_pending(remotes) if remotes else Skip()
        return replace(instruction, action=action, note=instruction.note or f"flush {far}")

    def replace(self, instruction: Instruction, parts: Sequence[Part], note: str) -> None:
        self.body.append(block(instruction.label, parts, instruction.at, instruction.note or note, self.labels))

    def after(self, body: tuple[Instruction, ...]) -> list[Part]:
        """The end of an atomic block: what it stored is told. The values in between nobody can have read."""
        steps = list(instructions(body))
        remotes = (self.network.remotes.get((self.source.name, step.label)) for step in steps)
        issued = [remote for remote in remotes if remote is not None and self.network.is_alone(remote)]
        stored = dict.fromkeys(step.action.target for step in steps if isinstance(step.action, Assign | Havoc))
        told = [part for place in stored for part in self.network.tell(place, issued)]
        return [*told, *(part for remote in issued for part in self.network.settle(remote))]

    def inside(self, step: Instruction) -> list[Part]:
        """An instruction of an atomic block, where nothing remote happens."""
        match step.action:
            case Put() | Get():
                remote = self.network.remotes[self.source.name, step.label]
                return [replace(step, action=Skip(), note=remote.name), *self.network.issue(remote)]
            case Flush() | Fence():
                return [self.waiting(step)]
            case Atomic(body):
                inner = [part for each in body for part in self.inside(each)]
                return [block(step.label, inner, step.at, step.note, self.labels)]
            case _:
                return [step]
