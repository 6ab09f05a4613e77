"""`ebb-export`: a Boolean program in the language of another checker."""

import argparse
from collections.abc import Sequence

from ebb.backend.others.registry import LANGUAGES
from ebb.formats import command_line, files
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
Translate a Boolean program (.bp, see docs/formats/bp.md) into the language of another checker. The model has the same
behaviour, step by step, and asks one question: can an assertion fail?

languages:
  promela   for spin
  smv       for NuSMV
  aiger     for abc and every checker of hardware: the binary format
  murphi    for rumur

`ebb-check --engine spin|nusmv|abc|rumur` also runs the checker and brings its verdict and trace back."""

_EPILOG = """\
examples:
  ebb-export --to promela program.bp -o program.pml && spin -a program.pml && gcc -O2 -DSAFETY -o pan pan.c && ./pan -E
  ebb-export --to smv program.bp | NuSMV /dev/stdin
  ebb-export --to aiger program.bp -o program.aig && berkeley-abc -c "read_aiger program.aig; pdr"

exit codes: 0 done, 64 wrong usage, 65 the file is wrong"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb-export", _DESCRIPTION, _EPILOG)
    parser.add_input("the Boolean program")
    parser.add_output()
    parser.add_argument("--to", required=True, choices=LANGUAGES, metavar="LANGUAGE", help="one of the above")
    parser.add_argument(
        "--property",
        choices=["violation", "overflow"],
        default="violation",
        help="what the model asks for: can an assertion fail, or can an overflow happen (violation)",
    )
    parser.add_argument(
        "--thread-bound",
        type=command_line.positive,
        metavar="N",
        default=5,
        help="threads that a start_thread in a loop can have running at once; needing more is an overflow (5)",
    )
    return command_line.run(parser, argv, _export)


def _export(arguments: argparse.Namespace) -> int:
    from ebb.backend.automata.automaton import Outcome
    from ebb.backend.automata.build import build
    from ebb.backend.automata.cone import cone
    from ebb.backend.others.registry import exporter
    from ebb.formats.bp_file import read_boolean_program

    with read_boolean_program(arguments.file) as program:
        automata = build(program, arguments.thread_bound)
    model = exporter(arguments.to)(cone(automata), Outcome(arguments.property))
    files.write_bytes(arguments.output, model if isinstance(model, bytes) else model.encode("ascii"))
    return ExitCode.DONE


if __name__ == "__main__":
    raise SystemExit(main())
