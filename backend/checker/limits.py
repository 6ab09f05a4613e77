"""How far a search may go, and how far it is."""

import time
from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int], None]  # states so far, states still to look at


@dataclass(frozen=True, slots=True)
class Limits:
    """None: no limit. Seconds and megabytes are watched from outside as well (`supervise`)."""

    states: int | None = None
    seconds: float | None = None
    memory: int | None = None  # megabytes


class LimitReached(Exception):
    """The search ends without an answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Splits:
    """Counts how often a cube is cut in two; one step can take more cuts than there are states."""

    def __init__(self, most: int | None) -> None:
        self._left = most

    def one(self) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise TooManySplits


class TooManySplits(Exception):
    pass


class Meter:
    """Counts what a search does, tells whoever wants to know, and stops it at a limit."""

    _OFTEN = 0.1  # seconds between two reports

    def __init__(self, limits: Limits, progress: Progress | None = None) -> None:
        self._limits = limits
        self._progress = progress
        self._next = time.monotonic() + self._OFTEN
        self.states = 0

    def count(self, waiting: int) -> None:
        """One more state."""
        self.states += 1
        if self._limits.states is not None and self.states > self._limits.states:
            raise LimitReached(f"more than {self._limits.states} states (--max-states)")
        if self._progress is not None and not self.states & 63 and time.monotonic() > self._next:
            self._next = time.monotonic() + self._OFTEN
            self._progress(self.states, waiting)
