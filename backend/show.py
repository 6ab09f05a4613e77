"""The executable `ebb-show`: prints a program as source, or draws its control flow."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ebb.formats import files
from ebb.formats.command_line import Parser, run
from ebb.formats.errors import InputError, UsageError
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
Print a program as .ebb source, or draw its control flow.

FILE is a program in any form: IR (.json), .ebb or .litmus source. The source that
comes out parses back to the same IR. Each declaration, instruction, property and
predicate is followed by a comment `//@ LINE:COLUMN note`: the place in the original
source that it came from and what it models (`load Y`, `lock m`). Another stage reads
these comments, so the text can stand in a pipeline wherever IR can.

FILE can also be a Boolean program (.bp). That is printed as a Boolean program, in the
layout that every stage writes, and in colour on a terminal (unless NO_COLOR is set)."""

_EPILOG = """\
example:
  What a reduction made of a program, as text and as a picture:

    ebb-reduce --model pso -k 1 peterson.ebb -o peterson.pso.ir.json
    ebb-show --no-positions peterson.pso.ir.json | less
    ebb-show --graph peterson.pso.svg peterson.pso.ir.json

  A Boolean program, with the predicates that its variables stand for:

    ebb-show --predicates --no-positions peterson.pso.bp

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
        "--predicates",
        action="store_true",
        help="of a Boolean program: show predicates, in braces, in place of the variables that stand for them",
    )
    parser.add_argument(
        "--graph",
        metavar="FILE",
        help="draw the control flow to FILE.svg, .png or .dot; the source is then printed only with -o",
    )
    return parser


@dataclass(frozen=True, slots=True)
class _Shown:
    """Both ways to look at a program."""

    draw: Callable[[str], None]  # to a file
    text: Callable[[], str]


def _show(arguments: argparse.Namespace) -> int:
    from ebb.backend.bp_show import is_boolean_program

    text = files.read_text(arguments.file)
    shown = (_boolean if is_boolean_program(arguments.file, text) else _concurrent)(arguments, text)
    if arguments.graph is not None:
        shown.draw(arguments.graph)
        if arguments.output is None:
            return ExitCode.DONE
    files.write_text(_output(arguments), shown.text())
    return ExitCode.DONE


def _output(arguments: argparse.Namespace) -> str:
    return files.STANDARD if arguments.output is None else str(arguments.output)


def _concurrent(arguments: argparse.Namespace, text: str) -> _Shown:
    if arguments.predicates:
        raise UsageError(f"--predicates is for Boolean programs (.bp), and {files.shown_name(arguments.file)} is none")
    from ebb.backend.source_text import show_program, show_program_without_positions
    from ebb.formats.program_file import program_in

    program = program_in(text, arguments.file)

    def draw(path: str) -> None:
        from ebb.backend.graph import render  # costs start-up time that printing source need not pay

        render(program, path)

    show = show_program_without_positions if arguments.no_positions else show_program
    return _Shown(draw, lambda: show(program))


def _boolean(arguments: argparse.Namespace, text: str) -> _Shown:
    from ebb.backend import bp_colours
    from ebb.backend.bp_predicates import with_predicates
    from ebb.backend.bp_show import without_positions
    from ebb.formats.bp_check import read
    from ebb.formats.bp_text import show_program

    try:
        program = read(text)
    except InputError as error:
        raise error.within(files.shown_name(arguments.file), text) from None
    if arguments.predicates:
        program = with_predicates(program)
    if arguments.no_positions:
        program = without_positions(program)

    def draw(path: str) -> None:
        from ebb.backend.bp_graph import render

        render(program, files.source_name(arguments.file), path)

    def show() -> str:
        in_colour = _output(arguments) == files.STANDARD and bp_colours.wanted()
        return bp_colours.coloured(show_program(program)) if in_colour else show_program(program)

    return _Shown(draw, show)
