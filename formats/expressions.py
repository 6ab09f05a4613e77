"""Expressions over integers, shared by programs, properties and predicates.

Design choices:
- Everything is an integer; comparisons and logical operators give 1 or 0, and a condition holds when it is not 0.
- Names are plain strings. In a process a name is one of its locals or a shared variable (never both); in a property
  a local is `Process.name`.
- Structural equality, no positions: an expression means the same wherever it stands.
- In JSON an integer is itself, a name is a string, all else is a list with its operator first:
  `["+", "x", 1]`, `["[]", "Q", "i"]` for `Q[i]`, `["@", "P0", "cs"]` for `P0@cs`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import assert_never


@dataclass(frozen=True, slots=True)
class Integer:
    value: int


@dataclass(frozen=True, slots=True)
class Name:
    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """`array[index]`."""

    array: str
    index: "Expression"


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str
    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise`; only the part that is chosen is evaluated."""

    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"


@dataclass(frozen=True, slots=True)
class At:
    """`process@label`: the process is about to execute the instruction with that label. Only in properties."""

    process: str
    label: str


Expression = Integer | Name | Element | Unary | Binary | Conditional | At
Place = Name | Element

UNARY_OPERATORS = ("-", "!")
# Operators with the strength of their binding, weakest first; equal strength groups to the left.
BINARY_OPERATORS = {
    "||": 1, "&&": 2,
    "==": 3, "!=": 3,
    "<": 4, "<=": 4, ">": 4, ">=": 4,
    "+": 5, "-": 5,
    "*": 6, "/": 6, "%": 6,
}  # fmt: skip
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_UNARY_STRENGTH = 7


def place_name(place: Place) -> str:
    """The variable that a place belongs to."""
    return place.name if isinstance(place, Name) else place.array


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is directly made of, left to right."""
    match expression:
        case Integer() | Name() | At():
            return ()
        case Element(_, index):
            return (index,)
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return left, right
        case Conditional(condition, then, otherwise):
            return condition, then, otherwise
        case _:
            assert_never(expression)


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with each of its operands changed."""
    match expression:
        case Integer() | Name() | At():
            return expression
        case Element(array, index):
            return Element(array, change(index))
        case Unary(operator, operand):
            return Unary(operator, change(operand))
        case Binary(operator, left, right):
            return Binary(operator, change(left), change(right))
        case Conditional(condition, then, otherwise):
            return Conditional(change(condition), change(then), change(otherwise))
        case _:
            assert_never(expression)


def places(expression: Expression) -> Iterator[Place]:
    """Every variable access in the order of evaluation: an index before its element, left before right."""
    for operand in operands(expression):
        yield from places(operand)
    if isinstance(expression, Name | Element):
        yield expression


def variables(expression: Expression) -> set[str]:
    """The names of all variables in the expression."""
    return {place_name(place) for place in places(expression)}


def negation(condition: Expression) -> Expression:
    """A condition that holds exactly when the given one does not, without a `!` where a comparison allows it."""
    match condition:
        case Binary(operator, left, right) if operator in _NEGATED:
            return Binary(_NEGATED[operator], left, right)
        case Unary("!", operand):
            return operand
        case _:
            return Unary("!", condition)


def minus(operand: Expression) -> Expression:
    """`-operand`; a negative number is an `Integer`, so that there is one spelling of it."""
    return Integer(-operand.value) if isinstance(operand, Integer) else Unary("-", operand)


def show(expression: Expression, strength: int = 0) -> str:
    """The expression in source syntax, with as few parentheses as keep its structure."""
    match expression:
        case Integer(value):
            text, own = str(value), _UNARY_STRENGTH if value < 0 else _UNARY_STRENGTH + 1
        case Name(name):
            return show_name(name)
        case Element(array, index):
            return f"{show_name(array)}[{show(index)}]"
        case At(process, label):
            return f"{show_name(process)}@{show_label(label)}"
        case Unary(operator, operand):
            text, own = f"{operator}{show(operand, _UNARY_STRENGTH)}", _UNARY_STRENGTH
        case Binary(operator, left, right):
            own = BINARY_OPERATORS[operator]
            text = f"{show(left, own)} {operator} {show(right, own + 1)}"
        case Conditional(condition, then, otherwise):
            text, own = f"{show(condition, 1)} ? {show(then)} : {show(otherwise)}", 0
        case _:
            assert_never(expression)
    return f"({text})" if own < strength else text


def show_label(label: str) -> str:
    """A label as source text: most keywords can be one, but not those that give a text its shape."""
    return f"`{label}`" if label in SHAPING_KEYWORDS else label


def show_name(name: str) -> str:
    """A name as source text; each dotted part that is a keyword stands in backquotes."""
    if name in KEYWORDS:
        return f"`{name}`"
    if "." in name:
        return ".".join(show_name(part) for part in name.split("."))
    return name


SHAPING_KEYWORDS = frozenset({"else", "goto", "if", "local", "predicates", "process", "shared", "while"})
KEYWORDS = frozenset({
    "acquire", "always", "assert", "assume", "atomic", "await", "barrier", "broadcast", "cas", "else", "exists",
    "faa", "fence", "final", "flush", "forall", "get", "goto", "if", "join", "load", "local", "lock", "never",
    "predicates", "process", "put", "release", "shared", "signal", "skip", "start", "store", "transaction",
    "unlock", "wait", "when", "while", "xchg",
})  # fmt: skip
