"""The programs of examples/rma do what their headers say: proved under SC, right or wrong under RMA without flushes."""

import re
from pathlib import Path

import pytest

from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import Limits
from ebb.backend.driver import main
from ebb.formats.ir import Flush
from ebb.formats.program_file import read_program

PROGRAMS = sorted((Path(__file__).parent.parent / "examples/rma").glob("*.ebb"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_the_header_says(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = read_program(str(path))
    assert not any(isinstance(step.action, Flush) for process in program.processes for step in process.body)
    header = re.search(r"^// expect: sc safe, rma (safe|unsafe)$", path.read_text(), re.MULTILINE)
    assert header is not None
    assert main(["verify", str(path), "--model", "sc"]) == 0
    assert f"{path.name} under sequential consistency: safe" in capsys.readouterr().out
    assert explore(program, "rma", Limits(max_states=100_000)).verdict == header[1]
