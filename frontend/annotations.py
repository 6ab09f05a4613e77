"""Structured comments: what `ebb-show` adds so that its output parses back to the same IR.

`//@ program "NAME" from "FILE"` (and `model sc reduced pso`) stands for the program as a whole; `//@ LINE:COLUMN note`
gives what stands on its line the position and the note it had before it was printed. Other tools skip comments.
"""

import contextlib
import json
import re
from dataclasses import dataclass, field
from typing import Literal

from ebb.formats.errors import Position
from ebb.formats.ir import REDUCED_MODELS, ReducedModel

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_NUMBER = r"([1-9]\d{0,8})"
_PLACE = re.compile(rf"//@ {_NUMBER}:{_NUMBER}(?: (.*))?")
_STRING = r'("(?:[^"\\]|\\.)*")'
_PROGRAM = re.compile(rf"//@ program {_STRING} from {_STRING}( model sc(?: reduced (tso|pso|rma))?)?")


@dataclass(slots=True)
class Annotations:
    name: str | None = None
    source: str | None = None
    model: Literal["any", "sc"] = "any"
    reduced: ReducedModel | None = None
    places: dict[int, tuple[Position, str]] = field(default_factory=dict)  # by line of the text

    def position(self, at: Position) -> Position:
        """Where what stands at `at` in this text originally stood."""
        found = self.places.get(at.line)
        return found[0] if found else at

    def note(self, at: Position, otherwise: str) -> str:
        found = self.places.get(at.line)
        return found[1] if found else otherwise


def read_annotations(text: str) -> Annotations:
    annotations = Annotations()
    if "//@" not in text:
        return annotations
    line, counted = 1, 0
    for comment in _COMMENT.finditer(text):
        line += text.count("\n", counted, comment.start())
        counted = comment.start()
        content = comment.group().rstrip()
        if place := _PLACE.fullmatch(content):
            note = "".join(character for character in place[3] or "" if character.isprintable()).strip()
            annotations.places[line] = (Position(int(place[1]), int(place[2])), note)
        elif program := _PROGRAM.fullmatch(content):
            annotations.model = "sc" if program[3] else "any"
            annotations.reduced = next((model for model in REDUCED_MODELS if model == program[4]), None)
            with contextlib.suppress(ValueError):
                name, source = json.loads(program[1]), json.loads(program[2])
                if name.isprintable() and source.isprintable():
                    annotations.name, annotations.source = name, source
    return annotations
