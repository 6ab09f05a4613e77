"""What the command lines of all executables have in common."""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeAlias

from ebb.formats.errors import EbbError, InputError, UsageError
from ebb.formats.exit_codes import ExitCode


class Parser(argparse.ArgumentParser):
    """Wrong usage exits with 64, help keeps its layout, and `--version` and `--quiet` are always there."""

    def __init__(self, prog: str, description: str, epilog: str = "", **_: object) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.add_argument("--version", action=_Version, help="print the version and exit")
        self.add_argument("--quiet", action="store_true", help="no messages but errors")

    def add_commands(self, dest: str, metavar: str) -> "Commands":
        """Subcommands, each with a parser of this kind: `add_parser("name", description=…, epilog=…)`."""
        return self.add_subparsers(dest=dest, required=True, metavar=metavar)

    def add_input(self, what: str) -> None:
        self.add_argument("file", metavar="FILE", nargs="?", default="-", help=f"{what}, or - for standard input")

    def add_output(self) -> None:
        self.add_argument("-o", "--output", metavar="FILE", default="-", help="where to write (standard output)")

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(ExitCode.USAGE, f"{self.prog}: {message}\n")


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: reading package metadata costs start-up time."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"{parser.prog} {version('ebb')}")
        parser.exit()


def run(parser: Parser, argv: Sequence[str] | None, work: Callable[[argparse.Namespace], int]) -> int:
    """Parse the arguments, do the work, and turn whatever happens into a message and an exit code."""
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    # Programs and states are large and have no cycles: looking for cycles as often as Python does only costs time.
    gc.set_threshold(200_000, 20, 100)
    try:
        return work(arguments)
    except EbbError as error:
        print(f"{parser.prog}: {error}" if isinstance(error, UsageError) else str(error), file=sys.stderr)
        return ExitCode.BAD_INPUT if isinstance(error, InputError) else ExitCode.USAGE
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe has left; nothing that is still written could reach anybody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except Exception as error:
        print(f"{parser.prog}: internal error: {type(error).__name__}: {error}", file=sys.stderr)
        print("This is a defect in ebb; EBB_TRACEBACK=1 shows where.", file=sys.stderr)
        if os.environ.get("EBB_TRACEBACK"):
            raise
        return ExitCode.INTERNAL


def positive(text: str) -> int:
    """An argument that is a whole number from 1."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def seconds(text: str) -> float:
    """An argument that is a time span."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value
