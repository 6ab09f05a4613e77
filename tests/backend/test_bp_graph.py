"""Graphs of Boolean programs: which nodes and edges there are, and how what is special stands out."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ebb.backend.bp_graph import graph_source, render
from ebb.formats.bp_check import read, statements
from ebb.formats.errors import UsageError

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "boolean").glob("*.bp"))


def dot(text: str) -> str:
    return graph_source(read(text), "p.bp")


def main_with(body: str) -> str:
    return f"decl a, b, c;\nvoid main() begin\n{body}\nend\n"


def edges(text: str) -> list[tuple[str, str, str]]:
    """Start, end and text of every edge of `main` but the one to its entry."""
    found = re.findall(r'^\t+"main (.*?)" -> "main (.*?)"(?: \[(.*)\])?$', dot(text), re.MULTILINE)
    return [(start, end, label(attributes)) for start, end, attributes in found if start != "(start)"]


def label(attributes: str) -> str:
    found = re.search(r'\blabel=(?:(\w+)|"((?:[^"\\]|\\.)*)")', attributes)
    return (found[1] or found[2]).replace(r" \l ", "\n").replace(r" \l", "").strip() if found else ""


def attributes_of(text: str, what: str) -> str:
    """Of a node or an edge of `main`."""
    pattern = " -> ".join(f'"main {re.escape(name)}"' for name in what.split(" -> "))
    (found,) = re.findall(rf"^\t+{pattern} \[(.*)\]$", dot(text), re.MULTILINE)
    return str(found)


# ---- edges


def test_a_straight_line_of_statements() -> None:
    text = main_with("a := T;\nb, c := a, *;\nassume a;")
    assert edges(text) == [("1", "2", "a := T"), ("2", "3", "b, c := a, *"), ("3", "(end)", "assume(a)")]
    assert '"main (start)" -> "main 1"' in dot(text)


def test_a_function_without_statements() -> None:
    assert '"main (start)" -> "main (end)"' in dot("void main() begin end")


def test_a_goto_is_a_plain_edge_to_each_target() -> None:
    text = main_with("x: goto x, y, x;\ny: goto x;")
    assert edges(text) == [("1", "1", ""), ("1", "2", ""), ("2", "1", "")]
    assert "(end)" not in dot(text)


def test_an_if_is_the_conditions_that_lead_along_each_way() -> None:
    text = main_with("if (a) then skip; elsif (b = c) then skip; else skip; fi skip;")
    assert edges(text) == [
        *(("1", "2", "[a]"), ("1", "1 to 3", ""), ("1 to 3", "3", ""), ("1", "1 to 4", ""), ("1 to 4", "4", "")),
        *(("2", "2 to 5", ""), ("2 to 5", "5", ""), ("3", "3 to 5", ""), ("3 to 5", "5", ""), ("4", "5", "skip")),
        ("5", "(end)", "skip"),
    ]
    assert label(attributes_of(text, "1 to 3")) == "[!a & (b = c)]"
    assert label(attributes_of(text, "1 to 4")) == "[!a & !(b = c)]"


def test_an_if_without_else_and_without_statements() -> None:
    assert edges(main_with("if (a = b) then fi")) == [("1", "(end)", "[a = b]"), ("1", "(end)", "[a != b]")]


def test_two_ways_between_the_same_places_are_two() -> None:
    text = main_with("while (*) do skip; if (a) then elsif (b) then fi od")
    assert [label(attributes_of(text, f"3 to 1{number}")) for number in ("", " #2", " #3")] == [
        *("[a]", "[!a & b]", "[!a & !b]"),
    ]


def test_a_while_leads_back_and_out() -> None:
    text = main_with("while (a) do skip; b := T; od skip;")
    assert [edge for edge in edges(text) if edge[0] != "4"] == [
        *(("1", "2", "[a]"), ("1", "1 to 4", ""), ("1 to 4", "4", "")),
        *(("2", "3", "skip"), ("3 to 1", "3", ""), ("1", "3 to 1", "")),
    ]
    assert "dir=back" in attributes_of(text, "1 -> 3 to 1")
    assert label(attributes_of(text, "3 to 1")) == "b := T"
    assert label(attributes_of(text, "1 to 4")) == "[!a]"


def test_a_while_without_statements_stays_where_it_is() -> None:
    assert edges(main_with("while (a) do od")) == [("1", "1", "[a]"), ("1", "(end)", "[!a]")]


def test_a_choice_looks_the_same_on_both_ways() -> None:
    assert edges(main_with("if (*) then fi")) == [("1", "(end)", "[*]"), ("1", "(end)", "[*]")]


@pytest.mark.parametrize(("true", "false"), ["TF", "10"])
def test_a_way_that_is_never_taken_is_not_drawn(true: str, false: str) -> None:
    assert "(end)" not in dot(main_with(f"while ({true}) do skip; skip; od"))
    assert edges(main_with(f"if ({false}) then fi")) == [("1", "(end)", "[T]")]


def test_what_ends_a_thread_leads_to_the_end() -> None:
    text = main_with("x: if (a) then return; fi end_thread; skip;")
    assert label(attributes_of(text, "2 to (end)")) == "return"
    assert label(attributes_of(text, "3 to (end)")) == "end_thread"


def test_calls_and_threads_by_their_text() -> None:
    text = "bool f(x) begin return x; end\nvoid main() begin decl a; a := f(T); f(a); start_thread f(F); dead a; end"
    assert [words for _, _, words in edges(text)] == ["a := f(T)", "f(a)", "start_thread f(F)", "dead a"]
    assert 'label="bool f(x)"' in dot(text)


def test_a_long_assignment_takes_several_lines() -> None:
    names = [f"variable_{number}" for number in range(5)]
    text = f"decl {', '.join(names)};\nvoid main() begin {', '.join(names)} := T, F, *, 1, 0 constrain '{names[0]}; end"
    ((_, _, words),) = edges(text)
    assert words == f"{', '.join(names)} :=\n  T,\n  F,\n  *,\n  1,\n  0\n  constrain '{names[0]}"
    long = " & ".join(names[:4])
    ((_, _, words),) = edges(f"decl {', '.join(names)};\nvoid main() begin variable_0 := T constrain {long}; end")
    assert words == f"variable_0 := T\n  constrain ({long})"


# ---- what stands out


def test_labels_that_somebody_wrote_stand_out() -> None:
    text = main_with("cs: skip; L7: skip; 12: skip; skip; L8: x: y: skip;")
    assert [label(attributes_of(text, str(number))) for number in range(1, 6)] == ["cs", "L7", "12", "line 3", "x, y"]
    assert ["filled" in attributes_of(text, str(number)) for number in range(1, 6)] == [True, False, False, False, True]


def test_locations_in_an_atomic_block_are_blue() -> None:
    inner = "if (a) then atomic_begin; skip; atomic_end; fi"
    text = main_with(f"skip; atomic_begin; {inner} x: skip; atomic_end; skip; goto y; y: skip;")
    blue = [number for number in range(1, 12) if 'color="#1f5fa8"' in attributes_of(text, str(number))]
    assert blue == [3, 4, 5, 6, 7, 8]
    assert 'fillcolor="#fff1c2"' in attributes_of(text, "7")


def test_a_loop_that_opens_atomic_blocks_is_drawn_all_the_same() -> None:
    text = main_with("atomic_end; while (*) do atomic_begin; od")
    assert 'color="#1f5fa8"' not in attributes_of(text, "1")
    assert 'color="#1f5fa8"' in attributes_of(text, "3")


def test_a_thread_that_starts_at_a_label() -> None:
    text = main_with("atomic_begin; start_thread goto x; atomic_end; end_thread; x: skip;")
    assert "style=dashed" in attributes_of(text, "2 -> 5")
    assert 'color="#1f5fa8"' not in attributes_of(text, "5")
    assert 'label=" start_thread goto x \\l"' in attributes_of(text, "2 -> 3")


def test_an_overflow_is_a_dead_end() -> None:
    text = main_with("start_thread goto x; //@ overflow\nx: while (a) do //@ overflow\n skip; od")
    assert [edge for edge in edges(text) if edge[0] == "1"] == [("1", "1 to (overflow)", "")]
    assert label(attributes_of(text, "2 to (overflow)")) == "while (a) do"
    assert "octagon" in attributes_of(text, "(overflow)")
    assert "(overflow)" not in dot(main_with("skip;"))


def test_assertions_have_a_colour() -> None:
    text = main_with("assert a; skip;")
    assert "fontcolor" in attributes_of(text, "1 -> 2")
    assert attributes_of(text, "1 -> 2") != attributes_of(text, "2 -> (end)")


def test_processes_functions_and_declarations_are_named() -> None:
    text = """
decl a, b;
decl p, {x == 1}; //@ predicate Y == 0 | x == 1
void f() begin //@ process Producer
  decl l; //@ predicate f.l == 0
  enforce a => l;
end
bool<2> g(x, y) begin end
"""
    shown = dot(text)
    assert r'label=" p \l decl a, b \l decl p: Y == 0 \l decl {x == 1} \l"' in shown
    assert 'label="process Producer"' in shown
    assert 'label="bool<2> g(x, y)"' in shown
    assert r'tooltip="p.bp:4:6\ndecl l: f.l == 0\nenforce (a => l)"' in shown


def test_tooltips_say_where_a_statement_comes_from() -> None:
    text = main_with("assert a; //@ at x.ebb:7:3 load Y //@ checks Y\nskip; //@ at x.ebb:8")
    assert label(attributes_of(text, "1 -> 2")) == "// load Y\nassert(a)"
    assert r'tooltip="p.bp:3:1\nx.ebb:7:3 load Y\nassert(a);\nchecks Y"' in attributes_of(text, "1 -> 2")
    assert r'tooltip="p.bp:4:1\nx.ebb:8\nskip;"' in attributes_of(text, "2 -> (end)")


# ---- any program


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_statement_of_an_example_is_a_node(file: Path) -> None:
    program = read(file.read_text("utf-8"))
    shown = graph_source(program, file.name)
    assert shown == graph_source(program, file.name)
    for function in program.functions:
        for number, _ in enumerate(statements(function.body), 1):
            assert f'\t"{function.name} {number}" [' in shown


def svg_of(text: str, directory: Path) -> ElementTree.Element:
    render(read(text), "p.bp", str(directory / "p.svg"))
    return ElementTree.fromstring((directory / "p.svg").read_text(encoding="utf-8"))


def texts(svg: ElementTree.Element) -> set[str]:
    return {
        (element.text or "").replace("\u00a0", " ").strip() for element in svg.iter("{http://www.w3.org/2000/svg}text")
    }


@pytest.mark.system_package("graphviz")
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_dot_draws_the_examples(file: Path, tmp_path: Path) -> None:
    program = read(file.read_text("utf-8"))
    shown = texts(svg_of(file.read_text("utf-8"), tmp_path))
    labels = {label for function in program.functions for each in statements(function.body) for label in each.labels}
    assert labels <= shown


@pytest.mark.system_package("graphviz")
@pytest.mark.parametrize("odd", [":", "a:b:c", '"', "\\", "\\N \\l", "<b>", "&lt;", "%3A", "größer"])
def test_odd_names_are_shown_as_they_are(tmp_path: Path, odd: str) -> None:
    name = f"{{{odd}}}"
    text = f"decl {name};\nvoid {name}() begin {name}: {name} := !{name}; goto {name}; end"
    assert {f"void {name}()", name, f"{name} := !{name}", f"decl {name}"} <= texts(svg_of(text, tmp_path))


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.dot, \.svg, \.png"):
        render(read("void main() begin end"), "p.bp", str(tmp_path / "p.pdf"))
