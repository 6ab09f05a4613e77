"""`ebb-check`: whether an assertion of a Boolean program can fail."""

import argparse
import sys
import time
from collections.abc import Sequence

from ebb.backend.others.registry import CHECKERS
from ebb.backend.search_progress import search_progress
from ebb.formats import command_line, files
from ebb.formats.exit_codes import ExitCode

_DESCRIPTION = """\
Check a Boolean program: can an assertion of it fail? FILE is a .bp file in the language that SLAM, SatAbs, Boppo and
Boom share; docs/formats/bp.md specifies it. The verdict is exact: `safe` and `unsafe` are promises, an unsafe program
comes with a shortest counterexample, and what could not be decided is `unknown`, with the reason.

The product is a verdict in JSON (docs/formats/verdict.md), or with --text a trace for people to read.

engines:
  auto    cubes for small programs, bdd for the others
  bdd     binary decision diagrams
  cubes   three-valued states, split where it matters
  spin, nusmv, abc, rumur
          the checker of that name, which has to be installed; its counterexample need not be a shortest one"""

_EPILOG = """\
examples:
  ebb-check --text program.bp
  ebb-check program.bp -o program.verdict.json && echo safe
  ebb-check --engine spin --timeout 60 program.bp

exit codes: 0 safe, 1 unsafe, 2 unknown (a limit or an overflow was reached), 64 wrong usage or a checker that is not
installed, 65 the file is wrong"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb-check", _DESCRIPTION, _EPILOG)
    parser.add_input("the Boolean program")
    parser.add_output()
    engines = ["auto", "bdd", "cubes", *CHECKERS]
    parser.add_argument("--engine", choices=engines, default="auto", metavar="NAME", help="one of the above (auto)")
    parser.add_argument("--text", action="store_true", help="write the verdict for people to read instead of JSON")
    parser.add_argument("--timeout", type=command_line.seconds, metavar="SECONDS", help="give up after that long")
    parser.add_argument("--max-states", type=command_line.positive, metavar="N", help="give up after N search states")
    parser.add_argument("--memory", type=command_line.positive, metavar="MB", help="give up at that much memory")
    parser.add_argument(
        "--thread-bound",
        type=command_line.positive,
        metavar="N",
        default=5,
        help="threads that a start_thread in a loop can have running at once; needing more is an overflow (5)",
    )
    parser.add_argument("--no-times", action="store_true", help="leave out the times: same input, same bytes")
    return command_line.run(parser, argv, _check)


def _check(arguments: argparse.Namespace) -> int:
    from ebb.backend.automata.build import build
    from ebb.backend.checker import engines
    from ebb.backend.checker.limits import Limits
    from ebb.backend.checker.verdicts import verdict
    from ebb.backend.verdict_text import LINES, show_verdict
    from ebb.formats import verdict as verdict_format
    from ebb.formats.bp_file import read_boolean_program

    start = time.perf_counter()
    with read_boolean_program(arguments.file) as program:
        automata = build(program, arguments.thread_bound)
    read = time.perf_counter()
    limits = Limits(arguments.max_states, arguments.timeout, arguments.memory)
    with search_progress("checking", arguments.quiet) as progress:
        if limits.seconds is None and limits.memory is None:
            answer = engines.check(automata, arguments.engine, limits, progress)
        else:
            from ebb.backend.checker.supervise import supervised

            answer = supervised(
                lambda report: engines.check(automata, arguments.engine, limits, report), limits, progress
            )
    seconds = {"read": read - start, "check": time.perf_counter() - read}
    times = None if arguments.no_times else seconds
    found = verdict(automata, answer, files.source_name(arguments.file), arguments.engine, times)
    if arguments.text:
        files.write_text(arguments.output, show_verdict(found))
    else:
        files.write_text(arguments.output, verdict_format.dumps(found))
        if not arguments.quiet:
            print(f"{LINES[found.verdict]}{f': {found.reason}' if found.reason else ''}", file=sys.stderr)
    return {"safe": ExitCode.SAFE, "unsafe": ExitCode.UNSAFE, "unknown": ExitCode.UNKNOWN}[found.verdict]


if __name__ == "__main__":
    raise SystemExit(main())
