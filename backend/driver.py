"""`ebb`: the driver over the stages."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from ebb.formats import command_line, files
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
The driver of the ebb toolchain, which verifies concurrent programs under relaxed memory.

  ebb bench litmus DIR   explore litmus tests and compare with their expected outcomes, timed

The stages are executables of their own: ebb-parse, ebb-show, ebb-explore."""

_EPILOG = """\
example:
  ebb bench litmus ../shared/litmus --jobs 2

exit codes: 0 done and everything as expected, 1 something is not, 64 wrong usage, 65 a file is wrong"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb", _DESCRIPTION, _EPILOG)
    commands = parser.add_commands("command", "COMMAND")
    bench = commands.add_parser("bench", help="measure", description="Measure, and print the figures.")
    benchmarks = bench.add_commands("benchmark", "BENCHMARK")
    litmus = benchmarks.add_parser(
        "litmus",
        help="litmus tests against their expected outcomes",
        description="Explore every test of DIR/tests that DIR/expected.tsv lists and compare all final states.",
    )
    litmus.add_argument("folder", metavar="DIR", help="a folder with expected.tsv and tests/")
    litmus.add_argument(
        "--jobs", type=command_line.positive, default=os.cpu_count() or 1, metavar="N", help="processes (one a core)"
    )
    litmus.add_argument("--json", action="store_true", help="write JSON instead of text")
    litmus.add_output()
    litmus.set_defaults(work=_bench_litmus)
    return command_line.run(parser, argv, lambda arguments: int(arguments.work(arguments)))


def _bench_litmus(arguments: argparse.Namespace) -> int:
    from ebb.backend.bench import litmus

    report = litmus.run(Path(arguments.folder), arguments.jobs)
    files.write_text(arguments.output, litmus.dumps(report) if arguments.json else litmus.show_report(report))
    return ExitCode.UNSAFE if report.differing else ExitCode.DONE


if __name__ == "__main__":
    raise SystemExit(main())
