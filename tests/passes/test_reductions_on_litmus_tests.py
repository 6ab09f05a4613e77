"""Every litmus test: the reduced program under SC has exactly the outcomes of the original under TSO and PSO."""

from pathlib import Path

import pytest
from projected_outcomes import projected

from ebb.backend.concrete.models import ModelName
from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import Limits
from ebb.formats.ir import Program
from ebb.formats.program_file import read_program
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_tso import reduce_tso

CHUNKS = 8
REDUCE = {"tso": reduce_tso, "pso": reduce_pso}


def compare(program: Program, model: ModelName, bound: int) -> None:
    """Equal outcomes if the bound suffices, and overflow exactly if it does not."""
    concrete = explore(program, model, Limits(buffer_bound=bound))
    reduced = explore(REDUCE[model](program, bound), "sc")
    what = f"{program.source} under {model}, k = {bound}"
    assert reduced.buffers.exceeded == concrete.buffers.exceeded, what
    assert projected(reduced, program) == projected(concrete, program), what
    assert [prop.holds for prop in reduced.properties] == [prop.holds for prop in concrete.properties], what


@pytest.mark.parametrize("model", ["tso", "pso"])
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_litmus_tests(litmus_dir: Path, model: ModelName, chunk: int) -> None:
    files = sorted((litmus_dir / "tests").glob("*.litmus"))
    assert len(files) == 328
    for file in files[chunk::CHUNKS]:
        program = read_program(str(file))
        needed = max(1, explore(program, model).buffers.largest)
        for bound in range(1, needed + 1):
            compare(program, model, bound)
