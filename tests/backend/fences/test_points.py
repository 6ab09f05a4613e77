"""Where a fence could stand, and the program with fences there."""

import random

import pytest
from random_programs import random_program

from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import AfterViolation, Limits
from ebb.backend.fences.points import points, points_of_fences, with_candidates, with_fences
from ebb.backend.source_text import show_action
from ebb.formats.ir import Fence, Program, instructions
from ebb.formats.ir_check import check
from ebb.formats.outcomes import Outcomes
from ebb.frontend.ebb_source import parse

LIMITS = Limits(max_states=5_000, after_violation=AfterViolation.GO_ON)


def program_of(body: str, rest: str = "") -> Program:
    text = f"shared X, Y, Z;\nprocess P {{ local r;\n{body}\n}}\nprocess Q {{ local q; X = 2; q = Y; }}\n{rest}"
    return parse(text, "p.ebb")


def places(body: str, rest: str = "") -> list[str]:
    """Of the process P, by side and statement."""
    program = program_of(body, rest)
    return [
        f"{point.side} {show_action(program.processes[0].body[point.index].action)}"
        for point in points(program, "pso")
        if point.process == "P"
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("X = 1; r = Y;", ["after X = 1"]),
        ("X = 1; r = Y; r = Z;", ["after X = 1", "before r = Z"]),
        ("X = 1; Y = 1; r = Z;", ["after X = 1", "after Y = 1"]),
        ("r = X; r = Y;", []),  # nothing is buffered
        ("X = 1;", []),  # the end waits
        ("X = 1; fence; r = Y;", []),
        ("X = 1; r = cas(Y, 0, 1); r = Z;", []),
        ("X = 1; fence(X); r = Y;", []),
        ("X = 1; r = 2; r = Y;", ["after X = 1"]),
        ("if (r == 0) X = 1; r = Y;", ["after X = 1", "before r = Y"]),
        ("if (r == 0) X = 1; else X = 2; r = Y;", ["after X = 1", "after X = 2", "before r = Y"]),
        ("a: X = 1; r = Y; goto a;", ["before X = 1", "after X = 1"]),
        ("while (Y == 0) { X = 1; }", ["before X = 1", "after X = 1"]),  # no line stands for the head of the loop
        ("X = 1; await(Y == 1); r = Z;", ["after X = 1", "before r = Z"]),
    ],
)
def test_places(body: str, expected: list[str]) -> None:
    assert places(body) == expected


def test_a_fence_for_another_variable_does_not_wait_for_a_store() -> None:
    assert "after Y = 1" in places("while (Z == 0) { Y = 1; fence(X); }")
    assert places("Y = 1; fence(X); r = Z;") == ["after Y = 1", "before r = Z"]


def test_no_fence_moves_a_label_that_a_property_asks_about() -> None:
    body = "X = 1; r = Y;\nhere: r = Z;"
    assert places(body) == ["after X = 1", "before r = Z"]
    assert places(body, "assert never (P@here && Q.q == 1);") == ["after X = 1"]


def test_numbers_go_with_the_source() -> None:
    found = points(program_of("X = 1; r = Y; r = Z;"), "tso")
    assert [point.number for point in found] == [1, 2, 3]
    assert [point.process for point in found] == ["P", "P", "Q"]


def test_flushes_stand_after_puts_and_gets() -> None:
    program = parse(
        "process P { shared A, B; put(C, Q, A); flush(Q); put(C, Q, A); B = get(C, Q); put(A, P, B); }\n"
        "process Q { shared C; }\n",
        "p.ebb",
    )
    found = points(program, "rma")
    assert [(point.index, show_action(point.action)) for point in found] == [
        (2, "flush(Q)"),
        (3, "flush(Q)"),
        (4, "flush(P)"),
    ]
    assert [point.index for point in points_of_fences(program, "rma")] == [1]
    assert points_of_fences(program, "tso") == []


def test_jumps_go_to_the_fence_before_a_statement() -> None:
    program = program_of("X = 1; a: r = Y; if (r == 0) goto a;")
    found = points(program, "tso")
    before = next(point for point in found if point.side == "before")
    with_one = with_fences(program, found, {before.number})
    assert [show_action(each.action) for each in with_one.processes[0].body] == [
        "X = 1",
        "fence",
        "r = Y",
        f"if (r == 0) goto fence_{before.number}",
    ]


def test_labels_of_fences_are_new() -> None:
    program = program_of("fence_1: X = 1; r = Y; goto fence_1;")
    found = points(program, "tso")
    assert check(with_candidates(program, found)) == []


def test_without_a_fence_of_the_program() -> None:
    program = program_of("X = 1; fence; r = Y;")
    found = points_of_fences(program, "tso")
    assert with_fences(program, found, {1}) == program
    actions = [show_action(each.action) for each in with_fences(program, found, set()).processes[0].body]
    assert actions == ["X = 1", "skip", "r = Y"]


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_with_all_fences_a_program_does_what_it_does_under_sc(first: int) -> None:
    compared = 0
    for seed in range(first, first + 20):
        program = parse(random_program(random.Random(seed), "pso").text(), "p.ebb")
        strong = explore(program, "sc", LIMITS)
        if not strong.complete:
            continue
        found = points(program, "pso")
        fenced = with_fences(program, found, {point.number for point in found})
        assert check(fenced) == []
        for model in ("tso", "pso"):
            weak = explore(fenced, model, LIMITS)
            assert (weak.verdict, states(weak)) == (strong.verdict, states(strong)), f"{seed} under {model}"
        compared += any(isinstance(each.action, Fence) for p in fenced.processes for each in instructions(p.body))
    assert compared > 5


def states(outcomes: Outcomes) -> set[tuple[tuple[str, int], ...]]:
    return {tuple(sorted((name, int(value)) for name, value in state.items())) for state in outcomes.final}
