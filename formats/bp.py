"""Boolean programs: the abstract syntax of `.bp` files (`docs/formats/bp.md`).

Design choices:
- Everything is immutable and compares by structure; positions do not take part in comparisons.
- `&` and `|` take any number of operands, so that a long conjunction is not a deep tree; parentheses in the text are
  kept as nesting.
- A comment stands with what it is about: above it or beside it. What `//@` comments say is taken apart into fields;
  the rest is kept as it is.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ebb.formats.errors import Position

NOWHERE = Position(1, 1)


# ---- expressions


@dataclass(frozen=True, slots=True)
class Constant:
    value: bool
    spelling: Literal["T", "F", "1", "0"]


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Next:
    """`'b`: the value after the assignment; only in `constrain`."""

    name: str
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Nondet:
    """`*`: either value, chosen anew for each occurrence."""


@dataclass(frozen=True, slots=True)
class Schoose:
    """`schoose[e, f]`: true if e, else false if f, else either."""

    true_if: "Expression"
    false_if: "Expression"


@dataclass(frozen=True, slots=True)
class Not:
    operand: "Expression"


Operator = Literal["&", "|", "^", "=", "!=", "=>"]


@dataclass(frozen=True, slots=True)
class Operation:
    """`&`, `|` and `^` join two or more operands, the others two."""

    operator: Operator
    operands: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    """`c ? a : b`."""

    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"


Expression: TypeAlias = Constant | Variable | Next | Nondet | Schoose | Not | Operation | Conditional

TRUE = Constant(True, "T")
FALSE = Constant(False, "F")


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that it is directly made of."""
    match expression:
        case Not(operand):
            return (operand,)
        case Operation(_, operands):
            return operands
        case Schoose(true_if, false_if):
            return (true_if, false_if)
        case Conditional(condition, then, otherwise):
            return (condition, then, otherwise)
        case _:
            return ()


# ---- comments


@dataclass(frozen=True, slots=True)
class Comments:
    """Plain comments: the lines above (an empty one is a blank line) and what stands to the right."""

    above: tuple[str, ...] = ()
    beside: str = ""


NO_COMMENTS = Comments()


@dataclass(frozen=True, slots=True)
class Origin:
    """`//@ at FILE:LINE:COLUMN NOTE`: where a statement comes from, and what it models."""

    file: str
    line: int
    column: int | None = None
    note: str = ""


# ---- statements


@dataclass(frozen=True, slots=True)
class Skip:
    pass


@dataclass(frozen=True, slots=True)
class Goto:
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assume:
    condition: Expression


@dataclass(frozen=True, slots=True)
class Assert:
    condition: Expression


@dataclass(frozen=True, slots=True)
class Assign:
    """All values are those before the assignment. The target `_` takes a value that nobody wants."""

    targets: tuple[str, ...]
    values: tuple[Expression, ...]
    constrain: Expression | None = None


@dataclass(frozen=True, slots=True)
class Call:
    targets: tuple[str, ...]
    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Return:
    values: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """`if`, any number of `elsif`, and `else`; each condition with its statements."""

    branches: tuple[tuple[Expression, tuple["Statement", ...]], ...]
    otherwise: tuple["Statement", ...] | None = None
    below: tuple[tuple[str, ...], ...] = ()  # comments under the last statement of each branch


@dataclass(frozen=True, slots=True)
class While:
    condition: Expression
    body: tuple["Statement", ...]
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StartThread:
    """A new thread runs a function."""

    function: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class StartThreadAt:
    """A new thread goes on from a label of the same function, with a copy of the local variables."""

    label: str


@dataclass(frozen=True, slots=True)
class EndThread:
    pass


@dataclass(frozen=True, slots=True)
class AtomicBegin:
    pass


@dataclass(frozen=True, slots=True)
class AtomicEnd:
    pass


@dataclass(frozen=True, slots=True)
class Dead:
    """Each of the variables takes any value; without variables, nothing happens."""

    names: tuple[str, ...] = ()


Action: TypeAlias = (
    Skip
    | Goto
    | Assume
    | Assert
    | Assign
    | Call
    | Return
    | If
    | While
    | StartThread
    | StartThreadAt
    | EndThread
    | AtomicBegin
    | AtomicEnd
    | Dead
)


@dataclass(frozen=True, slots=True)
class Statement:
    action: Action
    labels: tuple[str, ...] = ()
    origin: Origin | None = None
    checks: str = ""  # what an assertion is about
    overflow: bool = False  # reaching the statement is an overflow: a dead end, and no violation
    comments: Comments = NO_COMMENTS
    at: Position = field(default=NOWHERE, compare=False, repr=False)
    names_at: tuple[Position, ...] = field(default=(), compare=False, repr=False)  # of targets, labels, a function
    labels_at: tuple[Position, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Declaration:
    names: tuple[str, ...]
    predicates: tuple[str, ...] = ()  # as many as names, or none
    comments: Comments = NO_COMMENTS
    names_at: tuple[Position, ...] = field(default=(), compare=False, repr=False)
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Enforce:
    condition: Expression
    comments: Comments = NO_COMMENTS
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    parameters: tuple[str, ...] = ()
    results: int = 0
    declarations: tuple[Declaration, ...] = ()
    enforce: tuple[Enforce, ...] = ()
    body: tuple[Statement, ...] = ()
    process: str = ""  # the process that the function is
    comments: Comments = NO_COMMENTS
    below: tuple[str, ...] = ()  # comments under the last statement
    beside_end: str = ""
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Program:
    declarations: tuple[Declaration, ...] = ()
    functions: tuple[Function, ...] = ()
    below: tuple[str, ...] = ()  # comments under the last function


HEADING = "// ebb boolean program 1"

# Words that cannot be names. `choose` is read as `schoose`; `T` and `F` are constants.
KEYWORDS = frozenset(
    {
        *("assert", "assume", "atomic_begin", "atomic_end", "begin", "bool", "choose", "constrain", "dead", "decl"),
        *("do", "else", "elsif", "end", "end_thread", "enforce", "fi", "goto", "if", "od", "return", "schoose", "skip"),
        *("start_thread", "then", "void", "while", "F", "T", "_"),
    }
)
