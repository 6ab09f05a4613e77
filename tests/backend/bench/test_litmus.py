"""Every litmus test: all final states and the verdict, under SC, TSO and PSO."""

from pathlib import Path

import pytest

from ebb.backend.bench import litmus
from ebb.backend.driver import main
from ebb.formats.errors import InputError

SB = """X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
SC_STATES = "0:EAX=0;1:EAX=1;x=1;y=1 | 0:EAX=1;1:EAX=0;x=1;y=1 | 0:EAX=1;1:EAX=1;x=1;y=1"
HEAD = "file\tmodel\tkind\tverdict\tnstates\tstates\n"


def folder(tmp_path: Path, *rows: str) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "SB.litmus").write_text(SB)
    (tmp_path / "expected.tsv").write_text(HEAD + "".join(rows))
    return tmp_path


def test_every_row_of_the_table(litmus_dir: Path) -> None:
    report = litmus.run(litmus_dir, jobs=2)
    assert len(report.rows) == 984
    assert report.differing == ()


@pytest.mark.parametrize(
    ("row", "agrees"),
    [
        (f"SB.litmus\tsc\texists\tNo\t3\t{SC_STATES}\n", True),
        (f"SB.litmus\ttso\texists\tOk\t3\t{SC_STATES}\n", False),
        (f"SB.litmus\tsc\texists\tOk\t3\t{SC_STATES}\n", False),
        (f"SB.litmus\tsc\tforall\tNo\t3\t{SC_STATES}\n", False),
        ("SB.litmus\tsc\texists\tNo\t1\t0:EAX=0;1:EAX=1;x=1;y=1\n", False),
    ],
)
def test_a_difference_is_noticed(tmp_path: Path, row: str, agrees: bool) -> None:
    (compared,) = litmus.run(folder(tmp_path, row), jobs=1).rows
    assert compared.agrees is agrees


def test_the_command(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    rows = f"SB.litmus\tsc\texists\tNo\t3\t{SC_STATES}\n", f"SB.litmus\ttso\texists\tOk\t3\t{SC_STATES}\n"
    assert main(["bench", "litmus", str(folder(tmp_path, *rows)), "--jobs", "1"]) == 1
    printed = capsysbinary.readouterr().out.decode()
    assert "1 of 2 rows agree" in printed
    assert "differs: SB.litmus under tso (states)" in printed


def test_a_table_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "expected.tsv").write_text("file\tmodel\nx\tarm\n")
    with pytest.raises(InputError, match="lacks one of the columns"):
        litmus.read_expected(tmp_path)
    assert main(["bench", "litmus", str(tmp_path / "nowhere")]) == 65
