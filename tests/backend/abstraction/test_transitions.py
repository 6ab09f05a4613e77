"""Instructions as guarded parallel assignments."""

import pytest

from ebb.backend.abstraction.boolean_program import check_text, concrete_text
from ebb.backend.abstraction.transitions import Location, controls
from ebb.formats.expressions import Binary, Element, Integer, Name, show
from ebb.frontend.ebb_source import parse
from ebb.passes.reduce_pso import reduce_pso


def locations(text: str) -> list[Location]:
    return list(controls(parse(text, "p.ebb"))[0].locations)


def ways(text: str) -> list[str]:
    """What the first instruction of the first process can do."""
    return [concrete_text(transition) for transition in locations(text)[0].transitions]


def checks(text: str) -> list[str]:
    return [check_text(check) for check in locations(text)[0].checks]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("r = X;", ["P.r = X"]),
        ("r = *;", ["P.r = *"]),
        ("atomic { r = X; X = r + 1; }", ["P.r = X, X = X + 1"]),
        ("atomic { assume(X == 0); X = 1; X = X + 1; }", ["[X == 0] X = 2"]),
        ("atomic { if (r > 0) s = 1; else s = 2; }", ["[P.r <= 0] P.s = 2", "[P.r > 0] P.s = 1"]),
        ("r = s > 0 ? s : -s;", ["[P.s > 0] P.r = P.s", "[P.s <= 0] P.r = -P.s"]),
        ("atomic { r = 1; assume(r == 2); }", []),
        ("atomic { r = *; assume(r > 3); }", ["[?1 > 3] P.r = *"]),
        ("r = A[1];", ["P.r = A[1]"]),
        ("r = A[s];", ["[P.s == 0] P.r = A[0]", "[P.s != 0] P.r = A[1]"]),
        ("atomic { A[0] = 3; r = A[s]; }", ["[P.s == 0] P.r = 3, A[0] = 3", "[P.s != 0] P.r = A[1], A[0] = 3"]),
        ("r = cas(X, 0, 1);", ["[X != 0] P.r = 0", "[X == 0] X = 1, P.r = 1"]),
    ],
)
def test_ways(statement: str, expected: list[str]) -> None:
    found = ways(f"shared X, A[2]; process P {{ local r, s; {statement} }}")
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("r = X;", []),
        ("r = A[s];", ["0 <= P.s && P.s < 2"]),
        ("r = X / s;", ["P.s != 0"]),
        ("T = r;", ["0 <= P.r && P.r <= 1"]),
        ("assert (r == s);", ["P.r == P.s"]),
        (
            "atomic { assume(s == 1); r = A[s]; assert (r != 0); }",
            ["[P.s == 1] 0 <= P.s && P.s < 2", "[P.s == 1 && (0 <= P.s && P.s < 2)] A[1] != 0"],
        ),
        ("r = s > 0 ? A[s] : 0;", ["P.s <= 0 || 0 <= P.s && P.s < 2"]),
    ],
)
def test_checks(statement: str, expected: list[str]) -> None:
    assert checks(f"shared X, T : 0..1 = 0, A[2]; process P {{ local r, s; {statement} }}") == expected


def test_weakest_preconditions_look_through_aliases() -> None:
    (location,) = locations("shared A[9]; process P { local i, j; A[i] = 5; }")
    (transition,) = location.transitions
    other = Binary("==", Element("A", Name("P.j")), Integer(0))
    assert show(transition.after(other)) == "(P.j == P.i ? 5 : A[P.j]) == 0"
    assert show(transition.after(Binary("==", Name("P.i"), Integer(0)))) == "P.i == 0"


def test_a_block_with_a_loop_is_taken_step_by_step() -> None:
    found = locations("process P { local r; atomic { while (r < 3) r = r + 1; } r = 0; }")
    assert not found[0].inside
    assert not found[-1].inside
    assert len(found) > 3
    assert all(location.inside for location in found[1:-1])


def test_a_flush_is_one_transition() -> None:
    reduced = reduce_pso(parse("shared X; process P { X = 1; }", "p.ebb"), 2)
    memory = controls(reduced)[-1]
    assert [concrete_text(transition) for transition in memory.locations[0].transitions] == [
        "[X_cnt_P != 0 && X_cnt_P == 1] X = X_1_P, X_1_P = *, X_cnt_P = 0",
        "[X_cnt_P != 0 && X_cnt_P != 1] X = X_1_P, X_1_P = X_2_P, X_2_P = *, X_cnt_P = 1",
    ]
