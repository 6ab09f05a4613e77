"""The comments and blank lines of a Boolean program, and the item that each of them stands with.

An item is what takes a line of its own: a declaration, an `enforce`, the heading of a function, a statement. A comment
to the right of an item is beside it; any other stands above the item that follows, or above the one it interrupts.
"""

from collections import defaultdict
from collections.abc import Iterator

from lark import Token

from ebb.formats.bp import Comments
from ebb.formats.bp_nesting import BracketCount

_ENDS_ITEM = frozenset({"SEMICOLON", "BEGIN", "THEN", "DO", "ELSE", "FI", "OD", "END"})
_NO_ITEM = frozenset({"ELSIF", "ELSE", "FI", "OD"})  # what begins so cannot carry a comment to its right
_HEADING = frozenset({"IF", "ELSIF", "WHILE"})  # a condition follows, and `then` or `do` may be missing after it
_OPERAND = frozenset({"NAME", "NEXT", "TRUE", "FALSE", "INTEGER", "STAR", "RPAR", "RSQB"})  # an expression can end here
_GOES_ON = frozenset({"IMPLIES", "OR", "XOR", "AND", "COMPARE", "QMARK", "COLON", "COMMA", "RPAR", "RSQB"})


class Layout:
    """Takes the comments out of the stream of tokens on its way to the parser."""

    always_accept = ("COMMENT",)

    def __init__(self) -> None:
        self._text = ""
        self._above: dict[int, list[str]] = defaultdict(list)  # by where the item begins
        self._beside: dict[int, list[str]] = defaultdict(list)

    def begin(self, text: str) -> None:
        self._text = text
        self._above.clear()
        self._beside.clear()

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        pending: list[str] = []  # lines above an item that has not begun
        item: int | None = None  # where the item in hand begins; None between items
        first = ""  # the kind of token that it begins with
        last: int | None = None  # where the item begins to the right of which a comment would stand
        heading = False  # in the condition of an item
        previous, end = "", 0  # the token before
        brackets = BracketCount()
        for token in stream:
            start: int = token.start_pos or 0
            kind = token.type
            newlines = self._text.count("\n", end, start) if end else 0
            end = token.end_pos or 0
            if kind == "COMMENT":
                if item is not None:
                    self._above[item].append(token.rstrip())
                elif last is not None and not newlines:
                    self._beside[last].append(token.rstrip())
                else:
                    pending += [""] * (newlines > 1) + [token.rstrip()]
                    last = None
                continue
            if heading and previous in _OPERAND and kind not in _GOES_ON and kind not in _ENDS_ITEM:
                last, item, heading = _carrier(item, first), None, False
            if item is None and kind != "SEMICOLON":
                if lines := pending + [""] * (newlines > 1):
                    self._above[start] = lines
                pending, item, first = [], start, kind
            brackets.count(token)
            heading |= kind in _HEADING
            if item is None:  # an empty statement is no item
                last = None if newlines else last
            elif kind in _ENDS_ITEM:
                last, item, heading = _carrier(item, first), None, False
            previous = kind
            yield token
        self._above[-1] = pending

    def above(self, first: Token | None) -> tuple[str, ...]:
        """The lines above the item that begins with a token; without one, those at the end of the file."""
        return tuple(self._above.get(-1 if first is None else first.start_pos or 0, ()))

    def beside(self, first: Token) -> tuple[str, ...]:
        """The comments to the right of the item that begins with a token."""
        return tuple(self._beside.get(first.start_pos or 0, ()))

    def comments(self, first: Token) -> Comments:
        return Comments(self.above(first), " ".join(self.beside(first)))


def _carrier(item: int | None, first: str) -> int | None:
    return None if first in _NO_ITEM else item
