"""Boolean programs in colour, for a terminal."""

import os
import re
import sys
from collections.abc import Iterator
from typing import Literal

from ebb.formats.bp import KEYWORDS

Kind = Literal["mark", "comment", "keyword", "label", "constant"]

_STYLES: dict[Kind, str] = {
    "mark": "cyan",
    "comment": "bright_black",
    "keyword": "bold blue",
    "label": "yellow",
    "constant": "magenta",
}
_NAME = r"[A-Za-z_][A-Za-z0-9_$]*|\{[^{}\n]*\}"
_TOKEN = re.compile(
    rf"(?P<mark>//@[^\n]*)|(?P<comment>//(?:(?!\s//@)[^\n])*|/\*(?:[^*]|\*+[^*/])*\*+/)"
    rf"|(?P<label>(?:{_NAME}|[0-9]+)(?=: ))|(?P<word>{_NAME}|[0-9]+)|(?P<star>\*)|(?P<semicolon>;)"
)
_CONSTANTS = frozenset({"T", "F", "0", "1"})


def wanted() -> bool:
    """Whether standard output is a terminal and its user likes colours."""
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def coloured(text: str) -> str:
    """The canonical text of a program with the codes for colours that this terminal understands."""
    from rich.console import Console
    from rich.text import Text

    shown = Text(text)
    for kind, start, end in tokens(text):
        shown.stylize(_STYLES[kind], start, end)
    console = Console(file=sys.stdout, highlight=False)
    with console.capture() as capture:
        console.print(shown, soft_wrap=True, end="")
    return capture.get()


def tokens(text: str) -> Iterator[tuple[Kind, int, int]]:
    """What has a colour in the canonical text of a program, and from where to where it goes."""
    jumps = False  # between `goto` and the end of the statement stand labels
    for token in _TOKEN.finditer(text):
        kind = _kind(token, jumps)
        if kind is not None:
            yield kind, token.start(), token.end()
        jumps = token[0] == "goto" or (jumps and token.lastgroup != "semicolon")


def _kind(token: re.Match[str], jumps: bool) -> Kind | None:
    match token.lastgroup:
        case "mark":
            return "mark"
        case "comment":
            return "comment"
        case "label":
            return "label"
        case "star":
            return "constant"
        case "word" if jumps:
            return "label"
        case "word" if token[0] in _CONSTANTS:
            return "constant"
        case "word" if token[0] in KEYWORDS:
            return "keyword"
    return None
