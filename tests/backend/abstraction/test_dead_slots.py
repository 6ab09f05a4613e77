"""What a slot held that is empty now has no meaning: no transformer depends on it (CUPEX slip 6)."""

import re
from pathlib import Path

import pytest

from ebb.backend.abstraction.build import abstract
from ebb.backend.abstraction.dead_slots import DeadSlots
from ebb.backend.abstraction.options import Options
from ebb.backend.abstraction.subject import Subject
from ebb.backend.automata.expressions import support
from ebb.backend.extrapolation.rules import copies_in, extrapolate
from ebb.formats import bp
from ebb.formats.expressions import Binary, Integer, Name
from ebb.formats.ir import Program
from ebb.formats.program_file import read_program
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_tso import reduce_tso

EXAMPLES = Path(__file__).parents[3] / "examples/extrapolation"


def reduced(name: str, model: str) -> Program:
    program = read_program(str(EXAMPLES / f"{name}_{model}.ebb"))
    return reduce_pso(program, 2) if model == "pso" else reduce_tso(program, 2)


@pytest.mark.parametrize(("name", "model"), [("bakery", "pso"), ("peterson", "tso"), ("ticket", "tso")])
def test_no_transformer_depends_on_a_dead_slot(name: str, model: str) -> None:
    program = reduced(name, model)
    predicates = extrapolate([each.expression for each in program.predicates], copies_in(program))
    boolean, _ = abstract(program, predicates, Options())
    texts = {each.names[0]: each.predicates[0] for each in boolean.declarations}
    with_dead = 0
    for function in boolean.functions:
        for statement in function.body:
            guard = re.match(r"// \[(.*?)\]", statement.comments.beside)
            if guard is None or not isinstance(statement.action, bp.Assign):
                continue
            dead = dead_slots(guard[1], model)
            with_dead += bool(dead)
            read = {texts[bit] for bit in support(*statement.action.values)}
            assert not [text for text in read if set(re.findall(r"\w+", text)) & dead], statement.comments.beside
    assert with_dead > 10


def dead_slots(guard: str, model: str) -> set[str]:
    """By the names that the reductions give, at k = 2."""
    if model == "tso":
        counts = re.findall(r"\bcnt_(P\d) == (\d)", guard)
        return {f"{part}_{slot}_{p}" for p, n in counts for part in ("lhs", "rhs") for slot in range(int(n) + 1, 3)}
    counts = re.findall(r"(\w+)_cnt_(P\d) == (\d)", guard)
    return {f"{variable}_{slot}_{process}" for variable, process, n in counts for slot in range(int(n) + 1, 3)}


def test_what_is_dead_goes_by_the_count() -> None:
    subject = Subject(reduced("peterson", "pso"), [Binary("==", Name(f"F0_{n}_P0"), Integer(0)) for n in (1, 2)])
    dead = DeadSlots(subject.program)
    first, second = 3, 3 << 2  # both literals of a predicate

    def where(number: int) -> int:
        return dead.where([Binary("==", Name("F0_cnt_P0"), Integer(number))], subject.vocabulary)

    assert (where(0), where(1), where(2)) == (first | second, second, 0)
    assert dead.where([Binary("!=", Name("F0_cnt_P0"), Integer(0))], subject.vocabulary) == 0
