"""The text of a litmus file as tokens that know where they stand.

Comments are overwritten with blanks before anything else looks at the text: offsets stay, so every later error still
points into the original, and a comment that spans lines does not end the row it stands in. Characters that mean nothing
become tokens too, so that the first mistake in the file is the one reported.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from ebb.formats.errors import InputError, Position

MOST_DIGITS = 100  # as in IR
_LONGEST_SHOWN = 40

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_COMMENT_START = re.compile(r'"[^"\n]*"|\(\*')  # a comment cannot begin inside a string
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")
_NUMBER = re.compile(r"(-?)(?:0[xX]([0-9a-fA-F]+)|([0-9]+))")
_TOKEN = re.compile(
    r"(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>-?[0-9][A-Za-z0-9_]*)|(?P<symbol>/\\|\\/|[][(){}=:;|,$%~])"
    r"|(?P<newline>\n)|(?P<blank>[ \t\r]+)|(?P<other>.)"
)

Kind = Literal["word", "number", "symbol", "newline", "other", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    start: int
    at: Position

    def __str__(self) -> str:
        """How messages speak of it."""
        match self.kind:
            case "newline":
                return "the end of the line"
            case "end":
                return "the end of the file"
            case _:
                return shown(self.text)


def shown(text: str) -> str:
    """Text of the file inside a message: quoted, cut to a bearable length, and printable."""
    if len(text) > _LONGEST_SHOWN:
        text = f"{text[:_LONGEST_SHOWN]}…"
    return f"`{text}`" if text.isprintable() else " ".join(f"U+{ord(c):04X}" for c in text)


class Source:
    """The text without its comments, and the way from an offset to a position."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(newline.end() for newline in re.finditer("\n", text))]
        if control := _CONTROL.search(text):
            raise self.error(f"control character {shown(control[0])} in a text file", control.start())
        self.text = self._without_comments(text)
        self.end = len(self.text.rstrip())  # where a file that ends too early is said to end

    def position(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def error(self, message: str, offset: int) -> InputError:
        return InputError(message, self.position(offset))

    def _without_comments(self, text: str) -> str:
        """Comments nest, as in OCaml, from which the format has them."""
        kept: list[str] = []
        done = 0
        while start := _COMMENT_START.search(text, done):
            if start[0] != "(*":
                kept.append(text[done : start.end()])
                done = start.end()
                continue
            depth, end = 1, start.end()
            while depth:
                edge = _COMMENT_EDGE.search(text, end)
                if edge is None:
                    raise self.error("this comment is never closed", start.start())
                depth += 1 if edge[0] == "(*" else -1
                end = edge.end()
            kept.append(text[done : start.start()] + " " * (end - start.start()))
            done = end
        return "".join(kept) + text[done:]


class Cursor:
    """The tokens from an offset on, read one after the other.

    Line ends matter only in the table of instructions; `line_by_line` says whether they are seen now.
    """

    def __init__(self, source: Source, offset: int) -> None:
        self.line_by_line = False
        self._source = source
        self._tokens: list[Token] = []
        self._next = 0
        for found in _TOKEN.finditer(source.text, offset):
            if found.lastgroup != "blank":
                at = source.position(found.start())
                self._tokens.append(Token(_kind(found.lastgroup), found[0], found.start(), at))
        self._tokens.append(Token("end", "", source.end, source.position(source.end)))

    @property
    def token(self) -> Token:
        """The token that `take` takes; at the end of the file it stays the same."""
        if not self.line_by_line:
            self.skip_newlines()
        return self._tokens[self._next]

    @property
    def following(self) -> Token:
        """The token after the next one."""
        here = self._next
        self.take()
        found = self.token
        self._next = here
        return found

    @property
    def behind(self) -> Position:
        """Right behind the token taken last: where something is missing."""
        last = self._tokens[self._next - 1]
        return self._source.position(last.start + len(last.text))

    def skip_newlines(self) -> None:
        while self._tokens[self._next].kind == "newline":
            self._next += 1

    def take(self) -> Token:
        token = self.token
        if token.kind != "end":
            self._next += 1
        return token

    def accept(self, text: str) -> bool:
        """Whether the next token is this symbol or word; if so it is taken."""
        if self.token.text != text or self.token.kind in ("newline", "end"):
            return False
        self.take()
        return True

    def expect(self, text: str) -> Token:
        if self.token.text != text:
            raise self.unexpected(f"`{text}`")
        return self.take()

    def word(self, what: str) -> Token:
        if self.token.kind != "word":
            raise self.unexpected(what)
        return self.take()

    def integer(self, what: str = "a number") -> int:
        token = self.token
        if token.kind != "number":
            raise self.unexpected(what)
        number = _NUMBER.fullmatch(token.text)
        if number is None:
            raise InputError(f"{token} is not a number", token.at)
        sign, hexadecimal, decimal = number.groups()
        digits: str = hexadecimal or decimal
        value = int(digits, 16 if hexadecimal else 10) if len(digits) <= MOST_DIGITS else None
        if value is None or value >= 10**MOST_DIGITS:  # hexadecimal digits weigh more
            raise InputError(f"a number of more than {MOST_DIGITS} digits", token.at)
        self.take()
        return -value if sign else value

    def unexpected(self, expected: str) -> InputError:
        """What should stand here instead of the next token."""
        return InputError(f"expected {expected}, found {self.token}", self.token.at)


def _kind(group: str | None) -> Kind:
    match group:
        case "word" | "number" | "symbol" | "newline":
            return group
        case _:
            return "other"
