"""Batches of placements checked by several processes. What is found does not depend on who finds it."""

import multiprocessing
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ebb.backend.fences.checking import AbstractChecks, Failure
from ebb.backend.fences.hitting_sets import Points

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def failures(checks: AbstractChecks, batches: Sequence[Sequence[Points]], *, expected: bool) -> list[Failure | None]:
    """For each batch why it fails, if it does; all but one are checked by processes of their own."""
    context = multiprocessing.get_context("fork")
    workers = []
    for batch in batches[1:]:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(sender, checks, batch, expected))
        process.start()
        sender.close()
        workers.append((process, receiver))
    found = [checks.failure(batches[0], expected=expected)]
    for process, receiver in workers:
        try:
            found.append(receiver.recv())
        except EOFError:
            raise RuntimeError("a process that checks placements ended early") from None
        process.join()
    return found


def _work(sender: "Connection", checks: AbstractChecks, batch: Sequence[Points], expected: bool) -> None:
    sender.send(checks.failure(batch, expected=expected))
    sender.close()
