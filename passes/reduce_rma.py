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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import (
    Binary,
    Element,
    Expression,
    Integer,
    Name,
    Place,
    negation,
    place_name,
    places,
    show,
    variables,
)
from ebb.formats.ir import (
    Action,
    Add,
    Assert,
    Assign,
    Assume,
    Atomic,
    Branch,
    Choose,
    Collect,
    Fence,
    Flush,
    Forget,
    Get,
    Goto,
    Havoc,
    Instruction,
    Process,
    Program,
    Put,
    Range,
    Skip,
    Variable,
    instructions,
)
from ebb.passes.blocks import (
    Labels,
    Part,
    all_of,
    any_of,
    block,
    choice,
    equals,
    new_name,
    refuse_reduced,
    variable_names,
)
from ebb.passes.store_buffers import background_process, with_variables


@dataclass(frozen=True, slots=True)
class Remote:
    """A put or get: what it reads and writes, between which processes, and the variables that stand for it."""

    kind: Literal["put", "get"]
    number: int
    process: str  # that issues it
    far: str  # the process at the other end
    source: Place
    target: Place
    at: Position
    active: str
    values: str
    repeats: bool  # whether it can be issued again while it is pending

    @property
    def name(self) -> str:
        return f"{self.kind} {self.number}"


def reduce_rma(program: Program, *, merge_sets: bool = False) -> Program:
    """The program under RMA as a program under SC; with `merge_sets` there is one set for each variable."""
    refuse_reduced(program)
    _check_owners(program)
    network = _Network(program, merge_sets=merge_sets)
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


class _Network:
    """All remote statements of a program, how they depend on each other, and what executing one does."""

    def __init__(self, program: Program, *, merge_sets: bool) -> None:
        self.merged = merge_sets
        self.taken = variable_names(program)
        self.remotes: dict[tuple[str, str], Remote] = {}  # by process and label
        self._sets: dict[str, str] = {}
        self._marks = 0
        counts = {"put": 0, "get": 0}
        for process in program.processes:
            for instruction in instructions(process.body):
                match instruction.action:
                    case Put(target, far, source):
                        self._add("put", counts, process, far, source, target, instruction)
                    case Get(target, source, far):
                        self._add("get", counts, process, far, source, target, instruction)
                    case _:
                        pass

    def _add(
        self,
        kind: Literal["put", "get"],
        counts: dict[str, int],
        process: Process,
        far: str,
        source: Place,
        target: Place,
        instruction: Instruction,
    ) -> None:
        counts[kind] += 1
        number = counts[kind]
        active = new_name(f"{kind.capitalize()}{number}Active", self.taken)
        if self.merged:
            if show(source) not in self._sets:
                self._sets[show(source)] = new_name(f"{_word(source)}Set", self.taken)
            values = self._sets[show(source)]
        else:
            values = new_name(f"{_word(source)}{number}Set", self.taken)
        repeats = _is_in_a_loop(process, instruction.label)
        remote = Remote(kind, number, process.name, far, source, target, instruction.at, active, values, repeats)
        self.remotes[process.name, instruction.label] = remote

    def variables(self) -> list[Variable]:
        made: dict[str, Variable] = {}
        for remote in self.remotes.values():
            made[remote.active] = Variable(remote.active, remote.at, 0, Range(0, 1), note=f"{remote.name} is pending")
            sharing = [other for other in self.remotes.values() if other.values == remote.values]
            names = ", ".join(other.name for other in sharing)
            note = f"what {show(remote.source)} has been for {names}"
            made.setdefault(remote.values, Variable(remote.values, remote.at, type="set", note=note))
        return list(made.values())

    # -- the paper's write(X), read(X), remote(p, pid) and chain(S)

    def writing(self, names: Iterable[str]) -> list[Remote]:
        wanted = set(names)
        return [remote for remote in self.remotes.values() if place_name(remote.target) in wanted]

    def reading(self, place: Place) -> list[Remote]:
        """The statements whose source may be the place; two elements differ if both indices are known to."""
        return [remote for remote in self.remotes.values() if _may_be_same(remote.source, place)]

    def between(self, process: str, far: str | None) -> list[Remote]:
        """What the process issues (to or from the other process, or to and from any)."""
        return [r for r in self.remotes.values() if r.process == process and far in (None, r.far)]

    def chain(self, remotes: Sequence[Remote]) -> list[Remote]:
        """Reflexive and transitive: the statements, and those that write what one of them reads or writes."""
        found = list(remotes)
        for remote in found:
            touched = {place_name(remote.source), place_name(remote.target)}
            found += [other for other in self.writing(touched) if other not in found]
        return found

    # -- what happens

    def _mark(self, word: str) -> str:
        self._marks += 1
        return f":{word} {self._marks}"

    def _sharing(self, remote: Remote) -> list[Remote]:
        """The statements whose values are in the same set."""
        return [other for other in self.remotes.values() if other.values == remote.values]

    def issue(self, remote: Remote) -> list[Part]:
        """The statement itself: it becomes pending, and may read what its source is now."""
        if not remote.repeats and len(self._sharing(remote)) == 1:
            return [Collect(remote.values, remote.source), Assign(Name(remote.active), Integer(1))]
        more, issued = self._mark("more"), self._mark("issued")
        return [
            Branch(any_of([_is_active(other) for other in self._sharing(remote)]), more),
            Collect(remote.values, remote.source),
            Goto((issued,)),
            more,
            Add(remote.values, remote.source),
            issued,
            Assign(Name(remote.active), Integer(1)),
        ]

    def perform(self, remote: Remote) -> list[Part]:
        """The statement happens: its target gets one of the values, which pending others may read from now on."""
        done, pending, shared = self._mark("done"), self._mark("pending"), self._mark("shared")
        others = [other for other in self._sharing(remote) if other != remote]
        parts: list[Part] = [
            Assume(_is_active(remote)),
            (Choose(remote.target, remote.values), f"remote {remote.name}"),
        ]
        parts += self.tell(remote.target)
        if remote.repeats:
            parts += [Goto((done, pending)), done]
        parts.append(Assign(Name(remote.active), Integer(0)))
        if others:
            parts += [Branch(any_of([_is_active(other) for other in others]), shared)]
        parts += [Forget(Name(remote.values)), shared, pending]
        return parts

    def tell(self, place: Place) -> list[Part]:
        """Every pending statement that reads the place may read its new value."""
        by_set: dict[str, list[Remote]] = {}
        for remote in self.reading(place):
            by_set.setdefault(remote.values, []).append(remote)
        parts: list[Part] = []
        for values, remotes in by_set.items():
            quiet = self._mark("quiet")
            nobody = all_of([equals(Name(remote.active), 0) for remote in remotes])
            parts += [Branch(nobody, quiet), Add(values, remotes[0].source), quiet]
        return parts

    def remote_ops(self, remotes: Sequence[Remote]) -> list[Part]:
        """Any number of the statements happen, in any order (the paper's remoteOps)."""
        if not remotes:
            return []
        again, perform, go = self._mark("again"), self._mark("perform"), self._mark("go")
        happen = choice([self.perform(remote) for remote in remotes])
        return [again, Goto((perform, go)), perform, *happen, Goto((again,)), go]


class _Translation:
    """One process; what is translated keeps its label and its position."""

    def __init__(self, process: Process, network: _Network) -> None:
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
                self.replace(instruction, [*self.before(instruction), *inner], instruction.note)
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

    def inside(self, step: Instruction) -> list[Part]:
        """An instruction of an atomic block: nothing remote happens there, but its stores are told."""
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
            case Assign(target, _) | Havoc(target):
                return [step, *self.network.tell(target)]
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


def _is_active(remote: Remote) -> Expression:
    return Binary("!=", Name(remote.active), Integer(0))


def _may_be_same(one: Place, other: Place) -> bool:
    """Whether two places can be the same; two elements are not if their indices are different numbers."""
    if place_name(one) != place_name(other):
        return False
    if isinstance(one, Element) and isinstance(other, Element):
        indices = one.index, other.index
        return not all(isinstance(index, Integer) for index in indices) or indices[0] == indices[1]
    return True


def _is_in_a_loop(process: Process, label: str) -> bool:
    """Whether the instruction can be executed twice, also if it stands inside atomic blocks."""
    body = process.body
    while True:
        number = next(n for n, step in enumerate(body) if label in {inner.label for inner in instructions((step,))})
        if _reaches_itself(body, number):
            return True
        if body[number].label == label:
            return False
        action = body[number].action
        assert isinstance(action, Atomic)
        body = action.body


def _reaches_itself(body: tuple[Instruction, ...], start: int) -> bool:
    numbers = {step.label: number for number, step in enumerate(body)}
    seen: set[int] = set()
    todo = [start]
    while todo:
        number = todo.pop()
        match body[number].action:
            case Goto(targets):
                following = {numbers[target] for target in targets}
            case Branch(_, target):
                following = {number + 1, numbers[target]}
            case _:
                following = {number + 1}
        if start in following:
            return True
        new = {after for after in following if after < len(body)} - seen
        seen |= new
        todo += new
    return False


def _word(place: Place) -> str:
    """A place as part of a name."""
    return place.name if isinstance(place, Name) else f"{place.array}_{show(place.index)}_"
