"""A Hypothesis strategy for valid programs in IR, with every kind of instruction, declaration and property.

    from ir_programs import programs

    @given(programs())
    def test_…(program: Program) -> None: …

Valid means: what the front end could have made. Outside atomic blocks a step makes at most one shared access; jumps
stay inside their atomic block or transaction, and inside an atomic block they go forwards, so that the block ends;
shared variables come unowned ones first, then in the order of their owners. Positions and notes are arbitrary.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ebb.formats.errors import Position
from ebb.formats.expressions import (
    BINARY_OPERATORS,
    At,
    Binary,
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
    Predicate,
    Process,
    Program,
    Property,
    Put,
    Range,
    Skip,
    Transaction,
    Variable,
)

# Names that are words of the language, or that look like made ones, are as good as any other.
SHARED_NAMES = ("X", "Y", "F0", "Turn", "Q", "lock", "never", "_X_cnt", "L3")
LOCAL_NAMES = ("r", "f", "i", "load", "_Y", "model", "from")
PROCESS_NAMES = ("P0", "P1", "Writer", "process", "final")
LABELS = ("cs", "again", "wait", "_end", "L100", "L07", "X", "P0")
PROGRAMS = (
    ("p", "p.ebb"),
    ("SB+mfence-po", "SB+mfence-po.litmus"),
    ("peterson.pso", "peterson.ebb"),
    ("p", "my p.ebb"),
)

_positions = st.builds(Position, st.integers(1, 2000), st.integers(1, 200))
_values = st.one_of(st.integers(-3, 9), st.sampled_from((-(2**40), 2**40)))
_notes = st.one_of(
    st.just(""),
    st.sampled_from(
        ("lock m", "load Y[2]", "flush X to P1", 'says "so" // */ \\l <b> &lt;', "//@ 1:2 inner", "größer")
    ),
)


@dataclass(frozen=True, slots=True)
class _Names:
    """What an expression can mention: `free` as often as it likes, of `counted` one variable once."""

    free: tuple[Variable, ...]  # locals in a process; in an atomic block or a property all variables
    counted: tuple[Variable, ...] = ()  # the shared variables, where a step makes at most one shared access
    labels: tuple[At, ...] = ()


@st.composite
def _place(draw: DrawFn, variable: Variable, names: _Names) -> Place:
    """The variable, or one of its elements at an index that costs no shared access."""
    if variable.size is None:
        return Name(variable.name)
    constant = st.builds(Integer, st.integers(0, variable.size - 1))
    scalars = [Name(other.name) for other in names.free if other.size is None]
    return Element(variable.name, draw(st.one_of(constant, st.sampled_from(scalars)) if scalars else constant))


def _expressions(names: _Names) -> SearchStrategy[Expression]:
    """Expressions over what costs nothing."""
    leaves: list[SearchStrategy[Expression]] = [st.builds(Integer, _values)]
    if names.free:
        leaves.append(st.sampled_from(names.free).flatmap(lambda variable: _place(variable, names)))
    if names.labels:
        leaves.append(st.sampled_from(names.labels))

    def extend(inner: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
        operators = st.sampled_from(tuple(BINARY_OPERATORS))
        negated = st.builds(Unary, st.just("!"), inner)
        return st.one_of(negated, st.builds(minus, inner), st.builds(Binary, operators, inner, inner))

    return st.recursive(st.one_of(leaves), extend, max_leaves=5)


@st.composite
def _loading(draw: DrawFn, names: _Names) -> Expression:
    """An expression with at most one access to a variable that counts, somewhere in it."""
    rest = draw(_expressions(names))
    if not names.counted or draw(st.booleans()):
        return rest
    load = draw(_place(draw(st.sampled_from(names.counted)), names))
    around: list[Callable[[], Expression]] = [
        lambda: load,
        lambda: Unary("!", load),
        lambda: Binary("==", load, rest),
        lambda: Binary("-", rest, load),
    ]
    return draw(st.sampled_from(around))()


# ---- bodies


@dataclass(slots=True)
class _Node:
    """An instruction to be: first the shape of a body is drawn, then its labels, then what can refer to labels."""

    kind: Literal["simple", "atomic", "begin", "end"]
    inner: list["_Node"] = field(default_factory=list)
    label: str = ""


@st.composite
def _shape(draw: DrawFn, depth: int, region: Literal["process", "atomic"]) -> list[_Node]:
    kinds = ["simple"] * 4
    if depth < 2:
        kinds += ["atomic"] if region == "atomic" else ["atomic", "transaction"]
    shape: list[_Node] = []
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=5 - depth)):
        if kind == "atomic":
            shape.append(_Node("atomic", draw(_shape(depth + 1, "atomic"))))
        elif kind == "transaction":
            shape += [_Node("begin"), *draw(_shape(depth + 1, region)), _Node("end")]
        else:
            shape.append(_Node("simple"))
    return shape


def _preorder(shape: Sequence[_Node]) -> list[_Node]:
    return [found for node in shape for found in (node, *_preorder(node.inner))]


@st.composite
def _labelled_shape(draw: DrawFn) -> list[_Node]:
    shape = draw(_shape(0, "process"))
    nodes = _preorder(shape)
    for number, node in enumerate(nodes):
        node.label = f"L{number}"
    if nodes:
        chosen = draw(st.lists(st.sampled_from(range(len(nodes))), unique=True, max_size=len(LABELS)))
        for number, label in zip(chosen, draw(st.permutations(LABELS)), strict=False):
            nodes[number].label = label
    return shape


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
class _Process:
    """What the instructions of a process can mention."""

    name: str
    names: _Names
    shared: tuple[Variable, ...]
    owners: tuple[str, ...]

    def owned_by(self, process: str) -> list[Variable]:
        return [variable for variable in self.shared if variable.owner in (None, process)]


@st.composite
def _body(draw: DrawFn, shape: Sequence[_Node], process: _Process, inside: Literal["process", "atomic"]) -> Action:
    """The body as that of an atomic block."""
    regions = _regions(shape)
    instructions = []
    for number, node in enumerate(shape):
        action: Action
        if node.kind == "atomic":
            everything = _Names(process.names.free + process.names.counted)
            action = draw(_body(node.inner, replace(process, names=everything), "atomic"))
        elif node.kind == "simple":
            reachable = [
                other.label
                for position, other in enumerate(shape)
                if regions[position] == regions[number] and (inside == "process" or position > number)
            ]
            action = draw(_action(process, inside, reachable))
        else:
            action = Transaction(node.kind)
        instructions.append(Instruction(node.label, action, draw(_positions), draw(_notes)))
    return Atomic(tuple(instructions))


@st.composite
def _action(draw: DrawFn, process: _Process, inside: Literal["process", "atomic"], reachable: Sequence[str]) -> Action:
    names = process.names
    choices: list[SearchStrategy[Action]] = [
        st.just(Skip()),
        st.builds(Assume, _loading(names)),
        st.builds(Assert, _loading(names)),
    ]
    if names.free:
        target = st.sampled_from(names.free).flatmap(lambda variable: _place(variable, names))
        choices += [st.builds(Assign, target, _loading(names)), st.builds(Havoc, target)]
    if names.counted:
        store = st.sampled_from(names.counted).flatmap(lambda variable: _place(variable, names))
        choices += [st.builds(Assign, store, _expressions(names)), st.builds(Havoc, store)]
    if reachable:
        targets = st.lists(st.sampled_from(reachable), min_size=1, max_size=3, unique=True)
        choices += [
            st.builds(Goto, targets.map(tuple)),
            st.builds(Branch, _loading(names), st.sampled_from(reachable)),
        ]
    if inside == "process":
        choices += [
            st.builds(Fence, st.sampled_from([None, *(variable.name for variable in process.shared)])),
            st.builds(Flush, st.sampled_from(process.owners)),
        ]
        other = draw(st.sampled_from(process.owners))
        if (near := process.owned_by(process.name)) and (far := process.owned_by(other)):
            near_end = st.sampled_from(near).flatmap(lambda variable: _place(variable, names))
            far_end = st.sampled_from(far).flatmap(lambda variable: _place(variable, names))
            choices += [
                st.builds(Put, far_end, st.just(other), near_end),
                st.builds(Get, near_end, far_end, st.just(other)),
            ]
    return draw(st.one_of(choices))


# ---- programs


@st.composite
def _variable(draw: DrawFn, name: str, owner: str | None = None) -> Variable:
    range_ = None
    initial = draw(st.one_of(st.none(), _values))
    if draw(st.booleans()):
        low, high = sorted((draw(_values), draw(_values)))
        range_, initial = Range(low, high), None if initial is None else min(max(initial, low), high)
    size = draw(st.one_of(st.none(), st.none(), st.integers(1, 4)))
    return Variable(name, draw(_positions), initial, range_, size, owner)


@st.composite
def _process(draw: DrawFn, name: str, owners: tuple[str, ...], shared: tuple[Variable, ...]) -> Process:
    local_names = draw(st.lists(st.sampled_from(LOCAL_NAMES), unique=True, max_size=3))
    local = tuple([draw(_variable(local_name)) for local_name in local_names])
    reachable = tuple(variable for variable in shared if variable.owner in (None, name))
    what = _Process(name, _Names(local, reachable), shared, owners)
    body = draw(_body(draw(_labelled_shape()), what, "process"))
    assert isinstance(body, Atomic)
    flags = [variable.name for variable in shared if variable.owner is None and variable.size is None]
    when = draw(st.sampled_from([None, None, *flags]))
    return Process(name, draw(_positions), local, body.body, when)


@st.composite
def programs(draw: DrawFn) -> Program:
    name, source = draw(st.sampled_from(PROGRAMS))
    owners = tuple(draw(st.lists(st.sampled_from(PROCESS_NAMES), unique=True, min_size=1, max_size=3)))
    shared_names = draw(st.lists(st.sampled_from(SHARED_NAMES), unique=True, max_size=4))
    declared = [draw(_variable(shared, draw(st.sampled_from((None, *owners))))) for shared in shared_names]
    shared = tuple(sorted(declared, key=lambda variable: (None, *owners).index(variable.owner)))
    processes = tuple([draw(_process(owner, owners, shared)) for owner in owners])
    locals_ = [
        replace(variable, name=f"{process.name}.{variable.name}")
        for process in processes
        for variable in process.locals
    ]
    labels = tuple(At(process.name, instruction.label) for process in processes for instruction in process.body)
    names = _Names((*shared, *locals_))
    properties = st.builds(
        Property, st.sampled_from(PROPERTY_KINDS), _expressions(replace(names, labels=labels)), _positions
    )
    return Program(
        name,
        source,
        shared,
        processes,
        tuple(draw(st.lists(properties, max_size=3))),
        tuple(draw(st.lists(st.builds(Predicate, _expressions(names), _positions), max_size=3))),
        draw(st.sampled_from(("any", "sc"))),
    )
