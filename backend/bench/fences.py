"""`ebb bench fences`: minimal fences for seven algorithms under TSO and PSO, by learning and by removal.

Both searches begin with the same points, one after every store, and find all minimal sets. Learning goes on to every
point at which a fence could matter, where removal has no end.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ebb.backend.bench.tables import number
from ebb.backend.fences.finding import Request, SearchName, find_placements
from ebb.backend.verification.pipeline import Model, Reduce, Settings
from ebb.formats.errors import UsageError
from ebb.formats.ir import Program
from ebb.formats.program_file import read_program

MODELS: tuple[Model, ...] = ("tso", "pso")
_SEARCHES: tuple[tuple[SearchName, bool], ...] = (("learning", True), ("removal", True), ("learning", False))


@dataclass(frozen=True, slots=True)
class Measurement:
    algorithm: str
    model: str
    search: str
    points: str  # which there are: `after stores` or `all`
    candidates: int
    sets: int
    fewest: int | None
    checked: int
    seconds: float
    complete: bool
    minimal: list[list[str]]  # of each set the lines


@dataclass(frozen=True, slots=True)
class Report:
    measurements: tuple[Measurement, ...]


def run(
    folder: Path, algorithms: Sequence[str], reduce: Reduce, at_most: int | None, tell: Callable[[str], None]
) -> Report:
    found = []
    for algorithm in algorithms:
        path = folder / f"{algorithm}.ebb"
        if not path.exists():
            raise UsageError(f"{path} does not exist; DIR is examples/extrapolation")
        program = read_program(str(path))
        for model in MODELS:
            for search, after_stores in _SEARCHES:
                tell(f"{algorithm} under {model}: {search}")
                request = Request(Settings(model), search, after_stores=after_stores, at_most=at_most, runs=False)
                found.append(_measured(algorithm, program, request, reduce))
    return Report(tuple(found))


def _measured(algorithm: str, program: Program, request: Request, reduce: Reduce) -> Measurement:
    begin = time.perf_counter()
    result = find_placements(program, program.predicates, program.source, request, reduce)
    minimal = [] if result.found is None else result.found.minimal
    return Measurement(
        algorithm,
        request.settings.model,
        request.search,
        "after stores" if request.after_stores else "all",
        len(result.points),
        len(minimal),
        len(minimal[0]) if minimal else None,
        0 if result.found is None else result.found.checked,
        round(time.perf_counter() - begin, 2),
        result.found is not None and result.found.complete,
        [[f"{point.at.line} {point.side}" for point in result.placed(each)] for each in minimal],
    )


# ---- as a table, as JSON


def rows(report: Report) -> list[list[str]]:
    table = [["algorithm", "model", "points", "search", "candidates", "minimal sets", "fewest", "checked", "seconds"]]
    for each in report.measurements:
        table.append(
            [
                each.algorithm,
                each.model,
                each.points,
                each.search,
                number(each.candidates),
                number(each.sets),
                number(each.fewest),
                number(each.checked) + ("" if each.complete else " and more"),
                number(each.seconds),
            ]
        )
    return table


def summary(report: Report) -> list[str]:
    """How many times as many placements removal checks, over everything that both searched."""
    same = [each for each in report.measurements if each.points == "after stores"]
    checked = {name: sum(each.checked for each in same if each.search == name) for name in ("learning", "removal")}
    seconds = {name: sum(each.seconds for each in same if each.search == name) for name in ("learning", "removal")}
    if not checked["learning"]:
        return []
    return [
        "from a fence after every store: "
        f"removal checks {checked['removal']} placements in {seconds['removal']:.1f} s, "
        f"learning {checked['learning']} in {seconds['learning']:.1f} s: "
        f"{checked['removal'] / checked['learning']:.1f} times as many"
    ]


def dumps(report: Report) -> str:
    document: dict[str, Any] = {
        "format": "ebb-bench-fences",
        "version": 1,
        "rows": [asdict(each) for each in report.measurements],
    }
    return json.dumps(document, indent=2) + "\n"


def unmended(report: Report) -> list[Measurement]:
    """Rows without a set of fences, or where the two searches differ."""
    sets = {
        (each.algorithm, each.model): each.minimal
        for each in report.measurements
        if each.search == "removal" and each.complete
    }
    return [
        each
        for each in report.measurements
        if (each.complete and each.fewest is None)
        or (each.points == "after stores" and sets.get((each.algorithm, each.model), each.minimal) != each.minimal)
    ]
