"""Which stores of a process can be under way at the same time, going by its fences alone.

A store is under way from where it is enqueued; a fence, or an atomic block, which waits for the buffer to be empty,
ends that for all stores, and a fence for one variable for stores to that one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ebb.formats.ir import Atomic, Branch, Goto, Instruction, Process, Program

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
        for target in _targets(instruction, at, number):
            if not after <= under_way[target]:
                under_way[target] |= after
                if target < len(body):
                    todo.append(target)
    return frozenset(found)


def _waits(instruction: Instruction) -> bool:
    """Whether it waits until nothing is under way. A fence for single variables is not counted on."""
    if instruction.note in ("fence", "drain"):
        return True
    return isinstance(instruction.action, Atomic) and instruction.action.body[0].note == "drain"


def _targets(instruction: Instruction, at: int, number: Mapping[str, int]) -> list[int]:
    match instruction.action:
        case Goto(targets):
            return [number[target] for target in targets]
        case Branch(_, target):
            return [number[target], at + 1]
        case _:
            return [at + 1]
