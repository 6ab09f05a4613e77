"""The remote statements of a program: how they depend on each other, and what issuing and performing one does.

The names are those of the RMA paper: read(X), remote(p, pid).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ebb.formats.errors import Position
from ebb.formats.expressions import Binary, Element, Expression, Integer, Name, Place, place_name, show
from ebb.formats.ir import (
    Add,
    Assign,
    Assume,
    Atomic,
    Branch,
    Choose,
    Collect,
    Forget,
    Get,
    Goto,
    Instruction,
    Process,
    Program,
    Put,
    Range,
    Variable,
    following,
    instructions,
)
from ebb.formats.remote_notes import pending_note
from ebb.passes.blocks import Part, all_of, any_of, equals, new_name, variable_names


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


class Network:
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
            values, note = Range(0, 2 if remote.repeats else 1), pending_note(remote.name, repeats=remote.repeats)
            made[remote.active] = Variable(remote.active, remote.at, 0, values, note=note)
            sharing = [other for other in self.remotes.values() if other.values == remote.values]
            names = ", ".join(other.name for other in sharing)
            note = f"what {show(remote.source)} has been for {names}"
            made.setdefault(remote.values, Variable(remote.values, remote.at, type="set", note=note))
        return list(made.values())

    # -- the paper's read(X) and remote(p, pid)

    def reading(self, place: Place) -> list[Remote]:
        """The statements whose source may be the place; two elements differ if both indices are known to."""
        return [remote for remote in self.remotes.values() if _may_be_same(remote.source, place)]

    def between(self, process: str, far: str | None) -> list[Remote]:
        """What the process issues (to or from the other process, or to and from any)."""
        return [r for r in self.remotes.values() if r.process == process and far in (None, r.far)]

    # -- what happens

    def _mark(self, word: str) -> str:
        self._marks += 1
        return f":{word} {self._marks}"

    def _sharing(self, remote: Remote) -> list[Remote]:
        """The statements whose values are in the same set."""
        return [other for other in self.remotes.values() if other.values == remote.values]

    def issue(self, remote: Remote) -> list[Part]:
        """The statement itself: it becomes pending, and may read what its source is now."""
        if self.is_alone(remote):
            return [Collect(remote.values, remote.source), Assign(Name(remote.active), Integer(1))]
        more, issued = self._mark("more"), self._mark("issued")
        return [
            Branch(any_of([_is_active(other) for other in self._sharing(remote)]), more),
            Collect(remote.values, remote.source),
            Assign(Name(remote.active), Integer(1)),
            Goto((issued,)),
            more,
            Add(remote.values, remote.source),
            *self._once_more(remote),
            issued,
        ]

    def _once_more(self, remote: Remote) -> list[Part]:
        """It becomes pending, or pending more than once, while its set has values already."""
        if not remote.repeats:
            return [Assign(Name(remote.active), Integer(1))]
        if len(self._sharing(remote)) == 1:
            return [Assign(Name(remote.active), Integer(2))]
        again, counted = self._mark("again"), self._mark("counted")
        return [
            Branch(_is_active(remote), again),
            Assign(Name(remote.active), Integer(1)),
            Goto((counted,)),
            again,
            Assign(Name(remote.active), Integer(2)),
            counted,
        ]

    def perform(self, remote: Remote) -> list[Part]:
        """The statement happens: its target gets one of the values, which pending others may read from now on."""
        others = [other for other in self._sharing(remote) if other != remote]
        active = Name(remote.active)
        several, pending = self._mark("several"), self._mark("pending")
        parts: list[Part] = [
            Assume(_is_active(remote)),
            (Choose(remote.target, remote.values), f"remote {remote.name}"),
            *self.tell(remote.target),
        ]
        if remote.repeats:
            parts.append(Branch(equals(active, 2), several))
        parts.append(Assign(active, Integer(0)))
        if others:
            parts.append(Branch(any_of([_is_active(other) for other in others]), pending))
        parts.append(Forget(Name(remote.values)))
        if remote.repeats:
            one = self._mark("one")
            parts += [Goto((pending,)), several, Goto((one, pending)), one, Assign(active, Integer(1))]
        return [*parts, pending] if others or remote.repeats else parts

    def tell(self, place: Place, issued: Sequence[Remote] = ()) -> list[Part]:
        """Every pending statement that reads the place may read its new value; those just issued are told elsewhere."""
        by_set: dict[str, list[Remote]] = {}
        for remote in self.reading(place):
            if remote in issued:
                continue
            by_set.setdefault(remote.values, []).append(remote)
        parts: list[Part] = []
        for values, remotes in by_set.items():
            quiet = self._mark("quiet")
            nobody = all_of([equals(Name(remote.active), 0) for remote in remotes])
            parts += [Branch(nobody, quiet), Add(values, remotes[0].source), quiet]
        return parts

    def is_alone(self, remote: Remote) -> bool:
        """Whether its set holds what one single execution of the statement may read."""
        return not remote.repeats and len(self._sharing(remote)) == 1

    def settle(self, remote: Remote) -> list[Part]:
        """At the end of the block in which it was issued: nothing was read before, so only the present value counts."""
        quiet = self._mark("quiet")
        return [Branch(equals(Name(remote.active), 0), quiet), Collect(remote.values, remote.source), quiet]


def none_is_pending(remotes: Sequence[Remote]) -> Assume:
    return Assume(all_of([equals(Name(remote.active), 0) for remote in remotes]))


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
        after = set(following(body[number].action, number, numbers))
        if start in after:
            return True
        new = {each for each in after if each < len(body)} - seen
        seen |= new
        todo += new
    return False


def _word(place: Place) -> str:
    """A place as part of a name."""
    return place.name if isinstance(place, Name) else f"{place.array}_{show(place.index)}_"
