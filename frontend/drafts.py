"""Instructions while they are being made: jumps go to marks until every instruction has its label.

A body (a process or an atomic block) collects drafts; `finish` numbers them, gives each its label and turns marks into
labels. A mark is a place the lowering needs to jump to; a label is one the user wrote.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ebb.formats.errors import Position
from ebb.formats.ir import Action, Atomic, Branch, Goto, Instruction, Skip, default_label

Mark = str  # "\0n" for the n-th mark of the process: no label the user can write looks like it


@dataclass(slots=True)
class Draft:
    action: Action
    at: Position
    note: str
    label: str | None
    marks: tuple[Mark, ...]
    body: "Body | None" = None  # of an atomic block


@dataclass(slots=True)
class Body:
    """The drafts of one body, and what the next of them will be called."""

    drafts: list[Draft] = field(default_factory=list)
    labels: list[tuple[str, Position]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    def emit(self, action: Action, at: Position, note: str = "", body: "Body | None" = None) -> None:
        marks = tuple(self.marks)
        for label, place in self.labels[:-1]:
            # An instruction has one label; each further one gets a place of its own that every way here leads through.
            self.drafts.append(Draft(Skip(), place, "", label, marks))
            marks = ()
        label_here = self.labels[-1][0] if self.labels else None
        self.drafts.append(Draft(action, at, note, label_here, marks, body))
        self.labels.clear()
        self.marks.clear()

    def close(self, at: Position) -> None:
        """Give labels and marks at the very end something to stand on."""
        if self.labels or self.marks:
            self.emit(Skip(), self.labels[-1][1] if self.labels else at)

    def falls_through(self) -> bool:
        """Whether control can reach the place after the last draft."""
        return bool(self.labels or self.marks) or not (self.drafts and isinstance(self.drafts[-1].action, Goto))


def finish(body: Body) -> tuple[Instruction, ...]:
    """The instructions of a process."""
    names: dict[int, str] = {}
    marks: dict[Mark, str] = {}
    taken = {draft.label for draft in _all_drafts(body) if draft.label}

    def name(inner: Body, block: str | None) -> None:
        for number, draft in enumerate(inner.drafts):
            label = draft.label or default_label(block, number)
            while not draft.label and label in taken:
                label += "_"
            taken.add(label)
            names[id(draft)] = label
            marks.update(dict.fromkeys(draft.marks, label))
            if draft.body:
                name(draft.body, label)

    def instruction(draft: Draft) -> Instruction:
        action = draft.action
        if isinstance(action, Goto):
            action = Goto(tuple(marks.get(target, target) for target in action.targets))
        elif isinstance(action, Branch):
            action = replace(action, target=marks.get(action.target, action.target))
        elif draft.body:
            action = Atomic(tuple(instruction(inner) for inner in draft.body.drafts))
        return Instruction(names[id(draft)], action, draft.at, draft.note)

    name(body, None)
    return tuple(instruction(draft) for draft in body.drafts)


def _all_drafts(body: Body) -> Iterator[Draft]:
    for draft in body.drafts:
        yield draft
        if draft.body:
            yield from _all_drafts(draft.body)
