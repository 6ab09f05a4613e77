"""`ebb-reduce`: a program under a relaxed memory model becomes a program under SC."""

import argparse
import re
from collections.abc import Sequence

from ebb.formats import command_line, files
from ebb.formats.errors import UsageError
from ebb.formats.exit_codes import ExitCode
from ebb.formats.ir import Program

_DESCRIPTION = """\
Reduce the memory model of a program away: the result is a program under sequential consistency whose text contains the
store buffers (tso, pso) or the pending remote operations (rma). Any tool for SC programs can work on it; ebb-show
prints it as source and ebb-explore runs it.

FILE is IR, or a source file (.ebb, .litmus). Original names stay. Buffers have room for as many stores as -k says; a
run that needs more ends at `overflow`, which is neither safe nor a violation."""

_EPILOG = """\
examples:
  ebb-reduce --model pso -k 1 peterson.ir.json | ebb-show -
  ebb-reduce --model pso -k 2 -k Turn=1 peterson.ebb -o peterson.pso.ir.json
  ebb-reduce --model rma --merge-sets remote.ebb | ebb-explore --model sc

exit codes: 0 done, 64 wrong usage, 65 the file is wrong or cannot be reduced"""

LARGEST_BOUND = 64


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb-reduce", _DESCRIPTION, _EPILOG)
    parser.add_input("the program")
    parser.add_output()
    parser.add_argument("--model", required=True, choices=["tso", "pso", "rma"], help="the memory model to reduce away")
    parser.add_argument(
        "-k",
        dest="bounds",
        action="append",
        default=[],
        type=_bound,
        metavar="N|X=N",
        help="entries of each buffer (1): under tso of each process, under pso of each process and variable; "
        "X=N is for the variable X alone and can be repeated (pso)",
    )
    parser.add_argument(
        "--merge-sets", action="store_true", help="rma: one set for each variable instead of one for each put and get"
    )
    return command_line.run(parser, argv, _reduce)


def _bound(text: str) -> tuple[str | None, int]:
    form = re.fullmatch(r"(?:([A-Za-z_][A-Za-z0-9_]*)=)?([0-9]{1,9})", text)
    if form is None or not 1 <= int(form[2]) <= LARGEST_BOUND:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of entries from 1 to {LARGEST_BOUND}, or X=N")
    return form[1], int(form[2])


def _reduce(arguments: argparse.Namespace) -> int:
    from ebb.formats import ir_json
    from ebb.formats.program_file import about_source, read_program

    if arguments.bounds and arguments.model == "rma":
        raise UsageError("-k is about store buffers; rma has none")
    if arguments.merge_sets and arguments.model != "rma":
        raise UsageError(f"--merge-sets is about rma; {arguments.model} has no sets")
    program = read_program(arguments.file)
    with about_source(arguments.file):
        reduced = _reduced(program, arguments)
    files.write_text(arguments.output, ir_json.dumps(reduced))
    return ExitCode.DONE


def _reduced(program: Program, arguments: argparse.Namespace) -> Program:
    bound = max((number for name, number in arguments.bounds if name is None), default=1)
    bounds = {name: number for name, number in arguments.bounds if name is not None}
    shared = {variable.name for variable in program.shared}
    for name in bounds:
        if name not in shared:
            raise UsageError(f"-k {name}={bounds[name]}: there is no shared variable {name}")
    match arguments.model:
        case "tso":
            from ebb.passes.reduce_tso import reduce_tso

            if bounds:
                raise UsageError("under tso a buffer holds stores to all variables: -k takes a number alone")
            return reduce_tso(program, bound)
        case "pso":
            from ebb.passes.reduce_pso import reduce_pso

            return reduce_pso(program, bound, bounds)
        case _:
            from ebb.passes.reduce_rma import reduce_rma

            return reduce_rma(program, merge_sets=arguments.merge_sets)


if __name__ == "__main__":
    raise SystemExit(main())
