"""Both engines and a brute-force enumeration agree on 3,000 random programs; counterexamples are shortest runs.

The seeds are fixed: a program that fails today fails tomorrow. A failing one is shrunk before it is shown; it then goes
into `regressions/` beside this file. In `hazards/` are programs written to go wrong if a reduction is not careful.
"""

import random
from collections import Counter
from pathlib import Path

import pytest
from boolean_brute_force import TooLarge, brute_force
from random_boolean_programs import random_hard_program, random_program
from varied_boolean_programs import varied

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.build import THREAD_BOUND, build
from ebb.backend.automata.cone import cone
from ebb.backend.automata.steps import is_run
from ebb.backend.bp_shrinking import shrink
from ebb.backend.checker import bdd_engine, concretise, cubes_engine
from ebb.backend.checker.answer import Answer
from ebb.backend.checker.bdd_engine import Effort
from ebb.backend.checker.impossible import without_impossible_outcomes
from ebb.backend.checker.limits import Limits
from ebb.formats import bp
from ebb.formats.bp_check import read
from ebb.formats.bp_text import show_program
from ebb.formats.errors import InputError

PLAIN, HARD, VARIED, PART = 2_000, 500, 500, 100
MOST_STATES = 20_000  # of the enumeration; a hard program with more is left out
HERE = Path(__file__).parent
KEPT = sorted((HERE / "regressions").glob("*.bp")) + sorted((HERE / "hazards").glob("*.bp"))


def answers(automata: Automata) -> dict[str, Answer]:
    """Of every way that an engine can go."""
    small = cone(without_impossible_outcomes(automata))
    return {
        "bdd": bdd_engine.check(small, Limits()),
        "bdd, in any order": bdd_engine.check(small, Limits(), effort=Effort(-1, 10_000, 10_000)),
        "bdd, control as data": bdd_engine.check(small, Limits(), effort=Effort(-1, -1, -1)),
        "cubes": cubes_engine.check(small, Limits()),
        "cubes, everything": cubes_engine.check(automata, Limits()),
    }


def difference(text: str, thread_bound: int) -> str:
    """What somebody says that the enumeration does not; empty if all agree."""
    automata = build(read(text), thread_bound)
    wanted = brute_force(text, thread_bound, MOST_STATES)
    for engine, answer in answers(automata).items():
        said = {"unknown": "overflow"}.get(answer.verdict, answer.verdict)
        if said != wanted.verdict:
            return f"{engine}: {said}, but it is {wanted.verdict}"
        if said == "unsafe":
            if len(answer.edges) != wanted.length:
                return f"{engine}: a counterexample of {len(answer.edges)} steps, but {wanted.length} suffice"
            path = concretise.concretise(automata, answer.edges)
            if path is None or not is_run(automata, path):
                return f"{engine}: a counterexample that is no run"
    return ""


def agree(text: str, thread_bound: int = THREAD_BOUND) -> str:
    """The verdict that everybody comes to; a program on which somebody does not is made small first."""
    if not difference(text, thread_bound):
        return brute_force(text, thread_bound, MOST_STATES).verdict

    def differs(program: bp.Program) -> bool:
        try:
            return bool(difference(show_program(program), thread_bound))
        except (InputError, TooLarge):
            return False

    small = show_program(shrink(read(text), differs))
    pytest.fail(f"with {thread_bound} threads in a pool, {difference(small, thread_bound)}:\n{small}")


@pytest.mark.parametrize("part", range(PLAIN // PART))
def test_everybody_agrees(part: int) -> None:
    verdicts = Counter(agree(random_program(random.Random(seed))) for seed in range(part * PART, (part + 1) * PART))
    assert verdicts["safe"] > PART // 5
    assert verdicts["unsafe"] > PART // 5


@pytest.mark.parametrize("part", range(HARD // PART))
def test_everybody_agrees_on_hard_programs(part: int) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(part * PART, (part + 1) * PART):
        try:
            verdicts[agree(*random_hard_program(random.Random(seed)))] += 1
        except TooLarge:
            verdicts["too large"] += 1
    assert verdicts["safe"] > PART // 10
    assert verdicts["unsafe"] > PART // 10
    assert verdicts["too large"] < PART // 5


@pytest.mark.parametrize("part", range(VARIED // PART))
def test_everybody_agrees_on_what_is_close_to_a_kept_program(part: int) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(part * PART, (part + 1) * PART):
        rng = random.Random(seed)
        text = rng.choice(KEPT).read_text(encoding="utf-8")
        try:
            verdicts[agree(varied(text, rng), rng.choice((1, 2)))] += 1
        except (InputError, TooLarge):  # atomic blocks that do not match are found only when the threads are built
            verdicts["left out"] += 1
    assert verdicts["safe"] > PART // 10
    assert verdicts["unsafe"] > PART // 10
    assert verdicts["left out"] < PART // 4


@pytest.mark.parametrize("thread_bound", [1, 2])
@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_what_was_kept(file: Path, thread_bound: int) -> None:
    agree(file.read_text(encoding="utf-8"), thread_bound)


def test_a_difference_is_found() -> None:
    """A check that cannot fail is none: an engine that lies is caught, and the program shrunk."""
    text = "decl a, b; void main() begin b := T; skip; assert(a | b | T); assert(a); end"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cubes_engine, "check", lambda *_: Answer("safe"))
        with pytest.raises(pytest.fail.Exception, match="cubes: safe, but it is unsafe") as found:
            agree(text)
    assert len(str(found.value).splitlines()) < 7


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
    numbers = tuple(edge.number for edge in automata.edges)
    failing = next(edge.number for edge in automata.edges if edge.outcome.value == "violation")
    assert concretise.concretise(automata, (*numbers[:2], failing)) is None
    assert concretise.concretise(automata, (failing,)) is None
