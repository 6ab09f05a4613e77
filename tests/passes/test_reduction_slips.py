"""The slips in the papers that concern reductions: each put back in makes the reduction wrong, and this notices.

A test first shows that the pass as it is agrees with the operational semantics on a small program, then puts the slip
in and shows that it no longer does.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from projected_outcomes import projected

from ebb.backend.concrete.models import ModelName
from ebb.backend.concrete.report import explore
from ebb.formats.buffer_notes import store_buffers
from ebb.formats.expressions import Conditional, Expression, Integer, Place, Unary, place_name
from ebb.formats.ir import Assert, Assume, Atomic, Fence, Forget, Instruction, Overflow, Program, Skip
from ebb.formats.program_file import read_program
from ebb.frontend.ebb_source import parse
from ebb.passes import reduce_tso as tso
from ebb.passes.blocks import Part, equals
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_rma import reduce_rma
from ebb.passes.reduce_tso import reduce_tso
from ebb.passes.remote_statements import Network, Remote

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def agrees(program: Program, model: ModelName, reduced: Program) -> bool:
    """Whether the reduced program has the final states and the verdict of the original."""
    concrete, abstract = explore(program, model), explore(reduced, "sc")
    return projected(concrete, program) == projected(abstract, program) and concrete.verdict == abstract.verdict


def rewritten(program: Program, change: Callable[[Instruction], Instruction]) -> Program:
    """The program with every instruction changed, also those inside atomic blocks."""

    def each(instruction: Instruction) -> Instruction:
        if isinstance(instruction.action, Atomic):
            instruction = replace(instruction, action=Atomic(tuple(map(each, instruction.action.body))))
        return change(instruction)

    processes = [replace(process, body=tuple(map(each, process.body))) for process in program.processes]
    return replace(program, processes=tuple(processes))


# ---- CUPEX


def test_cupex_1_the_receivers_guard_of_figure_1() -> None:
    """With the same disjunct twice the receiver never takes a message."""
    text = (EXAMPLES / "alternating_bit_bounded.ebb").read_text() + "assert never (lRCnt == 3);"
    good, printed = (
        "lMsg == 0 && lRSt != 0 || lMsg != 0 && lRSt == 0",
        "lMsg == 0 && lRSt != 0 || lMsg == 0 && lRSt != 0",
    )
    assert text.count(good) == 1
    assert explore(parse(text, "abp.ebb"), "sc").verdict == "unsafe"  # three messages do arrive
    assert explore(parse(text.replace(good, printed), "abp.ebb"), "sc").verdict == "safe"


@pytest.mark.parametrize("reduce", [reduce_tso, reduce_pso])
def test_cupex_2_the_count_starts_at_0(reduce: Callable[[Program, int], Program]) -> None:
    program = parse("shared X; process P { local r; X = 1; r = X; }", "p.ebb")
    reduced = reduce(program, 2)
    (count,) = [variable for variable in reduced.shared if variable.note.startswith("count")]
    assert count.range is not None
    assert (count.range.low, count.range.high, count.initial) == (0, 2, 0)


@pytest.mark.parametrize(("model", "reduce"), [("tso", reduce_tso), ("pso", reduce_pso)])
def test_cupex_3_overflow_is_no_violation(model: ModelName, reduce: Callable[[Program, int], Program]) -> None:
    program = parse("shared X; process P { X = 1; X = 2; } assert final (X == 2);", "p.ebb")
    cut = reduce(program, 1)
    found = explore(cut, "sc")
    assert (found.verdict, found.violation, found.buffers.exceeded) == ("unknown", None, True)
    assert explore(reduce(program, 2), "sc").verdict == "safe"
    violation = Assert(Integer(0))
    slip = rewritten(cut, lambda i: replace(i, action=violation) if isinstance(i.action, Overflow) else i)
    assert explore(slip, "sc").verdict == "unsafe"


def test_cupex_4_a_load_takes_the_newest_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse("shared X; process P { local r; X = 1; X = 2; r = X; }", "p.ebb")
    assert agrees(program, "tso", reduce_tso(program, 2))

    def oldest(queue: tso._Queue, place: Place) -> Expression:
        seen: Expression = place
        for number in range(queue.bound, 0, -1):
            mine = queue._holds(number, equals(queue.lhs[number - 1], queue.codes[place_name(place)]))
            seen = Conditional(mine, queue.rhs[number - 1], seen)
        return seen

    monkeypatch.setattr(tso._Queue, "view", oldest)
    assert not agrees(program, "tso", reduce_tso(program, 2))


def test_cupex_4_a_load_takes_an_entry_of_its_own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse("shared X, Y; process P { local r; X = 1; Y = 2; r = X; }", "p.ebb")
    assert agrees(program, "tso", reduce_tso(program, 2))
    view = tso._Queue.view

    def any_entry(queue: tso._Queue, place: Place) -> Expression:
        seen = view(queue, place)
        return Conditional(Unary("!", equals(queue.count, 0)), queue.rhs[0], seen)

    monkeypatch.setattr(tso._Queue, "view", any_entry)
    assert not agrees(program, "tso", reduce_tso(program, 2))


STORE_BUFFERING = "shared X, Y; process P {{ local r; X = 1; {0} r = Y; }} process Q {{ local r; Y = 1; {0} r = X; }}"


@pytest.mark.parametrize("between", ["fence;", "faa(Z, 1);", "lock(m); unlock(m);", "atomic { skip; }", "barrier(b);"])
@pytest.mark.parametrize(("model", "reduce"), [("tso", reduce_tso), ("pso", reduce_pso)])
def test_cupex_4_fences_and_locked_instructions_wait_for_an_empty_buffer(
    between: str, model: ModelName, reduce: Callable[[Program, int], Program]
) -> None:
    program = parse("shared Z; " + STORE_BUFFERING.format(between), "p.ebb")
    reduced = reduce(program, 1)
    assert agrees(program, model, reduced)

    def waits_for_nothing(instruction: Instruction) -> Instruction:
        drains = instruction.note in ("fence", "drain") and isinstance(instruction.action, Assume)
        return replace(instruction, action=Skip()) if drains else instruction

    assert projected(explore(rewritten(reduced, waits_for_nothing), "sc"), program) > projected(
        explore(program, model), program
    )


@pytest.mark.parametrize(("model", "reduce"), [("tso", reduce_tso), ("pso", reduce_pso)])
def test_cupex_5_figure_3_is_never_safe(model: ModelName, reduce: Callable[[Program, int], Program]) -> None:
    program = read_program(str(EXAMPLES / "cupex_fig3.ebb"))
    for bound in (1, 2, 3):
        assert explore(reduce(program, bound), "sc").verdict == "unsafe"


@pytest.mark.parametrize(("model", "reduce"), [("tso", reduce_tso), ("pso", reduce_pso)])
def test_cupex_6_a_dead_slot_keeps_no_value(model: ModelName, reduce: Callable[[Program, int], Program]) -> None:
    """What stood in a slot before the flush makes no states differ."""
    program = parse(
        "shared X; process P { local r : 0..9 = *; X = r; r = 0; fence; xchg(X, 0); skip; skip; skip; skip; }",
        "p.ebb",
    )
    reduced = reduce(program, 1)
    assert agrees(program, model, reduced)
    slip = rewritten(reduced, lambda i: replace(i, action=Skip()) if isinstance(i.action, Forget) else i)
    assert explore(slip, "sc").states > 1.5 * explore(reduced, "sc").states


# ---- RMA


def without_network(reduced: Program) -> Program:
    *processes, network = reduced.processes
    assert network.background
    return replace(reduced, processes=tuple(processes))


# B cannot complete its put by ending before A has looked.
PUT = """shared Seen;
process A {{ shared Y = 0; local r; {} Seen = 1; }}
process B {{ shared X = 1; put(Y, A, X); await(Seen == 1); }}
"""


@pytest.mark.parametrize(
    "text",
    [
        PUT.format("r = Y;"),
        PUT.format("assert(Y == 0);"),
        PUT.format("if (Y == 0) r = 1;"),
        PUT.format("skip;") + "assert never (Y == 1 && Seen == 0);",
    ],
)
def test_rma_1_remote_operations_happen_before_loads_assertions_and_properties(text: str) -> None:
    program = parse(text, "p.ebb")
    reduced = reduce_rma(program)
    assert agrees(program, "rma", reduced)
    assert not agrees(program, "rma", without_network(reduced))


# The put of A is pending while B writes what it reads, and B is done with it before A goes on.
FLUSHED = """shared Go;
process A { shared X = 0; put(Z, C, X); Go = 1; }
process B { shared Y = 1; await(Go == 1); put(X, A, Y); flush(A); }
process C { shared Z = 5; }
"""
# Neither A nor B can complete its put by ending before C has looked.
CHAINED = """shared Seen;
process A { shared X = 0; put(Z, C, X); await(Seen == 1); }
process B { shared Y = 1; put(X, A, Y); await(Seen == 1); }
process C { shared Z = 5; local r; r = Z; Seen = 1; }
"""


def test_rma_2_a_flush_tells_pending_operations_what_it_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse(FLUSHED, "p.ebb")
    assert agrees(program, "rma", reduce_rma(program))
    monkeypatch.setattr(Network, "tell", lambda self, place, issued=(): [])
    assert not agrees(program, "rma", reduce_rma(program))


@pytest.mark.parametrize("number", [1, 2])
def test_rma_3_all_of_a_chain_happens(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What C loads depends on the put to it, and on the put that changes what that one reads."""
    program = parse(CHAINED, "p.ebb")
    assert agrees(program, "rma", reduce_rma(program))
    perform = Network.perform

    def missing(self: Network, remote: Remote) -> list[Part]:
        return [Assume(Integer(0))] if remote.number == number else perform(self, remote)

    monkeypatch.setattr(Network, "perform", missing)
    assert not agrees(program, "rma", reduce_rma(program))


def test_rma_4_a_get_is_a_put_the_other_way_round(monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse(
        "process A { shared Y = 1; Y = 2; } process B { shared X = 0; local r; X = get(Y, A); r = X; }", "p.ebb"
    )
    assert agrees(program, "rma", reduce_rma(program))
    issue = Network.issue

    def exchanged(self: Network, remote: Remote) -> list[Part]:
        return issue(self, replace(remote, source=remote.target, target=remote.source))

    monkeypatch.setattr(Network, "issue", exchanged)
    assert not agrees(program, "rma", reduce_rma(program))


def test_rma_5_nothing_can_be_chosen_from_an_empty_set() -> None:
    header = '//@ program "p" from "p.ebb" model sc reduced rma\n'
    program = parse(header + "shared S = {}; process P { local r; r = choose(S); }", "p.ebb")
    found = explore(program, "sc")
    assert (found.final, found.stuck) == ((), 1)


def test_a_fence_has_nothing_to_wait_for_in_a_process_without_stores() -> None:
    program = parse("shared X; process P { local r; r = X; fence; } process R { X = 1; }", "p.ebb")
    for reduced in (reduce_tso(program, 1), reduce_pso(program, 1)):
        assert not any(isinstance(i.action, Fence) for process in reduced.processes for i in process.body)
        buffers = store_buffers(reduced)
        owners = {queue.process for queue in buffers.queues} | {buffer.process for buffer in buffers.buffers}
        assert owners == {"R"}


def test_a_statement_in_a_loop_happens_as_often_as_it_was_issued() -> None:
    """Both times it is over before it is issued again, so B sees it at most twice."""
    program = parse(
        """process A { shared X = 1; local n : 0..2 = 0; while (n < 2) { put(Y, B, X); n = n + 1; flush(B); } }
        process B { shared Y = 0; local a, b, c; a = Y; Y = 5; b = Y; Y = 6; c = Y; }""",
        "p.ebb",
    )
    assert agrees(program, "rma", reduce_rma(program))


@pytest.mark.parametrize(
    "text",
    [
        "process A { shared M = 1; atomic { put(I, B, M); M = 2; } } process B { shared I; }",
        "process A { shared M = 1; put(I, B, M); atomic { M = 2; M = 3; } } process B { shared I; }",
        "process A { shared M = 1; local r; atomic { put(I, B, M); r = I; M = 3; } }"
        "process B { shared I; local s; s = I; }",
        "process A { shared M = 1; atomic { if (*) put(I, B, M); M = 2; if (*) M = 3; } } process B { shared I; }",
    ],
)
def test_nobody_reads_in_the_middle_of_an_atomic_block(text: str) -> None:
    program = parse(text, "p.ebb")
    assert agrees(program, "rma", reduce_rma(program))
