"""`ebb verify --model rma` and `ebb-extrapolate` for RMA: what users see."""

from pathlib import Path

import pytest

from ebb.backend import abstract, extrapolate
from ebb.backend.driver import main
from ebb.passes import reduce

FIGURE_2 = """
process P1 { shared Y = 1; }
process P2 {
  shared R = 0, X = 2;
  local r = 0;
  put(Y, P1, X);FLUSH
  X = 3;
  R = get(Y, P1);
  r = R;
}
assert final (r != 3);
predicates { r != 3, R != 3, Y != 3, X != 3 }
"""


@pytest.fixture
def figure(tmp_path: Path) -> Path:
    path = tmp_path / "figure.ebb"
    path.write_text(FIGURE_2.replace("FLUSH", " flush(P1);"))
    return path


def test_the_papers_figure_2(figure: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(figure), "--model", "rma"]) == 0
    assert "figure.ebb under RMA: safe" in capsys.readouterr().out
    without = tmp_path / "without.ebb"
    without.write_text(FIGURE_2.replace("FLUSH", ""))
    assert main(["verify", str(without), "--model", "rma"]) == 2
    text = capsys.readouterr().out
    assert "remote put 1" in text
    assert "violated: without.ebb:11: final (P2.r != 3)" in text
    assert "try: more flushes" in text


def test_intermediate_files(figure: Path, tmp_path: Path) -> None:
    assert main(["verify", str(figure), "--model", "rma", "--keep", str(tmp_path / "kept")]) == 0
    kept = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert kept == [
        "figure.ir.json",
        "figure.rma.ir.json",
        "figure.rma.program.bp",
        "figure.rma.program.verdict.json",
        "figure.sc.bp",
    ]


def test_the_stages_one_by_one(figure: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    boolean, reduced = tmp_path / "figure.sc.bp", tmp_path / "figure.rma.ir.json"
    assert abstract.main([str(figure), "-o", str(boolean)]) == 0
    assert reduce.main([str(figure), "--model", "rma", "-o", str(reduced)]) == 0
    capsys.readouterr()
    assert extrapolate.main(["--from", str(boolean), str(reduced)]) == 0
    output = capsys.readouterr()
    assert "predicate all(X1Set != 3)" in output.out
    assert "predicate none(X1Set != 3)" in output.out
    assert ", 0 SMT calls, " in output.err


RELATED = """
process A {
  shared X = 0, Y = 0;
  local n;
again:
  n = *;
  X = n;
  Y = n;
  put(Low, B, X);
  put(High, B, Y);
  FLUSH
  goto again;
}
process B { shared Low = 0, High = 0; local l, h; l = Low; h = High; assert(l == l); }
assert always (X <= X);
predicates { X <= Y, Low <= High, X <= High, Low <= Y }
"""


def test_pairs_are_predicates_about_two_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "related.ebb"
    path.write_text(RELATED.replace("FLUSH", ""))
    boolean, reduced = tmp_path / "p.sc.bp", tmp_path / "p.rma.ir.json"
    assert abstract.main([str(path), "-o", str(boolean)]) == 0
    assert reduce.main([str(path), "--model", "rma", "-o", str(reduced)]) == 0
    capsys.readouterr()
    assert extrapolate.main(["--from", str(boolean), str(reduced)]) == 0
    assert "all(X1Set <= Y2Set)" not in capsys.readouterr().out
    assert extrapolate.main(["--from", str(boolean), str(reduced), "--pairs"]) == 0
    assert "all(X1Set <= Y2Set)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "rma", "-k", "2"], "-k is about store buffers; rma has none"),
        (["--model", "rma", "--method", "cubes"], "for rma there is only program"),
        (["--model", "tso", "--pairs"], "--pairs is about pending operations; tso has none"),
    ],
)
def test_options_that_say_nothing(
    arguments: list[str], message: str, figure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(figure), *arguments]) == 64
    assert message in capsys.readouterr().err


def test_remote_memory_under_another_model(figure: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(figure), "--model", "tso"]) == 65
    assert "put, get and flush have no meaning under tso" in capsys.readouterr().err
