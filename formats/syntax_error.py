"""How every reader of a text says that a token does not fit."""

from lark import Token

from ebb.formats.errors import Position

NEVER_CLOSED = "this comment is never closed"

_LONGEST = 40  # letters of a token that a message repeats


def place(token: Token) -> Position:
    return Position(token.line or 1, token.column or 1)


def unexpected(token: Token, text: str) -> tuple[str, Position]:
    """What is wrong about the token, and where."""
    if token.type == "$END":
        lines = text.split("\n")
        while len(lines) > 1 and not lines[-1].strip():
            lines.pop()
        return "the file ends too early", Position(len(lines), len(lines[-1]) + 1)
    if token.start_pos is not None and text.startswith("/*", token.start_pos):
        return NEVER_CLOSED, place(token)
    shown = token if len(token) <= _LONGEST else f"{token[:_LONGEST]}…"
    return f"unexpected `{shown}`", place(token)
