"""`ebb-extrapolate`: from the Boolean program of an SC proof to one for TSO or PSO."""

import argparse
import sys
from collections.abc import Sequence

from ebb.formats import command_line, files
from ebb.formats.errors import InputError, UsageError
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
Extrapolate from a proof under SC: SC.bp is the Boolean program of a program, as ebb-abstract makes it, and FILE the
program that ebb-reduce made of the same program for tso or pso. The result is a Boolean program for FILE.

methods:
  predicates   the predicates of SC.bp, and copies of them for the store buffers; then predicate abstraction
  cubes        the same predicates, and only copies of the cubes that SC.bp uses: no search for others
  program      the statements of SC.bp themselves, carried over to the store buffers; no solver is asked"""

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
        default="predicates",
        help="one of the above (predicates)",
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
    from ebb.backend.extrapolation.methods import extrapolated
    from ebb.backend.extrapolation.sc_proof import read_proof
    from ebb.formats.bp_file import read_boolean_program
    from ebb.formats.bp_text import show_program
    from ebb.formats.program_file import read_program

    if arguments.drop_buffered and arguments.method != "cubes":
        raise UsageError(f"--drop-buffered is about cubes; the method {arguments.method} does not list any")
    if arguments.cube_size is not None and arguments.method != "predicates":
        raise UsageError(f"--cube-size is about the search for cubes; the method {arguments.method} has none")
    reduced = read_program(arguments.file)
    if reduced.reduced not in ("tso", "pso"):
        message = "this program was not reduced from tso or pso: ebb-reduce does that"
        raise InputError(message, file=files.shown_name(arguments.file))
    with read_boolean_program(arguments.proof) as boolean:
        proof = read_proof(boolean, reduced)
    result, figures = extrapolated(
        reduced,
        proof,
        arguments.method,
        Options(cube_size=arguments.cube_size, jobs=arguments.jobs),
        relate_slots=arguments.relate_slots,
        drop_buffered=arguments.drop_buffered,
    )
    files.write_text(arguments.output, show_program(result))
    if not arguments.quiet:
        print(show_figures(figures), file=sys.stderr)
    return ExitCode.DONE


if __name__ == "__main__":
    raise SystemExit(main())
