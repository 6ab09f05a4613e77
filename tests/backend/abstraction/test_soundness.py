"""What the explorer finds, no abstraction misses: 1,000 random programs, and those that once failed.

The seeds are fixed. A program that fails is shrunk before it is shown; it then goes into `regressions/`, where the
first line says what it is under every memory model.
"""

import random
from collections import Counter
from pathlib import Path

import pytest
from abstraction_oracle import lost_state, really, wrong_verdict
from random_abstractable_programs import random_abstractable_program
from random_programs import shrink

from ebb.frontend.ebb_source import parse

JUDGED, LOOKED_AT, PART = 600, 400, 50
MODELS = ("sc", "tso", "pso")
HERE = Path(__file__).parent
KEPT = sorted((HERE / "regressions").glob("*.ebb"))


def bounds(seed: int) -> tuple[int, ...]:
    return (1, 2) if seed % 10 == 0 else (1,)


@pytest.mark.parametrize("first", range(0, JUDGED, PART))
def test_nothing_that_is_unsafe_is_called_safe(first: int) -> None:
    count: Counter[tuple[str, str]] = Counter()
    for seed in range(first, first + PART):
        models = [MODELS[1 + seed % 2]]
        program = random_abstractable_program(random.Random(seed))
        if wrong := wrong_verdict(program.text(), models, bounds(seed), count):
            smallest = shrink(program, lambda text: wrong_verdict(text, models, bounds(seed)) is not None)  # noqa: B023
            pytest.fail(f"{wrong}\n{smallest.text()}")
    everything = count.total()
    assert count["unsafe", "unsafe"] + count["unsafe", "unknown"] > everything / 5, count
    assert count["safe", "safe"] > everything / 20, count


@pytest.mark.parametrize("first", range(JUDGED, JUDGED + LOOKED_AT, PART))
def test_no_state_is_lost(first: int) -> None:
    count: Counter[tuple[str, str]] = Counter()
    for seed in range(first, first + PART):
        model, bound = MODELS[seed % 3], bounds(seed)[-1]
        program = random_abstractable_program(random.Random(seed))
        if lost := lost_state(program.text(), model, bound, random.Random(seed), 1, count):
            pytest.fail(f"{lost}\n{program.text()}")
    assert count.total() > 2 * PART, count


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_former_failures(path: Path) -> None:
    text = path.read_text()
    wanted = text.removeprefix("// ").partition(":")[0]
    program = parse(text, path.name)
    assert {really(program, model) for model in MODELS} == {wanted}
    assert wrong_verdict(text, MODELS[1:], (1, 2)) is None
    for model in MODELS:
        assert lost_state(text, model, 1, random.Random(0), 20) is None
