"""Limits, bounds and growth: when an exploration cannot see everything it says so."""

import pytest

from ebb.backend.concrete.models import ModelName
from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import Limits
from ebb.formats.outcomes import Outcomes
from ebb.frontend.ebb_source import parse


def run(text: str, model: ModelName, limits: Limits | None = None) -> Outcomes:
    return explore(parse(text, "p.ebb"), model, limits)


COUNTER = "shared X; process P { while (1) X = X + 1; }"


def test_the_limit_on_states() -> None:
    outcomes = run(COUNTER, "sc", Limits(max_states=50))
    assert (outcomes.verdict, outcomes.states, outcomes.complete) == ("unknown", 50, False)
    assert outcomes.reason == "the limit of 50 states was reached"


def test_the_limit_on_time() -> None:
    outcomes = run(COUNTER, "sc", Limits(max_states=10**9, timeout=0.2))
    assert outcomes.verdict == "unknown"
    assert outcomes.reason == "the time limit of 0.2 seconds was reached"


def test_a_violation_found_before_a_limit_counts() -> None:
    assert run(COUNTER + "assert never (X == 5);", "sc", Limits(max_states=50)).verdict == "unsafe"


def test_data_without_a_range() -> None:
    assert run("shared X = *; process P { }", "sc").reason == "`X` can have any value: declare its range, `X : 0..3`"
    assert run("process P { local r; r = *; }", "sc").verdict == "unknown"
    large = run("shared X : 0..1000000000 = *; process P { }", "sc")
    assert large.reason == "`X` can have more than 100000 values: declare a smaller range"


def test_numbers_that_explode() -> None:
    outcomes = run("process P { local r; r = 3; while (1) r = r * r; }", "sc")
    assert outcomes.reason == "a product has more than 4096 bits"


def test_an_atomic_block_with_endless_data_inside() -> None:
    outcomes = run("process P { local r; atomic { while (1) r = r + 1; } }", "sc")
    assert outcomes.reason == "an atomic block has more than 100000 states inside"


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("shared X; process P { while (1) X = 1; }", "tso"),
        ("shared X; process P { while (1) X = 1; }", "pso"),
        ("shared X, Y; process P { while (1) { X = 1; Y = 1; Y = 2; } }", "tso"),
        ("shared X, Y; process P { while (1) { X = 1; Y = 1; Y = 2; } }", "pso"),
        # The other process makes this one go on, so that stores leave one queue while another grows.
        (
            "shared X, Y, A; process P { while (1) { Y = 1; X = 1; await(A == 1); X = 0; await(A == 0); } }"
            "process R { while (1) { await(X == 1); A = 1; fence; await(X == 0); A = 0; fence; } }",
            "pso",
        ),
        ("process A { shared Y; } process B { shared X; while (1) put(Y, A, X); }", "rma"),
        ("process A { shared Y = 1; } process B { shared X; while (1) { X = get(Y, A); } }", "rma"),
    ],
)
def test_buffers_that_grow_without_bound_are_noticed(text: str, model: ModelName) -> None:
    outcomes = run(text, model, Limits(max_states=100_000))
    assert outcomes.verdict == "unknown"
    assert outcomes.reason is not None
    assert "can grow without bound" in outcomes.reason
    assert "limit" not in outcomes.reason
    assert outcomes.states < 20_000


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("shared X; process P { while (1) { X = 1; fence; } }", "tso"),
        ("shared X; process P { while (1) { X = 1; fence; } }", "pso"),
        ("shared X, Y; process P { local i; while (i < 4) { X = i; Y = i; i = i + 1; } }", "tso"),
        ("process A { shared Y; } process B { shared X; while (1) { put(Y, A, X); flush(A); } }", "rma"),
        ("process A { shared Y; } process B { shared X; local i; while (i < 3) { put(Y, A, X); i = i + 1; } }", "rma"),
    ],
)
def test_buffers_that_do_not_are_not(text: str, model: ModelName) -> None:
    outcomes = run(text, model)
    assert (outcomes.verdict, outcomes.reason, outcomes.complete) == ("safe", None, True)


def test_a_violation_is_found_although_buffers_grow() -> None:
    text = "shared X, Y; process P { while (1) { X = 1; Y = 1; } } process R { assert(Y == 0 || X == 1); }"
    assert run(text, "pso", Limits(max_states=100_000)).verdict == "unsafe"


BUFFERING = "shared X, Y; process P { X = 1; Y = 1; X = 2; fence; } process R { local r; r = X; }"


@pytest.mark.parametrize(
    ("model", "bound", "exceeded"),
    [("tso", 3, False), ("tso", 2, True), ("pso", 2, False), ("pso", 1, True), ("sc", 1, False)],
)
def test_the_bound_on_buffers(model: ModelName, bound: int, exceeded: bool) -> None:
    outcomes = run(BUFFERING, model, Limits(buffer_bound=bound))
    assert outcomes.buffers.exceeded is exceeded
    assert outcomes.verdict == ("unknown" if exceeded else "safe")
    if exceeded:
        assert outcomes.reason == f"a run needs a buffer of more than {bound} entries"
    else:
        assert outcomes.buffers.largest == {"tso": 3, "pso": 2, "sc": 0}[model]


def test_runs_are_cut_at_the_bound_and_the_rest_is_still_explored() -> None:
    text = "shared X; process P { if (*) { X = 1; X = 2; } else { X = 3; } }"
    outcomes = run(text, "tso", Limits(buffer_bound=1))
    assert outcomes.buffers.exceeded
    assert {state["X"] for state in outcomes.final} == {2, 3}  # X = 1 leaves before X = 2 comes
    assert run(text + "assert never (X == 3);", "tso", Limits(buffer_bound=1)).verdict == "unsafe"


def test_pending_operations_count_under_rma() -> None:
    text = "process A { shared Y; } process B { shared X; put(Y, A, X); put(Y, A, X); }"
    assert run(text, "rma", Limits(buffer_bound=1)).buffers.exceeded
    assert run(text, "rma", Limits(buffer_bound=2)).buffers.largest == 2


def test_temporaries_do_not_multiply_states() -> None:
    """The value that a load left behind is forgotten once it is stored."""
    text = "shared X : 0..9 = *, Y; process P { Y = X; X = 0; Y = 0; }"
    kept = text.replace("Y = X;", "t = X; Y = t;").replace("P {", "P { local t;")
    assert run(text, "sc").states == 10 + 10 + 10 + 10 + 1
    assert run(kept, "sc").states == 10 + 10 + 10 + 10 + 10
