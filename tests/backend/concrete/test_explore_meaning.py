"""What programs do under each model, on programs small enough to know by heart."""

import pytest

from ebb.backend.concrete.models import MODELS, ModelName
from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import AfterViolation, Limits
from ebb.formats.errors import InputError
from ebb.formats.outcomes import Outcomes
from ebb.frontend.ebb_source import parse


def run(text: str, model: ModelName, limits: Limits | None = None) -> Outcomes:
    return explore(parse(text, "p.ebb"), model, limits)


def values(text: str, model: ModelName, *names: str) -> set[tuple[int, ...]]:
    """The values that the named variables have together in final states."""
    outcomes = run(text, model)
    assert outcomes.complete, outcomes.reason
    return {tuple(state[name] for name in names) for state in outcomes.final}


STORE_BUFFERING = """
shared X, Y;
process P0 { local r; X = 1; r = Y; }
process P1 { local r; Y = 1; r = X; }
"""
MESSAGE_PASSING = """
shared X, Y;
process P0 { X = 1; Y = 1; }
process P1 { local r, s; r = Y; s = X; }
"""


@pytest.mark.parametrize(("model", "relaxed"), [("sc", False), ("tso", True), ("pso", True), ("rma", False)])
def test_store_buffering(model: ModelName, relaxed: bool) -> None:
    expected = {(0, 1), (1, 0), (1, 1)} | ({(0, 0)} if relaxed else set())
    assert values(STORE_BUFFERING, model, "P0.r", "P1.r") == expected


@pytest.mark.parametrize(("model", "relaxed"), [("sc", False), ("tso", False), ("pso", True), ("rma", False)])
def test_message_passing(model: ModelName, relaxed: bool) -> None:
    expected = {(0, 0), (0, 1), (1, 1)} | ({(1, 0)} if relaxed else set())
    assert values(MESSAGE_PASSING, model, "P1.r", "P1.s") == expected


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_a_process_sees_its_own_newest_store(model: ModelName) -> None:
    assert values("shared X; process P { local r; X = 1; X = 2; r = X; }", model, "P.r") == {(2,)}


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_stores_to_one_location_stay_in_order(model: ModelName) -> None:
    text = "shared X; process P { X = 1; X = 2; } process R { local r, s; r = X; s = X; }"
    assert values(text, model, "R.r", "R.s", "X") == {(a, b, 2) for a in (0, 1, 2) for b in (0, 1, 2) if a <= b}


def test_a_fence_of_one_variable_waits_for_that_variable_only() -> None:
    assert (1, 0) not in values(MESSAGE_PASSING.replace("X = 1;", "X = 1; fence(X);"), "pso", "P1.r", "P1.s")
    assert (1, 0) in values(MESSAGE_PASSING.replace("X = 1;", "X = 1; fence(Y);"), "pso", "P1.r", "P1.s")


def test_under_tso_a_fence_of_one_variable_lets_later_stores_stay() -> None:
    text = "shared X, Y; process P {{ local r; X = 1; Y = 1; fence({}); r = 1; }}"
    x_first = run(text.format("X") + "assert never (P.r == 1 && Y == 0);", "tso")
    y_first = run(text.format("Y") + "assert never (P.r == 1 && Y == 0);", "tso")
    assert x_first.violation is not None
    assert y_first.violation is None


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_locked_instructions_wait_for_the_buffer_and_act_on_memory(model: ModelName) -> None:
    text = STORE_BUFFERING.replace("X = 1;", "xchg(X, 1);").replace("Y = 1;", "xchg(Y, 1);")
    assert (0, 0) not in values(text, model, "P0.r", "P1.r")
    drains = "shared Z;" + STORE_BUFFERING.replace("= 1;", "= 1; faa(Z, 1);")
    assert values(drains, model, "P0.r", "P1.r") == {(0, 1), (1, 0), (1, 1)}


@pytest.mark.parametrize("model", MODELS)
def test_compare_and_swap(model: ModelName) -> None:
    text = "shared X; process P { local r; r = cas(X, 0, 1); } process R { local r; r = cas(X, 0, 2); }"
    assert values(text, model, "P.r", "R.r", "X") == {(1, 0, 1), (0, 1, 2)}


@pytest.mark.parametrize("model", MODELS)
def test_fetch_and_add_loses_nothing(model: ModelName) -> None:
    increment = "process {} {{ local r; r = faa(X, 1); }}"
    text = "shared X;" + "".join(increment.format(name) for name in ("P", "Q", "R"))
    found = values(text, model, "P.r", "Q.r", "R.r", "X")
    assert len(found) == 6
    assert all(sorted(state) == [0, 1, 2, 3] for state in found)


def test_an_increment_that_is_not_locked_can_be_lost() -> None:
    text = "shared X; process P { X = X + 1; } process R { X = X + 1; }"
    assert values(text, "sc", "X") == {(1,), (2,)}


@pytest.mark.parametrize("model", MODELS)
def test_locks(model: ModelName) -> None:
    text = "shared X; process P { lock(m); X = X + 1; unlock(m); } process R { lock(m); X = X + 1; unlock(m); }"
    assert values(text, model, "X") == {(2,)}


def test_unlocking_what_one_does_not_hold_is_a_violation() -> None:
    outcomes = run("process P { lock(m); } process R { unlock(m); }", "sc")
    assert outcomes.violation is not None
    assert (outcomes.violation.kind, outcomes.violation.message) == (
        "assertion",
        "the assertion does not hold: R holds m",
    )


def test_lock_order_deadlock_is_counted() -> None:
    program = "process P {{ lock(m); lock(n); {0} }} process R {{ lock({1}); lock({2}); {0} }}"
    assert run(program.format("unlock(m); unlock(n);", "n", "m"), "sc").stuck == 1
    assert run(program.format("unlock(m); unlock(n);", "m", "n"), "sc").stuck == 0


@pytest.mark.parametrize("model", MODELS)
def test_semaphores_let_in_as_many_as_they_count(model: ModelName) -> None:
    worker = "process {} {{ acquire(s); in{}: skip; release(s); }}"
    text = "shared s = 2;" + "".join(worker.format(name, name) for name in ("P", "Q", "R"))
    two = text + "assert never (P@inP && Q@inQ && R@inR);"
    one = text + "assert never (P@inP && Q@inQ);"
    assert run(two, model).verdict == "safe"
    assert run(one, model).verdict == "unsafe"


def test_a_signal_wakes_one_and_a_broadcast_all() -> None:
    waiter = "process {} {{ local done; lock(m); wait(c, m); done = 1; unlock(m); }}"
    text = waiter.format("P") + waiter.format("R") + "process S { await(W == 2); lock(m); WAKE(c); unlock(m); }"
    text = "shared W;" + text.replace("wait(c, m)", "W = W + 1; wait(c, m)")
    assert values(text.replace("WAKE", "broadcast"), "sc", "P.done", "R.done") == {(1, 1)}
    one = run(text.replace("WAKE", "signal") + "assert never (P.done == 1 && R.done == 1);", "sc")
    assert (one.verdict, one.final, one.stuck) == ("safe", (), 2)


def test_a_signal_nobody_waits_for_is_lost() -> None:
    assert run("process P { wait(c); } process S { signal(c); }", "sc").stuck == 1


@pytest.mark.parametrize("model", MODELS)
def test_a_barrier_separates_phases_again_and_again(model: ModelName) -> None:
    worker = (
        "process {0} {{ local i; while (i < 2) {{ N{0} = N{0} + 1; barrier(b); r{0}: skip; barrier(b); i = i + 1; }} }}"
    )
    text = "shared NP, NR;" + worker.format("P") + worker.format("R")
    assert run(text + "assert never (P@rP && R@rR && NP != NR);", model).verdict == "safe"
    assert run(text + "assert never (P@rP && NP != NR);", model).verdict == "safe"
    assert run(text.replace("barrier(b);", "skip;") + "assert never (P@rP && NP != NR);", model).verdict == "unsafe"


@pytest.mark.parametrize("model", MODELS)
def test_start_and_join_order_what_the_other_does(model: ModelName) -> None:
    text = "shared X; process P { local r; X = 1; start(R); join(R); r = X; } process R { local s; s = X; X = 2; }"
    assert values(text, model, "P.r", "R.s", "X") == {(2, 1, 2)}


def test_a_process_that_is_never_started_counts_as_ended() -> None:
    text = "shared X; process P { if (*) start(R); } process R { X = 1; }"
    assert values(text, "tso", "X") == {(0,), (1,)}


def test_starting_twice_is_a_violation() -> None:
    assert run("process P { start(R); start(R); } process R { }", "sc").verdict == "unsafe"


FIG2 = """
process P1 { shared Y = 1; }
process P2 { shared R = 0, X = 2; local r; put(Y, 1, X); store X = 3; R = get(Y, 1); load r = R; }
assert final (r != 3);
"""


def test_rma_figure_2() -> None:
    flushed = FIG2.replace("put(Y, 1, X);", "put(Y, 1, X); flush(P1);")
    assert values(FIG2, "rma", "P2.r") == {(0,), (1,), (2,), (3,)}
    assert values(flushed, "rma", "P2.r") == {(0,), (2,)}
    assert values(FIG2, "sc", "P2.r") == {(2,)}
    assert run(FIG2, "sc").verdict == "safe"
    assert run(FIG2, "rma").verdict == "unsafe"
    assert run(flushed, "rma").verdict == "safe"


def test_a_flush_waits_for_gets_to_arrive() -> None:
    text = FIG2.replace("R = get(Y, 1);", "R = get(Y, 1); flush(1);")
    assert values(text, "rma", "P2.r") == {(1,), (2,), (3,)}


def test_a_flush_waits_for_its_process_only() -> None:
    text = """
    process A {{ shared Y = 0; }} process B {{ shared Z = 0; }}
    process C {{ shared X = 1; local r; put(Y, A, X); flush({}); X = 2; }}
    """
    assert values(text.format("A"), "rma", "Y") == {(1,)}
    assert values(text.format("B"), "rma", "Y") == {(1,), (2,)}


def test_two_puts_of_one_statement_are_two_operations() -> None:
    text = """
    process A { shared Y = 0; local r, s; r = Y; Y = 5; s = Y; }
    process B { shared X = 1; local i; while (i < 2) { put(Y, A, X); i = i + 1; } }
    """
    assert (1, 1) in values(text, "rma", "A.r", "A.s")


def test_puts_are_not_ordered() -> None:
    text = "process A { shared Y; } process B { shared X = 1, Z = 2; put(Y, A, X); put(Y, A, Z); }"
    assert values(text, "rma", "Y") == {(1,), (2,)}
    assert values(text, "sc", "Y") == {(2,)}


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_remote_access_has_no_meaning_under_store_buffers(model: ModelName) -> None:
    with pytest.raises(InputError) as raised:
        run(FIG2, model)
    assert str(raised.value).startswith("p.ebb:3:44: put, get and flush have no meaning under")


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_final_means_that_memory_has_everything(model: ModelName) -> None:
    assert values("shared X; process P { X = 1; }", model, "X") == {(1,)}


def test_any_value_is_any_value_of_the_range() -> None:
    assert values("shared X : 0..2 = *; process P { local r : -1..1; r = *; }", "tso", "X", "P.r") == {
        (x, r) for x in range(3) for r in (-1, 0, 1)
    }


def test_an_atomic_block_is_all_its_ways_through() -> None:
    text = "shared X; process P { atomic { if (*) X = 1; else X = 2; if (*) X = X + 10; assume(X != 12); } }"
    assert values(text, "tso", "X") == {(1,), (2,), (11,)}


def test_an_atomic_block_that_loops_for_ever_is_no_step() -> None:
    assert run("process P { atomic { while (1) skip; } }", "sc").stuck == 1


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("shared Q[2]; process P { Q[2] = 1; }", "out of bounds", "Q[2] does not exist: Q has elements 0 to 1"),
        (
            "shared Q[2]; process P { local r; r = Q[r - 1]; }",
            "out of bounds",
            "Q[-1] does not exist: Q has elements 0 to 1",
        ),
        ("shared X : 0..1; process P { X = 2; }", "out of range", "X becomes 2, outside 0..1"),
        ("process P { local r; r = 1 / r; }", "division by zero", "1 is divided by 0"),
        ("process P { local r; assert(r == 1); }", "assertion", "the assertion does not hold"),
        ("shared X; process P { } assert always (X == 1);", "always", "always (X == 1)"),
        ("shared X; process P { X = 1; } assert never (X == 1);", "never", "never (X == 1)"),
        ("shared X; process P { X = 1; } assert final (X == 0);", "final", "final (X == 0)"),
        ("shared X; process P { X = 1; } assert ~exists (X == 1);", "~exists", "~exists (X == 1)"),
        ("shared X; process P { X = 1; } assert forall (X == 2);", "forall", "forall (X == 2)"),
        (
            "process A { shared Y : 0..1; } process B { shared X = 2; put(Y, A, X); }",
            "out of range",
            "Y becomes 2, outside 0..1",
        ),
        ("shared X; process P { X = 1; } assert always (1 / (1 - X) == 1);", "division by zero", "1 is divided by 0"),
    ],
)
def test_violations(text: str, kind: str, message: str) -> None:
    outcomes = run(text, "rma")
    assert outcomes.violation is not None
    assert (outcomes.violation.kind, outcomes.violation.message) == (kind, message)
    assert outcomes.verdict == "unsafe"


def test_exists_is_a_question_and_its_answer_has_a_witness() -> None:
    outcomes = run(STORE_BUFFERING + "assert exists (P0.r == 0 && P1.r == 0);", "tso")
    (report,) = outcomes.properties
    assert (outcomes.verdict, report.holds) == ("safe", True)
    assert report.witness is not None
    assert len(report.witness.steps) == 6
    (under_sc,) = run(STORE_BUFFERING + "assert exists (P0.r == 0 && P1.r == 0);", "sc").properties
    assert (under_sc.holds, under_sc.witness) == (False, None)


def test_a_violation_is_a_shortest_one_and_shows_buffers() -> None:
    text = "shared X, Y;\nprocess P0 {\n local r;\n X = 1;\n r = Y;\n a: skip;\n}\n" + (
        "process P1 {\n local r;\n Y = 1;\n r = X;\n a: skip;\n}\n"
        "assert never (P0@a && P1@a && P0.r == 0 && P1.r == 0);"
    )
    violation = run(text, "tso").violation
    assert violation is not None
    assert violation.at.line == 14
    steps = violation.run.steps
    assert [(step.process, step.action, step.at.line if step.at else None) for step in steps] == [
        ("P0", "X = 1", 4),
        ("P0", "r = Y", 5),
        ("P1", "Y = 1", 10),
        ("P1", "r = X", 11),
    ]
    assert steps[-1].pending == {"P0": ("X = 1",), "P1": ("Y = 1",)}
    assert steps[-1].memory == {"X": 0, "Y": 0}


def test_branches_say_which_way_they_went_unless_they_fail() -> None:
    text = "process P { local r; if (r == 0) r = 1; if (r == 0) r = 2; if (1 / (r - 1)) r = 3; }"
    violation = run(text, "sc").violation
    assert violation is not None
    assert [step.action for step in violation.run.steps] == [
        "if (r != 0) goto L2: no",
        "r = 1",
        "if (r != 0) goto L4: yes",
        "if (!(1 / (r - 1))) goto L6",
    ]


def test_a_plain_jump_is_no_step_unless_a_property_asks_for_it() -> None:
    text = "shared X; process P { X = 1; a: goto b; b: X = 2; }"
    assert run(text, "sc").states == 3
    assert run(text + "assert never (P@a && X == 2);", "sc").states == 4
    assert run(text + "assert never (P@b && X == 2);", "sc").states == 3
    assert run(text + "assert never (P@a && X == 1);", "sc").verdict == "unsafe"
    assert run(text + "assert never (P@b && X == 1);", "sc").verdict == "unsafe"


def test_steps_show_what_they_assign_and_all_variables() -> None:
    text = "shared X, Y; process P { local r, a[2]; X = Y + 1; r = X; a[0] = r; atomic { r = 0; Y = 1; } assert(0); }"
    violation = run(text, "sc").violation
    assert violation is not None
    assert [step.assigned for step in violation.run.steps] == [("P._Y",), (), ("P.r",), (), ("P.r",), ()]
    assert violation.run.initial.locals == {"P.r": 0, "P.a[0]": 0, "P.a[1]": 0, "P._Y": 0}
    assert violation.run.initial.assigned == ()


def test_after_a_violation_of_a_state_the_search_stops_unless_told_to_go_on() -> None:
    text = "shared X; process P { local r; assert(0); r = 1; } process R { local s; s = X; X = 1; s = 2; }"
    assert not run(text, "sc").complete
    on = run(text, "sc", Limits(after_violation=AfterViolation.GO_ON))
    assert on.complete
    assert on.verdict == "unsafe"


def test_a_final_violation_does_not_hide_other_final_states() -> None:
    assert len(run(STORE_BUFFERING + "assert final (P0.r == 1);", "tso").final) == 4
