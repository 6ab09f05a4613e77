"""What only reduced programs have, on programs small enough to know by heart: sets, overflows, background processes."""

import json
from pathlib import Path
from typing import Any

import pytest

from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import AfterViolation, Limits
from ebb.backend.explore import main
from ebb.backend.outcomes_text import show_outcomes
from ebb.formats.ir_check import check
from ebb.formats.outcomes import Outcomes
from ebb.frontend.ebb_source import parse

HEADER = '//@ program "p" from "p.ebb" model sc reduced rma\n'
OVERFLOWS = "a run overflows: a buffer of this reduced program is too small"


def run(text: str, limits: Limits | None = None) -> Outcomes:
    program = parse(HEADER + text, "p.ebb")
    assert check(program) == []
    return explore(program, "sc", limits)


def values(text: str, *names: str) -> set[tuple[Any, ...]]:
    """The values that the named variables have together in final states."""
    outcomes = run(text)
    assert outcomes.complete, outcomes.reason
    return {tuple(state[name] for name in names) for state in outcomes.final}


# ---- sets


def test_a_set_is_empty_at_first() -> None:
    assert values("shared S = {}; process P { }", "S") == {((),)}


def test_collecting_leaves_one_element_whatever_was_there() -> None:
    assert values("shared S = {}; process P { S = {1}; add(S, 5); S = {2}; }", "S") == {((2,),)}


def test_adding_keeps_each_element_once_and_in_order() -> None:
    text = "shared S = {}, X = 7; process P { add(S, X); add(S, -1); add(S, 3); add(S, X); }"
    assert values(text, "S") == {((-1, 3, 7),)}


def test_what_is_collected_is_a_value_and_not_a_variable() -> None:
    assert values("shared S = {}, X = 1; process P { S = {X + 1}; X = 9; add(S, X); }", "S") == {((2, 9),)}


def test_choosing_takes_any_element_and_leaves_the_set_as_it_is() -> None:
    text = "shared S = {}; process P { local r, s; add(S, 1); add(S, 2); r = choose(S); s = choose(S); }"
    assert values(text, "P.r", "P.s", "S") == {(r, s, (1, 2)) for r in (1, 2) for s in (1, 2)}


@pytest.mark.parametrize("target", ["X", "Q[1]", "Q[X]", "a[1]"])
def test_any_place_can_be_chosen_for(target: str) -> None:
    text = f"shared S = {{}}, X, Q[2]; process P {{ local a[2]; S = {{4}}; {target} = choose(S); }}"
    name = {"X": "X", "Q[1]": "Q[1]", "Q[X]": "Q[0]", "a[1]": "P.a[1]"}[target]
    assert values(text, name) == {(4,)}


def test_choosing_from_an_empty_set_waits() -> None:
    outcomes = run("shared S = {}; process P { local r; r = choose(S); }")
    assert (outcomes.verdict, outcomes.final, outcomes.stuck) == ("safe", (), 1)


def test_choosing_goes_on_once_there_is_an_element() -> None:
    text = "shared S = {}; process P { local r; r = choose(S); } process R { add(S, 3); add(S, 4); }"
    assert values(text, "P.r") == {(3,), (4,)}


def test_choosing_in_an_atomic_block_rules_out_the_ways_that_do_not_fit() -> None:
    text = "shared S = {}; process P { local r; add(S, 1); add(S, 2); atomic { r = choose(S); assume(r > 1); } }"
    assert values(text, "P.r") == {(2,)}


def test_choosing_a_value_out_of_range_is_a_violation() -> None:
    outcomes = run("shared S = {}; process P { local r : 0..3; add(S, 1); add(S, 9); r = choose(S); }")
    assert outcomes.violation is not None
    assert outcomes.violation.kind == "out of range"


def test_a_forgotten_set_is_empty() -> None:
    assert values("shared S = {}; process P { add(S, 1); forget(S); }", "S") == {((),)}


def test_forgetting_makes_states_one() -> None:
    text = "shared X : 0..9 = *; process P {{ local a[2]; a[1] = X; {} X = 0; }}"
    assert len(run(text.format("")).final) == 10
    assert values(text.format("forget(a[1]);"), "P.a[1]", "X") == {(0, 0)}
    assert values(text.format("forget(a[1]); forget(X);"), "P.a[1]", "X") == {(0, 0)}


def test_a_value_forgotten_need_not_be_in_the_range() -> None:
    assert run("shared X : 3..9 = 5; process P { forget(X); }").verdict == "safe"


def test_states_that_differ_in_a_set_are_different() -> None:
    assert values("shared S = {}; process P { if (*) add(S, 1); else add(S, 2); }", "S") == {((1,),), ((2,),)}


def test_sets_of_bookkeeping_are_in_runs_and_not_in_outcomes() -> None:
    outcomes = run("shared _S = {}, X; process P { add(_S, 1); add(_S, 2); X = choose(_S); } assert final (X == 1);")
    assert outcomes.final == ({"X": 1}, {"X": 2})
    assert outcomes.violation is not None
    assert [step.memory for step in outcomes.violation.run.steps] == [
        {"_S": (1,), "X": 0},
        {"_S": (1, 2), "X": 0},
        {"_S": (1, 2), "X": 2},
    ]
    assert "_S={1, 2}" in show_outcomes(outcomes)


def test_sets_in_text_and_in_a_document() -> None:
    outcomes = run("shared S = {}; process P { local r; S = {2}; add(S, 1); r = choose(S); } assert never (r == 2);")
    text = show_outcomes(outcomes)
    assert "initially      S={}\n" in text
    assert "add(S, 1)      S={1, 2}\n" in text
    assert "r = choose(S)  P.r=2\n" in text
    assert show_outcomes(run("shared S = {}; process P { add(S, 1); add(S, 2); }")).splitlines()[-1] == "  {1, 2}"


# ---- overflows


def test_an_overflow_makes_the_outcome_unknown() -> None:
    outcomes = run("shared X; process P { if (*) { overflow; } X = 1; }")
    assert (outcomes.verdict, outcomes.reason) == ("unknown", OVERFLOWS)
    assert not outcomes.complete
    assert outcomes.buffers.exceeded
    assert outcomes.violation is None
    assert outcomes.final == ({"X": 1},)  # the run that overflows has no end, the other one has


def test_an_overflow_that_is_never_reached_means_nothing() -> None:
    outcomes = run("process P { local r; if (r) { overflow; } }")
    assert (outcomes.verdict, outcomes.buffers.exceeded) == ("safe", False)


def test_a_process_that_overflows_does_not_stop_the_others() -> None:
    violated = "shared X; process P { overflow; } process R { X = 1; } assert never (X == 1);"
    outcomes = run(violated)
    assert (outcomes.verdict, outcomes.reason) == ("unsafe", None)
    assert outcomes.violation is not None
    assert [step.process for step in outcomes.violation.run.steps] == ["R"]
    assert run(violated, Limits(after_violation=AfterViolation.GO_ON)).buffers.exceeded


def test_a_property_is_unknown_where_only_an_overflow_was_seen() -> None:
    outcomes = run("shared X; process P { if (*) { overflow; } } assert never (X == 1); assert exists (X == 0);")
    assert [prop.holds for prop in outcomes.properties] == [None, True]


def test_an_overflow_in_an_atomic_block_ends_only_its_way() -> None:
    text = "shared X; process P { atomic { if (*) { X = 2; } else { overflow; } } }"
    outcomes = run(text)
    assert (outcomes.verdict, outcomes.reason, outcomes.final) == ("unknown", OVERFLOWS, ({"X": 2},))
    assert outcomes.stuck == 0


def test_an_overflow_is_reported_once() -> None:
    assert run("process P { overflow; } process R { overflow; }").reason == OVERFLOWS


# ---- processes in the background


DRAIN = """
shared X, _full, _value;
process P { atomic { _value = 1; _full = 1; } }
process _memory background { again: atomic { assume(_full); X = _value; _full = 0; } goto again; }
"""


def test_a_background_process_that_waits_counts_as_ended() -> None:
    outcomes = run(DRAIN)
    assert (outcomes.verdict, outcomes.stuck, outcomes.states) == ("safe", 0, 3)
    assert outcomes.final == ({"X": 1},)  # not 0: as long as it can move, it has not ended


def test_without_the_background_such_a_process_never_ends() -> None:
    outcomes = run(DRAIN.replace(" background", ""))
    assert (outcomes.final, outcomes.stuck) == ((), 1)


def test_while_it_can_move_the_state_is_not_final() -> None:
    text = "shared X : 0..2; process P { X = 1; } process B background { again: X = (X + 1) % 3; goto again; }"
    outcomes = run(text)
    assert (outcomes.verdict, outcomes.final) == ("safe", ())


def test_a_background_process_at_its_end_has_ended() -> None:
    assert values("shared X; process P { X = X + 1; } process B background { X = X + 1; }", "X") == {(2,)}


def test_others_have_to_end_all_the_same() -> None:
    outcomes = run("shared X; process P { await(X == 1); } process B background { await(X == 2); }")
    assert (outcomes.final, outcomes.stuck) == ((), 1)


def test_a_background_process_can_wait_to_be_started() -> None:
    text = "shared Go, X; process P { if (*) Go = 1; } process B background when Go { X = 1; }"
    assert values(text, "Go", "X") == {(0, 0), (1, 1)}


def test_an_assertion_in_the_background_counts() -> None:
    assert run("process P { } process B background { assert(0); }").verdict == "unsafe"


# ---- steps


def test_a_step_reads_whatever_it_mentions_at_one_moment() -> None:
    text = "shared X, Y; process P { local r; r = X - Y; } process R { atomic { X = 1; Y = 1; } }"
    assert values(text, "P.r") == {(0,)}
    unreduced = explore(parse(text, "p.ebb"), "sc")
    assert {state["P.r"] for state in unreduced.final} == {0, -1}


def test_increments_of_shared_variables_are_not_lost() -> None:
    assert values("shared X; process P { X = X + 1; } process R { X = X + 1; }", "X") == {(2,)}


# ---- conditionals, which all programs have


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 ? 2 : 3", 2),
        ("0 ? 2 : 3", 3),
        ("-7 ? 2 : 3", 2),
        ("0 ? 1 / 0 : 3", 3),
        ("1 ? 2 : 1 % 0", 2),
        ("0 ? a[5] : 3", 3),
        ("a[0] == 0 ? 2 : 10 / a[0]", 2),
        ("0 ? 1 : 0 ? 2 : 3", 3),
        ("1 ? 0 ? 1 : 2 : 3", 2),
        ("(0 || 1 ? 4 : 5) + 1", 5),
    ],
)
def test_a_conditional_evaluates_its_condition_and_what_it_chooses(expression: str, value: int) -> None:
    outcomes = explore(parse(f"process P {{ local r, a[2]; r = {expression}; }}", "p.ebb"), "sc")
    assert (outcomes.verdict, [state["P.r"] for state in outcomes.final]) == ("safe", [value])


@pytest.mark.parametrize("expression", ["1 / 0 ? 2 : 3", "1 ? 1 / 0 : 3", "0 ? 2 : 1 / 0"])
def test_a_fault_in_what_is_evaluated_is_a_violation(expression: str) -> None:
    outcomes = explore(parse(f"process P {{ local r; r = {expression}; }}", "p.ebb"), "sc")
    assert outcomes.violation is not None
    assert outcomes.violation.kind == "division by zero"


def test_conditionals_in_properties() -> None:
    text = "shared X; process P { local r; cs: X = 1; } assert always (P@cs ? X == 0 : 1 / X == 1);"
    assert explore(parse(text, "p.ebb"), "sc").verdict == "safe"


# ---- the command


@pytest.mark.parametrize("model", ["tso", "pso", "rma"])
def test_other_models_are_refused(model: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.ebb"
    path.write_text(HEADER + "process P { overflow; }")
    assert main([str(path), "--model", model]) == 65
    said = capfd.readouterr()
    assert said.out == ""
    assert f"this program already contains its memory model: explore it under sc, not {model}" in said.err


def test_the_verdict_is_the_exit_code(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.ebb"
    path.write_text(HEADER + "shared S = {}; process P { add(S, 1); if (*) { overflow; } }")
    assert main([str(path), "--model", "sc"]) == 2
    assert f"unknown: {OVERFLOWS}\n" in capfd.readouterr().out
    assert main([str(path), "--model", "sc", "--json"]) == 2
    document = json.loads(capfd.readouterr().out)
    assert document["final"] == [{"S": [1]}]
    assert document["buffers"]["exceeded"] is True
