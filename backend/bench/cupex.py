"""`ebb bench cupex`: Tables 1 and 2 of the CUPEX paper, our columns beside theirs.

For each algorithm and model the smallest bound at which no buffer overflows is found first; then each method is
measured at that bound, in a process of its own.
"""

import json
import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ebb.backend.abstraction.build import abstract
from ebb.backend.abstraction.figures import Figures
from ebb.backend.abstraction.options import Options
from ebb.backend.bench.cupex_paper import REPORTED
from ebb.backend.bench.tables import number
from ebb.backend.checker.limits import Limits
from ebb.backend.extrapolation.methods import METHODS, Method, extrapolated
from ebb.backend.extrapolation.sc_proof import read_proof
from ebb.backend.verification.pipeline import Model, Reduce, Settings, verify
from ebb.formats import bp
from ebb.formats.errors import UsageError
from ebb.formats.ir import Program
from ebb.formats.program_file import read_program

MODELS: tuple[Model, ...] = ("sc", "tso", "pso")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row. What could not be measured in the time is None."""

    algorithm: str
    model: str
    method: str
    bound: int | None
    verdict: str
    predicates: int | None = None
    smt_calls: int | None = None
    build_seconds: float | None = None
    solver_seconds: float | None = None
    cubes: int | None = None
    largest: int | None = None
    states: int | None = None
    megabytes: int | None = None
    check_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    measurements: tuple[Measurement, ...]


def run(
    folder: Path,
    algorithms: Sequence[str],
    reduce: Reduce,
    timeout: float,
    tell: Callable[[str], None],
    *,
    enumerate_too: bool,
) -> Report:
    found: list[Measurement] = []
    for algorithm in algorithms:
        for model in MODELS:
            path = folder / (f"{algorithm}.ebb" if model == "sc" else f"{algorithm}_{model}.ebb")
            if not path.exists():
                raise UsageError(f"{path} does not exist; DIR is examples/extrapolation")
            program = read_program(str(path))
            bound = None if model == "sc" else _bound(program, model, reduce)
            methods: list[str] = ["predicates"] if model == "sc" else list(METHODS)
            if enumerate_too:
                methods.append("enumerate")
            for method in methods:
                tell(f"{algorithm} under {model}: {method}")
                found.append(_measured(algorithm, model, method, bound, program, reduce, timeout))
    return Report(tuple(found))


def _bound(program: Program, model: Model, reduce: Reduce) -> int | None:
    """The smallest bound at which nothing overflows."""
    result = verify(program, program.predicates, program.source, Settings(model), reduce, lambda _name, _product: None)
    return result.attempts[-1].bound


def _measured(
    algorithm: str,
    model: Model,
    method: str,
    bound: int | None,
    program: Program,
    reduce: Reduce,
    timeout: float,
) -> Measurement:
    """In a process of its own, so that its memory can be told and it can be stopped."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def work() -> None:
        sender.send(_figures(algorithm, model, method, bound, program, reduce))

    process = context.Process(target=work)
    process.start()
    sender.close()
    answered = receiver.poll(timeout)
    try:
        figures: dict[str, Any] = receiver.recv() if answered else {"verdict": f"> {timeout:.0f} s"}
    except EOFError:
        figures = {"verdict": "failed"}
    process.kill()
    process.join()
    return Measurement(algorithm, model, method, bound, **figures)


def _figures(
    algorithm: str, model: Model, method: str, bound: int | None, program: Program, reduce: Reduce
) -> dict[str, Any]:
    from ebb.backend.automata.build import build
    from ebb.backend.checker import engines

    boolean, figures = _built(algorithm, model, method, bound, program, reduce)
    begin = time.perf_counter()
    answer = engines.check_quickly(build(boolean), "auto", Limits(None, None, None))
    verdict = {"safe": "proved", "unsafe": "not proved", "unknown": "unknown"}[answer.verdict]
    return {
        "verdict": verdict,
        "predicates": figures.predicates,
        "smt_calls": figures.smt.calls,
        "build_seconds": round(figures.seconds, 3),
        "solver_seconds": round(figures.smt.seconds, 3),
        "cubes": figures.cubes,
        "largest": figures.largest,
        "states": answer.counts.get("states"),
        "megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "check_seconds": round(time.perf_counter() - begin, 3),
    }


def _built(
    algorithm: str, model: Model, method: str, bound: int | None, program: Program, reduce: Reduce
) -> tuple[bp.Program, Figures]:
    predicates = [predicate.expression for predicate in program.predicates]
    size = max(paper.largest for (name, *_), paper in REPORTED.items() if name == algorithm)
    options = Options("enumerate", size) if method == "enumerate" else Options()
    if bound is None:
        return abstract(program, predicates, options)
    reduced = reduce(program, model, bound)
    proof = read_proof(abstract(program, predicates, Options())[0], reduced)
    chosen: Method = next((each for each in METHODS if each == method), "predicates")
    return extrapolated(reduced, proof, chosen, options)


# ---- as a table, as JSON

_COLUMNS = (
    ("predicates", "predicates"),
    ("smt_calls", "SMT calls"),
    ("build_seconds", "build s"),
    ("cubes", "cubes"),
    ("largest", "largest"),
    ("states", "states"),
    ("megabytes", "MB"),
    ("check_seconds", "check s"),
)


def rows(report: Report) -> list[list[str]]:
    """A heading, then a row for each measurement; a figure of the paper stands behind a bar."""
    table = [["algorithm", "model", "method", "k", "result", *(f"{name} | paper" for _, name in _COLUMNS)]]
    for each in report.measurements:
        paper = REPORTED.get((each.algorithm, each.model, each.method))
        cells = [
            f"{number(getattr(each, field))} | {'' if paper is None else number(getattr(paper, field), 'T/O')}"
            for field, _ in _COLUMNS
        ]
        bound = "" if each.bound is None else str(each.bound)
        table.append([each.algorithm, each.model, each.method, bound, each.verdict, *cells])
    return table


def summary(report: Report) -> list[str]:
    """The figures that matter most: how much of building is the solver, and how many calls are saved."""
    measured = [each for each in report.measurements if each.build_seconds is not None]
    own = [each for each in measured if each.method != "enumerate" and each.smt_calls]
    built = sum(each.build_seconds or 0 for each in own)
    solver = sum(each.solver_seconds or 0 for each in own)
    lines = []
    if built:
        lines.append(
            f"of {built:.1f} s for building with a solver, {solver:.1f} s ({solver / built:.0%}) are the solver's"
        )
    by_row = {(each.algorithm, each.model): each for each in measured if each.method == "enumerate"}
    for each in measured:
        other = by_row.get((each.algorithm, each.model))
        if each.method == "predicates" and other is not None and each.smt_calls and other.smt_calls:
            saved = other.smt_calls / each.smt_calls
            lines.append(f"{each.algorithm} under {each.model}: enumeration takes {saved:.0f} times as many SMT calls")
    return lines


def dumps(report: Report) -> str:
    document = {
        "format": "ebb-bench-cupex",
        "version": 1,
        "rows": [
            {**asdict(each), "paper": None if paper is None else asdict(paper)}
            for each in report.measurements
            for paper in [REPORTED.get((each.algorithm, each.model, each.method))]
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def unproved(report: Report) -> list[Measurement]:
    """Algorithms and models that no method proves."""
    proved = {(each.algorithm, each.model) for each in report.measurements if each.verdict == "proved"}
    return [each for each in report.measurements if (each.algorithm, each.model) not in proved]
