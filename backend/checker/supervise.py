"""Limits that hold even while a library computes: the work runs in a process of its own, and this one watches it."""

import multiprocessing
import os
import signal
import subprocess
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from ebb.backend.automata.automaton import Automata
from ebb.backend.checker.answer import Answer
from ebb.backend.checker.engines import check_quickly
from ebb.backend.checker.limits import Limits, Progress

_PATIENCE = 0.05  # seconds between two looks
_GRACE = 0.2  # seconds that a process has to clean up behind itself

_Work = Callable[[Progress], Answer]


def supervised(work: _Work, limits: Limits, progress: Progress | None) -> Answer:
    """The answer of the work, or `unknown` as soon as it takes too long or too much memory."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(work, there), daemon=False)
    start = time.monotonic()
    process.start()
    there.close()
    seen = {"states": 0}
    before = signal.signal(signal.SIGTERM, _end)
    try:
        while True:
            if here.poll(_PATIENCE):
                try:
                    message = here.recv()
                except EOFError:
                    return Answer("unknown", "the engine died, perhaps for want of memory", counts=seen)
                if isinstance(message, Answer):
                    return message
                if isinstance(message, BaseException):
                    raise message
                seen["states"], waiting = message
                if progress is not None:
                    progress(seen["states"], waiting)
            if limits.seconds is not None and time.monotonic() - start > limits.seconds:
                return Answer("unknown", f"more than {limits.seconds:g} seconds (--timeout)", counts=seen)
            if limits.memory is not None and _megabytes(process.pid or 0) > limits.memory:
                return Answer("unknown", f"more than {limits.memory} MB of memory (--memory)", counts=seen)
    finally:
        signal.signal(signal.SIGTERM, before)
        process.terminate()
        process.join(_GRACE)
        process.kill()
        process.join()
        here.close()


def _run(work: _Work, pipe: Connection) -> None:
    """In the new process: do the work and send what comes of it. Asked to end, it ends the programs it has started."""
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that watches has been interrupted too
    try:
        pipe.send(work(lambda states, waiting: pipe.send((states, waiting))))
    except MemoryError:
        pipe.send(Answer("unknown", "out of memory"))
    except Exception as error:  # for the process that watches to raise
        error.add_note(traceback.format_exc())
        pipe.send(error)


def _end(number: int, _: object) -> None:
    """Ends this process, but not before what is to be done in any case."""
    raise SystemExit(128 + number)


def _megabytes(process: int) -> float:
    """The memory that a process and those it has started have in use."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:  # it has just ended, or this system has no such files
        found = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True, check=False)
        return int(found.stdout.strip() or 0) / 1024
    return pages * _PAGE + sum(_megabytes(int(child)) for child in children)


_PAGE = os.sysconf("SC_PAGE_SIZE") / 2**20


def check_within(
    automata: Automata,
    engine: str,
    limits: Limits,
    progress: Progress | None = None,
    *,
    until_overflow: bool = False,
) -> Answer:
    """What `check_quickly` says, in a process of its own if time or memory is limited."""

    def checked(progress: Progress | None) -> Answer:
        return check_quickly(automata, engine, limits, progress, until_overflow=until_overflow)

    if limits.seconds is None and limits.memory is None:
        return checked(progress)
    return supervised(checked, limits, progress)
