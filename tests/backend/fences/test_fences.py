"""`ebb fences` on the command line: what it prints, writes and returns."""

import json
from pathlib import Path

import pytest

from ebb.backend.driver import main
from ebb.backend.fences import finding
from ebb.formats.program_file import read_program

EXAMPLES = Path(__file__).parents[3] / "examples"
SOURCE = """shared X = 0, Y = 0;
process P { local r = 1;
  X = 1;
  r = Y;
}
process Q { local r = 1;
  Y = 1;
  r = X;
}
assert final (!(P.r == 0 && Q.r == 0));
predicates { X == 0, Y == 0, P.r == 0, Q.r == 0 }
"""
REPORT = """p.ebb under TSO: 1 minimal placement of 2 fences, out of 2 points

     process  line         statement
  1  P        3     after  X = 1
     Q        7     after  Y = 1

  4 placements checked

--- p.ebb
+++ p.ebb
@@ -1,10 +1,12 @@
 shared X = 0, Y = 0;
 process P { local r = 1;
   X = 1;
+  fence;
   r = Y;
 }
 process Q { local r = 1;
   Y = 1;
+  fence;
   r = X;
 }
 assert final (!(P.r == 0 && Q.r == 0));

without the fence after line 3: violation (final) at p.ebb:10:1: final (!(P.r == 0 && Q.r == 0))
"""
FENCED = SOURCE.replace("  r =", "  fence;\n  r =")
FENCE_AFTER = {"side": "after", "fence": "fence"}
WRONG = SOURCE.replace("!(P.r == 0 && Q.r == 0)", "P.r == 0")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "p.ebb"
    path.write_text(SOURCE)
    return path


def fences(*arguments: str | Path, code: int = 0) -> None:
    assert main(["fences", *map(str, arguments)]) == code


def test_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fences(path, "--model", "tso", "--no-times")
    text = capsys.readouterr().out
    assert text.startswith(REPORT.partition("  4 placements")[0])
    assert REPORT.partition("checked\n")[2] in text
    assert "placements checked\n" in text
    assert text.count("without the fence after line") == 2
    assert "initially" in text


def test_times(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fences(path, "--model", "tso")
    assert "placements checked; seconds: sc " in capsys.readouterr().out
    fences(path, "--model", "tso", "--json")
    assert set(json.loads(capsys.readouterr().out)["seconds"]) == {"sc", "search", "runs"}


def test_the_same_bytes_every_time(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in ([], ["--json"]):
        outputs = set()
        for _ in range(2):
            fences(path, "--model", "pso", "--no-times", *options)
            outputs.add(capsys.readouterr().out)
        assert len(outputs) == 1


def test_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fences(path, "--model", "tso", "--json", "--no-times")
    document = json.loads(capsys.readouterr().out)
    assert document.pop("checked") >= 3
    assert document.pop("clauses") == [[1], [2]]
    assert document == {
        "format": "ebb-fences",
        "version": 1,
        "program": "p.ebb",
        "model": "tso",
        "verdict": "mended",
        "points": [
            {"number": 1, "process": "P", "line": 3, "column": 3, "statement": "X = 1"} | FENCE_AFTER,
            {"number": 2, "process": "Q", "line": 7, "column": 3, "statement": "Y = 1"} | FENCE_AFTER,
        ],
        "minimal": [[1, 2]],
        "complete": True,
        "shown_wrong": {"1": True, "2": True},
    }


def test_output(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mended = tmp_path / "mended.ebb"
    fences(path, "--model", "tso", "-o", mended)
    assert mended.read_text() == FENCED
    fences(mended, "--model", "tso", "-o", tmp_path / "again.ebb")
    assert "mended.ebb under TSO: no fence is needed\n" in capsys.readouterr().out
    assert (tmp_path / "again.ebb").read_text() == FENCED
    assert main(["verify", str(mended), "--model", "tso", "--quiet"]) == 0


def test_the_input_may_be_the_output(path: Path) -> None:
    fences(path, "--model", "tso", "-o", path)
    assert path.read_text() == FENCED


def test_start(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = FENCED.replace("  X = 1;", "  fence;\n  X = 1;")
    path.write_text(more)
    fences(path, "--model", "tso", "--start", "-o", tmp_path / "fewer.ebb", "--no-times")
    text = capsys.readouterr().out
    assert text.startswith("p.ebb under TSO: 1 minimal placement of 2 fences, out of 3 points\n")
    assert "\n-  fence;\n" in text
    assert "without the fence at line 5: " in text
    assert (tmp_path / "fewer.ebb").read_text() == FENCED


def test_start_without_fences(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fences(path, "--model", "tso", "--start", "-o", tmp_path / "fewer.ebb", code=65)
    assert "p.ebb: --start: there is no fence in this program" in capsys.readouterr().err
    assert not (tmp_path / "fewer.ebb").exists()


def test_predicates_beside_the_program(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, _, tail = SOURCE.partition("predicates")
    path.write_text(head)
    fences(path, "--model", "tso", code=2)
    assert "unknown: it is not proved with these predicates" in capsys.readouterr().out
    (tmp_path / "p.preds.yaml").write_text("".join(f"- {each.strip()}\n" for each in tail.strip(" {}\n").split(",")))
    fences(path, "--model", "tso")


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_a_program_that_is_wrong_under_sc(
    model: str, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a placement was tried")

    for name in ("AbstractChecks", "learning", "removal"):
        monkeypatch.setattr(finding, name, refuse)
    path.write_text(WRONG)
    fences(path, "--model", model, "-o", tmp_path / "mended.ebb", code=1)
    text = capsys.readouterr().out
    assert text.startswith(
        f"p.ebb under {model.upper()}: wrong under sc: no fence mends it\n\nunder sc: violation (final) at p.ebb:10:1: "
    )
    assert "+++" not in text
    assert "without the fence" not in text
    assert not (tmp_path / "mended.ebb").exists()
    fences(path, "--model", model, "--json", code=1)
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["minimal"], document["checked"]) == ("unsafe", [], 0)


def test_what_is_not_even_proved_under_sc(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text(SOURCE.replace("X == 0, Y == 0, ", ""))
    fences(path, "--model", "tso", "-o", tmp_path / "mended.ebb", code=2)
    text = capsys.readouterr().out
    assert "p.ebb under TSO: unknown: it is not proved with these predicates" in text
    assert "an abstract counterexample:" in text
    assert not (tmp_path / "mended.ebb").exists()


def test_a_store_buffer_that_is_too_small(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text("shared X;\nprocess P { X = 1; X = 1; X = 1; }\nassert final (X == 1);\npredicates { X == 1 }\n")
    fences(path, "--model", "tso", "-k", "3", "--no-times")
    assert "no fence is needed" in capsys.readouterr().out
    fences(path, "--model", "tso", "-k", "1", "--no-times")
    text = capsys.readouterr().out
    assert "without the fence after line 2 it is not proved: store buffers of 1 entry are not enough" in text
    assert "violated: p.ebb:2: there is room in the store buffer" in text
    assert "candidate" not in text


REMOTE = "process P { shared X; put(Y, R, X); }\nprocess R { shared Y; }\npredicates { X == 0 }\n"


@pytest.mark.parametrize(
    ("text", "arguments", "code", "message"),
    [
        (None, ["--model", "tso"], 65, "p.ebb: cannot be read"),
        ("shared X;\nprocess P { X = ; }\n", ["--model", "tso"], 65, "p.ebb:2:17: unexpected `;`"),
        (REMOTE, ["--model", "tso"], 65, "p.ebb:1:23: put, get and flush have no meaning under tso"),
        (
            "process P { flush(P); }\n",
            ["--model", "pso"],
            65,
            "p.ebb:1:13: put, get and flush have no meaning under pso",
        ),
        (SOURCE, ["--model", "tso", "--engine", "nonsense"], 64, "there is no engine 'nonsense'"),
        (SOURCE, ["--model", "tso", "-k", "65"], 64, "65 is more than 64"),
        (SOURCE, ["--model", "tso", "--jobs", "0"], 64, "'0' is not a whole number from 1"),
        (SOURCE, ["--model", "sc"], 64, "invalid choice: 'sc'"),
        (SOURCE, [], 64, "the following arguments are required: --model"),
        (REMOTE, ["--model", "rma", "-k", "2"], 64, "-k is about store buffers; rma has none"),
        (REMOTE, ["--model", "rma", "--method", "cubes"], 64, "for rma there is only program"),
        (SOURCE, ["--model", "tso", "--pairs"], 64, "--pairs is about pending operations; tso has none"),
        (SOURCE, ["--model", "tso", "--predicates", "missing.yaml"], 65, "missing.yaml: cannot be read"),
        (SOURCE.replace("X == 0, Y", "U == 0, Y"), ["--model", "tso"], 65, "`U` is not declared"),
    ],
)
def test_mistakes(
    text: str | None,
    arguments: list[str],
    code: int,
    message: str,
    path: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    fences(path, *arguments, "-o", tmp_path / "mended.ebb", code=code)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count(message) == 1
    assert "Traceback" not in printed.err
    assert "internal error" not in printed.err
    assert not (tmp_path / "mended.ebb").exists()


def test_an_output_that_cannot_be_written(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fences(path, "--model", "tso", "-o", tmp_path / "missing/mended.ebb", code=64)
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("search", ["learning", "removal"])
def test_a_process_without_statements_needs_nothing(
    search: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_text(REMOTE)
    fences(path, "--model", "rma", "--search", search)
    assert "no flush is needed" in capsys.readouterr().out
    path.write_text("shared X;\nprocess P { }\nprocess Q { X = 1; }\nassert final (X == 1);\npredicates { X == 1 }\n")
    fences(path, "--model", "pso", "--search", search)
    assert "no fence is needed" in capsys.readouterr().out


def test_what_is_found_is_proved_by_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mended = tmp_path / "mended.ebb"
    fences(EXAMPLES / "fences/two_branches.ebb", "--model", "pso", "-o", mended)
    assert main(["verify", str(mended), "--model", "pso", "--quiet"]) == 0
    assert len(read_program(str(mended)).predicates) == 6
    capsys.readouterr()


def test_a_time_limit_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    fences(EXAMPLES / "rma/szymanski.ebb", "--model", "rma", "--timeout", "0.1", code=2)
    text = capsys.readouterr().out
    assert "unknown: not proved with a flush at every point; " in text
    assert "more than 0.1 seconds (--timeout)" in text
    assert "counterexample" not in text
