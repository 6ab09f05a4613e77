"""The syntax tree of an `.ebb` file: what stands in the text, names not yet looked up.

Every name is a lark `Token`, a string that knows its line and column, so that later complaints can point at it.
Expressions are those of `formats.expressions` with tokens for names.
"""

from dataclasses import dataclass, field

from lark import Token

from ebb.formats.errors import Position
from ebb.formats.expressions import (
    At,
    Binary,
    Conditional,
    Element,
    Expression,
    Integer,
    Name,
    Place,
    Unary,
    place_name,
)
from ebb.formats.ir import PropertyKind, Range


def position(token: Token) -> Position:
    return Position(token.line or 1, token.column or 1)


@dataclass(frozen=True, slots=True)
class Declarator:
    name: Token
    size: Token | None
    range: Range | None
    initial: int | None
    is_set: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    name: Token


@dataclass(frozen=True, slots=True)
class Assignment:
    """`word` is `store` or `load` where the user wrote one; `value` is None for `= *`."""

    at: Position
    target: Place
    value: Expression | None
    word: str = ""


@dataclass(frozen=True, slots=True)
class CollectStatement:
    """`set = {value}`."""

    at: Position
    set: Place
    value: Expression


@dataclass(frozen=True, slots=True)
class ChooseStatement:
    """`target = choose(set)`; `word` is what stands where `choose` should."""

    at: Position
    target: Place
    word: Token
    set: Token


@dataclass(frozen=True, slots=True)
class Call:
    """`word(arguments)` or `word`, word being no keyword: add, forget, overflow, or a mistake."""

    word: Token
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Locked:
    """`result = word(location, arguments)`, word one of cas, xchg, faa."""

    at: Position
    word: Token
    result: Place | None
    location: Place
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class RemotePut:
    at: Position
    target: Place
    process: Token
    source: Place


@dataclass(frozen=True, slots=True)
class RemoteGet:
    at: Position
    target: Place
    source: Place
    process: Token


@dataclass(frozen=True, slots=True)
class RemoteFlush:
    at: Position
    process: Token


@dataclass(frozen=True, slots=True)
class SkipStatement:
    at: Position


@dataclass(frozen=True, slots=True)
class Jump:
    at: Position
    targets: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class If:
    """A condition of None is `*`."""

    at: Position
    condition: Expression | None
    then: "Statement"
    otherwise: "Statement | None"


@dataclass(frozen=True, slots=True)
class While:
    at: Position
    condition: Expression | None
    body: "Statement"


@dataclass(frozen=True, slots=True)
class Check:
    """assume, await or assert."""

    at: Position
    word: str
    condition: Expression


@dataclass(frozen=True, slots=True)
class Block:
    elements: tuple["Label | Statement", ...]
    end: Position


@dataclass(frozen=True, slots=True)
class Region:
    """atomic or transaction."""

    at: Position
    word: str
    block: Block


@dataclass(frozen=True, slots=True)
class FenceStatement:
    at: Position
    variable: Token | None


@dataclass(frozen=True, slots=True)
class Hold:
    """lock, unlock, acquire or release of `object`."""

    at: Position
    word: str
    object: Place


@dataclass(frozen=True, slots=True)
class Wait:
    at: Position
    condition: Token
    lock: Place | None


@dataclass(frozen=True, slots=True)
class Notify:
    """signal, broadcast, barrier, start or join of `name`."""

    at: Position
    word: str
    name: Token


Statement = (
    Assignment
    | CollectStatement
    | ChooseStatement
    | Call
    | Locked
    | RemotePut
    | RemoteGet
    | RemoteFlush
    | SkipStatement
    | Jump
    | If
    | While
    | Check
    | Block
    | Region
    | FenceStatement
    | Hold
    | Wait
    | Notify
)


@dataclass(frozen=True, slots=True)
class ProcessTree:
    name: Token
    background: bool
    when: Token | None
    shared: tuple[Declarator, ...]
    locals: tuple[Declarator, ...]
    elements: tuple[Label | Statement, ...]


@dataclass(frozen=True, slots=True)
class PropertyTree:
    at: Position
    kind: PropertyKind
    condition: Expression


@dataclass(slots=True)
class FileTree:
    shared: list[Declarator] = field(default_factory=list)
    processes: list[ProcessTree] = field(default_factory=list)
    properties: list[PropertyTree] = field(default_factory=list)
    predicates: list[tuple[Position, Expression]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Number(Integer):
    """An integer that knows where it stands."""

    at: Position


def place_start(place: Place) -> Position:
    name = place_name(place)
    assert isinstance(name, Token)
    return position(name)


def start(expression: Expression) -> Position | None:
    """Where the leftmost name or number of an expression stands. A loop: the expression may be too deep to recurse."""
    while True:
        match expression:
            case Unary(_, operand):
                expression = operand
            case Binary(_, left, _):
                expression = left
            case Conditional(condition, _, _):
                expression = condition
            case Name(Token() as token) | Element(Token() as token) | At(Token() as token):
                return position(token)
            case Number(at=at):
                return at
            case _:
                return None
