"""Boolean programs that are a few lines away from others: what is nearly right finds more than what is random."""

import random
import re

from ebb.formats.bp_check import read
from ebb.formats.errors import InputError

_NAME = re.compile(r"\b[a-z]\w*\b")
_CONSTANT = re.compile(r"\b[TF]\b|\*")
_TRIES = 50


def varied(text: str, rng: random.Random) -> str:
    """The program with up to four lines changed, such that it is a program still; else as it is."""
    declared = {name for line in re.findall(r"decl ([^;]*);", text) for name in line.split(", ")}
    for _ in range(_TRIES):
        lines = text.splitlines()
        for _ in range(rng.randint(1, 4)):
            inside = [number for number, line in enumerate(lines) if line.startswith("  ")]
            if inside:
                rng.choice(_CHANGES)(lines, rng.choice(inside), rng.choice(inside), sorted(declared), rng)
        found = "\n".join(lines) + "\n"
        try:
            read(found)
        except InputError:
            continue
        return found
    return text


def _delete(lines: list[str], here: int, there: int, names: list[str], rng: random.Random) -> None:
    del lines[here]


def _swap(lines: list[str], here: int, there: int, names: list[str], rng: random.Random) -> None:
    lines[here], lines[there] = lines[there], lines[here]


def _repeat(lines: list[str], here: int, there: int, names: list[str], rng: random.Random) -> None:
    lines.insert(here, re.sub(r"^( +)\w+: ", r"\1", lines[there]))


def _make_atomic(lines: list[str], here: int, there: int, names: list[str], rng: random.Random) -> None:
    lines[here : here + 1] = ["  atomic_begin;", lines[here], "  atomic_end;"]


def _rename(lines: list[str], here: int, there: int, names: list[str], rng: random.Random) -> None:
    found = [match for match in _NAME.finditer(lines[here]) if match[0] in names]
    if found:
        match = rng.choice(found)
        lines[here] = lines[here][: match.start()] + rng.choice(names) + lines[here][match.end() :]


def _change_constant(lines: list[str], here: int, there: int, names: list[str], rng: random.Random) -> None:
    lines[here] = _CONSTANT.sub(lambda _: rng.choice("TF*"), lines[here], count=1)


_CHANGES = (_delete, _swap, _repeat, _make_atomic, _rename, _change_constant)
