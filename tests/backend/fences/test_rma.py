"""Flushes under RMA: how many the examples need, and that the explorer finds each of them needed and all enough.

`dekker` is finite but for what it has under way, and `pc1` as well: there the explorer cannot say that the flushes are
enough, as gets pile up in a loop, but it finds each of them needed. `ticket`, `alternating_bit`, `queue` and `bakery`
are infinite.

The search takes up to a minute for `szymanski`, `bakery`, `dekker` and `rma_lock`. It is not run here, but its result
is checked: the program is proved with each minimal placement, and is wrong without a flush of each clause, so there are
no other minimal placements. Only of the second flush of `bakery` no such run is known; there the abstraction has one.
"""

import json
from itertools import product
from pathlib import Path

import pytest

from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import Limits
from ebb.backend.driver import main
from ebb.backend.fences.points import points, with_fences
from ebb.backend.source_text import show_program_without_positions
from ebb.formats.program_file import read_program

EXAMPLES = Path(__file__).parents[3] / "examples"
LIMITS = Limits(max_states=60_000)

# Name: flushes of the first minimal placement, and points.
SIZES = {
    "alternating_bit": (1, 2),
    "kessel": (4, 6),
    "loop2_tlm": (4, 4),
    "pc1": (2, 3),
    "peterson": (3, 4),
    "pgsql": (2, 4),
    "queue": (2, 4),
    "qw": (3, 4),
    "sober": (0, 4),
    "ticket": (3, 6),
}
EXPLORED = ("kessel", "loop2_tlm", "pc1", "peterson", "pgsql", "qw", "sober")
GROWING = ("pc1",)
# Name: clauses, of each of which a flush is needed, and points.
SLOW: dict[str, tuple[list[set[int]], int]] = {
    "bakery": ([{1}, {2}, {3}, {4}, {5}, {6}], 6),
    "dekker": ([{1}, {2}, {3}, {4}, {6, 7}, {9}], 9),
    "rma_lock": ([{4}, {5}, {8}, {9}], 10),
    "szymanski": ([{1}, {4}, {5}, {6}, {7}], 8),
}


@pytest.mark.parametrize("name", sorted(SIZES))
def test_the_flushes_of_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = EXAMPLES / f"rma/{name}.ebb"
    assert main(["fences", str(path), "--model", "rma", "--json", "--quiet"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (len(document["minimal"][0]), len(document["points"])) == SIZES[name]
    if name not in EXPLORED:
        return
    program = read_program(str(path))
    found = points(program, "rma")
    for minimal in document["minimal"]:
        enough = explore(with_fences(program, found, minimal), "rma", LIMITS)
        assert enough.verdict == ("unknown" if name in GROWING else "safe")
        assert name not in GROWING or "can grow without bound" in (enough.reason or "")
        for number in minimal:
            fewer = explore(with_fences(program, found, set(minimal) - {number}), "rma", LIMITS)
            assert fewer.verdict == "unsafe", f"without {number}"


@pytest.mark.parametrize("name", sorted(SLOW))
def test_the_flushes_of_an_example_that_takes_long(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = read_program(str(EXAMPLES / f"rma/{name}.ebb"))
    found = points(program, "rma")
    clauses, count = SLOW[name]
    assert len(found) == count

    def verified(placement: set[int]) -> int:
        path = tmp_path / "mended.ebb"
        path.write_text(show_program_without_positions(with_fences(program, found, placement)))
        return main(["verify", str(path), "--model", "rma", "--quiet"])

    for minimal in product(*clauses):
        assert verified(set(minimal)) == 0
    for clause in clauses:
        fewer = {point.number for point in found} - clause
        if (name, clause) == ("bakery", {2}):
            assert verified(fewer) == 2
        else:
            assert explore(with_fences(program, found, fewer), "rma", LIMITS).verdict == "unsafe"
    capsys.readouterr()


def test_figure_2_needs_the_flush_after_the_put(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fences", str(EXAMPLES / "rma_fig2.ebb"), "--model", "rma", "--no-times"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("rma_fig2.ebb under RMA: 1 minimal placement of 1 flush, out of 2 points\n")
    assert "flush(P1) after  put(Y, P1, X)" in text
    assert "\n   put(Y, P1, X);\n+  flush(P1);\n   store X = 3;\n" in text
    assert "without the flush after line 18: violation (final) at rma_fig2.ebb:24:1: final (P2.r != 3)" in text


def test_figure_2_with_its_flush_needs_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(EXAMPLES / "rma_fig2_flush.ebb")
    assert main(["fences", path, "--model", "rma"]) == 0
    assert "rma_fig2_flush.ebb under RMA: no flush is needed" in capsys.readouterr().out
    assert main(["fences", path, "--model", "rma", "--start", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["minimal"] == [[1]]
    assert document["points"][0]["side"] == "at"
