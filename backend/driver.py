"""`ebb`: the driver over the stages."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ebb.formats import command_line, files
from ebb.formats.errors import UsageError
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
The driver of the ebb toolchain, which verifies concurrent programs under relaxed memory.

  ebb bench litmus [DIR] explore litmus tests and compare with their expected outcomes, timed
  ebb bench parse        how long ebb-parse takes to start and to read a long source
  ebb bench check        Boolean programs that scale, checked by ebb and by other checkers side by side

The stages are executables of their own: ebb-parse, ebb-show, ebb-explore, ebb-reduce, ebb-check, ebb-export,
ebb-shrink."""

_EPILOG = """\
example:
  ebb bench litmus litmus/ --jobs 2

exit codes: 0 done and everything as expected, 1 something is not, 64 wrong usage, 65 a file is wrong"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb", _DESCRIPTION, _EPILOG)
    commands = parser.add_commands("command", "COMMAND")
    bench = commands.add_parser("bench", help="measure", description="Measure, and print the figures.")
    benchmarks = bench.add_commands("benchmark", "BENCHMARK")
    _add_litmus(benchmarks)
    _add_parse(benchmarks)
    _add_check(benchmarks)
    return command_line.run(parser, argv, lambda arguments: int(arguments.work(arguments)))


def _add_litmus(benchmarks: command_line.Commands) -> None:
    parser = benchmarks.add_parser(
        "litmus",
        help="litmus tests against their expected outcomes",
        description="Explore every test of DIR/tests that DIR/expected.tsv lists and compare all final states.",
    )
    parser.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        help="a folder with expected.tsv and tests/ (the one that EBB_LITMUS names, or ../shared/litmus)",
    )
    parser.add_argument(
        "--jobs", type=command_line.positive, default=os.cpu_count() or 1, metavar="N", help="processes (one a core)"
    )
    parser.add_argument("--json", action="store_true", help="write JSON instead of text")
    parser.add_output()
    parser.set_defaults(work=_bench_litmus)


def _add_parse(benchmarks: command_line.Commands) -> None:
    parser = benchmarks.add_parser(
        "parse",
        help="the speed of ebb-parse",
        description="Time ebb-parse on a long generated source, and its start-up; the best of several runs.",
    )
    parser.add_argument("--lines", type=command_line.positive, default=10_000, metavar="N", help="of source (10000)")
    parser.add_argument("--repeat", type=command_line.positive, default=3, metavar="N", help="runs of each (3)")
    parser.add_argument("--json", action="store_true", help="write JSON instead of text")
    parser.add_output()
    parser.set_defaults(work=_bench_parse)


def _add_check(benchmarks: command_line.Commands) -> None:
    parser = benchmarks.add_parser(
        "check",
        help="the speed of ebb-check, beside other checkers",
        description="Check Boolean programs that scale in threads, variables and nondeterminism, each with ebb-check "
        "and with other checkers in turn; a time is that of a whole process, from the file to the verdict.",
    )
    parser.add_argument(
        "--engines",
        default="spin,nusmv,abc",
        metavar="NAMES",
        help="the engines of ebb-check to compare with, separated by commas (spin,nusmv,abc)",
    )
    parser.add_argument("--family", action="append", metavar="NAME", help="only this family; may be repeated")
    parser.add_argument("--rounds", type=command_line.positive, default=3, metavar="N", help="best of N (3)")
    parser.add_argument(
        "--timeout", type=command_line.seconds, default=60.0, metavar="SECONDS", help="for each measurement (60)"
    )
    parser.add_argument("--json", action="store_true", help="write JSON instead of a table")
    parser.add_output()
    parser.set_defaults(work=_bench_check)


def _bench_litmus(arguments: argparse.Namespace) -> int:
    from ebb.backend.bench import litmus

    folder = arguments.folder or os.environ.get("EBB_LITMUS", "../shared/litmus")
    report = litmus.run(Path(folder), arguments.jobs)
    files.write_text(arguments.output, litmus.dumps(report) if arguments.json else litmus.show_report(report))
    return ExitCode.UNSAFE if report.differing else ExitCode.DONE


def _bench_parse(arguments: argparse.Namespace) -> int:
    from ebb.backend.bench import parse

    report = parse.run(arguments.lines, arguments.repeat)
    files.write_text(arguments.output, parse.dumps(report) if arguments.json else parse.show_report(report))
    return ExitCode.DONE


def _bench_check(arguments: argparse.Namespace) -> int:
    from ebb.backend.bench import check, families
    from ebb.backend.others.registry import CHECKERS

    def tell(name: str) -> None:
        if not arguments.quiet and sys.stderr.isatty():
            print(f"measuring {name}", file=sys.stderr)

    wanted = arguments.family or list(families.SIZES)
    unknown = [name for name in wanted if name not in families.SIZES]
    if unknown:
        raise UsageError(f"there is no family {unknown[0]}; there are {', '.join(families.SIZES)}")
    instances = [instance for instance in families.instances() if instance.family in wanted]
    engines = arguments.engines.split(",")
    others = ["bdd", "cubes", *CHECKERS]
    unknown = [name for name in engines if name not in others]
    if unknown:
        raise UsageError(f"there is no engine {unknown[0]!r} to compare with; there are {', '.join(others)}")
    report = check.run(instances, engines, arguments.rounds, arguments.timeout, tell)
    files.write_text(arguments.output, check.dumps(report) if arguments.json else check.show_report(report))
    return ExitCode.UNSAFE if report.differing else ExitCode.DONE


if __name__ == "__main__":
    raise SystemExit(main())
