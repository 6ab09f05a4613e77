"""`ebb-shrink`: the smallest Boolean program on which a command still succeeds."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ebb.backend.bp_shrinking import REDUCTIONS
from ebb.backend.delta_debugging import smaller_programs
from ebb.backend.trial_command import TrialCommand
from ebb.formats import bp, command_line, files
from ebb.formats.bp_check import statements
from ebb.formats.bp_file import read_boolean_program
from ebb.formats.bp_text import show_program
from ebb.formats.errors import UsageError
from ebb.formats.exit_codes import ExitCode

_USAGE = "%(prog)s [FILE] [-o FILE] [--timeout SECONDS] [--quiet] -- COMMAND [ARGUMENT ...]"

_DESCRIPTION = """\
Make a Boolean program small: print the smallest one to be found on which COMMAND still succeeds, that is, ends with
exit code 0. Nothing that is left in it can go: each single thing that could be taken away, or made simpler, makes
COMMAND fail.

COMMAND is run without a shell. The path of the program to try takes the place of {} in its arguments, or is the last
argument if there is no {}. It has the file name of FILE, in a directory of its own. What COMMAND prints is lost."""

_EPILOG = """\
examples:
  still unsafe:
    ebb-shrink p.bp -- sh -c 'ebb-check --quiet -o /dev/null "$0"; test $? = 1'

  two engines still differ:
    ebb-shrink p.bp -o small.bp --timeout 10 -- sh differ.sh
  where differ.sh is
    ebb-check --quiet --engine bdd -o /dev/null "$1"; bdd=$?
    ebb-check --quiet --engine cubes -o /dev/null "$1"; cubes=$?
    test $bdd -le 1 && test $cubes -le 1 && test $bdd != $cubes

exit codes: 0 done, 64 wrong usage, or the command cannot be started or does not succeed on FILE itself, 65 the file is
wrong, 130 interrupted: with -o, the smallest program so far is written"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = command_line.Parser("ebb-shrink", _DESCRIPTION, _EPILOG)
    parser.usage = _USAGE
    parser.add_input("the Boolean program")
    parser.add_output()
    parser.add_argument(
        "--timeout", type=command_line.seconds, metavar="SECONDS", help="a run that takes longer has not succeeded"
    )
    own, command = _divided(sys.argv[1:] if argv is None else argv)
    return command_line.run(parser, own, lambda arguments: _shrink(arguments, command))


def _divided(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """What is before the first `--`, and what is after it."""
    if "--" not in words:
        return words, ()
    where = words.index("--")
    return words[:where], words[where + 1 :]


def _shrink(arguments: argparse.Namespace, command: Sequence[str]) -> int:
    if not command:
        raise UsageError("which command? It stands at the end, after --")
    with read_boolean_program(arguments.file) as program:
        search = _Search(TrialCommand(command, _file_name(arguments.file), arguments.timeout), program)
    if failure := search.failure(program):
        shown = files.shown_name(arguments.file)
        raise UsageError(f"nothing to shrink: the command does not succeed on {shown} itself ({failure})")
    try:
        with _progress(arguments.quiet) as progress:
            search.run(progress)
    except KeyboardInterrupt:
        if arguments.output == files.STANDARD:
            raise
        files.write_text(arguments.output, show_program(search.best))
        print(f"ebb-shrink: interrupted; {arguments.output} is the smallest program so far", file=sys.stderr)
        return ExitCode.INTERRUPTED
    files.write_text(arguments.output, show_program(search.best))
    if not arguments.quiet:
        sizes = f"from {_size(program)} to {_size(search.best)} statements"
        print(f"shrunk {sizes} in {search.runs} runs", file=sys.stderr)
    return ExitCode.DONE


def _file_name(path: str) -> str:
    return "stdin.bp" if path == files.STANDARD else Path(path).name


_Progress = Callable[[int, int], None]  # told how many statements are left, and which run begins


@dataclass(slots=True)
class _Search:
    command: TrialCommand
    best: bp.Program
    runs: int = 0

    def failure(self, program: bp.Program) -> str:
        self.runs += 1
        return self.command.failure(show_program(program))

    def run(self, progress: _Progress) -> None:
        def succeeds(program: bp.Program) -> bool:
            progress(_size(self.best), self.runs + 1)
            return not self.failure(program)

        for smaller in smaller_programs(self.best, succeeds, REDUCTIONS.values()):
            self.best = smaller


def _size(program: bp.Program) -> int:
    return sum(1 for function in program.functions for _ in statements(function.body))


@contextmanager
def _progress(quiet: bool) -> Iterator[_Progress]:
    """A line on the terminal that says how far the search is; nothing where there is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _size, _run: None
        return
    from rich.console import Console

    with Console(stderr=True).status("shrinking") as status:
        yield lambda size, run: status.update(f"shrinking: run {run:,}, statements left: {size:,}")


if __name__ == "__main__":
    raise SystemExit(main())
