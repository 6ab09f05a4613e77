"""The rules of CUPEX, on the programs for which the paper says how many predicates come out."""

from pathlib import Path

import pytest

from ebb.backend.extrapolation.pending import most_under_way, pending
from ebb.backend.extrapolation.rules import copies_in, extrapolate, rule_1, rule_3, rule_4
from ebb.formats.expressions import show
from ebb.formats.ir import Program
from ebb.frontend.ebb_source import parse
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_tso import reduce_tso

EXAMPLES = Path(__file__).parents[3] / "examples/extrapolation"


def reduced(source: str, model: str, bound: int = 1) -> Program:
    program = parse(source, "p.ebb")
    return reduce_pso(program, bound) if model == "pso" else reduce_tso(program, bound)


def shown(source: str, model: str, bound: int = 1) -> list[str]:
    program = reduced(source, model, bound)
    return [show(each) for each in extrapolate([p.expression for p in program.predicates], copies_in(program))]


@pytest.mark.parametrize(
    ("name", "model", "count"),
    [
        ("alternating_bit", "pso", 15),
        ("alternating_bit", "tso", 17),
        ("dekker", "pso", 20),
        ("dekker", "tso", 18),
        ("peterson", "pso", 20),
        ("peterson", "tso", 18),
    ],
)
def test_as_many_predicates_as_in_the_paper(name: str, model: str, count: int) -> None:
    """The paper counts `overflow = 0`, which is a place of control here."""
    assert len(shown((EXAMPLES / f"{name}.ebb").read_text(), model)) == count - 1


def test_one_store_under_pso() -> None:
    source = "shared X, Y; process P { X = 1; X = 2; } process R { Y = 1; } predicates { X == 0, X <= Y, P.r == 0 }"
    source = source.replace("{ X = 1;", "{ local r; X = 1;")
    assert shown(source, "pso", 1) == [
        *("X == 0", "X <= Y", "P.r == 0", "X_1_P == 0", "X <= Y_1_R", "X_1_P <= Y", "X_1_P <= Y_1_R"),
        *("X_cnt_P == 0", "X_cnt_P == 1", "Y_cnt_R == 0", "Y_cnt_R == 1"),
    ]


def test_one_store_under_tso() -> None:
    source = "shared X, Y; process P { X = 1; Y = 1; } predicates { X == 0, X <= Y }"
    assert shown(source, "tso", 2) == [
        *("X == 0", "X <= Y", "rhs_1_P == 0", "rhs_2_P == 0"),
        *("X <= rhs_1_P", "X <= rhs_2_P", "rhs_1_P <= Y", "rhs_1_P <= rhs_2_P", "rhs_2_P <= Y", "rhs_2_P <= rhs_1_P"),
        *("cnt_P == 0", "cnt_P == 1", "cnt_P == 2"),
        *("lhs_1_P == 1", "lhs_1_P == 2", "lhs_2_P == 1", "lhs_2_P == 2"),
    ]


def test_rule_6_replaces_all_occurrences_alike() -> None:
    source = "shared X, Y; process P { X = 1; fence; X = 2; } predicates { X <= Y && 0 <= X }"
    program = reduced(source, "pso")
    lifted = rule_3([p.expression for p in program.predicates], copies_in(program))
    assert [show(each) for each in lifted] == ["X_1_P <= Y && 0 <= X_1_P"]


@pytest.mark.parametrize(
    ("body", "pairs"), [("X = 1; Y = 1;", True), ("X = 1; fence; Y = 1;", False), ("X = 1; fence(X); Y = 1;", True)]
)
def test_rule_7_wants_a_fence_between_stores(body: str, pairs: bool) -> None:
    source = f"shared X, Y; process P {{ {body} }} predicates {{ X <= Y }}"
    assert ("X_1_P <= Y_1_P" in shown(source, "pso")) == pairs
    assert pending(reduced(source, "pso")).fenced != pairs


def test_rule_1_counts_elements_of_arrays_one_by_one() -> None:
    copies = copies_in(reduced("shared Q[2]; process P { local i; Q[i] = 1; } predicates { Q[1] == 0 }", "pso"))
    assert [show(each) for each in rule_1(copies)] == [
        f"Q_cnt_P[{index}] == {count}" for index in (0, 1) for count in (0, 1)
    ]


def test_rule_4_relates_slots_with_each_other_and_with_memory() -> None:
    copies = copies_in(reduced("shared X; process P { X = 1; X = 2; }", "pso", 2))
    assert [show(each) for each in rule_4(copies)] == ["X_1_P == X_2_P", "X_1_P == X", "X_2_P == X"]


@pytest.mark.parametrize(
    ("body", "model", "most"),
    [
        ("X = 1; Y = 1; fence; X = 2;", "tso", 2),
        ("X = 1; Y = 1; fence; X = 2;", "pso", 1),
        ("again: X = 1; goto again;", "tso", None),
        ("again: X = 1; fence; Y = 1; goto again;", "tso", 2),
        ("again: X = 1; atomic { Y = 1; } goto again;", "tso", 1),
    ],
)
def test_how_many_stores_fences_leave_under_way(body: str, model: str, most: int | None) -> None:
    source = f"shared X, Y; process P {{ {body} }}"
    assert most_under_way(reduced(source, model), 6) == most
