"""Reduced programs against the operational semantics, on random programs.

TSO and PSO: the reduced program under SC has exactly the outcomes of the original, for every bound, and overflows
exactly if the original needs more. RMA: it loses no outcome, and has no others unless a put or get stands in a loop.
"""

import random
from functools import partial

import pytest
from projected_outcomes import projected
from random_programs import Model, random_program, shrink

from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import AfterViolation, Limits
from ebb.formats.ir import Program
from ebb.formats.ir_check import check
from ebb.formats.outcomes import Outcomes
from ebb.frontend.ebb_source import parse
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_rma import reduce_rma
from ebb.passes.reduce_tso import reduce_tso

PROGRAMS = 2_000  # of each model
CHUNKS = 20
MOST_STATES = 4_000  # programs with more are left out: data that grows in a loop


def run(program: Program, model: Model | str, bound: int | None = None) -> Outcomes:
    limits = Limits(MOST_STATES, buffer_bound=bound, after_violation=AfterViolation.GO_ON)
    return explore(program, model, limits)  # type: ignore[arg-type]


def is_cut_off(found: Outcomes) -> bool:
    return not found.complete and (found.states >= MOST_STATES or not found.buffers.exceeded)


def difference_of_buffers(text: str, model: Model) -> str | None:
    """How the reduced program differs from the original under the model, if it does."""
    original = parse(text, "random.ebb")
    for bound in (1, 2, 3):
        concrete = run(original, model, bound)
        reduced = reduce_tso(original, bound) if model == "tso" else reduce_pso(original, bound)
        if findings := check(reduced):
            return f"not a valid program: {findings[0]}"
        abstract = run(reduced, "sc")
        if is_cut_off(concrete) or is_cut_off(abstract):
            continue
        if concrete.buffers.exceeded != abstract.buffers.exceeded:
            return f"k = {bound}: overflow is {abstract.buffers.exceeded}, but should be {concrete.buffers.exceeded}"
        if projected(concrete, original) != projected(abstract, original):
            return f"k = {bound}: other final states"
        if (concrete.violation is None) != (abstract.violation is None):
            return f"k = {bound}: violation {abstract.violation}, should be {concrete.violation}"
        if not concrete.buffers.exceeded:
            break
    return None


def difference_of_remotes(text: str, merge_sets: bool) -> str | None:
    original = parse(text, "random.ebb")
    concrete = run(original, "rma")
    reduced = reduce_rma(original, merge_sets=merge_sets)
    if findings := check(reduced):
        return f"not a valid program: {findings[0]}"
    abstract = run(reduced, "sc")
    if is_cut_off(concrete) or is_cut_off(abstract):
        return None
    lost = projected(concrete, original) - projected(abstract, original)
    if lost and abstract.violation is None:
        return f"lost {sorted(lost)[0]}"
    if lost:
        return f"lost {sorted(lost)[0]} (and found {abstract.violation})"
    if concrete.violation is not None and abstract.violation is None:
        return f"lost the violation {concrete.violation.message}"
    if not merge_sets and "while" not in text:
        if extra := projected(abstract, original) - projected(concrete, original):
            return f"made up {sorted(extra)[0]}"
        if abstract.violation is not None and concrete.violation is None:
            return f"made up the violation {abstract.violation.message}"
    return None


DIFFERENCES = {
    "tso": partial(difference_of_buffers, model="tso"),
    "pso": partial(difference_of_buffers, model="pso"),
    "rma": partial(difference_of_remotes, merge_sets=False),
    "rma, merged": partial(difference_of_remotes, merge_sets=True),
}


@pytest.mark.parametrize("kind", DIFFERENCES)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_programs(kind: str, chunk: int) -> None:
    difference = DIFFERENCES[kind]
    model: Model = "tso" if kind == "tso" else "pso" if kind == "pso" else "rma"
    for number in range(PROGRAMS // CHUNKS):
        seed = f"{kind} {chunk} {number}"
        program = random_program(random.Random(seed), model)
        if difference(program.text()) is not None:
            smallest = shrink(program, lambda text: difference(text) is not None).text()
            pytest.fail(f"seed {seed!r}: {difference(smallest)}\n{smallest}")


@pytest.mark.parametrize("model", ["tso", "pso", "rma"])
def test_few_random_programs_are_left_out(model: Model) -> None:
    """A program with too many states is compared with nothing; that must stay the exception."""
    left_out = 0
    for seed in range(200):
        original = parse(random_program(random.Random(f"left out {seed}"), model).text(), "random.ebb")
        left_out += is_cut_off(run(original, model, None if model == "rma" else 2))
    assert left_out < 20
