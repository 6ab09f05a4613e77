"""`ebb bench parse`: how long `ebb-parse` takes on a long generated source, and how long it takes to start."""

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Report:
    lines: int
    parse_seconds: float  # best of the runs, process start included
    help_seconds: float
    imports_z3: bool


def generated_source(lines: int) -> str:
    """A program of about that many lines with every common statement in it."""
    statements = (
        "  X = a + 1;",
        "  b = Y;",
        "  if (a == 3 && X != b) {",
        "    Q[a % 4] = X + Y * 2;",
        "  } else {",
        "    a = cas(X, b, a);",
        "  }",
        "  while (b < 3) { b = b + 1; fence; }",
    )
    head = ["shared X = 0, Y = 0, Q[4] = 0;", "process P0 {", "  local a = 0, b = 0;"]
    body = [statements[number % len(statements)] for number in range(lines // len(statements) * len(statements))]
    return "\n".join([*head, *body, "}"]) + "\n"


def run(lines: int, repeat: int) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "long.ebb", Path(folder) / "long.ir.json"
        source.write_text(generated_source(lines), encoding="utf-8")
        parsing = [str(source), "-o", str(output)]
        return Report(
            lines,
            min(_seconds(parsing) for _ in range(repeat)),
            min(_seconds(["--help"]) for _ in range(repeat)),
            "z3" in _imports(["--help"]) | _imports(parsing),
        )


def _seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "ebb.frontend.parse", *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _imports(arguments: list[str]) -> set[str]:
    """The top-level modules that a run imports."""
    command = [sys.executable, "-X", "importtime", "-m", "ebb.frontend.parse", *arguments]
    trace = subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    return {line.rpartition("|")[2].strip().split(".")[0] for line in trace.splitlines() if "|" in line}


def show_report(report: Report) -> str:
    return (
        f"ebb-parse of {report.lines} lines: {report.parse_seconds:.2f} s\n"
        f"ebb-parse --help: {report.help_seconds:.2f} s\n"
        f"z3 imported: {'yes' if report.imports_z3 else 'no'}\n"
    )


def dumps(report: Report) -> str:
    return json.dumps({"format": "ebb-bench-parse", "version": 1, **asdict(report)}) + "\n"
