"""Random straight-line programs against a second implementation of the models, written independently and naively.

The reference below runs every schedule of a list of simple operations by recursion, with dictionaries and lists; it
shares nothing with the explorer.
"""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from ebb.backend.concrete.models import ModelName
from ebb.backend.concrete.report import explore
from ebb.frontend.ebb_source import parse

Operation = tuple[Any, ...]


def random_program(model: ModelName, rng: random.Random) -> list[list[Operation]]:
    """Two or three processes of a few operations; `w`rite, `r`ead, `f`ence, e`x`change, `put`, `get`, `flush`."""
    count = rng.choice([2, 2, 3])
    shared = [f"{name}{owner}" for owner in range(count) for name in ("X", "Y")] if model == "rma" else ["X0", "Y0"]

    def operation(me: int) -> Operation:
        own = [name for name in shared if name.endswith(str(me))] if model == "rma" else shared
        kinds = ["w", "w", "r", "r", "x"] + (["put", "get", "flush", "put"] if model == "rma" else ["w", "f", "fx"])
        match rng.choice(kinds):
            case "w":
                return "w", rng.choice(own), rng.choice([1, 2, "r", "s"])
            case "r":
                return "r", rng.choice("rs"), rng.choice(own)
            case "x":
                return "x", rng.choice("rs"), rng.choice(own), rng.choice([3, "r"])
            case "f":
                return ("f",)
            case "fx":
                return "f", rng.choice(own)
            case "flush":
                return "flush", rng.randrange(count)
            case kind:  # put or get
                other = rng.randrange(count)
                return kind, rng.choice(own), rng.choice([n for n in shared if n.endswith(str(other))]), other

    longest = 3 if count == 3 or model == "rma" else 4
    return [[operation(me) for _ in range(rng.randint(1, longest))] for me in range(count)]


def source(program: list[list[Operation]], model: ModelName) -> str:
    def text(operation: Operation) -> str:
        match operation:
            case "w", place, value:
                return f"{place} = {value};"
            case "r", register, place:
                return f"{register} = {place};"
            case "x", register, place, value:
                return f"{register} = xchg({place}, {value});"
            case ("f",):
                return "fence;"
            case "f", place:
                return f"fence({place});"
            case "flush", process:
                return f"flush(P{process});"
            case "put", own, other, process:
                return f"put({other}, P{process}, {own});"
            case "get", own, other, process:
                return f"{own} = get({other}, P{process});"
            case _:
                raise AssertionError(operation)

    bodies = []
    for number, operations in enumerate(program):
        owned = f"shared X{number} = {number}, Y{number}; " if model == "rma" else ""
        bodies.append(f"process P{number} {{ {owned}local r, s; {' '.join(map(text, operations))} }}")
    return ("" if model == "rma" else "shared X0, Y0;\n") + "\n".join(bodies)


def reference(program: list[list[Operation]], model: ModelName) -> set[tuple[tuple[str, int], ...]]:
    """Every final state, by trying every schedule."""
    memory = {f"X{n}": n if model == "rma" else 0 for n in range(len(program))} | {
        f"Y{n}": 0 for n in range(len(program))
    }
    if model != "rma":
        memory = {"X0": 0, "Y0": 0}
    found: set[tuple[tuple[str, int], ...]] = set()
    seen: set[str] = set()

    def visit(
        pcs: list[int], registers: list[dict[str, int]], memory: dict[str, int], under_way: list[list[Any]]
    ) -> None:
        key = repr((pcs, [sorted(r.items()) for r in registers], sorted(memory.items()), under_way))
        if key in seen:
            return
        seen.add(key)
        if all(pc == len(p) for pc, p in zip(pcs, program, strict=True)) and not any(under_way):
            state = [(f"P{n}.{r}", v) for n, own in enumerate(registers) for r, v in own.items()]
            found.add(tuple(sorted([*state, *memory.items()])))
        for me in range(len(program)):
            for pc, own, mem, pending in steps(me, pcs[me], registers[me], memory, under_way[me]):
                visit(
                    [*pcs[:me], pc, *pcs[me + 1 :]],
                    [*registers[:me], own, *registers[me + 1 :]],
                    mem,
                    [*under_way[:me], pending, *under_way[me + 1 :]],
                )

    def steps(
        me: int, pc: int, own: dict[str, int], memory: dict[str, int], pending: list[Any]
    ) -> Iterator[tuple[int, dict[str, int], dict[str, int], list[Any]]]:
        for index, entry in enumerate(pending):
            rest = pending[:index] + pending[index + 1 :]
            older = [place for place, *_ in pending[:index]]
            if (model == "tso" and not older) or (model == "pso" and entry[0] not in older):
                yield pc, own, memory | {entry[0]: entry[1]}, rest
            elif model == "rma" and entry[0] == "read":
                _, source_, target, far = entry
                yield pc, own, memory, sorted([*rest, ("write", target, memory[source_], far)], key=repr)
            elif model == "rma":
                yield pc, own, memory | {entry[1]: entry[2]}, rest
        if pc == len(program[me]):
            return
        buffered = model in ("tso", "pso")
        match program[me][pc]:
            case "w", place, value:
                value = own[value] if isinstance(value, str) else value
                if buffered:
                    yield pc + 1, own, memory, [*pending, (place, value)]
                else:
                    yield pc + 1, own, memory | {place: value}, pending
            case "r", register, place:
                newest = [v for p, v in pending if p == place] if buffered else []
                yield pc + 1, own | {register: newest[-1] if newest else memory[place]}, memory, pending
            case "x", register, place, value:
                if not (buffered and pending):
                    value = own[value] if isinstance(value, str) else value
                    yield pc + 1, own | {register: memory[place]}, memory | {place: value}, pending
            case ("f",):
                if not (buffered and pending):
                    yield pc + 1, own, memory, pending
            case "f", place:
                if not (buffered and any(p == place for p, _ in pending)):
                    yield pc + 1, own, memory, pending
            case "flush", process:
                if model == "sc" or all(entry[-1] != process for entry in pending):
                    yield pc + 1, own, memory, pending
            case kind, mine, other, process:
                source_, target = (mine, other) if kind == "put" else (other, mine)
                if model == "sc":
                    yield pc + 1, own, memory | {target: memory[source_]}, pending
                else:
                    yield pc + 1, own, memory, sorted([*pending, ("read", source_, target, process)], key=repr)

    start = [{"r": 0, "s": 0} for _ in program]
    visit([0] * len(program), start, memory, [[] for _ in program])
    return found


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "rma"])
@pytest.mark.parametrize("seed", range(12))
def test_explorer_and_reference_agree(model: ModelName, seed: int) -> None:
    rng = random.Random(f"{model} {seed}")
    for _ in range(15):
        program = random_program(model, rng)
        text = source(program, model)
        outcomes = explore(parse(text, "random.ebb"), model)
        assert outcomes.complete
        explored = {tuple(sorted(state.items())) for state in outcomes.final}
        assert explored == reference(program, model), f"seed {seed} under {model}:\n{text}"
