"""`ebb verify`: verdicts, bounds, what is kept, what is said."""

import json
from pathlib import Path

import pytest

from ebb.backend.driver import main

EXAMPLES = Path(__file__).parents[3] / "examples/extrapolation"
LOCK = """shared X, Y;
process P { X = 1; Y = 1; }
process R { local y, x; y = Y; x = X; assert (y == 0 || x == 1); }
predicates { X == 1, Y == 0, y == 0, x == 1 }
"""


def verify(*arguments: str, code: int) -> None:
    assert main(["verify", *arguments]) == code


def test_a_proof_says_what_was_proved_and_how(capsys: pytest.CaptureFixture[str]) -> None:
    verify(str(EXAMPLES / "bakery_pso.ebb"), "--model", "pso", code=0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "bakery_pso.ebb under PSO: safe"
    assert "whatever the size of the store buffers (no run fills more than 2)" in lines[1]
    assert lines[2].startswith("  k = 1, method program: overflow; ")
    assert lines[3].startswith("  k = 2, method program: proved; 39 predicates, 0 SMT calls")
    assert lines[4].startswith("  seconds: ")


def test_a_counterexample_is_in_the_terms_of_the_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lock.ebb"
    path.write_text(LOCK)
    verify(str(path), "--model", "tso", "--no-times", code=0)
    capsys.readouterr()
    verify(str(path), "--model", "pso", "--no-times", code=2)
    text = capsys.readouterr().out
    assert text.startswith(
        "lock.ebb under PSO: unknown\n  the abstraction has a counterexample, which may be spurious\n"
    )
    assert "memory   lock.ebb:2  flush" in text
    assert "violated: lock.ebb:3: assert(y == 0 || x == 1)" in text
    assert "seconds" not in text


@pytest.mark.parametrize("method", ["auto", "predicates", "cubes", "program"])
def test_every_method(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    verify(str(EXAMPLES / "peterson_pso.ebb"), "--model", "pso", "--method", method, "--json", code=0)
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["model"]) == ("safe", "pso")
    assert [attempt["bound"] for attempt in document["attempts"]] == [1, 2]
    assert document["attempts"][0]["overflow"]
    assert {attempt["method"] for attempt in document["attempts"]} == {"program" if method == "auto" else method}


def test_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    program = str(EXAMPLES / "dekker_tso.ebb")
    verify(program, "--model", "tso", "-k", "2", "--json", code=2)
    document = json.loads(capsys.readouterr().out)
    assert document["reason"] == "a store buffer of 2 entries overflows"
    verify(program, "--model", "tso", "--max-bound", "2", code=2)
    text = capsys.readouterr().out
    assert "try: --max-bound 4, or a fence where stores pile up" in text
    verify(program, "--model", "tso", "-k", "3", code=0)


def test_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "kept"
    verify(str(EXAMPLES / "peterson_pso.ebb"), "--model", "pso", "--keep", str(folder), "-k", "2", code=0)
    assert sorted(path.name for path in folder.iterdir()) == [
        "peterson_pso.ir.json",
        "peterson_pso.pso.k2.ir.json",
        "peterson_pso.pso.k2.program.bp",
        "peterson_pso.pso.k2.program.verdict.json",
        "peterson_pso.sc.bp",
    ]
    from ebb.backend import check, extrapolate

    again = str(tmp_path / "again.bp")
    reduced = str(folder / "peterson_pso.pso.k2.ir.json")
    proof = str(folder / "peterson_pso.sc.bp")
    assert extrapolate.main(["--from", proof, "--method", "program", reduced, "-o", again, "--quiet"]) == 0
    assert Path(again).read_bytes() == (folder / "peterson_pso.pso.k2.program.bp").read_bytes()
    assert check.main([again, "--quiet"]) == 0
    capsys.readouterr()


def test_predicates_beside_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, _, tail = LOCK.partition("predicates")
    path = tmp_path / "lock.ebb"
    path.write_text(head)
    verify(str(path), code=2)
    assert "try: predicates: the program has none" in capsys.readouterr().out
    beside = tmp_path / "lock.preds.yaml"
    beside.write_text("".join(f"- {each.strip()}\n" for each in tail.strip(" {}\n").split(",")))
    verify(str(path), code=0)
    beside.rename(tmp_path / "other.yaml")
    verify(str(path), "--predicates", str(tmp_path / "other.yaml"), code=0)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--engine", "magic"], 64, "there is no engine 'magic'"),
        (["-k", "65"], 64, "65 is more than 64"),
        (["--model", "arm"], 64, "invalid choice"),
        (["--predicates", "missing.yaml"], 65, "missing.yaml: cannot be read"),
    ],
)
def test_mistakes(
    arguments: list[str], code: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lock.ebb"
    path.write_text(LOCK)
    verify(str(path), *arguments, code=code)
    assert message in capsys.readouterr().err


def test_put_and_get_have_no_meaning_under_tso(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "remote.ebb"
    path.write_text("process P { shared X; put(Y, R, X); }\nprocess R { shared Y; }\n")
    verify(str(path), "--model", "tso", code=65)
    assert "remote.ebb:1:23: put, get and flush have no meaning under tso" in capsys.readouterr().err


def test_the_same_bytes_every_time(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = set()
    for jobs in ("1", "2"):
        verify(str(EXAMPLES / "ticket_pso.ebb"), "--model", "pso", "--no-times", "--json", "--jobs", jobs, code=0)
        document = json.loads(capsys.readouterr().out)
        for attempt in (document["sc"], *document["attempts"]):
            del attempt["smt_calls"]  # several solvers ask a little more
        outputs.add(json.dumps(document))
    assert len(outputs) == 1


def test_a_time_limit_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    verify(str(EXAMPLES / "szymanski_three_tso.ebb"), "--model", "tso", "-k", "4", "--timeout", "0.1", code=2)
    assert "limit" in capsys.readouterr().out
