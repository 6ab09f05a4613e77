"""`ebb-parse`: source files to IR."""

import argparse
from collections.abc import Sequence

from ebb.formats import command_line, files
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
Parse a program and write its intermediate representation (IR) as JSON.

FILE is an .ebb program, an x86 .litmus test (X86 or X86_64), or an IR file, which is checked and written again.
The language of standard input is recognised by its first words; --from names it."""

_EPILOG = """\
example:
  ebb-parse peterson.ebb -o peterson.ir.json
  ebb-parse sb.litmus | ebb-explore --model tso

exit codes: 0 done, 64 wrong usage, 65 the file is wrong (one message FILE:LINE:COLUMN says where)"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb-parse", _DESCRIPTION, _EPILOG)
    parser.add_input("the program")
    parser.add_output()
    parser.add_argument(
        "--from", dest="language", choices=["ebb", "litmus", "json"], help="the language, whatever the file is called"
    )
    return command_line.run(parser, argv, _parse)


def _parse(arguments: argparse.Namespace) -> int:
    from ebb.formats import ir_json
    from ebb.formats.program_file import read_program

    program = read_program(arguments.file, f".{arguments.language}" if arguments.language else None)
    files.write_text(arguments.output, ir_json.dumps(program))
    return ExitCode.DONE


if __name__ == "__main__":
    raise SystemExit(main())
