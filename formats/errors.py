"""The one family of errors that users see.

Library code raises; only `formats.command_line` turns an error into text and an exit code.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a source text; lines and columns count from 1."""

    line: int
    column: int


class EbbError(Exception):
    """Something the user can mend."""


class UsageError(EbbError):
    """The command line asks for something that makes no sense (exit 64)."""


class InputError(EbbError):
    """A file is wrong (exit 65): where, and what is wrong there.

    `file` is the name to print; readers that only know a text leave it empty and the caller who opened the
    file fills it in with `within`.
    """

    def __init__(self, message: str, position: Position | None = None, *, file: str = "", text: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.file = file
        self.text = text

    def within(self, file: str, text: str) -> "InputError":
        """The same error, knowing the file and the text it is about."""
        if self.file:
            return self
        return InputError(self.message, self.position, file=file, text=text)

    def __str__(self) -> str:
        place = self.file or "<input>"
        if self.position is None:
            return f"{place}: {self.message}"
        head = f"{place}:{self.position.line}:{self.position.column}: {self.message}"
        excerpt = _excerpt(self.text, self.position)
        return f"{head}\n{excerpt}" if excerpt else head


_WIDEST = 160


def _excerpt(text: str, position: Position) -> str:
    """The source line with a caret under the column, cut to a width that fits a terminal."""
    lines = text.split("\n")
    if not text or position.line > len(lines):
        return ""
    line = lines[position.line - 1].rstrip("\r")
    column = min(position.column, len(line) + 1)
    start = max(0, column - _WIDEST // 2) if len(line) > _WIDEST else 0
    shown = "".join(c if c.isprintable() else " " for c in line[start : start + _WIDEST])
    return f"  {shown}\n  {' ' * (column - 1 - start)}^"
