"""Both engines and a brute-force enumeration agree on 3,000 random programs; counterexamples are shortest runs.

The seeds are fixed: a program that fails today fails tomorrow. `ebb-shrink` makes a failing one small; it then goes
into `regressions/` beside this file.
"""

import random
from collections import Counter
from pathlib import Path

import pytest
from boolean_brute_force import brute_force
from random_boolean_programs import random_program

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.build import build
from ebb.backend.automata.cone import cone
from ebb.backend.automata.steps import is_run
from ebb.backend.checker import bdd_engine, concretise, cubes_engine
from ebb.backend.checker.answer import Answer
from ebb.backend.checker.bdd_engine import Effort
from ebb.backend.checker.limits import Limits
from ebb.formats.bp_check import read

PROGRAMS, PART = 3_000, 150
REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.bp"))


def answers(automata: Automata) -> dict[str, Answer]:
    """Of every way that an engine can go."""
    small = cone(automata)
    return {
        "bdd": bdd_engine.check(small, Limits()),
        "bdd, in any order": bdd_engine.check(small, Limits(), effort=Effort(-1, 10_000, 10_000)),
        "bdd, control as data": bdd_engine.check(small, Limits(), effort=Effort(-1, -1, -1)),
        "bdd, everything": bdd_engine.check(automata, Limits()),
        "cubes": cubes_engine.check(small, Limits()),
        "cubes, everything": cubes_engine.check(automata, Limits()),
    }


def agree(text: str) -> str:
    """The verdict of the enumeration, if everybody comes to it."""
    wanted = brute_force(text)
    automata = build(read(text))
    for engine, answer in answers(automata).items():
        said = {"unknown": "overflow"}.get(answer.verdict, answer.verdict)
        assert said == wanted.verdict, f"{engine}:\n{text}"
        if said == "unsafe":
            assert len(answer.edges) == wanted.length, f"{engine}: not a shortest counterexample:\n{text}"
            path = concretise.concretise(automata, answer.edges)
            assert path is not None, f"{engine}: no run:\n{text}"
            assert is_run(automata, path), f"{engine}: no run:\n{text}"
    return wanted.verdict


@pytest.mark.parametrize("part", range(PROGRAMS // PART))
def test_everybody_agrees(part: int) -> None:
    verdicts = Counter(agree(random_program(random.Random(seed))) for seed in range(part * PART, (part + 1) * PART))
    assert verdicts["safe"] > PART // 5
    assert verdicts["unsafe"] > PART // 5


@pytest.mark.parametrize("file", REGRESSIONS, ids=lambda file: file.stem)
def test_what_once_went_wrong(file: Path) -> None:
    agree(file.read_text(encoding="utf-8"))


def test_states_of_a_path_by_diagrams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cubes are many, diagrams find the states; here they always do."""
    monkeypatch.setattr(concretise, "_MANY", -1)
    unsafe = 0
    for seed in range(200):
        automata = build(read(random_program(random.Random(seed))))
        answer = cubes_engine.check(automata, Limits())
        if answer.verdict == "unsafe":
            path = concretise.concretise(automata, answer.edges)
            assert path is not None
            assert is_run(automata, path)
            unsafe += 1
    assert unsafe > 40


def test_edges_that_are_no_run_have_no_states() -> None:
    automata = build(read("decl a; void main() begin a := 0; assume(a); assert(F); end"))
    numbers = tuple(edge.number for edge in automata.edges if edge.guard is not None)
    failing = next(edge.number for edge in automata.edges if edge.outcome.value == "violation")
    assert concretise.concretise(automata, (*numbers[:2], failing)) is None
