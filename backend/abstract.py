"""`ebb-abstract`: the Boolean program of a program and predicates."""

import argparse
import sys
from collections.abc import Sequence

from ebb.formats import command_line, files
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
Abstract a program with predicates: the result is a Boolean program with one variable for each predicate, which does
whatever the program does, and perhaps more. If no assertion of it can fail, none of the program can.

FILE is IR, or a source file (.ebb, .litmus). Its own text is abstracted, that is, the program under SC; a program that
ebb-reduce made contains its memory model. The predicates are those of the program, or with --preds those of a YAML
file (docs/formats/predicates.md)."""

_EPILOG = """\
examples:
  ebb-abstract alternating_bit.ebb | ebb-check --text
  ebb-abstract --preds peterson.preds.yaml peterson.ir.json -o peterson.sc.bp
  ebb-abstract --search enumerate --cube-size 3 ticket.ebb >/dev/null

exit codes: 0 done, 64 wrong usage, 65 a file is wrong"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb-abstract", _DESCRIPTION, _EPILOG)
    parser.add_input("the program")
    parser.add_output()
    parser.add_argument("--preds", metavar="FILE", help="predicates to use instead of those in the program")
    parser.add_argument(
        "--search",
        choices=["models", "enumerate"],
        default="models",
        help="how to find cubes: from models of the solver (models), or as the papers do, by trying all by size "
        "(enumerate); both find the same",
    )
    parser.add_argument(
        "--cube-size",
        type=command_line.positive,
        metavar="K",
        help="the most literals in a cube (any number where few predicates matter, else 4)",
    )
    parser.add_argument(
        "--jobs", type=command_line.positive, default=1, metavar="N", help="processes that work on it (1)"
    )
    return command_line.run(parser, argv, _abstract)


def _abstract(arguments: argparse.Namespace) -> int:
    from ebb.backend.abstraction.build import abstract
    from ebb.backend.abstraction.figures import show_figures
    from ebb.backend.abstraction.options import Options
    from ebb.backend.abstraction.predicate_meaning import check_meaning
    from ebb.formats.bp_text import show_program
    from ebb.formats.predicates import check_predicates, read_predicates
    from ebb.formats.program_file import about_source, read_program

    program = read_program(arguments.file)
    options = Options(arguments.search, arguments.cube_size, arguments.jobs)
    if arguments.preds is None:
        predicates, path, file = program.predicates, arguments.file, program.source
    else:
        predicates = read_predicates(arguments.preds, program)
        path, file = arguments.preds, files.source_name(arguments.preds)
    with about_source(path):
        check_predicates(predicates, file)
        result, figures = abstract(
            program,
            [predicate.expression for predicate in predicates],
            options,
            check=lambda knowledge: check_meaning(knowledge, predicates, file),
        )
    files.write_text(arguments.output, show_program(result))
    if not arguments.quiet:
        print(show_figures(figures), file=sys.stderr)
    return ExitCode.DONE


if __name__ == "__main__":
    raise SystemExit(main())
