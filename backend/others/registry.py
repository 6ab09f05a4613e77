"""Other checkers and their languages by name. Each is loaded only when it is asked for."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ebb.backend.automata.automaton import Automata, Outcome
    from ebb.backend.others.answer import Answer

Check: TypeAlias = "Callable[[Automata, Outcome, float | None], Answer]"
Export: TypeAlias = "Callable[[Automata, Outcome], str | bytes]"

CHECKERS = ("spin", "nusmv", "abc", "rumur")
LANGUAGES = ("promela", "smv", "aiger", "murphi")


def checker(name: str) -> Check:
    check: Check = import_module(f"ebb.backend.others.{name}").check
    return check


def exporter(language: str) -> Export:
    export: Export = import_module(f"ebb.backend.others.{language}").export
    return export
