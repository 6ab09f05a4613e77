"""Where another program works: a directory that goes away, until a deadline, and nothing it starts outlives that."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ebb.backend.others.answer import Answer
from ebb.formats.errors import UsageError


class NoAnswer(Exception):
    """The program cannot tell; the message says why."""


@dataclass(frozen=True, slots=True)
class Finished:
    code: int
    output: str  # errors included

    @property
    def says(self) -> str:
        """The first line of what it said, or how it ended."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        if self.code < 0:
            return f"killed by {signal.Signals(-self.code).name}" + (f" after saying {lines[0]!r}" if lines else "")
        return repr(lines[0]) if lines else f"nothing, and ended with code {self.code}"


@dataclass(frozen=True, slots=True)
class Workplace:
    directory: Path
    timeout: float | None
    deadline: float | None

    def write(self, name: str, content: str | bytes) -> None:
        (self.directory / name).write_bytes(content.encode("ascii") if isinstance(content, str) else content)

    def run(self, *command: str, environment: Mapping[str, str] | None = None) -> Finished:
        """Run the program to its end; a `NoAnswer` if that would be after the deadline."""
        process = subprocess.Popen(
            command,
            cwd=self.directory,
            env=None if environment is None else {**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with process:
            try:
                with contextlib.suppress(ProcessLookupError):  # it has ended already
                    resource.prlimit(process.pid, resource.RLIMIT_AS, (megabytes() << 20, resource.RLIM_INFINITY))
                left = None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
                output, _ = process.communicate(timeout=left)
            except subprocess.TimeoutExpired:
                raise NoAnswer(f"timeout after {self.timeout:g} s") from None
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
        return Finished(process.returncode, output.decode("utf-8", errors="replace"))


def answer(timeout: float | None, work: Callable[[Workplace], Answer]) -> Answer:
    """What the work finds out, in a directory of its own and in time."""
    deadline = None if timeout is None else time.monotonic() + timeout
    with tempfile.TemporaryDirectory(prefix="ebb-", ignore_cleanup_errors=True) as directory:
        try:
            return work(Workplace(Path(directory), timeout, deadline))
        except NoAnswer as reason:
            return Answer(None, reason=str(reason))


def program(name: str, package: str) -> str:
    """The path of an installed program."""
    path = shutil.which(name)
    if path is None:
        raise UsageError(f"{name} is not installed: install the Debian package {package}")
    return path


def megabytes() -> int:
    """The memory that a program may take: most of what the machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 10 * 9 >> 20
