"""`ebb-explore` as a command."""

import json
from pathlib import Path

import pytest

from ebb.backend.explore import main

SB = """shared X = 0, Y = 0;
process P0 { local r; X = 1; r = Y; }
process P1 { local r; Y = 1; r = X; }
assert final (P0.r == 1 || P1.r == 1);
"""


@pytest.fixture
def sb(tmp_path: Path) -> str:
    path = tmp_path / "sb.ebb"
    path.write_text(SB)
    return str(path)


def test_json(sb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([sb, "--model", "tso", "--json"]) == 1
    document = json.loads(capfd.readouterr().out)
    assert (document["format"], document["model"], document["verdict"]) == ("ebb-outcomes", "tso", "unsafe")
    assert {"P0.r": 0, "P1.r": 0, "X": 1, "Y": 1} in document["final"]
    assert len(document["final"]) == 4
    trace = document["violation"]["trace"]
    assert [step["process"] for step in trace] == [None, "P0", "P0", "P1", "P1", "P0", "P1"]
    assert trace[2]["pending"] == {"P0": ["X = 1"]}
    assert trace[1]["at"] == [2, 23]
    assert document["states"] == 34


def test_no_violation(sb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([sb, "--model", "sc", "--json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert (document["violation"], len(document["final"])) == (None, 3)


def test_text(sb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([sb, "--model", "tso"]) == 1
    assert capfd.readouterr().out == (
        "sb under tso: unsafe, 4 final states, 34 states\n"
        "\n"
        "  P0.r  P1.r  X  Y\n"
        "  0     0     1  1\n"
        "  0     1     1  1\n"
        "  1     0     1  1\n"
        "  1     1     1  1\n"
        "\n"
        "sb.ebb:4: final (P0.r == 1 || P1.r == 1) does not hold\n"
        "\n"
        "violation (final) at sb.ebb:4:1: final (P0.r == 1 || P1.r == 1)\n"
        "  step  process  line  action         values    under way\n"
        "  0                    initially      X=0, Y=0\n"
        "  1     P0       2     X = 1                    P0: X = 1\n"
        "  2     P0       2     r = Y          P0.r=0    P0: X = 1\n"
        "  3     P1       3     Y = 1                    P0: X = 1; P1: Y = 1\n"
        "  4     P1       3     r = X          P1.r=0    P0: X = 1; P1: Y = 1\n"
        "  5     P0             memory: X = 1  X=1       P1: Y = 1\n"
        "  6     P1             memory: Y = 1  Y=1\n"
    )


def test_unknown(sb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([sb, "--model", "sc", "--max-states", "3"]) == 2
    assert "unknown: the limit of 3 states was reached" in capfd.readouterr().out
    assert main([sb, "--model", "sc", "--buffer-bound", "1"]) == 0
    assert "buffers: no run needs more than 0 of the 1 entries" in capfd.readouterr().out


def test_a_bound_that_is_exceeded(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.ebb"
    path.write_text("shared X; process P { X = 1; X = 2; }")
    assert main([str(path), "--model", "pso", "--buffer-bound", "1"]) == 2
    assert "some run needs more than 1 entries" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: --model"),
        (["--model", "arm"], "invalid choice: 'arm'"),
        (["--model", "sc", "--max-states", "0"], "'0' is not a whole number from 1"),
        (["--model", "sc", "--timeout", "-1"], "'-1' is not a positive number of seconds"),
        (["--model", "sc", "--buffer-bound", "many"], "'many' is not a whole number from 1"),
    ],
)
def test_wrong_use(arguments: list[str], message: str, sb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([sb, *arguments]) == 64
    assert message in capfd.readouterr().err


def test_outcomes_go_to_a_file_whole(sb: str, tmp_path: Path) -> None:
    product = tmp_path / "outcomes.json"
    assert main([sb, "--model", "sc", "--json", "-o", str(product)]) == 0
    assert json.loads(product.read_text())["complete"] is True
