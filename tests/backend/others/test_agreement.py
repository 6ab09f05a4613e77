"""Other people's checkers come to the same verdicts, and their counterexamples are runs of the program."""

import random
from pathlib import Path

import pytest
from boolean_brute_force import brute_force
from random_boolean_programs import random_program

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.build import build
from ebb.backend.checker import engines
from ebb.backend.checker.limits import Limits
from ebb.formats.bp_check import read

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "boolean").glob("*.bp"))
REGRESSIONS = sorted((Path(__file__).parents[1] / "checker" / "regressions").glob("*.bp"))
PROGRAMS, PART = 100, 10

CHECKERS = [
    pytest.param("spin", marks=pytest.mark.system_package("spin")),
    pytest.param("nusmv", marks=pytest.mark.system_package("pyboolnet")),
    pytest.param("abc", marks=pytest.mark.system_package("berkeley-abc")),
    pytest.param("rumur", marks=pytest.mark.system_package("rumur")),
]


def said(automata: Automata, engine: str) -> str:
    """The verdict; an unsafe one has had its counterexample run step by step."""
    answer = engines.check(automata, engine, Limits(seconds=300))
    if answer.verdict == "unknown":
        assert answer.reason.startswith("overflow"), answer.reason
    assert (answer.verdict == "unsafe") == bool(answer.states)
    return answer.verdict


@pytest.mark.parametrize("engine", CHECKERS)
@pytest.mark.parametrize("file", [*EXAMPLES, *REGRESSIONS], ids=lambda file: file.stem)
def test_on_programs_with_names(file: Path, engine: str) -> None:
    automata = build(read(file.read_text(encoding="utf-8")), 3)
    assert said(automata, engine) == said(automata, "auto")


@pytest.mark.parametrize("engine", CHECKERS)
@pytest.mark.parametrize("part", range(PROGRAMS // PART))
def test_on_random_programs(part: int, engine: str) -> None:
    for seed in range(part * PART, (part + 1) * PART):
        text = random_program(random.Random(seed))
        wanted = {"overflow": "unknown"}.get(verdict := brute_force(text).verdict, verdict)
        assert said(build(read(text)), engine) == wanted, text
