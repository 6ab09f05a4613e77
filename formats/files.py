"""Reading and writing the way every executable does: `-` is a standard stream, output appears whole or not at all."""

import contextlib
import errno
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO, TextIO

from ebb.formats.errors import InputError, Position, UsageError

STANDARD = "-"


def shown_name(path: str) -> str:
    """The name under which messages speak of a file."""
    return "<stdin>" if path == STANDARD else path


def source_name(path: str) -> str:
    """The name a product carries of its source: no directory, so that the same input gives the same bytes anywhere."""
    name = "stdin" if path == STANDARD else Path(path).name
    return "".join(character if character.isprintable() else "?" for character in name)


def read_text(path: str) -> str:
    """The text of a file or of standard input; anything that cannot be read as UTF-8 is an `InputError`."""
    try:
        data = _standard(sys.stdin).read() if path == STANDARD else Path(_named(path)).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=shown_name(path)) from None
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", errors="replace")
        position = Position(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        raise InputError(f"byte 0x{data[error.start]:02x} is not UTF-8", position, file=shown_name(path)) from None


def write_text(path: str, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str, data: bytes) -> None:
    """Write beside, then rename; a reader sees the old file or the new one, never half of it."""
    if path == STANDARD:
        _write_standard(data)
        return
    try:
        target = Path(_named(path))
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):  # /dev/null, a pipe: nothing to rename onto
            target.write_bytes(data)
            return
        target = target.resolve()  # a link stays a link
        handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(beside, _permissions(target))
            os.replace(beside, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside)
            raise
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def _standard(stream: TextIO | None) -> BinaryIO:
    if stream is None:  # the shell closed it
        raise OSError(errno.EBADF, "it is closed")
    return stream.buffer


def _named(path: str) -> str:
    if not path:  # which `Path` takes for the current directory
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    return path


def _write_standard(data: bytes) -> None:
    try:
        output = _standard(sys.stdout)
        output.write(data)
        output.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if sys.stdout is not None:  # what did not fit must not be tried again when Python ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UsageError(f"standard output cannot be written: {error.strerror or error}") from None


def _permissions(target: Path) -> int:
    """Those of the file that is replaced, or what the user's mask gives a new one."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
