"""The operational memory models: what lies between a process and memory.

A buffer is whatever a process has under way: stores that memory has not seen (TSO, PSO), remote reads and writes that
have not happened (RMA), nothing (SC). A model says how loads, stores and remote operations use it, what it does on its
own, and when a process may pass a fence. Buffers are plain tuples, so that states can be compared.

| model | buffer                                     | leaves it on its own                                        |
|-------|--------------------------------------------|-------------------------------------------------------------|
| sc    | ()                                         | nothing                                                     |
| tso   | ((address, value), …), oldest first        | the oldest store                                            |
| pso   | ((address, (value, …)), …) by address      | the oldest store to any one address                         |
| rma   | (pending reads, pending writes), multisets | any read, which becomes a write of what it read; any write  |
"""

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

ModelName = Literal["sc", "tso", "pso", "rma"]
MODELS: tuple[ModelName, ...] = ("sc", "tso", "pso", "rma")

Buffer = tuple[Any, ...]
Memory = tuple[Any, ...]  # a cell holds an integer; of a set, its elements in order
Addresses = range


def written(memory: Memory, address: int, value: Any) -> Memory:
    return (*memory[:address], value, *memory[address + 1 :])


class Move(NamedTuple):
    """What happens without the process: a value leaves `queue` for `address`, or is read there for `target`."""

    kind: Literal["flush", "remote read", "remote write"]
    address: int
    value: int
    buffer: Buffer
    memory: Memory
    queue: object = None
    target: int = -1


class Model:
    """Sequential consistency; the other models are told by how they differ."""

    name: ModelName = "sc"
    empty: Buffer = ()
    remote = True  # whether puts and gets mean anything

    def load(self, buffer: Buffer, memory: Memory, address: int) -> int:
        return int(memory[address])

    def store(self, buffer: Buffer, memory: Memory, address: int, value: Any) -> tuple[Buffer, Memory]:
        return buffer, written(memory, address, value)

    def copy(self, buffer: Buffer, memory: Memory, source: int, target: int, process: int) -> tuple[Buffer, Memory]:
        """A put or get between this process and another; under SC one atomic copy."""
        return buffer, written(memory, target, memory[source])

    def may_pass_fence(self, buffer: Buffer, addresses: Addresses | None) -> bool:
        """Whether no store to the addresses (None: to any) is buffered."""
        return True

    def may_pass_flush(self, buffer: Buffer, process: int) -> bool:
        """Whether no remote operation to or from the process is pending."""
        return True

    def may_act_on_memory(self, buffer: Buffer) -> bool:
        """Whether an atomic block can run."""
        return self.may_pass_fence(buffer, None)

    def moves(self, buffer: Buffer, memory: Memory) -> Iterator[Move]:
        """What can happen next without the process."""
        return iter(())

    def size(self, buffer: Buffer) -> int:
        """How many entries the bound of a buffer would have to allow."""
        return 0

    def describe(self, buffer: Buffer, cell: Callable[[int], str]) -> Iterator[str]:
        """The entries as a person reads them."""
        return iter(())

    def extends(self, old: Buffer, new: Buffer, moved: set[Any]) -> bool:
        """Whether a run from `old` to `new` (other things being equal) can be repeated on and on; `moved` are the
        queues that something left on the way, and "flush" if a flush was passed."""
        return old == new


class TotalStoreOrder(Model):
    """One queue of stores per process; a load takes the newest own store to its address, if there is one."""

    name: ModelName = "tso"
    remote = False

    def load(self, buffer: Buffer, memory: Memory, address: int) -> int:
        for stored_to, value in reversed(buffer):
            if stored_to == address:
                return int(value)
        return int(memory[address])

    def store(self, buffer: Buffer, memory: Memory, address: int, value: int) -> tuple[Buffer, Memory]:
        return (*buffer, (address, value)), memory

    def may_pass_fence(self, buffer: Buffer, addresses: Addresses | None) -> bool:
        return not buffer if addresses is None else all(address not in addresses for address, _ in buffer)

    def moves(self, buffer: Buffer, memory: Memory) -> Iterator[Move]:
        if buffer:
            (address, value), *rest = buffer
            yield Move("flush", address, value, tuple(rest), written(memory, address, value))

    def size(self, buffer: Buffer) -> int:
        return len(buffer)

    def describe(self, buffer: Buffer, cell: Callable[[int], str]) -> Iterator[str]:
        return (f"{cell(address)} = {value}" for address, value in buffer)

    def extends(self, old: Buffer, new: Buffer, moved: set[Any]) -> bool:
        # With nothing flushed, loads see only the newest store to each address.
        return old == new or (None not in moved and len(new) > len(old) and dict(old) == dict(new))


class PartialStoreOrder(Model):
    """One queue of stores per process and address."""

    name: ModelName = "pso"
    remote = False

    def load(self, buffer: Buffer, memory: Memory, address: int) -> int:
        for stored_to, values in buffer:
            if stored_to == address:
                return int(values[-1])
        return int(memory[address])

    def store(self, buffer: Buffer, memory: Memory, address: int, value: int) -> tuple[Buffer, Memory]:
        queues = dict(buffer)
        queues[address] = (*queues.get(address, ()), value)
        return tuple(sorted(queues.items())), memory

    def may_pass_fence(self, buffer: Buffer, addresses: Addresses | None) -> bool:
        return not buffer if addresses is None else all(address not in addresses for address, _ in buffer)

    def moves(self, buffer: Buffer, memory: Memory) -> Iterator[Move]:
        for position, (address, (value, *later)) in enumerate(buffer):
            left = ((address, tuple(later)),) if later else ()
            rest = (*buffer[:position], *left, *buffer[position + 1 :])
            yield Move("flush", address, value, rest, written(memory, address, value), queue=address)

    def size(self, buffer: Buffer) -> int:
        return max((len(values) for _, values in buffer), default=0)

    def describe(self, buffer: Buffer, cell: Callable[[int], str]) -> Iterator[str]:
        return (f"{cell(address)} = {value}" for address, values in buffer for value in values)

    def extends(self, old: Buffer, new: Buffer, moved: set[Any]) -> bool:
        queues = dict(new)
        return len(old) == len(new) and all(
            address in queues
            and (
                queues[address] == values
                or (address not in moved and len(queues[address]) > len(values) and queues[address][-1] == values[-1])
            )
            for address, values in old
        )


class RemoteMemoryAccess(Model):
    """Loads and stores act on memory; a put or get is a pending read, then a pending write, both done at any time.

    The model of the RMA paper, Section 2.1. Operations are not ordered, not even those between the same two processes.
    A pending read is (source, target, process), a pending write (target, value, process), `process` being the far end:
    a flush waits for both, so that a get is over when a flush of its process is passed.
    """

    name: ModelName = "rma"
    empty: Buffer = ((), ())

    def copy(self, buffer: Buffer, memory: Memory, source: int, target: int, process: int) -> tuple[Buffer, Memory]:
        reads, writes = buffer
        return (tuple(sorted((*reads, (source, target, process)))), writes), memory

    def may_pass_flush(self, buffer: Buffer, process: int) -> bool:
        reads, writes = buffer
        return all(operation[2] != process for operation in (*reads, *writes))

    def may_act_on_memory(self, buffer: Buffer) -> bool:
        return True

    def moves(self, buffer: Buffer, memory: Memory) -> Iterator[Move]:
        reads, writes = buffer
        for read in sorted(set(reads)):
            source, target, process = read
            value = memory[source]
            after = _without(reads, read), tuple(sorted((*writes, (target, value, process))))
            yield Move("remote read", source, value, after, memory, target=target)
        for write in sorted(set(writes)):
            target, value, _ = write
            after = reads, _without(writes, write)
            yield Move("remote write", target, value, after, written(memory, target, value))

    def size(self, buffer: Buffer) -> int:
        return len(buffer[0]) + len(buffer[1])

    def describe(self, buffer: Buffer, cell: Callable[[int], str]) -> Iterator[str]:
        reads, writes = buffer
        yield from (f"read {cell(source)} for {cell(target)}" for source, target, _ in reads)
        yield from (f"write {cell(target)} = {value}" for target, value, _ in writes)

    def extends(self, old: Buffer, new: Buffer, moved: set[Any]) -> bool:
        # More pending operations never disable anything but a flush.
        return old == new or (
            "flush" not in moved and all(_contains(larger, smaller) for larger, smaller in zip(new, old, strict=True))
        )


def _without(operations: tuple[Any, ...], one: Any) -> tuple[Any, ...]:
    position = operations.index(one)
    return operations[:position] + operations[position + 1 :]


def _contains(larger: tuple[Any, ...], smaller: tuple[Any, ...]) -> bool:
    return all(larger.count(operation) >= smaller.count(operation) for operation in set(smaller))


_MODELS = {"sc": Model, "tso": TotalStoreOrder, "pso": PartialStoreOrder, "rma": RemoteMemoryAccess}


def model_named(name: ModelName) -> Model:
    return _MODELS[name]()
