"""How the notes of a reduced program's variables say what part of a store buffer each of them is.

The reductions write these notes; whoever wants to know which variable models what reads them here.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from ebb.formats.ir import Program, Variable


def slot_note(number: int, variable: str, process: str) -> str:
    return f"slot {number} of {variable} in {process}"


def slot_count_note(variable: str, process: str) -> str:
    return f"count of {variable} in {process}"


def entry_target_note(number: int, process: str, codes: dict[str, int]) -> str:
    listed = ", ".join(f"{name} = {code}" for name, code in codes.items())
    return f"target of entry {number} in {process} ({listed})"


def entry_value_note(number: int, process: str) -> str:
    return f"value of entry {number} in {process}"


def entry_count_note(process: str) -> str:
    return f"count of {process}"


@dataclass(slots=True)
class Queue:
    """PSO: the stores of a process to one variable. `slots[0]` is the oldest."""

    process: str
    variable: str
    slots: list[str] = field(default_factory=list)
    count: str = ""


@dataclass(slots=True)
class Buffer:
    """TSO: the stores of a process. Where a target is the code of a variable (or of its element 0, and those of the
    others follow), the value is what was stored to it."""

    process: str
    codes: dict[str, int] = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    count: str = ""


@dataclass(frozen=True, slots=True)
class Buffers:
    model: Literal["tso", "pso"]
    queues: tuple[Queue, ...] = ()
    buffers: tuple[Buffer, ...] = ()

    def bookkeeping(self) -> set[str]:
        """The variables that count entries or say where they go: all that is in a buffer but values."""
        found = {queue.count for queue in self.queues} | {buffer.count for buffer in self.buffers}
        return found | {target for buffer in self.buffers for target in buffer.targets}


_SLOT = re.compile(r"slot ([0-9]+) of (\w+) in (\w+)")
_SLOT_COUNT = re.compile(r"count of (\w+) in (\w+)")
_TARGET = re.compile(r"target of entry ([0-9]+) in (\w+) \((.*)\)")
_VALUE = re.compile(r"value of entry ([0-9]+) in (\w+)")
_COUNT = re.compile(r"count of (\w+)")


def store_buffers(program: Program) -> Buffers:
    """The store buffers that a program contains, which was reduced from TSO or PSO."""
    queues: dict[tuple[str, str], Queue] = {}
    buffers: dict[str, Buffer] = {}
    for variable in program.shared:
        if program.reduced == "pso":
            _read_queue(variable, queues)
        elif program.reduced == "tso":
            _read_buffer(variable, buffers)
    model: Literal["tso", "pso"] = "tso" if program.reduced == "tso" else "pso"
    return Buffers(model, tuple(queues.values()), tuple(buffers.values()))


def _read_queue(variable: Variable, queues: dict[tuple[str, str], Queue]) -> None:
    if found := _SLOT.fullmatch(variable.note):
        queue = queues.setdefault((found[3], found[2]), Queue(found[3], found[2]))
        queue.slots.append(variable.name)
    elif found := _SLOT_COUNT.fullmatch(variable.note):
        queues.setdefault((found[2], found[1]), Queue(found[2], found[1])).count = variable.name


def _read_buffer(variable: Variable, buffers: dict[str, Buffer]) -> None:
    if found := _TARGET.fullmatch(variable.note):
        buffer = buffers.setdefault(found[2], Buffer(found[2]))
        buffer.targets.append(variable.name)
        for part in found[3].split(", "):
            name, code = part.split(" = ")
            buffer.codes[name] = int(code)
    elif found := _VALUE.fullmatch(variable.note):
        buffers.setdefault(found[2], Buffer(found[2])).values.append(variable.name)
    elif found := _COUNT.fullmatch(variable.note):
        buffers.setdefault(found[1], Buffer(found[1])).count = variable.name
