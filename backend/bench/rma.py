"""`ebb bench rma`: Table 3 of the RMA analyzer's paper, our columns beside theirs.

For each program all minimal sets of flushes are found; what is measured is the SC abstraction, the extrapolation to RMA
of the program with the first of these sets, and the check of that.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ebb.backend.abstraction.build import abstract
from ebb.backend.abstraction.options import Options
from ebb.backend.automata.build import build
from ebb.backend.bench.rma_paper import REPORTED
from ebb.backend.bench.tables import number
from ebb.backend.checker.engines import check_quickly
from ebb.backend.checker.limits import Limits
from ebb.backend.extrapolation.methods import extrapolated
from ebb.backend.extrapolation.sc_proof import read_proof
from ebb.backend.fences.finding import Request, find_placements
from ebb.backend.fences.points import with_fences
from ebb.backend.verification.pipeline import Reduce, Settings
from ebb.formats import bp
from ebb.formats.bp_text import show_program
from ebb.formats.errors import UsageError
from ebb.formats.program_file import read_program


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row; what there is only if the program was mended is None otherwise."""

    algorithm: str
    sc_predicates: int
    build_seconds: float
    sc_lines: int
    predicates: int | None = None
    lines: int | None = None
    check_seconds: float | None = None
    flushes: int | None = None
    points: int = 0
    verdict: str = "not proved"
    sets: int = 0
    checked: int = 0
    search_seconds: float = 0.0
    extrapolation_seconds: float | None = None
    smt_calls: int | None = None  # of the extrapolation


@dataclass(frozen=True, slots=True)
class Report:
    measurements: tuple[Measurement, ...]
    seconds: float


def run(folder: Path, algorithms: Sequence[str], reduce: Reduce, jobs: int, tell: Callable[[str], None]) -> Report:
    begin = time.perf_counter()
    found = []
    for algorithm in algorithms:
        path = folder / f"{algorithm}.ebb"
        if not path.exists():
            raise UsageError(f"{path} does not exist; DIR is examples/rma")
        tell(algorithm)
        found.append(_measured(algorithm, str(path), reduce, jobs))
    return Report(tuple(found), round(time.perf_counter() - begin, 2))


def _measured(algorithm: str, path: str, reduce: Reduce, jobs: int) -> Measurement:
    program = read_program(path)
    predicates = [predicate.expression for predicate in program.predicates]
    request = Request(Settings("rma"), jobs=jobs, runs=False)
    placements = find_placements(program, program.predicates, program.source, request, reduce)
    if placements.found is None or not placements.found.minimal:
        boolean, figures = abstract(program, predicates, Options())
        return Measurement(algorithm, len(predicates), round(figures.seconds, 3), _lines(boolean))
    first = placements.found.minimal[0]
    mended = with_fences(program, placements.points, first)
    boolean, figures = abstract(mended, predicates, Options())
    reduced = reduce(mended, "rma", 1)
    carried, carrying = extrapolated(reduced, read_proof(boolean, reduced), "program", Options())
    begin = time.perf_counter()
    answer = check_quickly(build(carried), "auto", Limits(None, None, None))
    return Measurement(
        algorithm,
        len(predicates),
        round(figures.seconds, 3),
        _lines(boolean),
        carrying.predicates,
        _lines(carried),
        round(time.perf_counter() - begin, 3),
        len(first),
        len(placements.points),
        "proved" if answer.verdict == "safe" else "not proved",
        len(placements.found.minimal),
        placements.found.checked,
        round(placements.seconds["search"], 2),
        round(carrying.seconds, 3),
        carrying.smt.calls,
    )


def _lines(program: bp.Program) -> int:
    return show_program(program).count("\n")


# ---- as a table, as JSON

_WITH_PAPER = (
    ("sc_predicates", "SC predicates"),
    ("build_seconds", "build s"),
    ("sc_lines", "SC lines"),
    ("predicates", "RMA predicates"),
    ("lines", "RMA lines"),
    ("check_seconds", "check s"),
    ("flushes", "flushes"),
    ("points", "of points"),
)
_OURS = (
    ("verdict", "result"),
    ("extrapolation_seconds", "extrapolation s"),
    ("smt_calls", "its SMT calls"),
    ("sets", "minimal sets"),
    ("checked", "placements checked"),
    ("search_seconds", "search s"),
)


def rows(report: Report) -> list[list[str]]:
    """A heading, then a row for each program; a figure of the paper stands behind a bar."""
    table = [["algorithm", *(f"{name} | paper" for _, name in _WITH_PAPER), *(name for _, name in _OURS)]]
    for each in report.measurements:
        paper = REPORTED[each.algorithm]
        table.append(
            [
                each.algorithm,
                *(f"{number(getattr(each, name))} | {number(getattr(paper, name))}" for name, _ in _WITH_PAPER),
                *(value if isinstance(value := getattr(each, name), str) else number(value) for name, _ in _OURS),
            ]
        )
    return table


def summary(report: Report) -> list[str]:
    proved = sum(each.verdict == "proved" for each in report.measurements)
    return [f"{proved} of {len(report.measurements)} proved under RMA, {report.seconds:.0f} s in all"]


def dumps(report: Report) -> str:
    document = {
        "format": "ebb-bench-rma",
        "version": 1,
        "seconds": report.seconds,
        "rows": [{**asdict(each), "paper": asdict(REPORTED[each.algorithm])} for each in report.measurements],
    }
    return json.dumps(document, indent=2) + "\n"


def unproved(report: Report) -> list[Measurement]:
    return [each for each in report.measurements if each.verdict != "proved"]
