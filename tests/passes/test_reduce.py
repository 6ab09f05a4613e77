"""`ebb-reduce` as a command."""

import json
from pathlib import Path

import pytest

from ebb.passes.reduce import main

SB = "shared X, Y;\nprocess P0 { local r; X = 1; r = Y; }\nprocess P1 { local r; Y = 1; r = X; }\n"
REMOTE = "process A { shared Y; }\nprocess B { shared X; put(Y, A, X); }\n"


@pytest.fixture
def sb(tmp_path: Path) -> str:
    path = tmp_path / "sb.ebb"
    path.write_text(SB)
    return str(path)


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "p.ebb"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("model", ["tso", "pso", "rma"])
def test_ir_in_ir_out(model: str, sb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([sb, "--model", model]) == 0
    document = json.loads(capfd.readouterr().out)
    assert (document["model"], document["reduced"], document["name"]) == ("sc", model, "sb")


def test_bounds(sb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([sb, "--model", "pso", "-k", "2", "-k", "Y=3"]) == 0
    names = [variable["name"] for variable in json.loads(capfd.readouterr().out)["shared"]]
    assert names == ["X", "Y", "X_1_P0", "X_2_P0", "X_cnt_P0", "Y_1_P1", "Y_2_P1", "Y_3_P1", "Y_cnt_P1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "pso", "-k", "0"], "'0' is not a number of entries from 1 to 64, or X=N"),
        (["--model", "pso", "-k", "65"], "'65' is not a number of entries from 1 to 64, or X=N"),
        (["--model", "pso", "-k", "X=0"], "'X=0' is not a number of entries"),
        (["--model", "pso", "-k", "many"], "'many' is not a number of entries"),
        (["--model", "pso", "-k", "Z=2"], "-k Z=2: there is no shared variable Z"),
        (["--model", "tso", "-k", "X=2"], "under tso a buffer holds stores to all variables"),
        (["--model", "rma", "-k", "1"], "-k is about store buffers; rma has none"),
        (["--model", "tso", "--merge-sets"], "--merge-sets is about rma; tso has no sets"),
        (["--model", "sc"], "invalid choice: 'sc'"),
        ([], "the following arguments are required: --model"),
    ],
)
def test_wrong_use(arguments: list[str], message: str, sb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([sb, *arguments]) == 64
    printed = capfd.readouterr()
    assert message in printed.err
    assert printed.out == ""


@pytest.mark.parametrize(
    ("text", "model", "message"),
    [
        (
            "shared Y;\nprocess P { shared X; put(Y, P, X); }\n",
            "rma",
            "2:23: `Y` has no owner: declare it inside the process P",
        ),
        (
            "shared X;\nprocess P { shared Y; X = get(Y, P); }\n",
            "rma",
            "2:23: `X` has no owner: declare it inside the process P",
        ),
        (
            "process P { shared Q[2], X; local i; put(Q[i], P, X); }\n",
            "rma",
            "1:38: the index of Q[i] is not a number, so its remote access cannot be reduced",
        ),
        (REMOTE, "tso", "2:23: put, get and flush have no meaning under tso: reduce with --model rma"),
        (REMOTE, "pso", "2:23: put, get and flush have no meaning under pso: reduce with --model rma"),
    ],
)
def test_programs_that_cannot_be_reduced(
    text: str, model: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, text)
    assert main([path, "--model", model]) == 65
    printed = capfd.readouterr()
    assert printed.err.startswith(f"{path}:{message}\n")
    assert "^" in printed.err
    assert printed.out == ""


@pytest.mark.parametrize("first", ["tso", "pso", "rma"])
@pytest.mark.parametrize("second", ["tso", "pso", "rma"])
def test_a_program_is_reduced_once(
    first: str, second: str, sb: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    reduced = tmp_path / "reduced.ir.json"
    assert main([sb, "--model", first, "-o", str(reduced)]) == 0
    assert main([str(reduced), "--model", second]) == 65
    assert capfd.readouterr().err == f"sb.ebb:2:9: this program is already reduced (from {first})\n"


def test_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "ebb-reduce --model pso -k 1" in capfd.readouterr().out
