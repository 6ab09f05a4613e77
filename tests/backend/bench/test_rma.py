"""`ebb bench rma`: our figures beside the paper's."""

import json
from pathlib import Path

import pytest

from ebb.backend.bench.rma_paper import REPORTED
from ebb.backend.driver import main

EXAMPLES = Path(__file__).parents[3] / "examples/rma"


def test_two_programs_in_all_forms(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", "rma", str(EXAMPLES), "--algorithm", "pgsql", "--algorithm", "qw"]
    assert main([*arguments, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["algorithm"], row["verdict"], row["flushes"], row["points"]) for row in rows] == [
        ("pgsql", "proved", 2, 4),
        ("qw", "proved", 3, 4),
    ]
    assert [row["smt_calls"] for row in rows] == [0, 0]
    assert rows[1]["paper"]["check_seconds"] == 1345
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "2 of 2 proved under RMA" in text
    assert "| 1,345 " in text
    assert main([*arguments, "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("| algorithm | SC predicates \\| paper |")


def test_there_is_a_program_for_each_row_of_the_paper() -> None:
    assert len(REPORTED) == 14
    assert {path.stem for path in EXAMPLES.glob("*.ebb")} >= set(REPORTED)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bench", "rma", str(EXAMPLES), "--algorithm", "lamport"], "there is no algorithm lamport"),
        (["bench", "rma", "nowhere", "--algorithm", "qw"], "nowhere/qw.ebb does not exist"),
        (["bench", "fences", "nowhere", "--algorithm", "dekker"], "nowhere/dekker.ebb does not exist"),
    ],
)
def test_mistakes(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 64
    assert message in capsys.readouterr().err
