"""The executable `ebb-show`: prints a program as source, or draws its control flow."""

import argparse
from collections.abc import Sequence

from ebb.backend.source_text import show_program, show_program_without_positions
from ebb.formats import files
from ebb.formats.command_line import Parser, run
from ebb.formats.exit_codes import ExitCode
from ebb.formats.program_file import read_program

_DESCRIPTION = """\
Print a program as .ebb source, or draw its control flow.

FILE is a program in any form: IR (.json), .ebb or .litmus source. The source that
comes out parses back to the same IR. Each declaration, instruction, property and
predicate is followed by a comment `//@ LINE:COLUMN note`: the place in the original
source that it came from and what it models (`load Y`, `lock m`). Another stage reads
these comments, so the text can stand in a pipeline wherever IR can."""

_EPILOG = """\
example:
  What a reduction made of a program, as text and as a picture:

    ebb-reduce --model pso -k 1 peterson.ebb -o peterson.pso.ir.json
    ebb-show --no-positions peterson.pso.ir.json | less
    ebb-show --graph peterson.pso.svg peterson.pso.ir.json

exit status:
  0   done
  64  wrong usage, an output that cannot be written, or dot is not installed
  65  the input is not a program

Pictures (.svg, .png) are drawn by dot, from the Debian package graphviz; .dot needs
nothing else."""


def main(argv: Sequence[str] | None = None) -> int:
    return run(_parser(), argv, _show)


def _parser() -> Parser:
    parser = Parser("ebb-show", _DESCRIPTION, _EPILOG)
    parser.add_input("the program")
    parser.add_output()
    parser.set_defaults(output=None)  # a graph alone, or a graph and the source: whether `-o` was given decides
    parser.add_argument(
        "--no-positions", action="store_true", help="plain source, without the comments on positions and notes"
    )
    parser.add_argument(
        "--graph",
        metavar="FILE",
        help="draw the control flow of each process to FILE.svg, .png or .dot; the source is then printed only with -o",
    )
    return parser


def _show(arguments: argparse.Namespace) -> int:
    program = read_program(arguments.file)
    if arguments.graph is not None:
        from ebb.backend.graph import render  # costs start-up time that printing source need not pay

        render(program, arguments.graph)
        if arguments.output is None:
            return ExitCode.DONE
    show = show_program_without_positions if arguments.no_positions else show_program
    files.write_text(files.STANDARD if arguments.output is None else arguments.output, show(program))
    return ExitCode.DONE
