"""`ebb bench fences`: learning against removal."""

import json
from pathlib import Path

import pytest

from ebb.backend.driver import main

EXAMPLES = Path(__file__).parents[3] / "examples/extrapolation"


def test_learning_and_removal_find_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", "fences", str(EXAMPLES), "--algorithm", "ticket"]
    assert main([*arguments, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["model"], row["points"], row["search"]) for row in rows] == [
        (model, *which)
        for model in ("tso", "pso")
        for which in (("after stores", "learning"), ("after stores", "removal"), ("all", "learning"))
    ]
    learning, removal, everywhere = rows[3:]
    assert learning["minimal"] == removal["minimal"] == [["25 after", "39 after"]]
    assert learning["checked"] < removal["checked"]
    assert everywhere["candidates"] > learning["candidates"]
    assert learning["minimal"][0] in everywhere["minimal"]
    assert main(["bench", "fences", str(EXAMPLES), "--algorithm", "alternating_bit", "--at-most", "2"]) == 0
    text = capsys.readouterr().out
    assert " and more" in text
    assert "times as many" in text
