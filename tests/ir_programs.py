"""A Hypothesis strategy for valid programs in IR, with every kind of instruction, declaration and property.

    from ir_programs import programs

    @given(programs())
    def test_…(program: Program) -> None: …

Valid means: what the front end could have made. Outside atomic blocks a step makes at most one shared access; jumps
stay inside their atomic block or transaction, and inside an atomic block they go forwards, so that the block ends;
shared variables come unowned ones first, then in the order of their owners. Positions and notes are arbitrary.

About one program in three is reduced: it also has sets, the instructions on them, overflows, forgetting and background
processes, and its steps read as many shared variables as they like. `reduced_programs()` makes only such programs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ebb.formats.errors import Position
from ebb.formats.expressions import (
    BINARY_OPERATORS,
    At,
    Binary,
    Conditional,
    Element,
    Expression,
    Integer,
    Name,
    Place,
    Unary,
    minus,
)
from ebb.formats.ir import (
    PROPERTY_KINDS,
    REDUCED_MODELS,
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
    Overflow,
    Predicate,
    Process,
    Program,
    Property,
    Put,
    Range,
    ReducedModel,
    Skip,
    Transaction,
    Variable,
    default_label,
)

# Names that are words of the language, or that look like made ones, are as good as any other.
SHARED_NAMES = ("X", "Y", "F0", "Turn", "Q", "lock", "never", "_X_cnt", "L3", "add", "choose")
LOCAL_NAMES = ("r", "f", "i", "load", "_Y", "model", "from", "forget", "overflow")
PROCESS_NAMES = ("P0", "P1", "Writer", "process", "final", "background")
LABELS = ("cs", "again", "wait", "_end", "L100", "L07", "X", "P0", "L1_99", "overflow")
PROGRAMS = (
    ("p", "p.ebb"),
    ("SB+mfence-po", "SB+mfence-po.litmus"),
    ("peterson.pso", "peterson.ebb"),
    ("my p", "my p.ebb"),
)

MODELS: tuple[Literal["any", "sc"], ...] = ("any", "sc")  # of programs that are not reduced

_T = TypeVar("_T")

_lines, _columns = st.integers(1, 2000), st.integers(1, 200)
_values = st.one_of(st.integers(-3, 9), st.sampled_from((-(2**40), 2**40)))
_coins = st.booleans()
_operators = st.sampled_from(tuple(BINARY_OPERATORS))
_notes = st.sampled_from(
    ("", "", "lock m", "load Y[2]", "flush X to P1", 'says "so" // */ \\l <b> &lt;', "//@ 1:2 inner", "größer")
)

# The functions below take `draw` instead of being strategies of their own: a strategy made for every expression of
# every instruction would cost more time than the tests that use it.


@dataclass(frozen=True, slots=True)
class _Names:
    """What an expression can mention: `free` as often as it likes, of `counted` one variable."""

    free: tuple[Variable, ...]  # locals in a process; in an atomic block or a property all variables
    counted: tuple[Variable, ...] = ()  # the shared variables, where a step makes at most one shared access
    labels: tuple[At, ...] = ()


def _one_of(draw: DrawFn, options: Sequence[_T]) -> _T:
    return draw(st.sampled_from(options))


def _position(draw: DrawFn) -> Position:
    return Position(draw(_lines), draw(_columns))


def _place(draw: DrawFn, variables: Sequence[Variable], names: _Names) -> Place:
    """One of the variables, or an element of it at an index that costs no shared access."""
    variable = _one_of(draw, variables)
    if variable.size is None:
        return Name(variable.name)
    indices: list[Expression] = [Integer(0), Integer(variable.size - 1)]
    indices += [Name(other.name) for other in names.free if other.size is None]
    return Element(variable.name, _one_of(draw, indices))


def _expression(draw: DrawFn, names: _Names, depth: int = 0) -> Expression:
    """An expression over what costs nothing."""
    kinds = ["integer", *(["place"] if names.free else []), *(["label"] if names.labels else [])]
    match _one_of(draw, kinds if depth == 3 else [*kinds, "!", "-", "binary", "binary", "?"]):
        case "integer":
            return Integer(draw(_values))
        case "place":
            return _place(draw, names.free, names)
        case "label":
            return _one_of(draw, names.labels)
        case "!":
            return Unary("!", _expression(draw, names, depth + 1))
        case "-":
            return minus(_expression(draw, names, depth + 1))
        case "?":
            return Conditional(
                _expression(draw, names, depth + 1),
                _expression(draw, names, depth + 1),
                _expression(draw, names, depth + 1),
            )
        case _:
            return Binary(draw(_operators), _expression(draw, names, depth + 1), _expression(draw, names, depth + 1))


def _loading(draw: DrawFn, names: _Names) -> Expression:
    """An expression with at most one access to a variable that counts, somewhere in it."""
    rest = _expression(draw, names)
    if not names.counted or draw(_coins):
        return rest
    load = _place(draw, names.counted, names)
    return _one_of(
        draw,
        (
            load,
            Unary("!", load),
            Binary("==", load, rest),
            Binary("-", rest, load),
            Binary("*", load, minus(load)),
            Conditional(load, rest, load),
            Conditional(rest, load, rest),
        ),
    )


# ---- bodies


@dataclass(slots=True)
class _Node:
    """An instruction to be: first the shape of a body is drawn, then its labels, then what can refer to labels."""

    kind: Literal["simple", "atomic", "begin", "end"]
    inner: list["_Node"] = field(default_factory=list)
    label: str = ""


def _shape(draw: DrawFn, depth: int = 0) -> list[_Node]:
    kinds = ("simple", "simple", "simple", "atomic", "transaction") if depth < 2 else ("simple",)
    shape: list[_Node] = []
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=5 - depth)):
        if kind == "atomic":
            shape.append(_Node("atomic", _shape(draw, depth + 1)))
        elif kind == "transaction":
            shape += [_Node("begin"), *_shape(draw, depth + 1), _Node("end")]
        else:
            shape.append(_Node("simple"))
    return shape


def _preorder(shape: Sequence[_Node]) -> list[_Node]:
    return [found for node in shape for found in (node, *_preorder(node.inner))]


def _labelled_shape(draw: DrawFn) -> list[_Node]:
    shape = _shape(draw)
    nodes = _preorder(shape)
    if nodes:
        chosen = draw(st.lists(st.sampled_from(range(len(nodes))), unique=True, max_size=len(LABELS)))
        for number, label in zip(chosen, draw(st.permutations(LABELS)), strict=False):
            nodes[number].label = label
    _label_the_rest(shape, None)
    return shape


def _label_the_rest(shape: Sequence[_Node], block: str | None) -> None:
    for number, node in enumerate(shape):
        node.label = node.label or default_label(block, number)
        _label_the_rest(node.inner, node.label)


def _regions(shape: Sequence[_Node]) -> list[int]:
    """For each node of a body the transaction it is in; its end still is: the label stands before the brace."""
    regions, open_, counted = [], [0], 0
    for node in shape:
        regions.append(open_[-1])
        if node.kind == "begin":
            counted += 1
            open_.append(counted)
        elif node.kind == "end":
            open_.pop()
    return regions


@dataclass(frozen=True, slots=True)
class _Context:
    """What the instructions of a process can mention."""

    process: str
    names: _Names
    shared: tuple[Variable, ...]
    processes: tuple[str, ...]
    reduced: bool
    in_atomic: bool = False

    def reachable(self, process: str) -> list[Variable]:
        """The integers in the memory of a process; one that nobody owns is in every memory."""
        return [variable for variable in _integers(self.shared) if variable.owner in (None, process)]

    def sets(self) -> list[str]:
        return [variable.name for variable in self.shared if variable.type == "set"]


def _integers(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    return tuple(variable for variable in variables if variable.type == "integer")


def _body(draw: DrawFn, shape: Sequence[_Node], context: _Context) -> tuple[Instruction, ...]:
    regions = _regions(shape)
    instructions = []
    for number, node in enumerate(shape):
        action: Action
        if node.kind == "atomic":
            everything = _Names(context.names.free + context.names.counted)
            action = Atomic(_body(draw, node.inner, replace(context, names=everything, in_atomic=True)))
        elif node.kind == "simple":
            first = number + 1 if context.in_atomic else 0
            targets = [shape[to].label for to in range(first, len(shape)) if regions[to] == regions[number]]
            action = _action(draw, context, targets)
        else:
            action = Transaction(node.kind)
        instructions.append(Instruction(node.label, action, _position(draw), draw(_notes)))
    return tuple(instructions)


def _action(draw: DrawFn, context: _Context, targets: Sequence[str]) -> Action:
    names = context.names
    other = _one_of(draw, context.processes)
    near, far = context.reachable(context.process), context.reachable(other)
    choices: list[Callable[[], Action]] = [
        Skip,
        lambda: Assume(_loading(draw, names)),
        lambda: Assert(_loading(draw, names)),
        lambda: Fence(_one_of(draw, [None, *(variable.name for variable in context.shared)])),
        lambda: Flush(other),
    ]
    if names.free:
        choices += [
            lambda: Assign(_place(draw, names.free, names), _loading(draw, names)),
            lambda: Havoc(_place(draw, names.free, names)),
        ]
    if names.counted:
        choices += [
            lambda: Assign(_place(draw, names.counted, names), _expression(draw, names)),
            lambda: Havoc(_place(draw, names.counted, names)),
        ]
    if near and far:
        index = replace(names, free=tuple(variable for variable in names.free if variable not in context.shared))
        choices += [
            lambda: Put(_place(draw, far, index), other, _place(draw, near, index)),
            lambda: Get(_place(draw, near, index), _place(draw, far, index), other),
        ]
    if targets:
        several = st.lists(st.sampled_from(targets), min_size=1, max_size=3, unique=True)
        choices += [
            lambda: Goto(tuple(draw(several))),
            lambda: Branch(_loading(draw, names), _one_of(draw, targets)),
        ]
    if context.reduced:
        choices += _reduced_choices(draw, context)
    return _one_of(draw, choices)()


def _reduced_choices(draw: DrawFn, context: _Context) -> list[Callable[[], Action]]:
    """The instructions that only reduced programs have."""
    names, sets = context.names, context.sets()
    choices: list[Callable[[], Action]] = [Overflow]
    if names.free:
        choices.append(lambda: Forget(_place(draw, names.free, names)))
    if sets:
        choices += [
            lambda: Forget(Name(_one_of(draw, sets))),
            lambda: Collect(_one_of(draw, sets), _expression(draw, names)),
            lambda: Add(_one_of(draw, sets), _expression(draw, names)),
        ]
    if sets and names.free:
        choices.append(lambda: Choose(_place(draw, names.free, names), _one_of(draw, sets)))
    return choices


# ---- programs


def _variable(draw: DrawFn, name: str, owner: str | None = None) -> Variable:
    range_ = None
    initial = draw(st.one_of(st.none(), _values))
    if draw(_coins):
        low, high = sorted((draw(_values), draw(_values)))
        range_, initial = Range(low, high), None if initial is None else min(max(initial, low), high)
    size = draw(st.one_of(st.none(), st.none(), st.integers(1, 4)))
    return Variable(name, _position(draw), initial, range_, size, owner, note=draw(_notes))


def _shared_variable(draw: DrawFn, name: str, owner: str | None, *, reduced: bool) -> Variable:
    if reduced and draw(_coins):
        return Variable(name, _position(draw), owner=owner, type="set", note=draw(_notes))
    return _variable(draw, name, owner)


def _process(
    draw: DrawFn, name: str, processes: tuple[str, ...], shared: tuple[Variable, ...], *, reduced: bool
) -> Process:
    local_names = draw(st.lists(st.sampled_from(LOCAL_NAMES), unique=True, max_size=3))
    local = tuple([_variable(draw, local_name) for local_name in local_names])
    integers = _integers(shared)
    own = tuple(variable for variable in integers if variable.owner in (None, name))
    names = _Names(local + integers) if reduced else _Names(local, own)
    body = _body(draw, _labelled_shape(draw), _Context(name, names, shared, processes, reduced))
    flags = [variable.name for variable in integers if variable.owner is None and variable.size is None]
    background = reduced and draw(_coins)
    return Process(name, _position(draw), local, body, _one_of(draw, [None, None, *flags]), background)


def programs() -> st.SearchStrategy[Program]:
    """Programs of every kind."""
    return st.one_of(_programs(None), _programs(None), reduced_programs())


def reduced_programs() -> st.SearchStrategy[Program]:
    """Programs that contain their memory model."""
    return st.sampled_from(REDUCED_MODELS).flatmap(_programs)


@st.composite
def _programs(draw: DrawFn, reduced: ReducedModel | None) -> Program:
    is_reduced = reduced is not None
    name, source = _one_of(draw, PROGRAMS)
    process_names = tuple(draw(st.lists(st.sampled_from(PROCESS_NAMES), unique=True, min_size=1, max_size=3)))
    owners = (None, *process_names)
    shared_names = draw(st.lists(st.sampled_from(SHARED_NAMES), unique=True, max_size=4))
    declared = [
        _shared_variable(draw, shared_name, _one_of(draw, owners), reduced=is_reduced) for shared_name in shared_names
    ]
    shared = tuple(sorted(declared, key=lambda variable: owners.index(variable.owner)))
    processes = tuple([_process(draw, each, process_names, shared, reduced=is_reduced) for each in process_names])
    locals_ = [
        replace(variable, name=f"{process.name}.{variable.name}")
        for process in processes
        for variable in process.locals
    ]
    names = _Names((*_integers(shared), *locals_))
    labels = tuple(At(process.name, instruction.label) for process in processes for instruction in process.body)
    properties = [
        Property(_one_of(draw, PROPERTY_KINDS), _expression(draw, replace(names, labels=labels)), _position(draw))
        for _ in range(draw(st.integers(0, 3)))
    ]
    predicates = [Predicate(_expression(draw, names), _position(draw)) for _ in range(draw(st.integers(0, 3)))]
    model = "sc" if is_reduced else _one_of(draw, MODELS)
    return Program(name, source, shared, processes, tuple(properties), tuple(predicates), model, reduced)
