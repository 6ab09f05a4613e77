"""Two searches for minimal placements, over checks whose answers are known, and over programs."""

import random
from collections.abc import Collection, Sequence
from itertools import combinations
from pathlib import Path
from typing import Literal

import pytest

from ebb.backend.abstraction.options import Options
from ebb.backend.checker.limits import Limits
from ebb.backend.driver import main
from ebb.backend.fences.checking import Failure
from ebb.backend.fences.finding import Placements, Request, SearchName, find_placements
from ebb.backend.fences.hitting_sets import Points, smallest_hitting_sets
from ebb.backend.fences.search import learning, removal
from ebb.backend.verification.pipeline import Settings
from ebb.formats.ir import Program
from ebb.formats.program_file import read_program
from ebb.formats.verdict import Verdict
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_tso import reduce_tso

Model = Literal["tso", "pso"]
EXAMPLES = Path(__file__).parents[3] / "examples"
VIOLATED = Verdict("", "", "unsafe", "", None, None, (), (), (), {}, None)
UNDECIDED = Verdict("", "", "unknown", "a limit", None, None, (), (), (), {}, None)


class Known:
    """A placement is proved if it meets all clauses; a failure teaches one of those that it does not meet."""

    def __init__(self, clauses: Sequence[Points]) -> None:
        self.clauses = clauses
        self.asked: list[Points] = []

    def failures(self, batches: Sequence[Sequence[Points]], *, expected: bool) -> list[Failure | None]:
        return [next((each for each in map(self.failure, batch) if each is not None), None) for batch in batches]

    def failure(self, placement: Points) -> Failure | None:
        self.asked.append(placement)
        missed = [clause for clause in self.clauses if not clause & placement]
        return Failure(placement, missed[-1], VIOLATED, 1) if missed else None


@pytest.mark.parametrize("above", [frozenset({1, 2}), None])
def test_a_limit_ends_the_search(above: Points | None) -> None:
    class Slow(Known):
        def failure(self, placement: Points) -> Failure | None:
            return Failure(placement, frozenset({1, 2}) - placement, UNDECIDED, 1)

    found = learning(Slow([]), from_above=above)
    assert (found.minimal, found.complete, found.checked) == ([], False, 1)


def brute_force(everything: Points, clauses: Collection[Points]) -> list[Points]:
    """All minimal sets that meet all clauses, in the order of results."""
    found: list[Points] = []
    for size in range(len(everything) + 1):
        for chosen in map(frozenset, combinations(sorted(everything), size)):
            if all(clause & chosen for clause in clauses) and not any(each < chosen for each in found):
                found.append(chosen)
    return found


def random_clauses(seed: int) -> tuple[Points, list[Points]]:
    rng = random.Random(seed)
    everything = frozenset(range(1, rng.randint(2, 9)))
    clauses = [
        frozenset(rng.sample(sorted(everything), rng.randint(1, min(3, len(everything)))))
        for _ in range(rng.randint(0, 7))
    ]
    return everything, clauses


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("above", [False, True])
def test_learning_finds_all_minimal_placements(jobs: int, above: bool) -> None:
    for seed in range(200):
        everything, clauses = random_clauses(seed)
        found = learning(Known(clauses), jobs, from_above=everything if above else None)
        assert found.minimal == brute_force(everything, clauses), seed
        assert found.complete


def test_removal_finds_all_minimal_placements() -> None:
    for seed in range(200):
        everything, clauses = random_clauses(seed)
        assert removal(everything, Known(clauses)).minimal == brute_force(everything, clauses), seed


@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_is_enough(jobs: int) -> None:
    everything = frozenset({1, 2, 3})
    for found in (
        learning(Known([frozenset()]), jobs),
        learning(Known([frozenset()]), jobs, from_above=everything),
        removal(everything, Known([frozenset()])),
    ):
        assert found.minimal == []


def test_nothing_is_needed() -> None:
    found = learning(Known([]))
    assert found.minimal == [frozenset()]
    assert found.checked == 1


def test_a_search_by_removal_can_be_cut_short() -> None:
    everything = frozenset(range(1, 9))
    found = removal(everything, Known([frozenset({1, 2}), frozenset({3, 4})]), at_most=10)
    assert not found.complete


def test_learning_checks_far_fewer() -> None:
    everything = frozenset(range(1, 11))
    clauses = [frozenset({1, 2}), frozenset({6, 7})]
    learnt, removed = learning(Known(clauses)), removal(everything, Known(clauses))
    assert learnt.minimal == removed.minimal
    assert learnt.checked < 10
    assert removed.checked > 500


def test_smallest_hitting_sets_are_all_of_the_smallest_size() -> None:
    for seed in range(200):
        everything, clauses = random_clauses(seed)
        minimal = brute_force(everything, clauses)
        solutions = minimal[: seed % 3]
        left = [each for each in minimal if each not in solutions]
        smallest = {each for each in left if len(each) == len(left[0])}
        found = list(smallest_hitting_sets(clauses, solutions))
        assert len(found) == len(set(found))
        assert set(found) == smallest


# -- programs


def reduced(program: Program, model: str, bound: int) -> Program:
    return reduce_pso(program, bound) if model == "pso" else reduce_tso(program, bound)


def placements(program: Program, model: Model, search: SearchName, jobs: int = 1) -> Placements:
    settings = Settings(model, "auto", None, 6, False, "auto", Options(), Limits(None, None, None))
    request = Request(settings, search, jobs=jobs, runs=False)
    return find_placements(program, program.predicates, program.source, request, reduced)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("fences/ring_three", "tso"),
        ("fences/two_branches", "pso"),
        ("fences/chain_four", "pso"),
    ],
)
def test_both_searches_find_the_same(name: str, model: Model) -> None:
    program = read_program(str(EXAMPLES / f"{name}.ebb"))
    learnt, removed = (placements(program, model, search).found for search in ("learning", "removal"))
    assert learnt is not None
    assert removed is not None
    assert learnt.minimal == removed.minimal


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize(("name", "model"), [("fences/two_branches", "tso"), ("extrapolation/queue_one", "pso")])
def test_several_processes_find_the_same(
    name: str, model: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = []
    for jobs in ("1", "2", "2"):
        path = str(EXAMPLES / f"{name}.ebb")
        assert main(["fences", path, "--model", model, "--no-times", "--jobs", jobs, *options]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[1] == outputs[2]
    assert without_effort(outputs[0]) == without_effort(outputs[1])


def without_effort(text: str) -> list[str]:
    """All lines but how much was checked and learnt on the way, which depends on how many work at once."""
    lines = text.partition('  "clauses"')[0].splitlines()
    return [line for line in lines if "placements checked" not in line and '"checked"' not in line]
