"""Graphs: which nodes and edges there are, that any text survives, and that what comes out is a picture."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from ir_programs import programs

from ebb.backend.graph import graph_source, render
from ebb.formats.errors import Position, UsageError
from ebb.formats.expressions import Binary, Conditional, Integer, Name
from ebb.formats.ir import (
    Action,
    Add,
    Assign,
    Assume,
    Atomic,
    Branch,
    Choose,
    Collect,
    Forget,
    Goto,
    Havoc,
    Instruction,
    Overflow,
    Process,
    Program,
    Property,
    Skip,
    Transaction,
    Variable,
)

AT = Position(1, 1)
R = Name("r")
R_IS_0 = Binary("==", R, Integer(0))


def step(label: str, action: Action, note: str = "", line: int = 1) -> Instruction:
    return Instruction(label, action, Position(line, 3), note)


def program_of(*body: Instruction, name: str = "p", source: str = "p.ebb") -> Program:
    return Program(name, source, (), (Process("P", AT, (Variable("r", AT),), body),))


def edges(program: Program) -> list[tuple[str, str, str]]:
    """Start, end and text of every edge but the one to the entry."""
    found = re.findall(r'^\t+"(.*?)" -> "(.*?)"(?: \[(.*)\])?$', graph_source(program), re.MULTILINE)
    return [(start, end, _text(attributes)) for start, end, attributes in found if "(start)" not in start]


def _text(attributes: str) -> str:
    label = re.search(r'\blabel="((?:[^"\\]|\\.)*)"', attributes)
    return label[1].replace(r" \l ", "\n").replace(r" \l", "").strip() if label else ""


def node(program: Program, name: str) -> str:
    found = re.search(rf'^\t+"{re.escape(name)}" \[(.*)\]$', graph_source(program), re.MULTILINE)
    assert found, f"no node {name}"
    return found[1]


def test_a_straight_line_of_instructions() -> None:
    program = program_of(step("L0", Assign(R, Integer(1))), step("L1", Havoc(R)))
    assert edges(program) == [("P L0", "P L1", "r = 1"), ("P L1", "P (end)", "r = *")]
    assert '"P (start)" -> "P L0"' in graph_source(program)


def test_a_branch_is_its_condition_and_the_negation() -> None:
    program = program_of(step("L0", Branch(R_IS_0, "L1")), step("L1", Skip()))
    assert edges(program)[:2] == [("P L0", "P L1", "[r == 0]"), ("P L0", "P L1", "[r != 0]")]


def test_a_branch_that_leads_far_is_drawn_through_its_text() -> None:
    there = program_of(step("L0", Branch(R_IS_0, "L2")), step("L1", Skip()), step("L2", Skip()))
    assert edges(there)[:2] == [("P L0", "P L0 to L2", ""), ("P L0 to L2", "P L2", "")]
    assert 'label=" [r == 0] \\l"' in node(there, "P L0 to L2")
    back = program_of(step("L0", Skip()), step("L1", Branch(R_IS_0, "L0")))
    lines = graph_source(back).splitlines()
    (up,) = [line for line in lines if '"P L0" -> "P L1 to L0"' in line]
    (beside,) = [line for line in lines if '"P L1 to L0" -> "P L1"' in line]
    assert "dir=back" in up
    assert "dir=none" in beside


def test_a_goto_is_a_plain_edge_to_each_target() -> None:
    program = program_of(step("L0", Goto(("L0", "L1"))), step("L1", Goto(("L0",))))
    assert edges(program) == [("P L0", "P L0", ""), ("P L0", "P L1", ""), ("P L1", "P L0", "")]


def test_a_process_that_never_ends_has_no_end() -> None:
    assert "(end)" not in graph_source(program_of(step("L0", Goto(("L0",)))))


def test_a_process_without_instructions_begins_at_its_end() -> None:
    assert '"P (start)" -> "P (end)"' in graph_source(program_of())
    assert "peripheries=2" in node(program_of(), "P (end)")


BLOCK = Atomic(
    (
        step("L0_1", Assume(R_IS_0)),
        step("L0_2", Branch(R, "L0_4")),
        step("L0_3", Havoc(R)),
        step("L0_4", Skip()),
    )
)


def test_an_atomic_block_is_one_edge_with_its_text() -> None:
    text = "atomic {\n  assume(r == 0);\n  if (r) goto L0_4;\n  r = *;\nL0_4:\n  skip;\n}"
    assert edges(program_of(step("L0", BLOCK))) == [("P L0", "P (end)", text)]


def test_an_atomic_block_that_models_something_says_what() -> None:
    program = program_of(step("L0", BLOCK, "lock m"))
    assert edges(program) == [("P L0", "P (end)", "lock m")]
    assert r'tooltip="p.ebb:1:3 lock m\natomic {\n  assume(r == 0);' in graph_source(program)


def test_long_text_is_cut_and_whole_in_the_tooltip() -> None:
    long = Name("long" * 30)
    program = program_of(step("L0", Atomic(tuple(step(f"L0_{n}", Assign(R, Integer(n))) for n in range(1, 30)))))
    ((_, _, text),) = edges(program)
    assert len(text.splitlines()) == 12
    assert text.endswith("…\n}")
    assert "r = 29;" in graph_source(program)
    ((_, _, text),) = edges(program_of(step("L0", Assign(R, long))))
    assert len(text) == 72
    assert long.name in graph_source(program_of(step("L0", Assign(R, long))))


def test_transactions_are_named() -> None:
    program = program_of(step("L0", Transaction("begin")), step("L1", Transaction("end")))
    assert [text for _, _, text in edges(program)] == ["transaction begin", "transaction end"]


def test_written_labels_stand_out() -> None:
    program = program_of(step("cs", Skip()), step("L1", Skip()), step("L2x", Skip()))
    assert "filled" in node(program, "P cs")
    assert "filled" not in node(program, "P L1")
    assert "filled" in node(program, "P L2x")


def test_a_label_cannot_be_taken_for_the_entry_or_the_end() -> None:
    program = program_of(step("start", Skip()), step("end", Skip()))
    assert edges(program) == [("P start", "P end", "skip"), ("P end", "P (end)", "skip")]


def test_processes_and_properties_are_shown() -> None:
    processes = (
        Process("P0", AT, (), ()),
        Process("P1", AT, (), (), "go"),
        Process("P2", AT, (), (), background=True),
        Process("P3", AT, (), (), "go", background=True),
    )
    program = Program("p", "p.ebb", (Variable("go", AT),), processes, (Property("never", Name("go"), AT),))
    text = graph_source(program)
    assert "subgraph cluster_P0 {" in text
    assert 'label="process P1 when go"' in text
    assert 'label="process P2 background"' in text
    assert 'label="process P3 background when go"' in text
    assert r'label=" p \l assert never (go) \l"' in text


def test_what_only_reduced_programs_have() -> None:
    program = program_of(
        step("L0", Collect("S", R)),
        step("L1", Add("S", Conditional(R, Integer(1), Integer(2)))),
        step("L2", Choose(R, "S")),
        step("L3", Forget(R)),
        step("L4", Overflow(), "no room for X"),
    )
    assert [text for _, _, text in edges(program)] == [
        *("S = {r}", "add(S, r ? 1 : 2)", "r = choose(S)", "forget(r)", "overflow"),
    ]


@given(programs())
@settings(deadline=None)
def test_every_location_of_any_program_is_a_node(program: Program) -> None:
    text = graph_source(program)
    assert text == graph_source(program)
    for process in program.processes:
        for instruction in process.body:
            assert f'"{process.name} {instruction.label}" [' in text


# ---- files


PLAIN = program_of(step("cs", Assign(R, Integer(1)), line=7))


def test_dot_needs_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    render(PLAIN, str(tmp_path / "p.dot"))
    assert (tmp_path / "p.dot").read_text(encoding="utf-8") == graph_source(PLAIN)


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_without_dot_a_picture_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("dot") is None
    with pytest.raises(UsageError, match="Debian package graphviz"):
        render(PLAIN, str(tmp_path / f"p{suffix}"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["p", "p.pdf", "p.SVG", "-", ".dot"])
def test_another_suffix_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"\.dot, \.svg, \.png"):
        render(PLAIN, name)
    assert not list(tmp_path.iterdir())


@pytest.mark.system_package("graphviz")
def test_a_png_is_a_png(tmp_path: Path) -> None:
    render(PLAIN, str(tmp_path / "p.png"))
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG\r\n")


def svg_of(program: Program, directory: Path) -> ElementTree.Element:
    render(program, str(directory / "p.svg"))
    return ElementTree.fromstring((directory / "p.svg").read_text(encoding="utf-8"))


def texts(svg: ElementTree.Element) -> set[str]:
    return {
        (element.text or "").replace("\u00a0", " ").strip() for element in svg.iter("{http://www.w3.org/2000/svg}text")
    }


def tooltips(svg: ElementTree.Element) -> set[str]:
    return {element.get("{http://www.w3.org/1999/xlink}title", "").strip() for element in svg.iter()}


@pytest.mark.system_package("graphviz")
def test_an_svg_says_where_each_edge_comes_from(tmp_path: Path) -> None:
    svg = svg_of(PLAIN, tmp_path)
    assert {"process P", "cs", "r = 1", "end"} <= texts(svg)
    assert "p.ebb:7:3\nr = 1;" in tooltips(svg)


@pytest.mark.system_package("graphviz")
@pytest.mark.parametrize("odd", ['"', "\\", "\\N \\l \\", "<b>", "&lt;&amp;", "a && b", "{x|y}", "größer"])
def test_odd_text_is_shown_as_it_is(tmp_path: Path, odd: str) -> None:
    program = program_of(step("L0", Atomic(()), odd), name=odd, source=odd)
    svg = svg_of(program, tmp_path)
    assert odd in texts(svg)
    assert f"{odd}:1:3 {odd}\natomic {{\n}}" in tooltips(svg)


@pytest.mark.system_package("graphviz")
@given(program=programs())
@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_dot_draws_any_program(tmp_path: Path, program: Program) -> None:
    shown = texts(svg_of(program, tmp_path))
    assert {instruction.label for process in program.processes for instruction in process.body} <= shown
