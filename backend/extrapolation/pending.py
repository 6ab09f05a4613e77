"""Which stores of a process can be under way at the same time, going by its fences alone.

A store is under way from where it is enqueued; a fence, or an atomic block, which waits for the buffer to be empty,
ends that for all stores, and a fence for one variable for stores to that one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ebb.formats.ir import Atomic, Instruction, Process, Program, following

_ENQUEUE = re.compile(r"enqueue (\w+)")


@dataclass(frozen=True, slots=True)
class Pending:
    fenced: bool  # no process ever has two stores under way, not even to the same variable
    _pairs: Mapping[str, frozenset[tuple[str, str]]]

    def together(self, process: str, one: str, other: str) -> bool:
        return (one, other) in self._pairs.get(process, frozenset())


def pending(program: Program) -> Pending:
    pairs: dict[str, frozenset[tuple[str, str]]] = {}
    for process in program.processes:
        if not process.background:
            pairs[process.name] = _pairs(process)
    return Pending(not any(pairs.values()), pairs)


def _pairs(process: Process) -> frozenset[tuple[str, str]]:
    """The pairs of variables of which a store to the second can be enqueued while one to the first is under way."""
    body = process.body
    number = {instruction.label: index for index, instruction in enumerate(body)}
    under_way: list[set[str]] = [set() for _ in range(len(body) + 1)]
    todo = list(range(len(body)))
    found: set[tuple[str, str]] = set()
    while todo:
        at = todo.pop()
        instruction = body[at]
        after = set(under_way[at])
        stored = _ENQUEUE.match(instruction.note)
        if _waits(instruction):
            after = set()
        elif stored:
            for earlier in after:
                found |= {(earlier, stored[1]), (stored[1], earlier)}
            after.add(stored[1])
        for target in following(instruction.action, at, number):
            if not after <= under_way[target]:
                under_way[target] |= after
                if target < len(body):
                    todo.append(target)
    return frozenset(found)


def most_under_way(program: Program, at_most: int) -> int | None:
    """How many stores can be under way in one buffer, going by fences alone; None if that may be more than given.

    Under TSO a buffer is that of a process, under PSO that of a process and a variable.
    """
    most = 0
    for process in program.processes:
        if process.background:
            continue
        stored = {found[1] for each in process.body if (found := _ENQUEUE.match(each.note))}
        groups = [{name} for name in stored] if program.reduced == "pso" else [stored]
        for group in groups:
            count = _longest(process, group, at_most)
            if count is None:
                return None
            most = max(most, count)
    return most


def _longest(process: Process, variables: set[str], at_most: int) -> int | None:
    """The most stores to the variables that control can pass without a fence."""
    body = process.body
    number = {instruction.label: index for index, instruction in enumerate(body)}
    passed = [0] * (len(body) + 1)
    todo = list(range(len(body)))
    while todo:
        at = todo.pop()
        stored = _ENQUEUE.match(body[at].note)
        after = passed[at] + (stored is not None and stored[1] in variables)
        if _waits(body[at]):
            after = 0
        if after > at_most:
            return None
        for target in following(body[at].action, at, number):
            if after > passed[target]:
                passed[target] = after
                if target < len(body):
                    todo.append(target)
    return max(passed)


def _waits(instruction: Instruction) -> bool:
    """Whether it waits until nothing is under way; a fence for one variable, `fence X`, does not."""
    if instruction.note in ("fence", "drain"):
        return True
    return isinstance(instruction.action, Atomic) and instruction.action.body[0].note == "drain"
