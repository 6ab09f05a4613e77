"""`ebb-explore`: every outcome of a program under a memory model, by its operational semantics."""

import argparse
from collections.abc import Sequence

from ebb.backend.search_progress import search_progress
from ebb.formats import command_line, files
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
Explore everything a program can do under a memory model, state by state, and print every final state and a shortest
violation of what the program asserts. This is the operational semantics itself: what it says of a finite program is
the definition of that program's behaviour.

FILE is IR, or a source file (.ebb, .litmus). The models:
  sc   one memory, every step at once          tso  a queue of stores for each process
  rma  puts and gets happen some time later    pso  a queue of stores for each process and location"""

_EPILOG = """\
examples:
  ebb-explore examples/store_buffering.ebb --model tso
  ebb-parse sb.litmus | ebb-explore --model pso --json
  ebb-explore peterson.ebb --model pso --buffer-bound 2

exit codes: 0 no violation, 1 a violation, 2 unknown (a limit was reached), 64 wrong usage, 65 the file is wrong"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb-explore", _DESCRIPTION, _EPILOG)
    parser.add_input("the program")
    parser.add_output()
    parser.add_argument("--model", required=True, choices=["sc", "tso", "pso", "rma"], help="the memory model")
    parser.add_argument("--json", action="store_true", help="write an ebb-outcomes document instead of a table")
    parser.add_argument(
        "--buffer-bound",
        type=command_line.positive,
        metavar="K",
        help="say whether any run needs more than K buffer entries (pending operations under rma), and cut those runs",
    )
    parser.add_argument(
        "--keep-going", action="store_true", help="look for all final states even after a violation was found"
    )
    parser.add_argument(
        "--max-states",
        type=command_line.positive,
        metavar="N",
        default=1_000_000,
        help="give up after N states (1000000)",
    )
    parser.add_argument("--timeout", type=command_line.seconds, metavar="SECONDS", help="give up after that long")
    return command_line.run(parser, argv, _explore)


def _explore(arguments: argparse.Namespace) -> int:
    from ebb.backend.concrete.report import explore
    from ebb.backend.concrete.search import AfterViolation, Limits
    from ebb.formats import outcomes
    from ebb.formats.program_file import about_source, read_program

    program = read_program(arguments.file)
    limits = Limits(
        arguments.max_states,
        arguments.timeout,
        arguments.buffer_bound,
        AfterViolation.GO_ON if arguments.keep_going else AfterViolation.STOP,
    )
    with about_source(arguments.file), search_progress("exploring", arguments.quiet) as progress:
        found = explore(program, arguments.model, limits, progress)
    if arguments.json:
        files.write_text(arguments.output, outcomes.dumps(found))
    else:
        from ebb.backend.outcomes_text import show_outcomes

        files.write_text(arguments.output, show_outcomes(found))
    return {"safe": ExitCode.SAFE, "unsafe": ExitCode.UNSAFE, "unknown": ExitCode.UNKNOWN}[found.verdict]


if __name__ == "__main__":
    raise SystemExit(main())
