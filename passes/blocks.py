"""Building blocks of reduced programs.

A list of actions with marks among them becomes the body of an atomic block, with labels that stay apart from those the
process has; conditions, names and variables are made here too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import Binary, Expression, Integer
from ebb.formats.ir import (
    Action,
    Atomic,
    Branch,
    Goto,
    Instruction,
    Process,
    Program,
    Skip,
    Variable,
    default_label,
    instructions,
)

Mark = str  # begins with a colon, as no label does
# An action, one with a note (and a position of its own), an instruction that stays as it is, or the place of the next.
Part = Action | tuple[Action, str] | tuple[Action, str, Position] | Instruction | Mark


@dataclass(slots=True)
class Labels:
    """Which labels a process has, so that new ones stay apart from them."""

    taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, process: Process) -> "Labels":
        return cls({instruction.label for instruction in instructions(process.body)})

    def new(self, block: str | None, number: int) -> str:
        """A label for the instruction with that number in a body: the one it has by default, if that is free."""
        label = default_label(block, number)
        while label in self.taken:
            label += "_"
        self.taken.add(label)
        return label


def block(label: str, parts: Sequence[Part], at: Position, note: str, labels: Labels) -> Instruction:
    """An atomic block with the given label."""
    return Instruction(label, Atomic(sequence(label, parts, at, labels)), at, note)


def sequence(block: str, parts: Sequence[Part], at: Position, labels: Labels) -> tuple[Instruction, ...]:
    """The parts as the body of a block; a mark at the very end gets a skip to stand on.

    An instruction among the parts that was called after its place is called after its new place.
    """
    if parts and isinstance(parts[-1], str):
        parts = [*parts, Skip()]
    names: dict[Mark, str] = {}
    found: list[Instruction] = []
    pending: list[Mark] = []
    for instruction in (part for part in parts if isinstance(part, Instruction)):
        if _is_made(instruction.label, block):
            labels.taken.discard(instruction.label)
    for part in parts:
        number = len(found)
        match part:
            case str():
                pending.append(part)
                continue
            case Instruction(label) if _is_made(label, block):
                instruction = replace(part, label=labels.new(block, number))
                names[label] = instruction.label
            case Instruction():
                instruction = part
            case (action, note):
                instruction = Instruction(labels.new(block, number), action, at, note)
            case (action, note, where):
                instruction = Instruction(labels.new(block, number), action, where, note)
            case action:
                instruction = Instruction(labels.new(block, number), action, at)
        names.update(dict.fromkeys(pending, instruction.label))
        pending.clear()
        found.append(instruction)
    return tuple(replace(instruction, action=_retarget(instruction.action, names)) for instruction in found)


def _is_made(label: str, block: str) -> bool:
    return label.removeprefix(f"{block}_").rstrip("_").isdigit() and label.startswith(f"{block}_")


def _retarget(action: Action, names: dict[Mark, str]) -> Action:
    """Jumps to marks become jumps to labels; a kept instruction already jumps to labels."""
    match action:
        case Goto(targets):
            return Goto(tuple(names.get(target, target) for target in targets))
        case Branch(condition, target):
            return Branch(condition, names.get(target, target))
        case _:
            return action


def choice(alternatives: Sequence[Sequence[Part]]) -> list[Part]:
    """Any one of the alternatives, from its beginning to its end. Their marks are their own."""
    if len(alternatives) == 1:
        return list(alternatives[0])
    starts = [f":choice {number}" for number in range(len(alternatives))]
    parts: list[Part] = [Goto(tuple(starts))]
    for number, (start, alternative) in enumerate(zip(starts, alternatives, strict=True)):
        if number:
            parts.append(Goto((":chosen",)))
        own = {part: f"{part} of {number}" for part in alternative if isinstance(part, str)}
        parts += [start, *(_with_own_marks(part, own) for part in alternative)]
    return [*parts, ":chosen"]


def _with_own_marks(part: Part, own: dict[Mark, Mark]) -> Part:
    match part:
        case str():
            return own[part]
        case Instruction():
            return part
        case (action, note):
            return _retarget(action, own), note
        case (action, note, where):
            return _retarget(action, own), note, where
        case action:
            return _retarget(action, own)


def from_place(parts: Sequence[Part], at: Position) -> list[Part]:
    """The parts, all said to come from one place in the source."""
    return [_placed(part, at) for part in parts]


def _placed(part: Part, at: Position) -> Part:
    match part:
        case str() | Instruction():
            return part
        case (action, note) | (action, note, _):
            return action, note, at
        case action:
            return action, "", at


def background_process(name: str, at: Position, note: str, alternatives: Sequence[Sequence[Part]]) -> Process:
    """A process that does one of the alternatives in each step, for ever."""
    labels = Labels()
    first = labels.new(None, 0)
    step = block(first, choice(alternatives), at, note, labels)
    again = Instruction(labels.new(None, 1), Goto((first,)), at)
    return Process(name, at, (), (step, again), background=True)


def equals(left: Expression, value: int) -> Expression:
    return Binary("==", left, Integer(value))


def all_of(conditions: Sequence[Expression]) -> Expression:
    """Their conjunction, balanced, so that many conditions do not make a deep expression."""
    return _balanced("&&", conditions) if conditions else Integer(1)


def any_of(conditions: Sequence[Expression]) -> Expression:
    """Their disjunction, balanced."""
    return _balanced("||", conditions) if conditions else Integer(0)


def _balanced(operator: str, conditions: Sequence[Expression]) -> Expression:
    if len(conditions) == 1:
        return conditions[0]
    middle = (len(conditions) + 1) // 2
    return Binary(operator, _balanced(operator, conditions[:middle]), _balanced(operator, conditions[middle:]))


def refuse_reduced(program: Program) -> None:
    """A reduced program has no memory model left to reduce."""
    if program.reduced is not None or program.model != "any":
        message = f"this program is already reduced (from {program.reduced or 'another model'})"
        raise InputError(message, program.processes[0].at, file=program.source)


def variable_names(program: Program) -> set[str]:
    """The names of all variables, which new ones have to stay apart from."""
    locals_ = {variable.name for process in program.processes for variable in process.locals}
    return locals_ | {variable.name for variable in program.shared}


def new_name(name: str, taken: set[str]) -> str:
    """The name, or one made from it, that was not taken; now it is."""
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    taken.add(candidate)
    return candidate


def first_value(variable: Variable) -> int:
    """What a variable made for the values of another starts with: 0, or the lowest value it may have."""
    return variable.range.low if variable.range and 0 not in variable.range else 0


def with_variables(program: Program, added: Iterable[Variable]) -> tuple[Variable, ...]:
    """The shared variables with more of them; those without an owner stand first."""
    free = [variable for variable in program.shared if variable.owner is None]
    owned = [variable for variable in program.shared if variable.owner is not None]
    return (*free, *added, *owned)
