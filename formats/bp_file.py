"""A Boolean program from a file; complaints about it, also those of later stages, show the place in the file."""

from collections.abc import Iterator
from contextlib import contextmanager

from ebb.formats import files
from ebb.formats.bp import Program
from ebb.formats.bp_check import read
from ebb.formats.errors import InputError


@contextmanager
def read_boolean_program(path: str) -> Iterator[Program]:
    """The program. Inside the block an `InputError` is about the file."""
    text = files.read_text(path)
    try:
        yield read(text)
    except InputError as error:
        raise error.within(files.shown_name(path), text) from None
