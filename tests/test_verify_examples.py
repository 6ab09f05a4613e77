"""`ebb verify` says of the programs in `examples/extrapolation/` what they say of themselves.

    // verify: sc safe, tso safe, pso unknown

*safe* has to be proved. *unknown* stands where fences are missing: there a proof would be wrong, and anything else is
right, an abstract counterexample or an overflow.

Not everything is tried here, as some of it takes too long:

- `queue` and `queue_tso` under tso take a minute each. `queue_one`, which has the same shape with smaller buffers, is here,
  and `ebb bench cupex` measures `queue_tso`.
- `szymanski_three` and its variants under tso and pso take more than a minute each, and nothing else covers them. They
  are here under sc.
- Programs that are the same as another but for comments are tried once.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ebb.backend.driver import main

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAMS = sorted((EXAMPLES / "extrapolation").glob("*.ebb"))
TOO_SLOW = {("queue", "tso"), ("queue_tso", "tso")} | {
    (f"szymanski_three{variant}", model) for variant in ("", "_tso", "_pso") for model in ("tso", "pso")
}

FIGURE_3 = ("cupex_fig3.ebb", "cupex_fig3_atomic.ebb")
PREDICATES_OF_FIGURE_3 = ("X == Y", "X == 1", "Y == 1", "X == 0", "Y == 0")


def claims(path: Path) -> dict[str, str]:
    """By model, what a program says of itself."""
    line = re.search(r"^// verify: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    assert line is not None, f"{path.name} does not say what to expect"
    return dict((model, verdict) for model, verdict in (claim.split() for claim in line[1].split(", ")))


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


@pytest.mark.parametrize(("path", "model", "expected"), cases(), ids=lambda each: getattr(each, "stem", each))
def test_a_program_has_the_verdict_that_it_expects(path: Path, model: str, expected: str, tmp_path: Path) -> None:
    assert verify(path, model, tmp_path) == expected


@pytest.mark.parametrize("bound", ["1", "2"])
@pytest.mark.parametrize("method", ["predicates", "cubes", "program"])
@pytest.mark.parametrize("model", ["tso", "pso"])
@pytest.mark.parametrize("name", FIGURE_3)
def test_figure_3_is_not_proved_with_the_predicates_of_the_paper(
    name: str, model: str, method: str, bound: str, tmp_path: Path
) -> None:
    """With these five predicates the property is lost in the buffers, and no method may find it there."""
    predicates = tmp_path / "fig3.preds.yaml"
    predicates.write_text("predicates:\n" + "".join(f"  - {each}\n" for each in PREDICATES_OF_FIGURE_3), "utf-8")
    options = ("--predicates", str(predicates), "--method", method, "-k", bound)
    assert verify(EXAMPLES / name, model, tmp_path, *options) == "unknown"
