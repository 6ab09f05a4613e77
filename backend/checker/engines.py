"""The engines by name, and what they have in common: the cone before, the check of a counterexample after."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ebb.backend.automata.automaton import Automata, Outcome
from ebb.backend.automata.compact import compact
from ebb.backend.automata.cone import cone
from ebb.backend.automata.steps import is_run
from ebb.backend.checker import cubes_engine
from ebb.backend.checker.answer import Answer
from ebb.backend.checker.concretise import concretise
from ebb.backend.checker.impossible import without_impossible_outcomes
from ebb.backend.checker.limits import Limits, Progress

OWN = ("auto", "bdd", "cubes")

_Engine = Callable[[Automata, Limits, Progress | None], Answer]

_FEW_STATES = 2_000  # that cubes look at before diagrams take over: loading those takes longer


def check_quickly(
    automata: Automata,
    engine: str,
    limits: Limits,
    progress: Progress | None = None,
    *,
    until_overflow: bool = False,
) -> Answer:
    """The same verdict with less work; a counterexample is a run of the program, but need not be a shortest one.

    Where only an overflow matters, the search may end with it, before it is known whether there is a violation.
    """
    compacted = compact(automata)
    run = partial(_quick, until_overflow=until_overflow) if engine == "auto" else _engine(engine)
    answer = _answer(compacted.automata, engine, run, limits, progress)
    edges = tuple(number for edge in answer.edges for number in compacted.runs[edge])
    overflow = None if answer.overflow is None else compacted.runs[answer.overflow][-1]
    return _with_states(automata, engine, replace(answer, edges=edges, overflow=overflow))


def check(automata: Automata, engine: str, limits: Limits, progress: Progress | None = None) -> Answer:
    """The verdict, and a shortest counterexample."""
    return _with_states(automata, engine, _answer(automata, engine, _engine(engine), limits, progress))


def _answer(automata: Automata, engine: str, run: _Engine, limits: Limits, progress: Progress | None) -> Answer:
    """What the engine says of the part of the program that can matter."""
    return run(cone(without_impossible_outcomes(automata) if engine in OWN else automata), limits, progress)


def _with_states(automata: Automata, engine: str, answer: Answer) -> Answer:
    """The answer with the states of its counterexample, which shows that there is one."""
    counts = {"threads": len(automata.threads), "bits": len(automata.bits)} | answer.counts
    if answer.verdict != "unsafe":
        return replace(answer, counts=counts)
    path = concretise(automata, answer.edges)
    if path is None:
        return Answer("unknown", f"{engine} gave a counterexample that is no run of the program", counts=counts)
    if not is_run(automata, path):
        raise AssertionError("the states of the counterexample are no run of the program")
    return replace(answer, states=path.states, counts=counts)


def _engine(name: str) -> _Engine:
    if name == "cubes":
        return cubes_engine.check
    if name == "bdd":
        return _bdd
    if name == "auto":
        return _auto
    return partial(_other, name)


def _bdd(automata: Automata, limits: Limits, progress: Progress | None) -> Answer:
    from ebb.backend.checker import bdd_engine  # loads what only this engine needs

    return bdd_engine.check(automata, limits, progress)


def _quick(automata: Automata, limits: Limits, progress: Progress | None, *, until_overflow: bool) -> Answer:
    """Diagrams, in any order: what matters is whether there is a violation."""
    from ebb.backend.checker import bdd_engine

    return bdd_engine.check(
        automata, limits, progress, bdd_engine.Effort(first_states=1, until_overflow=until_overflow)
    )


def _auto(automata: Automata, limits: Limits, progress: Progress | None) -> Answer:
    """Cubes while that is quick, else diagrams."""
    few = _FEW_STATES if limits.states is None else min(limits.states, _FEW_STATES)
    answer = cubes_engine.check(automata, replace(limits, states=few), progress)
    if answer.verdict != "unknown" or (answer.overflow is not None and answer.reason.startswith("overflow")):
        return answer
    return _bdd(automata, limits, progress)


def _other(name: str, automata: Automata, limits: Limits, _: Progress | None) -> Answer:
    """A violation first; only where there is none, an overflow."""
    from ebb.backend.others.registry import checker

    ask = checker(name)
    for goal in (Outcome.VIOLATION, Outcome.OVERFLOW):
        if not any(edge.outcome is goal for edge in automata.edges):
            continue
        found = ask(automata, goal, limits.seconds)
        if found.reached is None:
            return Answer("unknown", f"{name}: {found.reason}")
        if found.reached:
            edges = tuple(automata.edges[index].number for index in found.edges)
            if goal is Outcome.VIOLATION:
                return Answer("unsafe", edges=edges)
            overflow = automata.edges[found.edges[-1]]
            return Answer("unknown", f"overflow: {overflow.reason}", overflow=overflow.number)
    return Answer("safe")
