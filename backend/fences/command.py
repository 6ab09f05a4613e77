"""The work of `ebb fences`: read the program, find the placements, write what was found."""

import argparse

from ebb.backend.abstraction.options import Options
from ebb.backend.checker.limits import Limits
from ebb.backend.fences.fences_text import dumps, show_placements
from ebb.backend.fences.finding import Placements, Request, find_placements
from ebb.backend.fences.points import points_of_fences, with_fences
from ebb.backend.fences.repair import repaired, unified_diff
from ebb.backend.source_text import show_program_without_positions
from ebb.backend.verification.pipeline import Reduce, Settings
from ebb.formats import files
from ebb.formats.errors import InputError
from ebb.formats.exit_codes import ExitCode
from ebb.formats.ir import Program
from ebb.formats.predicates import predicates_of
from ebb.formats.program_file import about_source, program_in


def fences(arguments: argparse.Namespace, reduce: Reduce) -> int:
    text = files.read_text(arguments.file)
    program = program_in(text, arguments.file)
    predicates, path, file = predicates_of(program, arguments.file, arguments.predicates)
    settings = Settings(
        arguments.model,
        arguments.method,
        arguments.bound,
        arguments.max_bound,
        arguments.pairs,
        arguments.engine,
        Options(),
        Limits(None, arguments.timeout, None),
    )
    request = Request(
        settings,
        arguments.search,
        arguments.start,
        arguments.after_stores,
        arguments.jobs,
        runs=not arguments.no_runs,
    )
    if arguments.start and not points_of_fences(program, arguments.model):
        word = "flush" if arguments.model == "rma" else "fence"
        raise InputError(f"--start: there is no {word} in this program", file=files.shown_name(arguments.file))
    with about_source(arguments.file), about_source(path):
        result = find_placements(program, predicates, file, request, reduce)
    changed = _changed(result, text, arguments.file)
    if arguments.output is not None and (mended := _mended(result, changed)) is not None:
        files.write_text(arguments.output, mended)
    times = not arguments.no_times
    if arguments.json:
        files.write_text(files.STANDARD, dumps(result, times=times))
    else:
        difference = None if changed is None else unified_diff(text, changed, program.source)
        files.write_text(files.STANDARD, show_placements(result, difference, times=times))
    if result.found is None:
        return ExitCode.UNSAFE if result.sc_violation is not None else ExitCode.UNKNOWN
    return ExitCode.DONE if result.found.minimal else ExitCode.UNKNOWN


def _changed(result: Placements, text: str, path: str) -> str | None:
    """The source with the first minimal placement, if it is source."""
    if result.found is None or not result.found.minimal or not _is_source(text, path):
        return None

    def parse(changed: str) -> Program:
        return program_in(changed, path)

    return repaired(text, result.program, result.points, result.found.minimal[0], parse)


def _is_source(text: str, path: str) -> bool:
    """Whether the text is of the language that fences can be written into."""
    return path.endswith(".ebb") or (path == files.STANDARD and not text.lstrip().startswith(("{", "X86")))


def _mended(result: Placements, changed: str | None) -> str | None:
    """The repaired program: the changed source, or where that is not to be had, one made from the instructions."""
    if result.found is None or not result.found.minimal:
        return None
    if changed is not None:
        return changed
    return show_program_without_positions(with_fences(result.program, result.points, result.found.minimal[0]))
