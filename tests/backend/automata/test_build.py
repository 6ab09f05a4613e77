"""The automata of a Boolean program do what the program does, step by step."""

import random
from collections.abc import Iterator
from itertools import product, zip_longest
from typing import Literal, TypeAlias

import pytest
from boolean_brute_force import Answer, State, Step, brute_force, levels
from random_boolean_programs import MOST_BITS, MOST_THREADS, random_program

from ebb.backend.automata.automaton import ENDED, IDLE, Automata, Edge, Outcome
from ebb.backend.automata.build import build
from ebb.backend.automata.steps import (
    Control,
    Path,
    after_edge,
    exists,
    initial_control,
    is_run,
    is_step,
    may_move,
    possible,
)
from ebb.formats.bp_check import read
from ebb.formats.errors import InputError, Position

PROGRAMS = 300

_Valuation: TypeAlias = tuple[bool, ...]
_Reached: TypeAlias = tuple[Control, _Valuation] | Literal["unsafe", "overflow"]


# ---- the automata, state by state


def automata_levels(automata: Automata) -> Iterator[set[_Reached]]:
    """What is reached after no step, after one, and so on, each time without what was reached before."""
    first = initial_control(automata)
    seen: set[_Reached] = set()
    level: set[_Reached] = {
        (first, values) for values in product((False, True), repeat=len(automata.bits)) if _exists(automata, first, values)
    }
    while level:
        yield level
        seen |= level
        level = {
            after
            for reached in level
            if not isinstance(reached, str)
            for edge in automata.edges
            if may_move(automata, reached[0], edge)
            for after in _after(automata, reached, edge)
        } - seen


def _named(automata: Automata, values: _Valuation) -> dict[str, bool]:
    return {bit.name: value for bit, value in zip(automata.bits, values, strict=True)}


def _exists(automata: Automata, control: Control, values: _Valuation) -> bool:
    return exists(automata, control, _named(automata, values))


def _after(automata: Automata, reached: tuple[Control, _Valuation], edge: Edge) -> Iterator[_Reached]:
    before = _named(automata, reached[1])
    if edge.outcome is not Outcome.LOCATION:
        if True in possible(edge.guard, before, before):
            yield "unsafe" if edge.outcome is Outcome.VIOLATION else "overflow"
        return
    control = after_edge(reached[0], edge, automata)
    for chosen in product((False, True), repeat=len(edge.targets)):
        after = before | dict(zip(edge.targets, chosen, strict=True))
        if is_step(edge, before, after) and exists(automata, control, after):
            yield control, tuple(after.values())


def answer(automata: Automata) -> Answer:
    overflow = False
    for length, level in enumerate(automata_levels(automata)):
        if "unsafe" in level:
            return Answer("unsafe", length)
        overflow |= "overflow" in level
    return Answer("overflow" if overflow else "safe")


# ---- what both can say of a state

# The global variables, and of each thread its function, the variables of that, and whether it has ended or is in an
# atomic block. Which thread is which has no name that both know.
_Thread: TypeAlias = tuple[str, _Valuation, bool, bool]
_View: TypeAlias = tuple[_Valuation, tuple[_Thread, ...]] | str


def _view(step: Step) -> _View:
    if not isinstance(step, State):
        return step
    threads = []
    for (first, *called), atomic in step.threads:
        threads.append((first.function, first.values, first.place is None and not called, atomic > 0))
    return step.values, tuple(sorted(threads))


def _automata_view(automata: Automata, reached: _Reached) -> _View:
    if isinstance(reached, str):
        return reached
    control, values = reached
    named = _named(automata, values)
    threads = []
    for number, thread in enumerate(automata.threads):
        own = tuple(
            named[bit.name]
            for bit in automata.bits
            if bit.thread == number and "." not in bit.name.removeprefix(f"{thread.name}.")
        )
        if control[number] != IDLE:
            threads.append((thread.function, own, control[number] == ENDED, control[number] in thread.atomic))
    shared = tuple(named[bit.name] for bit in automata.bits if bit.thread is None)
    return shared, tuple(sorted(threads))


def agree(text: str) -> None:
    """What is reached in any number of steps is the same by the program and by its automata."""
    automata = build(read(text))
    by_program: set[_View] = set()
    by_automata: set[_View] = set()
    for level, reached in zip_longest(levels(text), automata_levels(automata), fillvalue=()):
        by_program |= {_view(step) for step in level}
        by_automata |= {_automata_view(automata, state) for state in reached}
        assert by_program == by_automata, text
