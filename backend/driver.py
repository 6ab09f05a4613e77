"""`ebb`: the driver over the stages."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ebb.formats import command_line, files
from ebb.formats.errors import UsageError
from ebb.formats.exit_codes import ExitCode
from ebb.formats.ir import Program

_DESCRIPTION = """\
The driver of the ebb toolchain, which verifies concurrent programs under relaxed memory.

  ebb verify FILE        prove a program under sc, tso, pso or rma
  ebb fences FILE        the fewest fences or flushes with which a program is proved under tso, pso or rma
  ebb bench litmus [DIR] explore litmus tests and compare with their expected outcomes, timed
  ebb bench parse        how long ebb-parse takes to start and to read a long source
  ebb bench cupex        Tables 1 and 2 of the CUPEX paper: proofs under SC, TSO and PSO, ours beside theirs
  ebb bench check        Boolean programs that scale, checked by ebb and by other checkers side by side

The stages are executables of their own: ebb-parse, ebb-show, ebb-explore, ebb-reduce, ebb-abstract, ebb-extrapolate,
ebb-check, ebb-export, ebb-shrink."""

_EPILOG = """\
examples:
  ebb verify peterson.ebb --model tso
  ebb fences peterson.ebb --model tso -o peterson_tso.ebb
  ebb bench litmus litmus/ --jobs 2

exit codes: 0 done, safe or as expected, 1 not as expected, 2 unknown, 64 wrong usage, 65 a file is wrong"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb", _DESCRIPTION, _EPILOG)
    commands = parser.add_commands("command", "COMMAND")
    _add_verify(commands)
    _add_fences(commands)
    bench = commands.add_parser("bench", help="measure", description="Measure, and print the figures.")
    benchmarks = bench.add_commands("benchmark", "BENCHMARK")
    _add_litmus(benchmarks)
    _add_parse(benchmarks)
    _add_check(benchmarks)
    _add_cupex(benchmarks)
    return command_line.run(parser, argv, lambda arguments: int(arguments.work(arguments)))


def _add_verify(commands: command_line.Commands) -> None:
    parser = commands.add_parser(
        "verify",
        help="prove a program under a memory model",
        description="Verify a program: abstract it with its predicates under SC, reduce the memory model to store "
        "buffers in the program, extrapolate the abstraction to them, and check it. FILE is a source file or IR; its "
        "predicates are in it, in FILE.preds.yaml beside it, or where --predicates says.",
        epilog="exit codes: 0 safe, 2 unknown, 64 wrong usage, 65 a file is wrong",
    )
    parser.add_input("the program")
    parser.add_output()
    parser.add_argument("--model", choices=["sc", "tso", "pso", "rma"], default="sc", help="the memory model (sc)")
    parser.add_argument(
        "-k", dest="bound", type=_bound, metavar="N", help="entries of the store buffers (1, and more on overflow)"
    )
    parser.add_argument(
        "--max-bound", type=_bound, default=6, metavar="N", help="the most entries that are tried without -k (6)"
    )
    parser.add_argument(
        "--method",
        choices=["auto", "predicates", "cubes", "program"],
        default="auto",
        help="of ebb-extrapolate; auto is program, and predicates where that does not do (auto)",
    )
    parser.add_argument(
        "--pairs", action="store_true", help="rma: also predicates about two pending operations, for two variables"
    )
    parser.add_argument("--predicates", metavar="FILE", help="predicates to use instead of those in the program")
    parser.add_argument("--keep", metavar="DIR", help="keep every intermediate file in that directory")
    parser.add_argument("--engine", default="auto", metavar="NAME", help="of ebb-check (auto)")
    parser.add_argument("--timeout", type=command_line.seconds, metavar="SECONDS", help="for each check")
    parser.add_argument("--jobs", type=command_line.positive, default=1, metavar="N", help="processes (1)")
    parser.add_argument("--json", action="store_true", help="write JSON instead of text")
    parser.add_argument("--no-times", action="store_true", help="leave out the times: same input, same bytes")
    parser.set_defaults(work=_verify)


def _bound(text: str) -> int:
    from ebb.passes.reduce import LARGEST_BOUND

    number = command_line.positive(text)
    if number > LARGEST_BOUND:
        raise argparse.ArgumentTypeError(f"{text} is more than {LARGEST_BOUND}")
    return number


def _verify(arguments: argparse.Namespace) -> int:
    from ebb.backend.abstraction.options import Options
    from ebb.backend.checker.limits import Limits
    from ebb.backend.search_progress import search_progress
    from ebb.backend.verification import pipeline
    from ebb.backend.verification.kept_files import kept_in
    from ebb.backend.verification.verification_text import dumps, show_verification
    from ebb.formats.predicates import predicates_of
    from ebb.formats.program_file import about_source, read_program

    _check_engine(arguments.engine)
    _check_model(arguments)
    program = read_program(arguments.file)
    predicates, path, file = predicates_of(program, arguments.file, arguments.predicates)
    settings = pipeline.Settings(
        arguments.model,
        arguments.method,
        arguments.bound,
        arguments.max_bound,
        arguments.pairs,
        arguments.engine,
        Options(jobs=arguments.jobs),
        Limits(None, arguments.timeout, None),
    )
    with about_source(arguments.file), about_source(path), search_progress("checking", arguments.quiet) as progress:
        keep = kept_in(arguments.keep, arguments.file)
        result = pipeline.verify(program, predicates, file, settings, _reduced, keep, progress)
    show = dumps if arguments.json else show_verification
    files.write_text(arguments.output, show(result, times=not arguments.no_times))
    return ExitCode.SAFE if result.verdict == "safe" else ExitCode.UNKNOWN


def _check_engine(name: str) -> None:
    from ebb.backend.checker.engines import OWN
    from ebb.backend.others.registry import CHECKERS

    engines = [*OWN, *CHECKERS]
    if name not in engines:
        raise UsageError(f"there is no engine {name!r}; there are {', '.join(engines)}")


def _check_model(arguments: argparse.Namespace) -> None:
    """Options that say nothing about a model are mistakes."""
    if arguments.model == "rma" and arguments.bound is not None:
        raise UsageError("-k is about store buffers; rma has none")
    if arguments.model == "rma" and arguments.method not in ("auto", "program"):
        raise UsageError(f"the method {arguments.method} is about store buffers; for rma there is only program")
    if arguments.model != "rma" and arguments.pairs:
        raise UsageError(f"--pairs is about pending operations; {arguments.model} has none")


def _reduced(program: Program, model: str, bound: int) -> Program:
    from ebb.passes.reduce_pso import reduce_pso
    from ebb.passes.reduce_rma import reduce_rma
    from ebb.passes.reduce_tso import reduce_tso

    if model == "rma":
        return reduce_rma(program)
    return reduce_pso(program, bound) if model == "pso" else reduce_tso(program, bound)


def _add_fences(commands: command_line.Commands) -> None:
    parser = commands.add_parser(
        "fences",
        help="the fewest fences or flushes that a program needs",
        description="Find all minimal sets of points at which a fence (under rma, a flush) has to stand for a program "
        "to be proved; those that it has stay. Printed are the sets, the first as a change to the source, and for "
        "each fence in it a run that goes wrong without.",
        epilog="exit codes: 0 mended, or nothing is needed, 1 wrong under sc, 2 unknown, 64 wrong usage, "
        "65 a file is wrong",
    )
    parser.add_input("the program")
    parser.add_argument("-o", "--output", metavar="OUT", help="write the program with the first set of fences to OUT")
    parser.add_argument("--model", choices=["tso", "pso", "rma"], required=True, help="the memory model")
    parser.add_argument(
        "--start", action="store_true", help="which of the fences in the file are needed, instead of any point"
    )
    parser.add_argument(
        "--search",
        choices=["learning", "removal"],
        default="learning",
        help="learning: by what counterexamples teach; removal: from all fences, one less at a time, as in the RMA "
        "paper (learning)",
    )
    parser.add_argument(
        "-k", dest="bound", type=_bound, metavar="N", help="entries of the store buffers (as many as are needed)"
    )
    parser.add_argument(
        "--max-bound", type=_bound, default=6, metavar="N", help="the most entries that are tried without -k (6)"
    )
    parser.add_argument(
        "--method",
        choices=["auto", "predicates", "cubes", "program"],
        default="auto",
        help="of ebb-extrapolate; auto is predicates, and program for rma (auto)",
    )
    parser.add_argument(
        "--pairs", action="store_true", help="rma: also predicates about two pending operations, for two variables"
    )
    parser.add_argument("--predicates", metavar="FILE", help="predicates to use instead of those in the program")
    parser.add_argument("--engine", default="auto", metavar="NAME", help="of ebb-check (auto)")
    parser.add_argument("--timeout", type=command_line.seconds, metavar="SECONDS", help="for each check")
    parser.add_argument("--jobs", type=command_line.positive, default=1, metavar="N", help="processes (1)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--no-times", action="store_true", help="leave out the times: same input, same bytes")
    parser.set_defaults(work=_fences)


def _fences(arguments: argparse.Namespace) -> int:
    from ebb.backend.fences.command import fences

    _check_engine(arguments.engine)
    _check_model(arguments)
    return fences(arguments, _reduced)


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


def _add_cupex(benchmarks: command_line.Commands) -> None:
    parser = benchmarks.add_parser(
        "cupex",
        help="proofs under SC, TSO and PSO, beside the figures of the CUPEX paper",
        description="Verify seven algorithms under SC, TSO and PSO with each method of extrapolation, and print what "
        "it took beside what the CUPEX paper reports (Tables 1 and 2).",
    )
    parser.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        default="examples/extrapolation",
        help="the folder with the programs (examples/extrapolation)",
    )
    parser.add_argument("--algorithm", action="append", metavar="NAME", help="only this one; may be repeated")
    parser.add_argument(
        "--enumerate",
        action="store_true",
        help="also the papers' search for cubes, up to the size that the paper reports",
    )
    parser.add_argument(
        "--timeout", type=command_line.seconds, default=60.0, metavar="SECONDS", help="for each measurement (60)"
    )
    parser.add_argument("--json", action="store_true", help="write JSON instead of a table")
    parser.add_argument("--markdown", action="store_true", help="write a Markdown table")
    parser.add_output()
    parser.set_defaults(work=_bench_cupex)


def _bench_cupex(arguments: argparse.Namespace) -> int:
    from ebb.backend.bench import cupex
    from ebb.backend.bench.cupex_paper import ALGORITHMS

    def tell(name: str) -> None:
        if not arguments.quiet and sys.stderr.isatty():
            print(f"measuring {name}", file=sys.stderr)

    wanted = arguments.algorithm or list(ALGORITHMS)
    unknown = [name for name in wanted if name not in ALGORITHMS]
    if unknown:
        raise UsageError(f"there is no algorithm {unknown[0]}; there are {', '.join(ALGORITHMS)}")
    report = cupex.run(
        Path(arguments.folder), wanted, _reduced, arguments.timeout, tell, enumerate_too=arguments.enumerate
    )
    show = cupex.dumps if arguments.json else cupex.show_markdown if arguments.markdown else cupex.show_report
    files.write_text(arguments.output, show(report))
    return ExitCode.UNSAFE if cupex.unproved(report) else ExitCode.DONE


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
