"""The intermediate representation: a concurrent program as flat lists of labelled instructions.

Design choices:
- Frozen, slotted dataclasses, tuples, names instead of references; two programs are equal when their parts are.
- Control falls through to the next instruction unless an action jumps; the end of the list is the end of the process.
- Every instruction has a label, unique in its process. Labels the user wrote stay; an instruction without one is
  called after its place, `L3`, and inside an atomic block after the block and its place there, `L3_1`.
- Outside atomic blocks an instruction makes at most one shared access; an atomic block is one step, whatever it does.
  Under TSO and PSO it runs only when its process has no buffered store, and acts on memory.
- Locks, semaphores, condition variables, barriers, `start`/`join` and locked instructions are atomic blocks; `note`
  says which (`lock m`). One mechanism, so no later stage can forget one of them.
- A reduced program (`reduced` says from which model) contains its memory model, so its `model` is SC. There an
  instruction is one step whatever it reads. Sets, `overflow`, `forget` and background processes occur only there.
- A name that begins with an underscore is bookkeeping that the front end made: no outcome mentions it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ebb.formats.errors import Position
from ebb.formats.expressions import Expression, Place


@dataclass(frozen=True, slots=True)
class Range:
    """The values from `low` to `high`, both included."""

    low: int
    high: int

    def __contains__(self, value: int) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Variable:
    """A shared or local variable; an array when it has a size, and then `initial` and `range` hold for each element.

    A set holds integers and is empty at first. The note says what a variable of a reduced program models.
    """

    name: str
    at: Position
    initial: int | None = 0  # None: any value
    range: Range | None = None
    size: int | None = None
    owner: str | None = None  # the process in whose memory a shared variable lives (RMA)
    type: Literal["integer", "set"] = "integer"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value`: a store if the target is shared, a load if the value reads a shared variable."""

    target: Place
    value: Expression


@dataclass(frozen=True, slots=True)
class Havoc:
    """`target = *`: any value, of the target's range if it has one."""

    target: Place


@dataclass(frozen=True, slots=True)
class Assume:
    """Blocks until the condition holds. Inside an atomic block: the block is not enabled this way."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Assert:
    """A violation if the condition does not hold; the instruction's note says what a made assertion checks."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Skip:
    pass


@dataclass(frozen=True, slots=True)
class Goto:
    """A jump to any one of the targets."""

    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """A jump to the target if the condition holds; on to the next instruction if not."""

    condition: Expression
    target: str


@dataclass(frozen=True, slots=True)
class Atomic:
    """All of the body in one step. Jumps stay inside the body; its end is the end of the step."""

    body: tuple["Instruction", ...]


@dataclass(frozen=True, slots=True)
class Fence:
    """Waits until no store of this process is buffered (to `variable`, or at all)."""

    variable: str | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """`put(target, process, source)`: copy the own `source` to `target` in the memory of `process`."""

    target: Place
    process: str
    source: Place


@dataclass(frozen=True, slots=True)
class Get:
    """`target = get(source, process)`: copy `source` in the memory of `process` to the own `target`."""

    target: Place
    source: Place
    process: str


@dataclass(frozen=True, slots=True)
class Flush:
    """Waits until every put to and get from `process` that this process issued is done."""

    process: str


@dataclass(frozen=True, slots=True)
class Transaction:
    """Begins or ends a region that should be atomic."""

    edge: Literal["begin", "end"]


@dataclass(frozen=True, slots=True)
class Overflow:
    """A buffer has no room: the run ends here, and nothing is known of how it would have gone on."""


@dataclass(frozen=True, slots=True)
class Forget:
    """`forget(target)`: the value means nothing any more; it is not read again before it is written."""

    target: Place


@dataclass(frozen=True, slots=True)
class Collect:
    """`set = {value}`."""

    set: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Add:
    """`add(set, value)`."""

    set: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Choose:
    """`target = choose(set)`: any one element of the set; waits while the set is empty."""

    target: Place
    set: str


Action = (
    Assign
    | Havoc
    | Assume
    | Assert
    | Skip
    | Goto
    | Branch
    | Atomic
    | Fence
    | Put
    | Get
    | Flush
    | Transaction
    | Overflow
    | Forget
    | Collect
    | Add
    | Choose
)


@dataclass(frozen=True, slots=True)
class Instruction:
    label: str
    action: Action
    at: Position
    note: str = ""  # what it models: `lock m`, `load Y`, `flush X`


@dataclass(frozen=True, slots=True)
class Process:
    """`when` names the shared variable that starts the process: while it is 0 the process does not begin, and counts
    as ended."""

    name: str
    at: Position
    locals: tuple[Variable, ...]
    body: tuple[Instruction, ...]
    when: str | None = None
    background: bool = False  # it models hardware: it runs for ever and counts as ended whenever it waits


ReducedModel = Literal["tso", "pso", "rma"]
REDUCED_MODELS: tuple[ReducedModel, ...] = ("tso", "pso", "rma")

PropertyKind = Literal["never", "always", "final", "exists", "~exists", "forall"]
PROPERTY_KINDS: tuple[PropertyKind, ...] = ("never", "always", "final", "exists", "~exists", "forall")


@dataclass(frozen=True, slots=True)
class Property:
    """What every state (`never`, `always`), every final state (`final`, `forall`, `~exists`) or some final state
    (`exists`) is to satisfy. The last three are litmus conditions; `forall` means the same as `final`. An `exists` is a
    question: that no state satisfies it is an answer, not a violation."""

    kind: PropertyKind
    condition: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Predicate:
    expression: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    source: str  # the file the positions are about, without its directory
    shared: tuple[Variable, ...]
    processes: tuple[Process, ...]
    properties: tuple[Property, ...] = ()
    predicates: tuple[Predicate, ...] = field(default=())
    model: Literal["any", "sc"] = "any"  # that the text is to be run under
    reduced: ReducedModel | None = None  # the model whose effects the text contains


def default_label(block: str | None, number: int) -> str:
    """What the instruction with that number (from 0) is called in a process, or in the block with that label."""
    return f"L{number}" if block is None else f"{block}_{number + 1}"


def instructions(body: tuple[Instruction, ...]) -> Iterator[Instruction]:
    """Every instruction of a body, atomic blocks before what they contain."""
    for instruction in body:
        yield instruction
        if isinstance(instruction.action, Atomic):
            yield from instructions(instruction.action.body)


def following(action: Action, number: int, numbers: Mapping[str, int]) -> list[int]:
    """Where control can go from an instruction of a body, by the numbers of instructions and of labels."""
    match action:
        case Goto(targets):
            return [numbers[target] for target in targets]
        case Branch(_, target):
            return [numbers[target], number + 1]
        case _:
            return [number + 1]
