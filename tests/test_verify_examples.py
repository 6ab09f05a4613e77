"""`ebb verify` says of the programs in `examples/extrapolation/` what they say of themselves.

    // verify: sc safe, tso safe, pso unknown

*safe* has to be proved. *unknown* stands where fences are missing, and where `ebb-explore` finds a violation: there a
proof would be wrong, and anything else is right, an abstract counterexample or an overflow.

Not everything is tried here, as some of it takes too long:

- `queue` and `queue_tso` under tso take a minute each, `queue_pso` under tso ten seconds. `ebb bench cupex` proves
  `queue_tso`; here is `queue_one`, which has the same shape and smaller buffers.
- `szymanski_three` and its variants under tso and pso take minutes each. They are here under sc only, and nothing tests
  what they say about the others.
- Programs that are the same as another but for comments are tried once.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ebb.backend.driver import main
from ebb.backend.explore import main as main_of_explore

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAMS = sorted((EXAMPLES / "extrapolation").glob("*.ebb"))
TOO_SLOW = {("queue", "tso"), ("queue_tso", "tso"), ("queue_pso", "tso")} | {
    (f"szymanski_three{variant}", model) for variant in ("", "_tso", "_pso") for model in ("tso", "pso")
}

PREDICATES_OF_FIGURE_3 = ("X == Y", "X == 1", "Y == 1", "X == 0", "Y == 0")


def claims(path: Path) -> dict[str, str]:
    """By model, what a program says of itself."""
    line = re.search(r"^// verify: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    assert line is not None, f"{path.name} does not say what to expect"
    return {claim.split()[0]: claim.split()[1] for claim in line[1].split(", ")}


def text(path: Path) -> str:
    """The program without its comments."""
    return re.sub(r"//.*", "", path.read_text("utf-8")).strip()


def cases() -> Iterator[tuple[Path, str, str]]:
    seen = set()
    for path in PROGRAMS:
        for model, verdict in claims(path).items():
            if (path.stem, model) not in TOO_SLOW and (text(path), model) not in seen:
                seen.add((text(path), model))
                yield path, model, verdict


def verify(path: Path, model: str, folder: Path, *options: str) -> str:
    """The verdict in the document, after a look at the exit code."""
    output = folder / "verification.json"
    code = main(["verify", str(path), "--model", model, "--json", "--quiet", "-o", str(output), *options])
    verdict = json.loads(output.read_text("utf-8"))["verdict"]
    assert isinstance(verdict, str)
    assert code == {"safe": 0, "unknown": 2}[verdict]
    return verdict


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_says_what_to_expect_under_each_model(path: Path) -> None:
    expected = claims(path)
    assert list(expected) == ["sc", "tso", "pso"]
    assert set(expected.values()) <= {"safe", "unknown"}
    assert expected["sc"] == "safe"
    for model in ("tso", "pso"):  # fences for a model are enough for it
        assert expected[model] == "safe" or not path.stem.endswith(f"_{model}")


def test_equal_programs_expect_the_same() -> None:
    expected: dict[str, dict[str, str]] = {}
    for path in PROGRAMS:
        assert expected.setdefault(text(path), claims(path)) == claims(path), path.name


@pytest.mark.parametrize(("path", "model", "expected"), list(cases()), ids=lambda each: getattr(each, "stem", each))
def test_a_program_has_the_verdict_that_it_expects(path: Path, model: str, expected: str, tmp_path: Path) -> None:
    assert verify(path, model, tmp_path) == expected


@pytest.mark.parametrize(
    ("path", "model"),
    [
        (path, model)
        for path, model, verdict in cases()
        if verdict == "unknown"  # szymanski_three is too large to explore as well
    ],
    ids=lambda each: getattr(each, "stem", each),
)
def test_where_no_proof_is_expected_there_is_a_violation(path: Path, model: str) -> None:
    assert main_of_explore([str(path), "--model", model, "--quiet", "-o", os.devnull]) == 1


each_method = pytest.mark.parametrize("method", ["predicates", "cubes", "program"])
each_model_with_buffers = pytest.mark.parametrize("model", ["tso", "pso"])


def of_figure_3(folder: Path, method: str, bound: str) -> tuple[str, ...]:
    """Options: the predicates of the paper, a method and a bound."""
    predicates = folder / "fig3.preds.yaml"
    predicates.write_text("predicates:\n" + "".join(f"  - {each}\n" for each in PREDICATES_OF_FIGURE_3), "utf-8")
    return ("--predicates", str(predicates), "--method", method, "-k", bound)


@each_method
@each_model_with_buffers
@pytest.mark.parametrize("bound", ["1", "2"])
def test_figure_3_of_the_paper_is_never_proved(model: str, method: str, bound: str, tmp_path: Path) -> None:
    """Both variables can end as 1. A method that did to the Boolean program what buffers do would not notice."""
    assert verify(EXAMPLES / "cupex_fig3.ebb", model, tmp_path, *of_figure_3(tmp_path, method, bound)) == "unknown"


@each_method
@each_model_with_buffers
@pytest.mark.parametrize("bound", ["1", "2"])
def test_figure_3_is_proved_where_its_steps_act_on_memory(model: str, method: str, bound: str, tmp_path: Path) -> None:
    """An atomic block acts on memory, under tso and pso too. So no store is ever in a buffer, and this one is safe."""
    path = EXAMPLES / "cupex_fig3_atomic.ebb"
    assert verify(path, model, tmp_path, *of_figure_3(tmp_path, method, bound)) == "safe"


@each_method
@each_model_with_buffers
def test_no_method_takes_a_proof_under_sc_for_one_with_buffers(model: str, method: str, tmp_path: Path) -> None:
    path = EXAMPLES / "extrapolation" / "peterson.ebb"
    assert claims(path) == {"sc": "safe", "tso": "unknown", "pso": "unknown"}
    assert verify(path, model, tmp_path, "--method", method, "-k", "1") == "unknown"
