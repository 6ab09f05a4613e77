"""`ebb bench`: the benchmarks and their options."""

import argparse
import os
import sys
from collections.abc import Callable, Collection
from pathlib import Path

from ebb.backend.bench.tables import markdown, plain
from ebb.formats import command_line, files
from ebb.formats.errors import UsageError
from ebb.formats.exit_codes import ExitCode
from ebb.formats.ir import Program

Reduce = Callable[[Program, str, int], Program]
Work = Callable[[argparse.Namespace], int]


def add_benchmarks(benchmarks: command_line.Commands, reduce: Reduce) -> None:
    _add_litmus(benchmarks)
    _add_parse(benchmarks)
    _add_check(benchmarks)
    _add_tables(benchmarks, reduce)


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


def _add_tables(benchmarks: command_line.Commands, reduce: Reduce) -> None:
    """The benchmarks that verify the programs of a folder, and print a table."""
    cupex = benchmarks.add_parser(
        "cupex",
        help="proofs under SC, TSO and PSO, beside the figures of the CUPEX paper",
        description="Verify seven algorithms under SC, TSO and PSO with each method of extrapolation, and print what "
        "it took beside what the CUPEX paper reports (Tables 1 and 2).",
    )
    cupex.add_argument(
        "--enumerate",
        action="store_true",
        help="also the papers' search for cubes, up to the size that the paper reports",
    )
    cupex.add_argument(
        "--timeout", type=command_line.seconds, default=60.0, metavar="SECONDS", help="for each measurement (60)"
    )
    _add_table(cupex, "examples/extrapolation", _bench_cupex, reduce)
    rma = benchmarks.add_parser(
        "rma",
        help="proofs under RMA and their flushes, beside the figures of the RMA analyzer's paper",
        description="Prove fourteen programs under SC, extrapolate to RMA, find all minimal sets of flushes, and print "
        "what it took beside what the RMA analyzer's paper reports (Table 3).",
    )
    rma.add_argument("--jobs", type=command_line.positive, default=1, metavar="N", help="processes (1)")
    _add_table(rma, "examples/rma", _bench_rma, reduce)
    fences = benchmarks.add_parser(
        "fences",
        help="minimal fences under TSO and PSO, by learning and by removal",
        description="Find all minimal sets of fences for seven algorithms under TSO and PSO: by learning from "
        "counterexamples and by removing one fence after another, both from a fence after every store; and by "
        "learning from every point at which a fence could matter.",
    )
    fences.add_argument(
        "--at-most",
        type=command_line.positive,
        default=200,
        metavar="N",
        help="end a search by removal after N placements (200)",
    )
    _add_table(fences, "examples/extrapolation", _bench_fences, reduce)


def _add_table(parser: command_line.Parser, folder: str, work: Work, reduce: Reduce) -> None:
    parser.add_argument("folder", metavar="DIR", nargs="?", default=folder, help=f"of the programs ({folder})")
    parser.add_argument("--algorithm", action="append", metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--json", action="store_true", help="write JSON instead of a table")
    parser.add_argument("--markdown", action="store_true", help="write a Markdown table")
    parser.add_output()
    parser.set_defaults(work=work, reduce=reduce)


def _wanted(arguments: argparse.Namespace, algorithms: Collection[str]) -> list[str]:
    wanted = arguments.algorithm or list(algorithms)
    unknown = [name for name in wanted if name not in algorithms]
    if unknown:
        raise UsageError(f"there is no algorithm {unknown[0]}; there are {', '.join(algorithms)}")
    return list(wanted)


def _tell(arguments: argparse.Namespace) -> Callable[[str], None]:
    def tell(name: str) -> None:
        if not arguments.quiet and sys.stderr.isatty():
            print(f"measuring {name}", file=sys.stderr)

    return tell


def _write(arguments: argparse.Namespace, document: str, rows: list[list[str]], summary: list[str]) -> None:
    show = markdown if arguments.markdown else plain
    files.write_text(arguments.output, document if arguments.json else show(rows, summary))


def _bench_cupex(arguments: argparse.Namespace) -> int:
    from ebb.backend.bench import cupex
    from ebb.backend.bench.cupex_paper import ALGORITHMS

    wanted = _wanted(arguments, ALGORITHMS)
    report = cupex.run(
        Path(arguments.folder),
        wanted,
        arguments.reduce,
        arguments.timeout,
        _tell(arguments),
        enumerate_too=arguments.enumerate,
    )
    _write(arguments, cupex.dumps(report), cupex.rows(report), cupex.summary(report))
    return ExitCode.UNSAFE if cupex.unproved(report) else ExitCode.DONE


def _bench_rma(arguments: argparse.Namespace) -> int:
    from ebb.backend.bench import rma
    from ebb.backend.bench.rma_paper import REPORTED

    wanted = _wanted(arguments, REPORTED)
    report = rma.run(Path(arguments.folder), wanted, arguments.reduce, arguments.jobs, _tell(arguments))
    _write(arguments, rma.dumps(report), rma.rows(report), rma.summary(report))
    return ExitCode.UNSAFE if rma.unproved(report) else ExitCode.DONE


def _bench_fences(arguments: argparse.Namespace) -> int:
    from ebb.backend.bench import fences
    from ebb.backend.bench.cupex_paper import ALGORITHMS

    wanted = _wanted(arguments, ALGORITHMS)
    report = fences.run(Path(arguments.folder), wanted, arguments.reduce, arguments.at_most, _tell(arguments))
    _write(arguments, fences.dumps(report), fences.rows(report), fences.summary(report))
    return ExitCode.UNSAFE if fences.unmended(report) else ExitCode.DONE


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
