"""RMA to SC: what a pending put or get may still read or write is kept in a set (the RMA paper, Table 2).

For each put and get there are a flag, which says whether it is pending, and a set: the values its source has had since
it was issued, any of which it may have read.

    put(Y, P1, X);          atomic { X1Set = {X}; Put1Active = 1; }           // put 1; add(X1Set, X) if it is pending
    X = 3;                  atomic {                                          // store X
                              remoteOps(X);
                              X = 3;
                              if (Put1Active != 0) add(X1Set, X);
                            }
    r = Y;                  atomic { remoteOps(Y); r = Y; }                   // load Y
    flush(P1);              atomic { remoteOps until no put to P1 or get from it is pending; }

    remoteOps(Y)            again: any number of times, for any pending s that can have an effect on Y:
                              Y = choose(X1Set);                              // remote put 1
                              if (…Active != 0) add(…Set, Y);                 // for each s that reads Y
                              Put1Active = 0;  forget(X1Set);

Remote operations happen where they can be noticed and nowhere else: just before a variable that they can change is
read, stored to or asserted about. What can change Y is chain(write(Y)), all statements from which a value can flow into
Y through others, each of them included. A process ends by completing what it has issued; properties about states that
mention shared variables can notice a remote operation at any time: for those there is a background process `network`.

What differs from the table: it has no row for loads, for `get`, and for assertions; its row for `flush` does not tell
other pending operations of the value that was written; and a statement that cannot be issued a second time while it is
pending (it is in no loop) is done once it is done, where the table lets it happen again.

Sound: every run of the original under RMA is one of the reduced program. Without a remote statement in a loop there are
no others; in a loop the values of several instances of a statement share one set, and which came first is forgotten.
With `merge_sets`, so do those of all statements that read the same variable.
"""

from collections.abc import Sequence
from dataclasses import replace

from ebb.formats.errors import InputError
from ebb.formats.expressions import Element, Expression, Integer, Name, negation, place_name, places, show, variables
from ebb.formats.ir import (
    Action,
    Assert,
    Assign,
    Assume,
    Atomic,
    Branch,
    Fence,
    Flush,
    Get,
    Goto,
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
    all_of,
    background_process,
    block,
    equals,
    new_name,
    refuse_reduced,
    with_variables,
)
from ebb.passes.remote_statements import Network, Remote


def reduce_rma(program: Program, *, merge_sets: bool = False) -> Program:
    """The program under RMA as a program under SC; with `merge_sets` there is one set for each variable."""
    refuse_reduced(program)
    _check_owners(program)
    network = Network(program, merge_sets=merge_sets)
    processes = [_Translation(process, network).process() for process in program.processes]
    observed = [
        name
        for prop in program.properties
        if prop.kind in ("never", "always")
        for name in sorted(variables(prop.condition))
    ]
    if pending := network.chain(network.writing(observed)):
        name = new_name("network", {process.name for process in program.processes})
        alternatives = [network.perform(remote) for remote in pending]
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
            self.body.append(block(label, self.wait_for(own), self.source.body[-1].at, "complete", self.labels))
        return replace(self.source, body=tuple(self.body))

    def wait_for(self, remotes: Sequence[Remote]) -> list[Part]:
        """Operations happen until none of these is pending."""
        ops = self.network.remote_ops(self.network.chain(remotes))
        return [*ops, Assume(all_of([equals(Name(remote.active), 0) for remote in remotes]))]

    def instruction(self, instruction: Instruction) -> None:
        match instruction.action:
            case Put() | Get():
                remote = self.network.remotes[self.source.name, instruction.label]
                self.replace(instruction, self.network.issue(remote), remote.name)
            case Flush(far):
                remotes = self.network.between(self.source.name, far)
                if remotes:
                    self.replace(instruction, self.wait_for(remotes), f"flush {far}")
                else:
                    self.body.append(replace(instruction, action=Skip(), note=instruction.note or f"flush {far}"))
            case Fence():
                self.body.append(replace(instruction, action=Skip(), note=instruction.note or "fence"))
            case Branch(condition, target) if ops := self.before(instruction):
                self.branch(instruction, condition, target, ops)
            case Atomic(body):
                inner = [part for step in body for part in self.inside(step)]
                self.replace(instruction, [*self.before(instruction), *inner, *self.after(body)], instruction.note)
            case action:
                told = self.network.tell(action.target) if isinstance(action, Assign | Havoc) else []
                ops = self.before(instruction)
                if ops or told:
                    self.replace(instruction, [*ops, (action, instruction.note), *told], _what(action))
                else:
                    self.body.append(instruction)

    def before(self, instruction: Instruction) -> list[Part]:
        """The remote operations that can make a difference to what an instruction reads, writes or waits for."""
        remotes = self.network.writing(_accessed(instruction))
        for step in instructions((instruction,)):
            if isinstance(step.action, Flush):
                remotes += self.network.between(self.source.name, step.action.process)
        return self.network.remote_ops(self.network.chain(list(dict.fromkeys(remotes))))

    def replace(self, instruction: Instruction, parts: Sequence[Part], note: str) -> None:
        self.body.append(block(instruction.label, parts, instruction.at, instruction.note or note, self.labels))

    def branch(self, instruction: Instruction, condition: Expression, target: str, ops: list[Part]) -> None:
        """A jump cannot leave a block, so each way gets a block that only a run that goes there passes."""
        yes, jump, no = (self.labels.new(None, len(self.body) + number) for number in (1, 2, 3))
        at, loads = instruction.at, instruction.note or _what(instruction.action)
        self.body += [
            Instruction(instruction.label, Goto((yes, no)), at),
            block(yes, [*ops, Assume(condition)], at, loads, self.labels),
            Instruction(jump, Goto((target,)), at),
            block(no, [*ops, Assume(negation(condition))], at, loads, self.labels),
        ]

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
            case Flush(far):
                remotes = self.network.between(self.source.name, far)
                done = all_of([equals(Name(remote.active), 0) for remote in remotes])
                return [replace(step, action=Assume(done), note=step.note or f"flush {far}")]
            case Fence():
                return [replace(step, action=Skip(), note=step.note or "fence")]
            case Atomic(body):
                inner = [part for each in body for part in self.inside(each)]
                return [block(step.label, inner, step.at, step.note, self.labels)]
            case _:
                return [step]


def _accessed(instruction: Instruction) -> set[str]:
    """Every variable that an instruction, or a part of it, reads or writes itself."""
    found: set[str] = set()
    for step in instructions((instruction,)):
        match step.action:
            case Assign(target, value):
                found |= {place_name(target)} | variables(target) | variables(value)
            case Havoc(target):
                found |= {place_name(target)} | variables(target)
            case Assume(condition) | Assert(condition) | Branch(condition, _):
                found |= variables(condition)
            case _:
                pass
    return found


def _what(action: Action) -> str:
    """What a translated instruction does, for its note."""
    match action:
        case Assert():
            return "assert"
        case Assign(_, value) if read := list(places(value)):
            return f"load {show(read[-1])}"
        case Assign(target, _) | Havoc(target):
            return f"store {show(target)}"
        case Assume(condition) | Branch(condition, _):
            return f"load {show(list(places(condition))[-1])}"
        case _:
            return ""
