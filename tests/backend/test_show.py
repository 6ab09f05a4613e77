"""The command line of `ebb-show`."""

import io
import sys
from pathlib import Path

import pytest

from ebb.backend.show import main

SOURCE = """\
shared X = 0;
process P0 {
  local r = 0;
  X = 1;
cs: r = X;
}
assert never (P0@cs);
"""

SHOWN = """\
//@ program "p" from "p.ebb"

shared X = 0;  //@ 1:8

process P0 {    //@ 2:9
  local r = 0;  //@ 3:9
  X = 1;        //@ 4:3
cs:
  r = X;        //@ 5:5
}

assert never (P0@cs);  //@ 7:1
"""

PLAIN = """\
shared X = 0;

process P0 {
  local r = 0;
  X = 1;
cs:
  r = X;
}

assert never (P0@cs);
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.ebb").write_text(SOURCE, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("here")
def test_source_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.ebb"]) == 0
    assert capsys.readouterr() == (SHOWN, "")


@pytest.mark.usefixtures("here")
def test_without_positions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--no-positions", "p.ebb"]) == 0
    assert capsys.readouterr().out == PLAIN


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SHOWN.encode())))
    assert main([]) == 0
    assert capsys.readouterr().out == SHOWN


def test_output_to_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.ebb", "-o", "shown.ebb"]) == 0
    assert (here / "shown.ebb").read_text(encoding="utf-8") == SHOWN
    assert capsys.readouterr().out == ""


def test_what_was_shown_shows_itself(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "shown.ebb").write_text(SHOWN, encoding="utf-8")
    assert main(["shown.ebb"]) == 0
    assert capsys.readouterr().out == SHOWN


def test_a_graph_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.ebb", "--graph", "p.dot"]) == 0
    assert (here / "p.dot").read_text(encoding="utf-8").startswith("digraph p {")
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("here")
def test_a_graph_and_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.ebb", "--graph", "p.dot", "-o", "-"]) == 0
    assert Path("p.dot").exists()
    assert capsys.readouterr().out == SHOWN


@pytest.mark.usefixtures("here")
def test_a_graph_in_no_known_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.ebb", "--graph", "p.pdf", "-o", "shown.ebb"]) == 64
    assert capsys.readouterr().err.startswith("ebb-show: p.pdf: ")
    assert not Path("shown.ebb").exists()


@pytest.mark.system_package("graphviz")
def test_a_picture(here: Path) -> None:
    assert main(["p.ebb", "--graph", "p.svg"]) == 0
    assert "</svg>" in (here / "p.svg").read_text(encoding="utf-8")


def test_a_picture_without_dot(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(here))
    assert main(["p.ebb", "--graph", "p.png"]) == 64
    assert "Debian package graphviz" in capsys.readouterr().err


def test_bad_input(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bad.ebb").write_text("process {", encoding="utf-8")
    assert main(["bad.ebb"]) == 65
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bad.ebb:1:9: ")


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["/nowhere/p.ebb"]) == 65
    assert capsys.readouterr().err.startswith("/nowhere/p.ebb: ")


def test_an_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--colour"]) == 64
    assert "--colour" in capsys.readouterr().err


def test_help_has_an_example_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert "ebb-show --graph peterson.pso.svg peterson.pso.ir.json" in out
    assert "exit status:" in out


def test_printing_source_does_not_load_graphviz(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in [name for name in sys.modules if name.split(".")[0] == "graphviz" or name == "ebb.backend.graph"]:
        monkeypatch.delitem(sys.modules, module)
    assert main([str(here / "p.ebb")]) == 0
    assert "graphviz" not in sys.modules


def test_the_example_in_the_documentation(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "tools" / "ebb-show.md").read_text(encoding="utf-8")
    session = page.split("$ cat p.ebb\n")[1].split("```\n")[0]
    source, shown = session.split("$ ebb-show p.ebb\n")
    (here / "p.ebb").write_text(source, encoding="utf-8")
    assert main(["p.ebb"]) == 0
    assert capsys.readouterr().out == shown
