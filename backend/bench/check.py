"""`ebb bench check`: programs that scale, checked by ebb and by other people's checkers side by side.

Every measurement is a whole process from the file to the verdict: start, reading, translation, compilation, search.
The engines take turns on each instance, and of several rounds the best time of each counts, so that a busy machine is
busy for all of them.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ebb.backend.bench.families import Instance
from ebb.formats.exit_codes import ExitCode

OWN = "auto"
SLOW = 1.0  # seconds from which an instance counts as more than a moment's work

_VERDICTS = {ExitCode.SAFE: "safe", ExitCode.UNSAFE: "unsafe", ExitCode.UNKNOWN: "unknown"}


@dataclass(frozen=True, slots=True)
class Measurement:
    engine: str
    verdict: str  # "unknown" where the time was not enough
    seconds: float


@dataclass(frozen=True, slots=True)
class Row:
    instance: Instance
    measurements: tuple[Measurement, ...]

    @property
    def agrees(self) -> bool:
        """Whether nobody says anything wrong; the own engine has to know."""
        return all(m.verdict == self.instance.verdict or (m.verdict == "unknown" and m.engine != OWN)
                   for m in self.measurements)  # fmt: skip

    def seconds(self, engine: str) -> float:
        return next(m.seconds for m in self.measurements if m.engine == engine)

    @property
    def ahead(self) -> float:
        """How many times as long the fastest of the others takes."""
        others = [m.seconds for m in self.measurements if m.engine != OWN]
        return min(others, default=0.0) / self.seconds(OWN)

    @property
    def is_slow(self) -> bool:
        return any(m.seconds > SLOW for m in self.measurements)


@dataclass(frozen=True, slots=True)
class Report:
    engines: tuple[str, ...]
    rounds: int
    timeout: float
    rows: tuple[Row, ...]

    @property
    def differing(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if not row.agrees)


def run(
    instances: Sequence[Instance], engines: Sequence[str], rounds: int, timeout: float, tell: Callable[[str], None]
) -> Report:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for instance in instances:
            tell(instance.name)
            file = Path(folder) / f"{instance.name}.bp"
            file.write_text(instance.text, encoding="utf-8")
            taken: dict[str, list[Measurement]] = {engine: [] for engine in (OWN, *engines)}
            for _ in range(rounds):
                for engine, found in taken.items():
                    if not found or found[-1].verdict != "unknown":  # a second timeout tells nothing new
                        found.append(_measure(file, engine, timeout))
            best = (min(found, key=lambda measurement: measurement.seconds) for found in taken.values())
            rows.append(Row(instance, tuple(best)))
    return Report((OWN, *engines), rounds, timeout, tuple(rows))


def _measure(file: Path, engine: str, timeout: float) -> Measurement:
    command = [sys.executable, "-m", "ebb.backend.check", "--engine", engine, "--quiet", "-o", os.devnull, str(file)]
    start = time.perf_counter()
    done = subprocess.run([*command, "--timeout", str(timeout)], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode not in _VERDICTS:
        raise _failure(done.stderr)
    return Measurement(engine, _VERDICTS[ExitCode(done.returncode)], seconds)


def _failure(message: str) -> Exception:
    from ebb.formats.errors import UsageError

    return UsageError(message.strip().removeprefix("ebb-check: "))


def show_report(report: Report) -> str:
    heads = ["instance", "verdict", *(f"{engine} s" for engine in report.engines), "ahead by"]
    table = [heads]
    for row in report.rows:
        times = [f"> {report.timeout:g}" if m.verdict == "unknown" else f"{m.seconds:.2f}" for m in row.measurements]
        table.append([row.instance.name, row.instance.verdict, *times, f"{row.ahead:.1f}"])
    widths = [max(len(line[column]) for line in table) for column in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(width) if column < 2 else cell.rjust(width)
                  for column, (cell, width) in enumerate(zip(line, widths, strict=True))).rstrip()
        for line in table
    ]  # fmt: skip
    slow = [row for row in report.rows if row.is_slow]
    lines += ["", f"ahead of every other checker: {sum(row.ahead > 1 for row in report.rows)} of {len(report.rows)}"]
    lines += [f"and where one takes more than a second: {sum(row.ahead > 1 for row in slow)} of {len(slow)}"]
    lines += [f"wrong: {row.instance.name}" for row in report.differing]
    return "\n".join(lines) + "\n"


def dumps(report: Report) -> str:
    document = {
        "format": "ebb-bench-check",
        "version": 1,
        "engines": list(report.engines),
        "rounds": report.rounds,
        "timeout": report.timeout,
        "instances": [
            {
                "family": row.instance.family,
                "size": row.instance.size,
                "verdict": row.instance.verdict,
                "ahead": round(row.ahead, 2),
                "engines": {m.engine: {"verdict": m.verdict, "seconds": round(m.seconds, 3)} for m in row.measurements},
            }
            for row in report.rows
        ],
    }
    return json.dumps(document, indent=1) + "\n"
