"""A program from any file that holds one: IR, or a source language whose front end is installed.

A front end registers `parse(text, source_name) -> Program` under its file suffix in the entry-point group
`ebb.frontends`; so stages that read IR accept source files too, without depending on any front end.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from ebb.formats import files
from ebb.formats.errors import InputError
from ebb.formats.ir import Program

Parse = Callable[[str, str], Program]


@cache
def frontends() -> dict[str, Callable[[], Parse]]:
    """Suffix of a source language to the loader of its front end."""
    from importlib.metadata import entry_points

    return {entry.name: entry.load for entry in entry_points(group="ebb.frontends")}


def read_program(path: str, suffix: str | None = None) -> Program:
    """The program in a file; `suffix` overrules the file's own (`.ebb`, `.litmus`, `.json`)."""
    return program_in(files.read_text(path), path, suffix)


def program_in(text: str, path: str, suffix: str | None = None) -> Program:
    """The program in a text that was read from a file."""
    suffix = suffix or _suffix(path, text)
    try:
        if suffix == ".json":
            from ebb.formats import ir_json

            return ir_json.loads(text)
        if suffix not in frontends():
            known = ", ".join(sorted(frontends()))
            raise InputError(f"what language is this? Known are {known} and IR in .json")
        return frontends()[suffix]()(text, files.source_name(path))
    except InputError as error:
        raise error.within(files.shown_name(path), text) from None


@contextmanager
def about_source(path: str) -> Iterator[None]:
    """Complaints that a stage has about the source of a program show the source, if that is what was read."""
    try:
        yield
    except InputError as error:
        if error.file != files.source_name(path) or path == files.STANDARD:
            raise
        text = files.read_text(path)
        raise InputError(error.message, error.position, file=files.shown_name(path), text=text) from None


def _suffix(path: str, text: str) -> str:
    """By the file's name; IR whatever it is called, and the language of standard input, by how the text begins."""
    suffix = Path(path).suffix
    if suffix == ".json" or suffix in frontends():
        return suffix
    start = text.lstrip()[:16]
    if start.startswith("{"):
        return ".json"
    if path != files.STANDARD:
        return suffix
    return ".litmus" if start.split(" ")[0] in ("X86", "X86_64") else ".ebb"
