"""Names of a program as identifiers of other languages: recognisable, different from each other, and no keywords."""

import re
from collections.abc import Iterable

from ebb.backend.automata.automaton import Automata, Bit, Edge

_WORDS = {
    "==": "_eq_",
    "!=": "_ne_",
    "<=": "_le_",
    ">=": "_ge_",
    "<": "_lt_",
    ">": "_gt_",
    "+": "_plus_",
    "-": "_minus_",
    "*": "_times_",
    "!": "_not_",
    "&&": "_and_",
    "||": "_or_",
}
_WORD = re.compile("|".join(re.escape(word) for word in sorted(_WORDS, key=len, reverse=True)))
_LONGEST = 60


def identifiers(names: Iterable[str], prefix: str) -> dict[str, str]:
    """An identifier for each name. The prefix, a word and `_`, keeps them apart from keywords and from other kinds."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        words = _WORD.sub(lambda match: _WORDS[match[0]], name)
        plain = prefix + re.sub(r"[^A-Za-z0-9]+", "_", words).strip("_")[:_LONGEST]
        unique, number = plain, 1
        while unique in taken:
            number += 1
            unique = f"{plain}_{number}"
        taken.add(unique)
        found[name] = unique
    return found


def bit_names(automata: Automata) -> dict[str, str]:
    return identifiers((bit.name for bit in automata.bits), "v_")


def thread_names(automata: Automata) -> tuple[str, ...]:
    found = identifiers((thread.name for thread in automata.threads), "")
    return tuple(found[thread.name] for thread in automata.threads)


def meaning(bit: Bit) -> str:
    """What a bit is in the program, for a comment."""
    return plain_text(f"{bit.name}: {bit.predicate}" if bit.predicate else bit.name)


def description(automata: Automata, number: int, edge: Edge) -> str:
    """What an edge is in the program, for a comment."""
    statement = edge.statement
    place = "".join(f"{label}: " for label in statement.labels)
    parts = [f"edge {number}, {automata.threads[edge.thread].name}: {place}{statement.text}"]
    if statement.way:
        parts.append(f"on to {statement.way}")
    if edge.starts is not None:
        parts.append(f"starts {automata.threads[edge.starts].name}")
    if statement.checks:
        parts.append(f"checks {statement.checks}")
    if statement.origin is not None:
        parts.append(f"at {statement.origin.file}:{statement.origin.line} {statement.origin.note}".rstrip())
    if edge.reason:
        parts.append(edge.reason)
    return plain_text(" // ".join(parts))


def plain_text(text: str) -> str:
    """Text that can stand in a comment of any language, on one line."""
    ascii_only = "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    return ascii_only.replace("*/", "* /").replace("/*", "/ *")
