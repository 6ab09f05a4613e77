"""Random small programs, and how to make a failing one smaller.

    program = random_program(random.Random(seed), "pso")
    text = program.text()
    smallest = shrink(program, fails)        # fails(text) -> bool

A program is kept as nested lists of statements so that shrinking can take statements away one by one.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

Model = Literal["tso", "pso", "rma"]
Statement = str | tuple[str, tuple["Statement", ...]]  # `head { body }`
Body = tuple[Statement, ...]


@dataclass(frozen=True)
class RandomProgram:
    declarations: str
    heads: tuple[str, ...]  # `process P0 { local …;`
    bodies: tuple[Body, ...]
    properties: tuple[str, ...]

    def text(self) -> str:
        lines = [self.declarations]
        for head, body in zip(self.heads, self.bodies, strict=True):
            lines += [head, *_lines(body, "  "), "}"]
        return "\n".join([*lines, *self.properties]) + "\n"


def _lines(body: Body, indent: str) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, str):
            yield f"{indent}{statement}"
        else:
            yield f"{indent}{statement[0]} {{"
            yield from _lines(statement[1], indent + "  ")
            yield f"{indent}}}"


def shrink(program: RandomProgram, fails: Callable[[str], bool]) -> RandomProgram:
    """A program that still fails and from which nothing more can be taken away."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(program):
            if fails(candidate.text()):
                program, smaller = candidate, True
                break
    return program


def _smaller(program: RandomProgram) -> Iterator[RandomProgram]:
    for number in range(len(program.properties)):
        yield replace(program, properties=program.properties[:number] + program.properties[number + 1 :])
    for number, body in enumerate(program.bodies):
        for shorter in _shorter(body):
            yield replace(program, bodies=(*program.bodies[:number], shorter, *program.bodies[number + 1 :]))


def _shorter(body: Body) -> Iterator[Body]:
    for number, statement in enumerate(body):
        before, after = body[:number], body[number + 1 :]
        yield before + after
        if not isinstance(statement, str):
            yield before + statement[1] + after
            for inner in _shorter(statement[1]):
                yield (*before, (statement[0], inner), *after)


def random_program(rng: random.Random, model: Model) -> RandomProgram:
    return _remote_program(rng) if model == "rma" else _buffered_program(rng)


# ---- store buffers


def _buffered_program(rng: random.Random) -> RandomProgram:
    count = rng.choice([2, 2, 2, 3])
    arrays = rng.random() < 0.25
    ranged = rng.random() < 0.2
    declarations = "shared X = 0, Y = 0;" + (" shared Q[2] = 0;" if arrays else "")
    declarations += " shared T : 0..1 = 0;" if ranged else ""
    shared = ["X", "Y", *(["Q[0]", "Q[r % 2]"] if arrays else [])]
    heads = tuple(f"process P{n} {{ local r, s, i;" for n in range(count))
    length = 2 if count == 3 else rng.choice([2, 3, 4])
    maker = _BufferedStatements(rng, shared, ranged)
    bodies = tuple(maker.body(rng.randint(1, length)) for _ in range(count))
    properties = []
    if rng.random() < 0.3:
        properties.append(f"assert {rng.choice(['never', 'final'])} ({maker.condition_on_state(count)});")
    return RandomProgram(declarations, heads, bodies, tuple(properties))


@dataclass
class _BufferedStatements:
    rng: random.Random
    shared: list[str]
    ranged: bool

    def body(self, length: int, depth: int = 0) -> Body:
        return tuple(self.statement(depth) for _ in range(length))

    def place(self) -> str:
        return self.rng.choice(self.shared)

    def value(self) -> str:
        return self.rng.choice(["1", "2", "r", "s", "r + 1", "1 - s"])

    def condition(self) -> str:
        return self.rng.choice(
            ["r == 0", "s != r", f"{self.place()} == 0", f"{self.place()} != r", "X == Y", f"{self.place()} + s > 1"]
        )

    def condition_on_state(self, count: int) -> str:
        process = self.rng.randrange(count)
        options = ["X == 2 && Y == 0", "X == Y", f"P{process}.r == 1 && X == 0", f"P{process}.r > P{process}.s"]
        return self.rng.choice(options)

    def statement(self, depth: int) -> Statement:
        rng = self.rng
        simple: list[Callable[[], Statement]] = [
            lambda: f"{self.place()} = {self.value()};",
            lambda: f"{self.place()} = {self.value()};",
            lambda: f"{rng.choice('rs')} = {self.place()};",
            lambda: f"{rng.choice('rs')} = {self.place()};",
            lambda: f"{self.place()} = {self.place()} + 1;",
            lambda: rng.choice(["fence;", "fence(X);", "fence(Y);", "skip;"]),
            lambda: f"{rng.choice('rs')} = cas({self.place()}, 0, {self.value()});",
            lambda: f"{rng.choice('rs')} = xchg({self.place()}, {self.value()});",
            lambda: f"faa({self.place()}, 1);",
            lambda: rng.choice(["lock(m);", "unlock(m);"]),
            lambda: f"assert({self.condition()});" if rng.random() < 0.4 else "skip;",
            lambda: f"assume({self.condition()});" if rng.random() < 0.4 else "skip;",
            lambda: rng.choice(["T = *;", "T = r;", "r = T;"]) if self.ranged else "X = 3;",
        ]
        nested: list[Callable[[], Statement]] = [
            lambda: (f"if ({self.condition()})", self.body(1, depth + 1)),
            lambda: ("if (*)", self.body(1, depth + 1)),
            lambda: ("atomic", self.body(rng.randint(1, 2), depth + 1)),
            lambda: ("while (i < 2)", (*self.body(1, depth + 1), "i = i + 1;")),
            lambda: ("while (*)", self.body(1, depth + 1)),
        ]
        if depth == 0 and rng.random() < 0.3:
            return rng.choice(nested)()
        return rng.choice(simple)()


# ---- remote access


def _remote_program(rng: random.Random) -> RandomProgram:
    count = rng.choice([2, 2, 2, 3])
    heads = tuple(f"process P{n} {{ shared X{n} = {n}, Y{n} = 0; local r, s, i;" for n in range(count))
    length = 2 if count == 3 else rng.choice([2, 3, 4])
    bodies = tuple(_RemoteStatements(rng, n, count).body(rng.randint(1, length)) for n in range(count))
    properties = []
    if rng.random() < 0.35:
        kind = rng.choice(["never", "always", "final"])
        condition = rng.choice(["X0 == 1", "X0 == X1", "Y1 != 0 && P0.r == 0", "P1.r == 1", "Y0 > X1"])
        properties.append(f"assert {kind} ({condition});")
    return RandomProgram("shared G = 0;", heads, bodies, tuple(properties))


@dataclass
class _RemoteStatements:
    rng: random.Random
    me: int
    count: int

    def body(self, length: int, depth: int = 0) -> Body:
        return tuple(self.statement(depth) for _ in range(length))

    def own(self) -> str:
        return f"{self.rng.choice('XY')}{self.me}"

    def other(self) -> tuple[str, int]:
        process = self.rng.randrange(self.count)
        return f"{self.rng.choice('XY')}{process}", process

    def condition(self) -> str:
        return self.rng.choice(["r == 0", f"{self.own()} == 0", f"{self.own()} != r", f"X{self.me} == Y{self.me}"])

    def statement(self, depth: int) -> Statement:
        rng = self.rng
        place, process = self.other()
        simple = [
            f"put({place}, P{process}, {self.own()});",
            f"put({place}, P{process}, {self.own()});",
            f"{self.own()} = get({place}, P{process});",
            f"{self.own()} = get({place}, P{process});",
            f"flush(P{rng.randrange(self.count)});",
            f"{self.own()} = {rng.choice(['2', '3', 'r', 's'])};",
            f"{rng.choice('rs')} = {self.own()};",
            f"{self.own()} = {self.own()} + 1;",
            f"{rng.choice('rs')} = xchg({self.own()}, {rng.choice(['4', 'r'])});",
            f"assert({self.condition()});" if rng.random() < 0.4 else "fence;",
            "G = 1;",
            rng.choice(["await(G == 1);", f"await({self.own()} != {rng.choice(['0', '1'])});"]),
        ]
        if depth == 0 and rng.random() < 0.25:
            head = rng.choice([f"if ({self.condition()})", "if (*)", "atomic", "while (i < 2)"])
            body = self.body(2 if head == "atomic" else 1, 1)
            return head, (*body, "i = i + 1;") if head.startswith("while") else body
        return rng.choice(simple)
