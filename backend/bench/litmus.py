"""`ebb bench litmus`: explore litmus tests and compare every final state with a table of expected outcomes.

The table is `expected.tsv` beside a folder `tests`: for each file and model the kind of the condition, `Ok` or `No`,
and all final states, written `0:EAX=0;x=1 | …`.
"""

import csv
import json
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ebb.backend.concrete.models import ModelName
from ebb.backend.concrete.report import explore
from ebb.formats.errors import InputError
from ebb.formats.outcomes import Outcomes, State
from ebb.formats.program_file import read_program


@dataclass(frozen=True, slots=True)
class Expected:
    file: str
    model: ModelName
    kind: str
    verdict: str
    states: frozenset[str]


@dataclass(frozen=True, slots=True)
class Row:
    """One test under one model: whether states and verdict came out as expected, and what it cost."""

    file: str
    model: ModelName
    same_states: bool
    same_verdict: bool
    explored: int
    seconds: float

    @property
    def agrees(self) -> bool:
        return self.same_states and self.same_verdict


@dataclass(frozen=True, slots=True)
class Report:
    rows: tuple[Row, ...]
    jobs: int
    seconds: float

    @property
    def differing(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if not row.agrees)


def read_expected(folder: Path) -> list[Expected]:
    table = folder / "expected.tsv"
    try:
        with table.open(encoding="utf-8", newline="") as file:
            return [
                Expected(r["file"], _model(r["model"]), r["kind"], r["verdict"], frozenset(r["states"].split(" | ")))
                for r in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            ]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(table)) from None
    except (KeyError, AttributeError):
        raise InputError("a row lacks one of the columns file, model, kind, verdict, states", file=str(table)) from None


def _model(name: str) -> ModelName:
    known: dict[str, ModelName] = {"sc": "sc", "tso": "tso", "pso": "pso"}
    return known[name]


def run(folder: Path, jobs: int) -> Report:
    """Every row of the table, files shared out over processes."""
    by_file: dict[str, list[Expected]] = defaultdict(list)
    for expected in read_expected(folder):
        by_file[expected.file].append(expected)
    work = [(folder / "tests" / file, tuple(rows)) for file, rows in by_file.items()]
    start = time.perf_counter()
    if jobs == 1:
        results = [_compare(*item) for item in work]
    else:
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            results = pool.starmap(_compare, work, chunksize=4)
    return Report(tuple(row for rows in results for row in rows), jobs, time.perf_counter() - start)


def _compare(path: Path, rows: Sequence[Expected]) -> list[Row]:
    program = read_program(str(path))
    compared = []
    for expected in rows:
        start = time.perf_counter()
        outcomes = explore(program, expected.model)
        seconds = time.perf_counter() - start
        states = frozenset(litmus_state(state) for state in outcomes.final)
        same_verdict = litmus_verdict(outcomes) == (expected.kind, expected.verdict)
        compared.append(
            Row(expected.file, expected.model, states == expected.states, same_verdict, outcomes.states, seconds)
        )
    return compared


def litmus_state(state: State) -> str:
    """A final state the way the table writes it: registers before memory, both sorted."""
    registers = sorted(name for name in state if "." in name)
    memory = sorted(name for name in state if "." not in name)
    shown = [f"{name[1:].replace('.', ':')}={state[name]}" for name in registers]
    return ";".join([*shown, *(f"{name}={state[name]}" for name in memory)])


def litmus_verdict(outcomes: Outcomes) -> tuple[str, str]:
    """The kind of the condition, and whether it holds."""
    (condition,) = outcomes.properties
    return condition.kind, "Ok" if condition.holds else "No"


def show_report(report: Report) -> str:
    total = len(report.rows)
    agreeing = total - len(report.differing)
    states = sum(row.explored for row in report.rows)
    lines = [
        f"{agreeing} of {total} rows agree with the table (every final state and the verdict)",
        f"{report.seconds:.1f} s on {report.jobs} processes, {states} states explored",
        "slowest:",
    ]
    slowest = sorted(report.rows, key=lambda row: -row.seconds)[:5]
    lines += [f"  {row.seconds:6.2f} s  {row.explored:8} states  {row.model}  {row.file}" for row in slowest]
    lines += [
        f"differs: {row.file} under {row.model} ({'verdict' if row.same_states else 'states'})"
        for row in report.differing
    ]
    return "\n".join(lines) + "\n"


def dumps(report: Report) -> str:
    document = {
        "format": "ebb-bench-litmus",
        "version": 1,
        "rows": len(report.rows),
        "agreeing": len(report.rows) - len(report.differing),
        "jobs": report.jobs,
        "seconds": round(report.seconds, 3),
        "tests": [asdict(row) for row in report.rows],
    }
    return json.dumps(document, indent=1) + "\n"
