"""`ebb`: the driver over the stages."""

import argparse
from collections.abc import Sequence

from ebb.backend.bench.command import add_benchmarks
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
  ebb bench rma          Table 3 of the RMA analyzer's paper: proofs under RMA and their flushes, ours beside theirs
  ebb bench fences       minimal fences under TSO and PSO: learning from counterexamples against removal
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
    add_benchmarks(bench.add_commands("benchmark", "BENCHMARK"), _reduced)
    return command_line.run(parser, argv, lambda arguments: int(arguments.work(arguments)))


def _add_verify(commands: command_line.Commands) -> None:
    parser = commands.add_parser(
        "verify",
        help="prove a program under a memory model",
        description="Verify a program: abstract it with its predicates under SC, reduce the memory model to store "
        "buffers (for rma, sets of what pending operations may have read) in the program, extrapolate the abstraction "
        "to them, and check it. FILE is a source file or IR; its "
        "predicates are in it, in FILE.preds.yaml beside it, or where --predicates says.",
        epilog="exit codes: 0 safe, 2 unknown, 64 wrong usage, 65 a file is wrong",
    )
    parser.add_input("the program")
    parser.add_output()
    parser.add_argument("--model", choices=["sc", "tso", "pso", "rma"], default="sc", help="the memory model (sc)")
    _add_proof_options(parser, "1, and more on overflow", "program, and predicates where that does not do")
    parser.add_argument("--keep", metavar="DIR", help="keep every intermediate file in that directory")
    parser.set_defaults(work=_verify)


def _add_proof_options(parser: command_line.Parser, bound: str, method: str) -> None:
    """How a proof is looked for, and how what was found is written."""
    parser.add_argument("-k", dest="bound", type=_bound, metavar="N", help=f"entries of the store buffers ({bound})")
    parser.add_argument(
        "--max-bound", type=_bound, default=6, metavar="N", help="the most entries that are tried without -k (6)"
    )
    parser.add_argument(
        "--method",
        choices=["auto", "predicates", "cubes", "program"],
        default="auto",
        help=f"of ebb-extrapolate; auto is {method} (auto)",
    )
    parser.add_argument(
        "--pairs", action="store_true", help="rma: also predicates about two pending operations, for two variables"
    )
    parser.add_argument("--predicates", metavar="FILE", help="predicates to use instead of those in the program")
    parser.add_argument("--engine", default="auto", metavar="NAME", help="of ebb-check (auto)")
    parser.add_argument("--timeout", type=command_line.seconds, metavar="SECONDS", help="for each check")
    parser.add_argument("--jobs", type=command_line.positive, default=1, metavar="N", help="processes (1)")
    parser.add_argument("--json", action="store_true", help="write JSON instead of text")
    parser.add_argument("--no-times", action="store_true", help="leave out the times: same input, same bytes")


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
    parser.add_argument("--after-stores", action="store_true", help="only points right after a store")
    parser.add_argument(
        "--search",
        choices=["learning", "removal"],
        default="learning",
        help="learning: by what counterexamples teach; removal: from all fences, one less at a time, as in the RMA "
        "paper (learning)",
    )
    _add_proof_options(parser, "as many as are needed", "predicates, and program for rma")
    parser.add_argument("--no-runs", action="store_true", help="do not look for runs that go wrong without a fence")
    parser.set_defaults(work=_fences)


def _fences(arguments: argparse.Namespace) -> int:
    from ebb.backend.fences.command import fences

    _check_engine(arguments.engine)
    _check_model(arguments)
    return fences(arguments, _reduced)


if __name__ == "__main__":
    raise SystemExit(main())
