"""`ebb-extrapolate`: from the Boolean program of an SC proof to one for TSO, PSO or RMA."""

import argparse
import sys
from collections.abc import Sequence

from ebb.formats import command_line, files
from ebb.formats.errors import InputError, UsageError
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
Extrapolate from a proof under SC: SC.bp is the Boolean program of a program, as ebb-abstract makes it, and FILE the
program that ebb-reduce made of the same program for tso, pso or rma. The result is a Boolean program for FILE.

methods:
  predicates   the predicates of SC.bp, and copies of them for the store buffers; then predicate abstraction
  cubes        the same predicates, and only copies of the cubes that SC.bp uses: no search for others
  program      the statements of SC.bp themselves, carried over to the store buffers, or for rma to the sets of what
               pending operations may have read; no solver is asked. The only method for rma"""

_EPILOG = """\
examples:
  ebb-abstract peterson.ebb -o peterson.sc.bp
  ebb-reduce --model pso peterson.ebb -o peterson.pso.ir.json
  ebb-extrapolate --from peterson.sc.bp --method program peterson.pso.ir.json | ebb-check --text

exit codes: 0 done, 64 wrong usage, 65 a file is wrong"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb-extrapolate", _DESCRIPTION, _EPILOG)
    parser.add_input("the reduced program")
    parser.add_output()
    parser.add_argument("--from", dest="proof", required=True, metavar="SC.bp", help="the Boolean program under SC")
    parser.add_argument(
        "--method",
        choices=["predicates", "cubes", "program"],
        help="one of the above (predicates; for rma, program)",
    )
    parser.add_argument(
        "--relate-slots",
        action="store_true",
        help="also predicates that a buffered value is the one before it, or the one in memory (the paper's rule 4)",
    )
    parser.add_argument(
        "--drop-buffered", action="store_true", help="cubes: use none that mentions a buffered value (coarser)"
    )
    parser.add_argument(
        "--pairs", action="store_true", help="rma: also predicates about elements of two sets, for two variables"
    )
    parser.add_argument(
        "--cube-size",
        type=command_line.positive,
        metavar="K",
        help="predicates: the most literals in a cube (any number where few predicates matter, else 4)",
    )
    parser.add_argument(
        "--jobs", type=command_line.positive, default=1, metavar="N", help="processes that work on it (1)"
    )
    return command_line.run(parser, argv, _extrapolate)


def _extrapolate(arguments: argparse.Namespace) -> int:
    from ebb.backend.abstraction.figures import show_figures
    from ebb.backend.abstraction.options import Options
    from ebb.backend.extrapolation.methods import Method, extrapolated
    from ebb.backend.extrapolation.sc_proof import read_proof
    from ebb.formats.bp_file import read_boolean_program
    from ebb.formats.bp_text import show_program
    from ebb.formats.program_file import read_program

    _check_options(arguments)
    reduced = read_program(arguments.file)
    if reduced.reduced is None:
        message = "this program was not reduced: ebb-reduce does that"
        raise InputError(message, file=files.shown_name(arguments.file))
    method: Method = arguments.method or ("program" if reduced.reduced == "rma" else "predicates")
    _check_model(arguments, method, reduced.reduced)
    with read_boolean_program(arguments.proof) as boolean:
        proof = read_proof(boolean, reduced)
    result, figures = extrapolated(
        reduced,
        proof,
        method,
        Options(cube_size=arguments.cube_size, jobs=arguments.jobs),
        relate_slots=arguments.relate_slots,
        drop_buffered=arguments.drop_buffered,
        pairs=arguments.pairs,
    )
    files.write_text(arguments.output, show_program(result))
    if not arguments.quiet:
        print(show_figures(figures), file=sys.stderr)
    return ExitCode.DONE


def _check_options(arguments: argparse.Namespace) -> None:
    """Options that say nothing about a method are mistakes."""
    if arguments.drop_buffered and arguments.method != "cubes":
        raise UsageError(
            f"--drop-buffered is about cubes; the method {arguments.method or 'predicates'} does not list any"
        )
    if arguments.cube_size is not None and arguments.method not in (None, "predicates"):
        raise UsageError(f"--cube-size is about the search for cubes; the method {arguments.method} has none")


def _check_model(arguments: argparse.Namespace, method: str, model: str) -> None:
    """So are those that say nothing about a model."""
    if model == "rma" and method != "program":
        raise UsageError(f"the method {method} is about store buffers; for rma there is only program")
    if model == "rma" and (arguments.relate_slots or arguments.cube_size is not None):
        option = "--relate-slots" if arguments.relate_slots else "--cube-size"
        raise UsageError(f"{option} is about store buffers; rma has none")
    if model != "rma" and arguments.pairs:
        raise UsageError(f"--pairs is about pending operations; {model} has none")


if __name__ == "__main__":
    raise SystemExit(main())
