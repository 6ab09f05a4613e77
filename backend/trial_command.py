"""A command of the user that says, by its exit code, whether a Boolean program has a property."""

import contextlib
import os
import signal
import subprocess
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ebb.formats.errors import UsageError

PLACE = "{}"
"""In an argument: the path of the program."""


@dataclass(frozen=True, slots=True)
class TrialCommand:
    words: Sequence[str]
    file_name: str
    timeout: float | None = None  # in seconds

    def failure(self, text: str) -> str:
        """How the command fails on a program; empty if it succeeds. What it prints is lost, what it starts ends."""
        with tempfile.TemporaryDirectory(prefix="ebb-shrink-", ignore_cleanup_errors=True) as directory:
            file = Path(directory) / self.file_name
            file.write_text(text, encoding="utf-8")
            return self._run(self._arguments(str(file)))

    def _arguments(self, path: str) -> list[str]:
        if any(PLACE in word for word in self.words):
            return [word.replace(PLACE, path) for word in self.words]
        return [*self.words, path]

    def _run(self, arguments: list[str]) -> str:
        try:
            process = subprocess.Popen(
                arguments,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"{arguments[0]}: cannot be started: {error.strerror or error}") from None
        with process:
            try:
                code = process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                return f"not done after {self.timeout:g} s"
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
        if code < 0:
            return f"killed by signal {-code}"
        return f"exit code {code}" if code else ""


def _environment() -> dict[str, str]:
    """Where ebb's executables are not on the search path, a command still finds them, after all others."""
    path = os.environ.get("PATH", os.defpath)
    return {**os.environ, "PATH": f"{path}{os.pathsep}{sysconfig.get_path('scripts')}"}
