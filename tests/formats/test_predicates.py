"""Files of predicates: what they mean, and what can be wrong with them."""

from pathlib import Path

import pytest

from ebb.formats.errors import InputError
from ebb.formats.expressions import show
from ebb.formats.ir import Program
from ebb.formats.predicates import dumps, predicates_of, read_predicates
from ebb.frontend.ebb_source import parse

TEXT = "shared X, Q[2]; process P { local r, s; r = X; } process R { local s; s = Q[0]; }"


@pytest.fixture
def program() -> Program:
    return parse(TEXT, "p.ebb")


def shown(path: Path, program: Program) -> list[str]:
    return [show(predicate.expression) for predicate in read_predicates(str(path), program)]


@pytest.mark.parametrize(
    "text",
    [
        "predicates:\n  - X == 0\n  - r < P.s\n  - '!(Q[1] == R.s)'\n",
        '- X == 0\n- P.r < P.s\n- "!(Q[1] == R.s)"\n',
    ],
)
def test_a_list_with_and_without_a_heading(text: str, program: Program, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text)
    assert shown(path, program) == ["X == 0", "P.r < P.s", "!(Q[1] == R.s)"]


@pytest.mark.parametrize("text", ["", "predicates:\n", "predicates: []\n", "# nothing\n"])
def test_no_predicates(text: str, program: Program, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text)
    assert shown(path, program) == []


def test_what_is_written_is_read_back(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("- X == 0\n- '!P.r'\n- '-X < 2'\n")
    found = [predicate.expression for predicate in read_predicates(str(path), program)]
    path.write_text(dumps(found))
    assert [predicate.expression for predicate in read_predicates(str(path), program)] == found


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("- X == 0\n- Z == 0\n", "2:3", "`Z` is not a variable of the program p"),
        ("- X == 0\n- X + Z.r == 0\n", "2:3", "`Z.r` is not a variable of the program p"),
        ("- s == 0\n", "1:3", "`s` is a local of several processes; write P.s or R.s"),
        ("- Q == 0\n", "1:3", "the array `Q` needs an index"),
        ("- X[0] == 0\n", "1:3", "`X` is not an array"),
        ("- P@L0\n", "1:3", "a predicate is about variables; a label has no place in it"),
        ("- X == 0\n- 1 == 1\n", "2:3", "`1 == 1` is a constant: a predicate is about variables"),
        ("- X == 0\n- r == 0\n- X == 0\n", "3:3", "the predicate `X == 0` stands here twice"),
        ("- P.r == 0\n- r == 0\n", "2:3", "the predicate `P.r == 0` stands here twice"),
        ("- X = 0\n", "1:5", "`=` has no place in an expression"),
        ("- 'X = 0'\n", "1:6", "`=` has no place in an expression"),
        ("- !X\n", "1:3", "a predicate that begins with `!` has to be quoted: '!X'"),
        ("preds:\n- X == 0\n", "1:1", "expected `predicates:` and a list"),
        ("predicates: X == 0\n", "1:13", "expected a list of predicates, each after `- `"),
        ("- [X, Y]\n", "1:3", "expected a predicate"),
        ("- X == 0\n- {\n", "3:1", "not YAML: "),
    ],
)
def test_mistakes(text: str, place: str, message: str, program: Program, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_predicates(str(path), program)
    assert str(caught.value).startswith(f"{path}:{place}: {message}")


def test_predicates_come_from_the_file_given_the_program_or_a_file_beside_it(tmp_path: Path) -> None:
    plain = parse(TEXT, "p.ebb")
    own = parse(f"{TEXT} predicates {{ X == 1 }}", "p.ebb")
    source, beside, given = tmp_path / "p.ebb", tmp_path / "p.preds.yaml", tmp_path / "given.yaml"
    assert predicates_of(plain, str(source), None)[0] == ()
    beside.write_text("- X == 2\n")
    given.write_text("- X == 3\n")

    def used(program: Program, path: str | None) -> list[str]:
        return [show(predicate.expression) for predicate in predicates_of(program, str(source), path)[0]]

    assert used(plain, None) == ["X == 2"]
    assert used(own, None) == ["X == 1"]
    assert used(own, str(given)) == ["X == 3"]
