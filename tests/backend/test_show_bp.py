"""`ebb-show` for Boolean programs: layout, detection, predicates in place of variables, colours."""

import io
import re
import sys
from pathlib import Path

import pytest

from ebb.backend.automata.build import build
from ebb.backend.bp_colours import tokens
from ebb.backend.bp_predicates import with_predicates
from ebb.backend.bp_show import is_boolean_program
from ebb.backend.show import main
from ebb.formats import bp
from ebb.formats.bp_check import read
from ebb.formats.bp_text import show_program

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "boolean").glob("*.bp"))

SOURCE = """\
// ebb boolean program 1
decl b0, b1; //@ predicate F0 == 0 | Turn == 0
void P0() begin //@ process P0
  enforce ~(b0 && b1);
  L3: b0 := choose[b1, F]; //@ at peterson.ebb:8:3 flush F0
  if (*) b1, b0 := T, F constrain 'b1 != b0; fi
  assert b0;  //@ at peterson.ebb:9 //@ checks F0
end
"""

SHOWN = """\
// ebb boolean program 1
decl b0, b1;                   //@ predicate F0 == 0 | Turn == 0
void P0() begin                //@ process P0
  enforce (!(b0 & b1));
  L3: b0 := schoose[b1, F];    //@ at peterson.ebb:8:3 flush F0
  if (*) then
    b1, b0 := T, F constrain ('b1 != b0);
  fi;
  assert(b0);                  //@ at peterson.ebb:9 //@ checks F0
end
"""

WITH_PREDICATES = """\
// ebb boolean program 1
decl {F0 == 0}, {Turn == 0};   //@ predicate F0 == 0 | Turn == 0
void P0() begin                //@ process P0
  enforce (!({F0 == 0} & {Turn == 0}));
  L3: {F0 == 0} := schoose[{Turn == 0}, F];  //@ at peterson.ebb:8:3 flush F0
  if (*) then
    {Turn == 0}, {F0 == 0} := T, F constrain ('{Turn == 0} != {F0 == 0});
  fi;
  assert({F0 == 0});           //@ at peterson.ebb:9 //@ checks F0
end
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.bp").write_text(SOURCE, encoding="utf-8")
    return tmp_path


# ---- the command line


@pytest.mark.usefixtures("here")
def test_the_layout_that_tools_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.bp"]) == 0
    assert capsys.readouterr() == (SHOWN, "")


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_show_themselves(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file)]) == 0
    assert capsys.readouterr().out == file.read_text("utf-8")


def test_output_to_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.bp", "-o", "shown.bp"]) == 0
    assert (here / "shown.bp").read_text("utf-8") == SHOWN
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("here")
def test_predicates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--predicates", "p.bp"]) == 0
    assert capsys.readouterr().out == WITH_PREDICATES


@pytest.mark.usefixtures("here")
def test_without_positions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--no-positions", "p.bp"]) == 0
    out = capsys.readouterr().out
    assert out == SHOWN.replace("    //@ at peterson.ebb:8:3 flush F0", "").replace("//@ at peterson.ebb:9 ", "")


def test_positions_inside_other_statements_go_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "while (*) do //@ at a:1\n if (*) then skip; //@ at a:2\n else skip; //@ at a:3\n fi od"
    (here / "nested.bp").write_text(f"void main() begin {body} end", encoding="utf-8")
    assert main(["--no-positions", "nested.bp"]) == 0
    assert "//@" not in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_a_graph_alone_and_with_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.bp", "--graph", "p.dot"]) == 0
    assert capsys.readouterr() == ("", "")
    assert Path("p.dot").read_text("utf-8").startswith("digraph p {")
    assert main(["p.bp", "--predicates", "--graph", "p.dot", "-o", "-"]) == 0
    assert capsys.readouterr().out == WITH_PREDICATES
    assert "{F0 == 0} := schoose[{Turn == 0}, F]" in Path("p.dot").read_text("utf-8")


def test_predicates_of_another_program(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "p.ebb").write_text("process P { skip; }", encoding="utf-8")
    assert main(["--predicates", "p.ebb", "-o", "out"]) == 64
    assert capsys.readouterr() == ("", "ebb-show: --predicates is for Boolean programs (.bp), and p.ebb is none\n")
    assert not Path("out").exists()


def test_bad_input(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bad.bp").write_text("void main() begin\n  b := T;\nend\n", encoding="utf-8")
    assert main(["bad.bp"]) == 65
    assert capsys.readouterr() == ("", "bad.bp:2:3: there is no variable b\n    b := T;\n    ^\n")


def test_help_tells_of_boolean_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert "--predicates" in out
    assert "NO_COLOR" in out


# ---- which language


@pytest.mark.parametrize(
    ("path", "text", "is_one"),
    [
        ("p.bp", "anything", True),
        ("p.ebb", "// ebb boolean program 1\n", False),
        ("p", "void main() begin end", False),
        ("-", "// ebb boolean program 1\n", True),
        ("-", "// ebb boolean program 7\n", True),
        ("-", "\n// a comment\n/* another\n one **/ decl b;\n", True),
        ("-", "void main() begin end", True),
        ("-", "bool<2> f() begin end", True),
        ("-", "// decl\nshared X = 0;\n", False),
        ("-", "declare", False),
        ("-", "process void { }", False),
        ("-", "{}", False),
        ("-", "", False),
    ],
)
def test_what_is_a_boolean_program(path: str, text: str, is_one: bool) -> None:
    assert is_boolean_program(path, text) is is_one


def with_standard_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with_standard_input(monkeypatch, SOURCE)
    assert main([]) == 0
    assert capsys.readouterr().out == SHOWN


def test_standard_input_in_another_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_standard_input(monkeypatch, "process P { skip; }")
    assert main(["--no-positions"]) == 0
    assert capsys.readouterr().out == "process P {\n  skip;\n}\n"


def test_a_mistake_in_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with_standard_input(monkeypatch, "decl b")
    assert main([]) == 65
    assert capsys.readouterr().err.startswith("<stdin>:1:7: ")


# ---- predicates in place of variables


def renamed(text: str) -> str:
    """The text with predicates; it can be read, and has as many states and steps as before."""
    program = read(text)
    shown = show_program(with_predicates(program))
    again = read(shown)
    assert show_program(with_predicates(again)) == shown
    before, after = build(program), build(again)
    assert len(before.bits) == len(after.bits)
    assert [bit.predicate for bit in before.bits] == [bit.predicate for bit in after.bits]
    names = {old.name: new.name for old, new in zip(before.bits, after.bits, strict=True)}
    assert len(set(names.values())) == len(names)
    for old, new in zip(before.edges, after.edges, strict=True):
        assert tuple(names[target] for target in old.targets) == new.targets
    return shown


def test_every_place_where_a_variable_can_stand() -> None:
    text = """\
decl a, b;                     //@ predicate p | q
bool f(x) begin
  return (a ? x : !b);
end
void main() begin
  enforce (a => b);
  a, _ := b, F constrain ('a = 'b);
  a := f(schoose[a, b]);
  while (a ^ b) do
    if (a) then
      dead a, b;
    elsif (b) then
      assume(a);
    else
      assert(b);
    fi;
  od;
  start_thread f(a);
  atomic_begin;
  atomic_end;
  here: skip;
  start_thread goto here;
  goto here;
  end_thread;
end
"""
    head, body = renamed(text).split("\n", 1)
    assert head == "decl {p}, {q};                 //@ predicate p | q"
    assert body.replace("{p}", "a").replace("{q}", "b") == text.split("\n", 1)[1]


@pytest.mark.parametrize(
    "declarations",
    [
        "decl a;\n",
        "decl a, b;                     //@ predicate p | p\n",
        "decl a;                        //@ predicate p\ndecl b;                        //@ predicate p\n",
        "decl a;                        //@ predicate {p}\n",
        "decl a;                        //@ predicate p }\n",
        "decl {p}, a;                   //@ predicate q | p\ndecl {q};\n",
    ],
)
def test_a_variable_that_keeps_its_name(declarations: str) -> None:
    text = f"{declarations}void main() begin\n  a := !a;\nend\n"
    assert renamed(text) == text


def test_a_name_that_is_the_predicate_already() -> None:
    text = "decl {p};                      //@ predicate p\nvoid main() begin\n  {p} := T;\nend\n"
    assert renamed(text) == text


def test_a_local_variable_hides_a_global_one() -> None:
    text = """\
decl a, b;                     //@ predicate p | q
void main() begin
  decl a;                      //@ predicate r
  a := b;
  f(a);
  g();
end
void f(a) begin
  assert(a);
end
void g() begin
  assert(a);
end
"""
    assert [line.strip() for line in renamed(text).splitlines() if "assert" in line or ":=" in line] == [
        *("{r} := {q};", "assert(a);", "assert({p});"),
    ]


def test_the_same_predicate_in_two_functions() -> None:
    function = "void {} begin\n  decl l;                      //@ predicate p\n  l := T;\nend\n"
    text = function.format("main()") + function.format("f()")
    assert renamed(text) == text


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_with_predicates(file: Path) -> None:
    renamed(file.read_text("utf-8"))


# ---- colours


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def show_on_terminal(monkeypatch: pytest.MonkeyPatch, *arguments: str, **environment: str) -> str:
    """What a terminal gets that standard output is."""
    for name in ("NO_COLOR", "COLORTERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "40", **environment}.items():
        monkeypatch.setenv(name, value)
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(output, write_through=True))
    assert main(arguments) == 0
    return output.getvalue().decode()


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.usefixtures("here")
def test_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    text = show_on_terminal(monkeypatch, "p.bp")
    assert plain(text) == SHOWN
    assert "\x1b[1;34mdecl\x1b[0m b0, b1;" in text
    assert "\x1b[33mL3\x1b[0m: b0 := \x1b[1;34mschoose\x1b[0m[b1, \x1b[35mF\x1b[0m];" in text


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_whoever_dislikes_colours_gets_none(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    assert show_on_terminal(monkeypatch, "p.bp", **environment) == SHOWN


def test_a_file_has_no_colours(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert show_on_terminal(monkeypatch, "p.bp", "-o", "shown.bp") == ""
    assert (here / "shown.bp").read_text("utf-8") == SHOWN


@pytest.mark.usefixtures("here")
def test_a_pipe_has_no_colours(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["p.bp"]) == 0
    assert capsys.readouterr().out == SHOWN


def test_another_program_has_no_colours(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "p.ebb").write_text("process P { skip; }", encoding="utf-8")
    assert show_on_terminal(monkeypatch, "p.ebb", "--no-positions") == "process P {\n  skip;\n}\n"


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_colours_change_nothing_else(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = show_on_terminal(monkeypatch, str(file))
    assert "\x1b[" in text
    assert plain(text) == file.read_text("utf-8")


def kinds(text: str) -> dict[str, str]:
    return {text[start:end]: kind for kind, start, end in tokens(text)}


def test_what_has_which_colour() -> None:
    text = """\
// plain //@ process P
decl {a: T}, 'x; /* not a
decl */
  a: 17: goto b, 3, {c d};
  {l m}: x := (x ? T : F) & * | 1;  // goto T //@ at a:1
"""
    assert kinds(text) == {
        "// plain": "comment",
        "//@ process P": "mark",
        "decl": "keyword",
        "/* not a\ndecl */": "comment",
        "a": "label",
        "17": "label",
        "goto": "keyword",
        "b": "label",
        "3": "label",
        "{c d}": "label",
        "{l m}": "label",
        "T": "constant",
        "F": "constant",
        "*": "constant",
        "1": "constant",
        "// goto T": "comment",
        "//@ at a:1": "mark",
    }


def test_every_keyword_has_a_colour() -> None:
    for word in bp.KEYWORDS:
        assert kinds(f" {word} ") == {word: "constant" if word in "TF" else "keyword"}
