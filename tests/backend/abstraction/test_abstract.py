"""`ebb-abstract`: the Boolean program in print, both searches, many processes, mistakes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ebb.backend.abstract import main
from ebb.backend.abstraction.build import abstract
from ebb.backend.abstraction.options import Options
from ebb.backend.automata.build import build
from ebb.backend.checker import engines
from ebb.backend.checker.limits import Limits
from ebb.formats.bp_check import read
from ebb.formats.bp_text import show_program
from ebb.frontend.ebb_source import parse

EXAMPLES = Path(__file__).parents[3] / "examples/extrapolation"
HERE = Path(__file__).parent


def text_of(source: str, options: Options | None = None) -> str:
    program = parse(source, "p.ebb")
    result, _ = abstract(program, [each.expression for each in program.predicates], options or Options())
    return show_program(result)


def verdict_of(source: str) -> str:
    return engines.check(build(read(text_of(source))), "auto", Limits()).verdict


@pytest.mark.parametrize("name", ["alternating_bit", "ticket", "queue_one"])
def test_programs_in_print(name: str, golden: Callable[[str | Path, str], None]) -> None:
    text = text_of((EXAMPLES / f"{name}.ebb").read_text())
    assert show_program(read(text)) == text
    golden(HERE / f"{name}.sc.bp", text)


@pytest.mark.parametrize(("name", "size"), [("alternating_bit", 4), ("peterson", 3), ("ticket", 2), ("queue_one", 2)])
def test_both_searches_find_the_same(name: str, size: int) -> None:
    program = parse((EXAMPLES / f"{name}.ebb").read_text(), "p.ebb")
    predicates = [each.expression for each in program.predicates]
    found, figures = abstract(program, predicates, Options("models", size))
    other, enumerated = abstract(program, predicates, Options("enumerate", size))
    assert show_program(found) == show_program(other)
    assert figures.smt.calls < enumerated.smt.calls
    assert (figures.cubes, figures.largest) == (enumerated.cubes, enumerated.largest)


@pytest.mark.parametrize("jobs", [2, 3])
def test_as_many_processes_as_one_likes_and_the_same_bytes(jobs: int) -> None:
    source = (EXAMPLES / "bakery.ebb").read_text()
    assert text_of(source, Options(jobs=jobs)) == text_of(source)


@pytest.mark.parametrize(
    ("body", "predicates", "verdict"),
    [
        ("r = X; assert (r == 0);", "X == 0, r == 0", "safe"),
        ("r = X; assert (r == 0);", "X == 0", "unsafe"),
        ("r = r + 1; assert (r > 0);", "r > 0, r >= 0", "safe"),
        ("while (r < 3) r = r + 1; assert (r == 3);", "r <= 3, r < 3", "safe"),
        ("s = 5; r = *; if (r < s) { s = r; assert (s < 3); }", "r < s, s < 3, r < 3", "unsafe"),
        ("s = 2; r = *; if (r < s) { s = r; assert (s < 3); }", "r < s, s < 3, r < 3", "safe"),
        ("A[0] = 1; r = A[s]; assert (r == 1);", "A[0] == 1, A[1] == 1, r == 1, s == 0", "safe"),
        ("A[2 - 2] = 1; s = 1; r = A[s]; assert (r == 1);", "A[0] == 1, A[1] == 1, r == 1, s == 0", "unsafe"),
        ("s = 5; r = A[s];", "s == 5", "unsafe"),
        ("r = 7 / s;", "s == 0", "unsafe"),
        ("s = 1; r = 7 / s;", "s == 0", "safe"),
        ("atomic { r = 3; while (r > 0) r = r - 1; } assert (r == 0);", "r >= 0, r == 0, r > 0", "safe"),
        ("T = r;", "r == 0", "safe"),
        ("r = 2; T = r;", "r == 0", "unsafe"),
    ],
)
def test_verdicts(body: str, predicates: str, verdict: str) -> None:
    source = f"shared X, T : 0..1 = 0, A[2]; process P {{ local r, s; {body} }} predicates {{ {predicates} }}"
    assert verdict_of(source) == verdict


def test_facts_of_three_predicates_are_enforced() -> None:
    """Pairs are not enough: x < y, y < z and z < x are possible two by two."""
    source = """
    shared X = *, Y = *, Z = *;
    process P { atomic { assume (X < Y); } atomic { assume (Y < Z); } atomic { assume (Z < X); } assert (0 == 1); }
    predicates { X < Y, Y < Z, Z < X }
    """
    assert verdict_of(source) == "safe"


def test_properties_about_places_and_about_the_end() -> None:
    source = """
    shared X;
    process P {{ {} }}
    process R {{ atomic {{ await (X == 0); X = 1; }} cs: skip; atomic {{ X = 0; }} }}
    {}
    predicates {{ X == 0 }}
    """
    take = "atomic { await (X == 0); X = 1; } cs: skip; atomic { X = 0; }"
    assert verdict_of(source.format(take, "assert never (P@cs && R@cs);")) == "safe"
    assert verdict_of(source.format("cs: skip;", "assert never (P@cs && R@cs);")) == "unsafe"
    assert verdict_of(source.format(take, "assert final (X == 0);")) == "safe"
    assert verdict_of(source.format(take, "assert final (X == 1);")) == "unsafe"


def test_labels_and_processes_with_names_that_the_language_needs() -> None:
    source = """
    shared X;
    process main { skip: X = 1; end: skip; goto end; }
    process properties { begin: skip; }
    assert never (main@end && X == 0);
    predicates { X == 0 }
    """
    assert verdict_of(source) == "safe"


@pytest.mark.parametrize(
    ("predicates", "message"),
    [
        ("X == X", "p.ebb:1:{}: `X == X` always holds: it tells no states apart"),
        ("X < X", "p.ebb:1:{}: `X < X` never holds: it tells no states apart"),
        ("1 == 1", "p.ebb:1:{}: `1 == 1` is a constant: a predicate is about variables"),
        ("X == 0, X == 0", "p.ebb:1:{}: the predicate `X == 0` stands here twice"),
        ("X > 0, X >= 1", "p.ebb:1:{}: `X >= 1` means the same as `X > 0`"),
        ("T < 2", "p.ebb:1:{}: `T < 2` always holds: it tells no states apart"),
        ("Y == 0", "p.ebb:1:{}: `Y` is not declared"),
    ],
)
def test_predicates_that_say_nothing(
    predicates: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "shared X, T : 0..1 = 0; process P { X = 1; } predicates { "
    path = tmp_path / "p.ebb"
    path.write_text(f"{head}{predicates} }}")
    output = tmp_path / "p.bp"
    assert main([str(path), "-o", str(output)]) == 65
    column = len(head) + 1 + predicates.rfind(", ") + 2 * (", " in predicates) + (", " not in predicates)
    assert capsys.readouterr().err.startswith(f"{tmp_path}/{message.format(column)}")
    assert not output.exists()


def test_predicates_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, predicates = tmp_path / "p.ebb", tmp_path / "p.preds.yaml"
    program.write_text("shared X; process P { X = 1; } predicates { X == 5 }")
    predicates.write_text("predicates:\n  - X == 1\n  - X == X\n")
    assert main([str(program), "--preds", str(predicates)]) == 65
    assert f"{predicates}:3:5: `X == X` always holds" in capsys.readouterr().err
    predicates.write_text("predicates:\n  - X == 1\n")
    assert main([str(program), "--preds", str(predicates)]) == 0
    found = capsys.readouterr()
    assert "//@ predicate X == 1" in found.out
    assert "X == 5" not in found.out
    assert found.err.startswith("1 predicate, ")
