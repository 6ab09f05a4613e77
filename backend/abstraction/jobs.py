"""Locations abstracted by several processes. Each asks a solver of its own; the answers do not depend on who asks."""

import multiprocessing
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ebb.backend.abstraction.cube_search import Knowledge
from ebb.backend.abstraction.figures import Count
from ebb.backend.abstraction.smt import Solver
from ebb.backend.abstraction.transformers import AbstractLocation, abstract_location
from ebb.backend.abstraction.transitions import Location
from ebb.backend.abstraction.vocabulary import Cube

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from ebb.backend.abstraction.options import Options
    from ebb.backend.abstraction.subject import Subject


def abstract_in_parallel(
    locations: Sequence[Location],
    subject: "Subject",
    knowledge: Knowledge,
    options: "Options",
    listed: Sequence[Cube] | None,
    count: Count,
) -> list[AbstractLocation]:
    """The locations in their order, whoever did them. What the solvers did is added to the count."""
    context = multiprocessing.get_context("fork")
    workers = []
    for number in range(options.jobs):
        receiver, sender = context.Pipe(duplex=False)
        share = locations[number :: options.jobs]
        process = context.Process(target=_work, args=(sender, share, subject, knowledge, options, listed))
        process.start()
        sender.close()
        workers.append((process, receiver))
    found: list[AbstractLocation | None] = [None] * len(locations)
    for number, (process, receiver) in enumerate(workers):
        try:
            abstracted, counted = receiver.recv()
        except EOFError:
            raise RuntimeError("a process that abstracts locations ended early") from None
        process.join()
        found[number :: options.jobs] = abstracted
        count.add(counted)
    return [location for location in found if location is not None]


def _work(
    sender: "Connection",
    locations: Sequence[Location],
    subject: "Subject",
    known: Knowledge,
    options: "Options",
    listed: Sequence[Cube] | None,
) -> None:
    from ebb.backend.abstraction.build import implying_by_search

    knowledge = Knowledge(subject.vocabulary, Solver(subject.variables))
    for state in known.states.rows:
        knowledge.add(state)
    for cube in known.consistency.cubes:
        knowledge.consistency.add(cube)
    implying = implying_by_search(knowledge, options, listed)
    found = [abstract_location(location, subject.vocabulary, implying, subject.dead) for location in locations]
    sender.send((found, knowledge.solver.count))
    sender.close()
