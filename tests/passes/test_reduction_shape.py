"""The shape of reduced programs: names, notes, size, and that it means the same as the papers' shape."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from random_programs import random_program

from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import AfterViolation, Limits
from ebb.backend.source_text import show_program
from ebb.formats import ir_json
from ebb.formats.ir import Atomic, Branch, Goto, Instruction, Overflow, Program, instructions
from ebb.formats.ir_check import check
from ebb.formats.outcomes import Outcomes
from ebb.formats.program_file import read_program
from ebb.frontend.ebb_source import parse
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_rma import reduce_rma
from ebb.passes.reduce_tso import reduce_tso

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
Golden = Callable[[str | Path, str], None]
REDUCTIONS: dict[str, Callable[[Program], Program]] = {
    "tso": lambda program: reduce_tso(program, 2),
    "pso": lambda program: reduce_pso(program, 2),
    "rma": reduce_rma,
    "rma_merged": lambda program: reduce_rma(program, merge_sets=True),
}


@pytest.mark.parametrize(
    ("example", "kind"),
    [("spinlock_cas", "tso"), ("spinlock_cas", "pso"), ("rma_fig2", "rma"), ("rma_fig2", "rma_merged")],
)
def test_reduced_programs_in_print(example: str, kind: str, golden: Golden) -> None:
    reduced = REDUCTIONS[kind](read_program(str(EXAMPLES / f"{example}.ebb")))
    golden(f"{example}.{kind}.ebb", show_program(reduced))


def applicable(program: Program, kind: str) -> bool:
    remote = any("Put" in repr(process.body) or "Get(" in repr(process.body) for process in program.processes)
    return remote == kind.startswith("rma")


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_every_example_reduces_to_a_valid_program_that_prints_and_parses_back(kind: str) -> None:
    seen = 0
    for path in sorted(EXAMPLES.glob("*.ebb")):
        program = read_program(str(path))
        if not applicable(program, kind):
            continue
        seen += 1
        reduced = REDUCTIONS[kind](program)
        assert check(reduced) == [], path.name
        assert parse(show_program(reduced), "printed.ebb") == reduced, path.name
        assert ir_json.loads(ir_json.dumps(reduced)) == reduced, path.name
        assert reduced.name == program.name
        assert reduced.properties == program.properties
        kept = {variable.name for variable in reduced.shared}
        assert kept >= {variable.name for variable in program.shared}, path.name
    assert seen > 1


def test_names_are_those_of_the_papers() -> None:
    program = parse("shared X, Y; process P0 { X = 1; } process P1 { Y = 1; X = 2; }", "p.ebb")
    assert [variable.name for variable in reduce_pso(program, 1).shared] == [
        "X", "Y", "X_1_P0", "X_cnt_P0", "X_1_P1", "X_cnt_P1", "Y_1_P1", "Y_cnt_P1",
    ]  # fmt: skip
    assert [variable.name for variable in reduce_tso(program, 2).shared] == [
        "X", "Y", "lhs_1_P0", "rhs_1_P0", "lhs_2_P0", "rhs_2_P0", "cnt_P0",
        "lhs_1_P1", "rhs_1_P1", "lhs_2_P1", "rhs_2_P1", "cnt_P1",
    ]  # fmt: skip
    remote = read_program(str(EXAMPLES / "rma_fig2.ebb"))
    assert [v.name for v in reduce_rma(remote).shared] == ["Put1Active", "X1Set", "Get1Active", "Y1Set", "Y", "R", "X"]
    merged = reduce_rma(remote, merge_sets=True)
    assert [v.name for v in merged.shared] == ["Put1Active", "XSet", "Get1Active", "YSet", "Y", "R", "X"]


def test_names_that_are_taken_are_left_alone() -> None:
    program = parse("shared X, X_1_P0, cnt_P0; process P0 { X = 1; } process memory { }", "p.ebb")
    reduced = reduce_pso(program, 1)
    assert [variable.name for variable in reduced.shared][3:] == ["X_1_P0_2", "X_cnt_P0"]
    assert [process.name for process in reduced.processes] == ["P0", "memory", "memory_2"]
    assert "cnt_P0_2" in [variable.name for variable in reduce_tso(program, 1).shared]


def test_a_bound_for_one_variable() -> None:
    program = parse("shared X, Y; process P { X = 1; X = 2; Y = 1; }", "p.ebb")
    names = [variable.name for variable in reduce_pso(program, 1, {"X": 2}).shared]
    assert names == ["X", "Y", "X_1_P", "X_2_P", "X_cnt_P", "Y_1_P", "Y_cnt_P"]
    assert not explore(reduce_pso(program, 1, {"X": 2}), "sc").buffers.exceeded
    assert explore(reduce_pso(program, 1, {"Y": 2}), "sc").buffers.exceeded


def test_every_new_instruction_has_a_position_and_says_what_it_models() -> None:
    program = parse("shared X;\nprocess P {\n local r;\n X = 1;\n r = X;\n fence;\n lock(m);\n}\n", "p.ebb")
    process, memory = reduce_pso(program, 1).processes
    assert [(step.at.line, step.note) for step in process.body] == [
        (4, "enqueue X"),
        (5, "load X"),
        (6, "fence"),
        (7, "lock m"),
        (7, "drain"),
    ]
    lines = {step.at.line for step in instructions(memory.body) if not isinstance(step.action, Goto | Atomic)}
    assert lines == {4}
    assert "flush X of P" in [step.note for step in instructions(memory.body)]


def test_positions_survive() -> None:
    program = read_program(str(EXAMPLES / "peterson.ebb"))
    for reduced in (reduce_tso(program, 1), reduce_pso(program, 1)):
        for before, after in zip(program.processes, reduced.processes, strict=False):
            assert [(step.label, step.at) for step in before.body] == [(s.label, s.at) for s in after.body[:-1]]


# ---- size


def size(program: Program) -> int:
    return sum(1 for process in program.processes for _ in instructions(process.body))


def growth(sizes: list[int]) -> set[int]:
    return {after - before for before, after in pairwise(sizes)}


def stores(variables: int, statements: int) -> Program:
    names = [f"X{n}" for n in range(variables)]
    body = " ".join(f"{names[n % variables]} = {n}; r = {names[n % variables]};" for n in range(statements))
    return parse(f"shared {', '.join(names)}; process P {{ local r; {body} }}", "p.ebb")


@pytest.mark.parametrize("reduce", [reduce_pso, reduce_tso])
def test_size_is_linear(reduce: Callable[[Program, int], Program]) -> None:
    """In the bound, in the number of variables a process writes, and in the number of statements; one at a time."""
    assert len(growth([size(reduce(stores(3, 6), bound)) for bound in range(2, 12)])) == 1
    assert len(growth([size(reduce(stores(variables, 12), 2)) for variables in range(2, 12)])) == 1
    assert len(growth([size(reduce(stores(3, statements), 2)) for statements in range(3, 30)])) == 1


def test_size_is_a_sum_and_not_a_product_of_variables_and_statements() -> None:
    few = growth([size(reduce_pso(stores(2, statements), 2)) for statements in (20, 21)])
    many = growth([size(reduce_pso(stores(10, statements), 2)) for statements in (20, 21)])
    assert few == many


# ---- the papers' shape


def papers_shape(reduced: Program) -> Program:
    """No process `memory`: a loop that may flush stands before each statement and at the end of each process."""
    *processes, memory = reduced.processes
    step = memory.body[0]
    assert isinstance(step.action, Atomic)
    shaped = []
    for process in processes:
        body: list[Instruction] = []
        for instruction in process.body:
            flush = renamed(step, f"flush_{instruction.label}")
            go = f"go_{instruction.label}"
            body += [
                replace(instruction, action=Goto((flush.label, go))),
                flush,
                replace(instruction, label=f"again_{instruction.label}", action=Goto((instruction.label,))),
                replace(instruction, label=go),
            ]
        shaped.append(replace(process, body=tuple(body)))
    return replace(reduced, processes=tuple(shaped))


def renamed(step: Instruction, label: str) -> Instruction:
    """A copy of the flush step under another label, with labels inside that belong to it alone."""

    def name(old: str) -> str:
        return label + old.removeprefix(step.label)

    def each(instruction: Instruction) -> Instruction:
        action = instruction.action
        match action:
            case Goto(targets):
                action = Goto(tuple(map(name, targets)))
            case Branch(condition, target):
                action = Branch(condition, name(target))
            case Atomic(body):
                action = Atomic(tuple(map(each, body)))
        return replace(instruction, label=name(instruction.label), action=action)

    return each(step)


def summary(outcomes: Outcomes) -> tuple[object, ...]:
    """What a run can end in; where a run stands does not count, as there are more places."""
    finals = {tuple(sorted(state.items())) for state in outcomes.final}
    return finals, outcomes.buffers.exceeded, outcomes.violation is None


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_one_flush_step_means_the_same_as_a_loop_behind_each_statement(model: str) -> None:
    compared = 0
    for seed in range(150):
        program = replace(random_program(random.Random(f"shape {model} {seed}"), "pso"), properties=())
        original = parse(program.text(), "p.ebb")
        reduced = reduce_tso(original, 2) if model == "tso" else reduce_pso(original, 2)
        if reduced.processes[-1].name != "memory":
            continue
        limits = Limits(3_000, after_violation=AfterViolation.GO_ON)
        ours, theirs = explore(reduced, "sc", limits), explore(papers_shape(reduced), "sc", limits)
        if max(ours.states, theirs.states) < 3_000:
            compared += 1
            assert summary(ours) == summary(theirs), f"seed {seed}:\n{program.text()}"
    assert compared > 80


def test_no_overflow_where_nothing_is_stored() -> None:
    program = parse("shared X; process P { local r; r = X; } process R { atomic { X = 1; } }", "p.ebb")
    for reduced in (reduce_tso(program, 1), reduce_pso(program, 1)):
        assert reduced.shared == program.shared
        assert not any(isinstance(i.action, Overflow) for p in reduced.processes for i in instructions(p.body))
