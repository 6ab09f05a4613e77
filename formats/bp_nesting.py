"""How deep a Boolean program is nested: no deeper than functions that follow its structure can recurse.

What counts is what the program is made of, and not how many brackets there are: otherwise a program could be read whose
printed form, which has more of them, could not. The limit on brackets is only there to end the reading of garbage soon.
"""

from collections.abc import Iterable, Sequence

from lark import Token

from ebb.formats import bp
from ebb.formats.bp import Expression
from ebb.formats.errors import InputError, Position
from ebb.formats.syntax_error import place

DEEPEST = 100  # operations and blocks
DEEPEST_TEXT = 1000  # brackets, blocks, and operators that need no brackets

_OPENS = frozenset({"LPAR", "LSQB", "IF", "WHILE"})
_CLOSES = frozenset({"RPAR", "RSQB", "FI", "OD"})
_SEPARATES = frozenset({"SEMICOLON", "COMMA", "THEN", "DO"})


class BracketCount:
    """Follows the brackets of a text, token by token."""

    def __init__(self) -> None:
        self._outside: list[tuple[int, int]] = []  # depth and conditionals before each open bracket
        self._depth = 0
        self._conditionals = 0  # of the expression in hand, in the brackets in hand
        self._negations = 0  # directly before the token in hand

    def count(self, token: Token) -> None:
        kind = token.type
        if kind == "NOT":
            self._negations += 1
        elif kind in _OPENS:
            self._outside.append((self._depth, self._conditionals))
            self._depth += 1 + self._conditionals + self._negations
            self._conditionals = self._negations = 0
        else:
            self._negations = 0
            if kind == "QMARK":
                self._conditionals += 1
            elif kind in _SEPARATES:
                self._conditionals = 0
            elif kind in _CLOSES and self._outside:
                self._depth, self._conditionals = self._outside.pop()
        if self._depth + self._conditionals + self._negations > DEEPEST_TEXT:
            raise InputError(f"more than {DEEPEST_TEXT} brackets and blocks inside each other", place(token))


def check_nesting(program: bp.Program) -> None:
    for function in program.functions:
        for enforce in function.enforce:
            _check([enforce.condition], 0, enforce.at)
        work = [(statement, 0) for statement in reversed(function.body)]
        while work:
            statement, depth = work.pop()
            expressions, blocks = _inside(statement.action)
            _check(expressions, depth, statement.at)
            if blocks and depth == DEEPEST:
                raise _too_deep(statement.at)
            work += [(inner, depth + 1) for block in reversed(blocks) for inner in reversed(block)]


def _check(expressions: Iterable[Expression], depth: int, at: Position) -> None:
    work = [(expression, depth) for expression in expressions]
    while work:
        expression, depth = work.pop()
        parts = bp.parts(expression)
        if parts and depth == DEEPEST:
            raise _too_deep(at)
        work += [(part, depth + 1) for part in parts]


def _too_deep(at: Position) -> InputError:
    return InputError(f"more than {DEEPEST} operations and blocks inside each other", at)


def _inside(action: bp.Action) -> tuple[Iterable[Expression], Sequence[tuple[bp.Statement, ...]]]:
    """The expressions and blocks that a statement is directly made of."""
    match action:
        case bp.Assume(condition) | bp.Assert(condition):
            return (condition,), ()
        case bp.Assign(_, values, constrain):
            return (values if constrain is None else (*values, constrain)), ()
        case bp.Call(_, _, values) | bp.StartThread(_, values) | bp.Return(values):
            return values, ()
        case bp.If(branches, otherwise):
            return [condition for condition, _ in branches], [*(block for _, block in branches), otherwise or ()]
        case bp.While(condition, block):
            return (condition,), (block,)
        case _:
            return (), ()
