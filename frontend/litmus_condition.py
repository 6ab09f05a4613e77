r"""The condition of a litmus test: `exists (0:EAX=0 /\ [x]=1)` and its kin.

`not` binds stronger than `/\`, which binds stronger than `\/`. The reader keeps its own stack of open parentheses, so
that no text can exhaust Python's; later stages do recurse over expressions, hence the bound on what comes out.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import Binary, Expression, Integer, Name, Unary, operands
from ebb.formats.ir import Process, Property, PropertyKind
from ebb.frontend.litmus_names import Names
from ebb.frontend.litmus_tokens import Cursor, Token

DEEPEST = 200  # as in IR
_LONGEST_CHAIN = 50


def starts_condition(token: Token) -> bool:
    """Whether the table of instructions ends before this token."""
    return token.text in ("exists", "forall", "~", "not", "locations", "filter")


def read_property(cursor: Cursor, names: Names, processes: tuple[Process, ...]) -> Property:
    """All that follows the table, to the end of the file."""
    if cursor.accept("locations"):
        _skip_list(cursor)  # it says what to print, and every outcome here is over all locations
    if cursor.token.text == "filter":
        raise InputError("`filter` is not supported", cursor.token.at)
    at = cursor.token.at
    condition = _Reader(cursor, names, processes)
    kind = _kind(cursor)
    return Property(kind, _bounded(condition.read(), at), at)


def _skip_list(cursor: Cursor) -> None:
    opening = cursor.expect("[")
    depth = 1
    while depth:
        token = cursor.take()
        if token.kind == "end":
            raise InputError("this `[` is never closed", opening.at)
        depth += (token.text == "[") - (token.text == "]")


def _kind(cursor: Cursor) -> PropertyKind:
    if cursor.accept("exists"):
        return "exists"
    if cursor.accept("forall"):
        return "forall"
    if cursor.accept("~") or cursor.accept("not"):
        cursor.expect("exists")
        return "~exists"
    if cursor.token.kind == "end":
        raise InputError("the condition is missing: `exists`, `~exists` or `forall`", cursor.token.at)
    raise cursor.unexpected("`exists`, `~exists` or `forall`")


@dataclass(slots=True)
class _Group:
    """What has been read since a parenthesis opened: complete operands of `\\/`, then those of the current `/\\`."""

    opening: Token | None
    depth: int
    alternatives: list[Expression] = field(default_factory=list)
    conjuncts: list[Expression] = field(default_factory=list)
    negations: int = 0  # waiting for their operand

    def add(self, operand: Expression) -> None:
        for _ in range(self.negations):
            operand = Unary("!", operand)
        self.negations = 0
        self.conjuncts.append(operand)

    def close_alternative(self) -> None:
        self.alternatives.append(_chain("&&", self.conjuncts))
        self.conjuncts = []

    def expression(self) -> Expression:
        self.close_alternative()
        return _chain("||", self.alternatives)


class _Reader:
    def __init__(self, cursor: Cursor, names: Names, processes: tuple[Process, ...]) -> None:
        self._cursor = cursor
        self._names = names
        self._written = [{variable.name for variable in process.locals} for process in processes]
        self._groups = [_Group(None, 0)]

    def read(self) -> Expression:
        while True:
            self._operand()
            while self._groups[-1].opening and self._cursor.accept(")"):
                closed = self._groups.pop().expression()
                self._groups[-1].add(closed)
            if self._cursor.accept("\\/"):
                self._groups[-1].close_alternative()
            elif not self._cursor.accept("/\\"):
                break
        self._complain_unless_complete()
        return self._groups[0].expression()

    def _operand(self) -> None:
        """Negations and opening parentheses, then an atom."""
        while True:
            group, token = self._groups[-1], self._cursor.token
            if self._cursor.accept("~") or self._cursor.accept("not"):
                group.negations += 1
            elif self._cursor.accept("("):
                self._groups.append(_Group(token, group.depth + group.negations + 1))
            else:
                group.add(self._atom())
                return
            if self._groups[-1].depth + self._groups[-1].negations > DEEPEST:
                raise _too_deep(token.at)

    def _atom(self) -> Expression:
        cursor = self._cursor
        if cursor.accept("true"):
            return Integer(1)
        if cursor.accept("false"):
            return Integer(0)
        if cursor.token.kind == "number":
            variable = self._register()
        elif cursor.accept("["):
            variable = self._names.location(cursor.word("a location"))
            cursor.expect("]")
        elif cursor.token.kind == "word":
            variable = self._names.location(cursor.take())
        else:
            raise cursor.unexpected("`0:EAX=1`, `[x]=1`, `x=1` or `(`")
        cursor.expect("=")
        return Binary("==", Name(variable), Integer(cursor.integer()))

    def _register(self) -> str:
        at = self._cursor.token.at
        process = self._cursor.integer()
        self._cursor.expect(":")
        if not 0 <= process < len(self._written):
            raise InputError(f"there is no process {process}", at)
        register = self._names.register_word(self._cursor)
        if register not in self._written[process]:
            raise InputError(f"P{process} never writes the register {register}", at)
        return f"P{process}.{register}"

    def _complain_unless_complete(self) -> None:
        token, opening = self._cursor.token, self._groups[-1].opening
        if opening is None and token.kind == "end":
            return
        if opening is None and token.text == ")":
            raise InputError("this `)` closes nothing", token.at)
        if opening is not None and token.kind == "end":
            raise InputError("this `(` is never closed", opening.at)
        raise self._cursor.unexpected("`/\\`, `\\/` or " + ("`)`" if opening else "the end of the file"))


def _chain(operator: str, operands: Iterable[Expression]) -> Expression:
    """The operands joined, grouped to the left; long chains are grouped in blocks, to stay shallow."""
    row = list(operands)
    while len(row) > 1:
        blocks = (row[start : start + _LONGEST_CHAIN] for start in range(0, len(row), _LONGEST_CHAIN))
        row = [reduce(lambda left, right: Binary(operator, left, right), block) for block in blocks]
    return row[0]


def _bounded(condition: Expression, at: Position) -> Expression:
    """The condition, if walking over it recursively is safe."""
    level: list[Expression] = [condition]
    for _ in range(DEEPEST + 1):  # below that many operators, names and numbers
        level = [part for expression in level for part in operands(expression)]
        if not level:
            return condition
    raise _too_deep(at)


def _too_deep(at: Position) -> InputError:
    return InputError(f"the condition is nested more than {DEEPEST} deep", at)
