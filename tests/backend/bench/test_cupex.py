"""`ebb bench cupex`: our figures beside the paper's."""

import json
from pathlib import Path

import pytest

from ebb.backend.bench.cupex_paper import ALGORITHMS, REPORTED
from ebb.backend.driver import main

EXAMPLES = str(Path(__file__).parents[3] / "examples/extrapolation")


def test_one_algorithm_in_all_forms(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", "cupex", EXAMPLES, "--algorithm", "alternating_bit", "--enumerate"]
    assert main([*arguments, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["model"], row["method"]) for row in rows] == [
        *(("sc", method) for method in ("predicates", "enumerate")),
        *((model, m) for model in ("tso", "pso") for m in ("predicates", "cubes", "program", "enumerate")),
    ]
    assert {row["verdict"] for row in rows} == {"proved"}
    assert all((row["smt_calls"] == 0) == (row["method"] == "program") for row in rows)
    assert rows[2]["paper"]["smt_calls"] == 23_000
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "| 23,000 " in text
    assert "times as many SMT calls" in text
    assert main([*arguments, "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("| algorithm | model | method |")


def test_the_papers_tables_are_complete() -> None:
    assert {row[0] for row in REPORTED} == set(ALGORITHMS)
    assert REPORTED["bakery", "pso", "predicates"].smt_calls is None
    assert REPORTED["ticket", "tso", "cubes"].smt_calls == 6_941_000


def test_an_algorithm_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "cupex", EXAMPLES, "--algorithm", "lamport"]) == 64
    assert "there is no algorithm lamport" in capsys.readouterr().err


def test_a_folder_without_the_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "cupex", str(tmp_path), "--algorithm", "dekker"]) == 64
    assert "dekker.ebb does not exist" in capsys.readouterr().err
