"""Expressions from text, as `expressions.show` prints them: predicates in YAML files and in Boolean programs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import (
    BINARY_OPERATORS,
    KEYWORDS,
    At,
    Binary,
    Conditional,
    Element,
    Expression,
    Integer,
    Name,
    Unary,
    minus,
)

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+)|(?P<name>(?:[A-Za-z_]\w*|`[A-Za-z_]\w*`)(?:\.(?:[A-Za-z_]\w*|`[A-Za-z_]\w*`))?)"
    r"|(?P<symbol>\|\||&&|==|!=|<=|>=|[-+*/%<>!()\[\]?:@])|(?P<other>\S))",
    re.ASCII,
)
_DEEPEST = 100
_MOST_DIGITS = 1000


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


def parse_expression(text: str) -> Expression:
    """The expression; names are as they are written. A mistake is an `InputError` with its column in line 1."""
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.depth = 0

    def whole(self) -> Expression:
        found = self.expression()
        if self.next.kind != "end":
            raise self.wrong("an operator or the end")
        return found

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self, symbol: str) -> bool:
        if self.next.kind == "symbol" and self.next.text == symbol:
            self.at += 1
            return True
        return False

    def expect(self, symbol: str) -> None:
        if not self.take(symbol):
            raise self.wrong(f"`{symbol}`")

    def wrong(self, expected: str) -> InputError:
        token = self.next
        found = "the end" if token.kind == "end" else f"`{token.text}`"
        return InputError(f"expected {expected}, not {found}", Position(1, token.column))

    def expression(self) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InputError(f"nested more than {_DEEPEST} deep", Position(1, self.next.column))
        condition = self.binary(0)
        if self.take("?"):
            then = self.expression()
            self.expect(":")
            condition = Conditional(condition, then, self.expression())
        self.depth -= 1
        return condition

    def binary(self, weakest: int) -> Expression:
        left = self.unary()
        while self.next.kind == "symbol" and BINARY_OPERATORS.get(self.next.text, -1) > weakest:
            operator = self.next.text
            self.at += 1
            left = Binary(operator, left, self.binary(BINARY_OPERATORS[operator]))
        return left

    def unary(self) -> Expression:
        operators = []
        while self.next.kind == "symbol" and self.next.text in ("-", "!"):
            operators.append(self.next.text)
            self.at += 1
            if len(operators) > _DEEPEST:
                raise InputError(f"nested more than {_DEEPEST} deep", Position(1, self.next.column))
        operand = self.atom()
        for operator in reversed(operators):
            operand = minus(operand) if operator == "-" else Unary("!", operand)
        return operand

    def atom(self) -> Expression:
        token = self.next
        if token.kind == "number":
            if len(token.text) > _MOST_DIGITS:
                raise InputError(f"a number of more than {_MOST_DIGITS} digits", Position(1, token.column))
            self.at += 1
            return Integer(int(token.text))
        if token.kind == "name":
            return self.place()
        self.expect_operand("(")
        found = self.expression()
        self.expect(")")
        return found

    def expect_operand(self, symbol: str) -> None:
        if not self.take(symbol):
            raise self.wrong("a number, a variable or `(`")

    def place(self) -> Expression:
        token = self.next
        if any(part in KEYWORDS for part in token.text.split(".")):
            raise InputError(f"`{token.text}` is a keyword", Position(1, token.column))
        name = token.text.replace("`", "")
        self.at += 1
        if self.take("["):
            index = self.expression()
            self.expect("]")
            return Element(name, index)
        if self.take("@"):
            if self.next.kind != "name":
                raise self.wrong("a label")
            label = self.next.text.replace("`", "")
            self.at += 1
            return At(name, label)
        return Name(name)


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        column = match.start(kind) + 1
        if kind == "other":
            raise InputError(f"`{match[kind]}` has no place in an expression", Position(1, column))
        yield _Token(kind, match[kind], column)
    yield _Token("end", "", len(text.rstrip()) + 1)
