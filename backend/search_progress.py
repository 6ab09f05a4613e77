"""A line on the terminal that says how far a search is."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]  # states so far, states still to look at


@contextmanager
def search_progress(what: str, quiet: bool) -> Iterator[Progress | None]:
    """What a search calls now and then; None where there is no terminal, or nothing is to be said."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    start = time.monotonic()

    def show(states: int, waiting: int) -> None:
        speed = states / max(time.monotonic() - start, 0.001)
        status.update(f"{what}: {states:,} states, {waiting:,} to look at, {speed:,.0f} a second")

    with Console(stderr=True).status(what) as status:
        yield show
