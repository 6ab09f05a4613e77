"""Random small programs with predicates: everything that predicate abstraction has to understand, and little more.

    program = random_abstractable_program(random.Random(seed))
    program.text()                           # `predicates { … }` is its last line
    shrink(program, fails)                   # as for all random programs

About half of them violate something, and many of the others can be proved with their predicates: assertions are
about what the statements do, and predicates about what the assertions say.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from random_programs import Body, RandomProgram, Statement


def random_abstractable_program(rng: random.Random) -> RandomProgram:
    return _Maker(rng).program()


@dataclass
class _Maker:
    rng: random.Random
    said: list[str] = field(default_factory=list)  # conditions of assertions: good predicates
    arrays: bool = False
    ranged: bool = False
    count: int = 2
    labels: int = 0
    process: int = 0

    def program(self) -> RandomProgram:
        rng = self.rng
        self.arrays = rng.random() < 0.3
        self.ranged = rng.random() < 0.4
        first = rng.choice(["0", "0", "1"])
        declarations = f"shared X = {first}, Y = 0;"
        if self.arrays:
            declarations += f" shared Q[2]{rng.choice(['', ' : 0..2'])} = {rng.choice(['0', '0', '1'])};"
        if self.ranged:
            declarations += f" shared T : 0..2 = {rng.choice(['0', '1', '*'])};"
        started = rng.random() < 0.15
        bodies = []
        for number in range(self.count):
            self.process = number
            body = self.body(rng.randint(1, 4))
            if rng.random() < 0.5:
                body = (*body, "cs: skip;")
            bodies.append(body)
        if started:
            joined = rng.choice([(), ("join(P1);",)])
            bodies[0] = ("start(P1);", *bodies[0], *joined)
        heads = tuple(f"process P{n} {{ local r, s, i{rng.choice(['', ' : 0..3'])};" for n in range(self.count))
        properties = [self.property(bodies) for _ in range(rng.choice([0, 1, 1, 2]))]
        return RandomProgram(declarations, heads, tuple(bodies), (*properties, *self.predicates()))

    # -- expressions

    def place(self) -> str:
        options = ["X", "Y", "X", "Y"]
        if self.arrays:
            options += ["Q[0]", "Q[1]", "Q[i]", "Q[r % 2]"]
        if self.ranged:
            options += ["T", "T"]
        return self.rng.choice(options)

    def value(self) -> str:
        return self.rng.choice(["0", "1", "1", "2", "r", "s", "r + 1", "1 - s", "r / 2", "s % 2", "r ? s : 1"])

    def condition(self) -> str:
        rng = self.rng
        options = [
            f"{rng.choice('rs')} {rng.choice(['==', '!=', '<', '>='])} {rng.choice('012')}",
            "r == s", "r <= s", "r % 2 == 0", "r + s == 1", "i == 0",
            f"{self.place()} {rng.choice(['==', '!=', '<='])} {rng.choice('01')}",
            f"{self.place()} != r",
        ]  # fmt: skip
        return rng.choice(options)

    def global_condition(self) -> str:
        """A condition for properties and predicates."""
        rng = self.rng
        p, q = rng.randrange(self.count), rng.randrange(self.count)
        options = [
            f"{rng.choice('XY')} == {rng.choice('012')}",
            f"{rng.choice('XY')} == {rng.choice('012')}",
            f"P{p}.{rng.choice('rs')} == {rng.choice('012')}",
            f"P{p}.{rng.choice('rs')} == {rng.choice('012')}",
            f"P{p}.{rng.choice('rs')} <= {rng.choice('12')}",
            f"P{p}.i == {rng.choice('012')}",
            "X == Y", "X <= Y", "X + Y == 1", f"X == P{p}.r", f"P{p}.r == P{q}.s", f"P{p}.r < P{q}.r + Y",
            f"{rng.choice('XY')} >= 0", f"{rng.choice('XY')} <= 2", f"P{p}.s <= 2",
            f"X % 2 == {rng.choice('01')}", "2 * X <= Y", f"P{p}.r % 2 == 1",
            f"P{p}.s / 2 == 0", "X == 1 && Y == 0", f"Y == 0 || P{p}.r == 1",
        ]  # fmt: skip
        if self.arrays:
            options += [
                f"Q[{rng.choice('01')}] == {rng.choice('01')}", f"Q[{rng.choice('01')}] <= 1", "Q[0] == Q[1]",
                f"Q[P{p}.i] == 0", f"Q[X % 2] == {rng.choice('01')}", f"Q[P{p}.r] == Y",
            ]  # fmt: skip
        if self.ranged:
            options += ["T == 0", "T == 1", "T <= X", "T != 2", f"P{p}.r == T"]
        return rng.choice(options)

    def property(self, bodies: list[Body]) -> str:
        rng = self.rng
        condition = self.global_condition()
        self.said.append(condition)
        marked = [n for n, body in enumerate(bodies) if "cs: skip;" in body]
        kind = rng.choice(["never", "always", "final", "final"])
        if marked and rng.random() < 0.6:
            process = rng.choice(marked)
            if len(marked) == 2 and rng.random() < 0.3:
                return "assert never (P0@cs && P1@cs);"
            return f"assert always (!P{process}@cs || {condition});"
        if kind == "never":
            condition = f"!({condition})" if rng.random() < 0.5 else condition
        return f"assert {kind} ({condition});"

    def predicates(self) -> tuple[str, ...]:
        """What was said, in parts, and some more."""
        wanted: dict[str, None] = {}
        for condition in self.said:
            for part in condition.replace(" || ", " && ").split(" && "):
                wanted[part] = None
        for _ in range(self.rng.randint(1, 4)):
            wanted[self.global_condition()] = None
        return (f"predicates {{ {', '.join(wanted)} }}",)

    # -- statements

    def body(self, length: int, depth: int = 0, *, atomic: bool = False) -> Body:
        return tuple(self.statement(depth, atomic) for _ in range(length))

    def assertion(self) -> str:
        condition = self.condition()
        text = condition
        for name in "rsi":
            text = _renamed(text, name, f"P{self.process}.{name}")
        if "[" not in text:
            self.said.append(text)
        return f"assert({condition});"

    def statement(self, depth: int, atomic: bool) -> Statement:
        rng = self.rng
        if (depth == 0 and rng.random() < 0.35) or (depth == 1 and rng.random() < 0.1):
            return self.nested(depth, atomic)
        common: list[Callable[[], Statement]] = [
            lambda: f"{self.place()} = {self.value()};",
            lambda: f"{self.place()} = {self.value()};",
            lambda: f"{rng.choice('rs')} = {self.place()};",
            lambda: f"{rng.choice('rs')} = {self.place()};",
            lambda: f"{rng.choice('rs')} = {self.value()};",
            lambda: f"{self.place()} = {self.place()};",
            lambda: f"i = {rng.choice(['0', '1', '1 - i', 'r', 's % 2'])};",
            lambda: self.assertion() if rng.random() < 0.4 else "skip;",
            lambda: f"assume({self.condition()});",
            lambda: "T = *;" if self.ranged else "skip;",
        ]
        outside: list[Callable[[], Statement]] = [
            lambda: rng.choice(["fence;", "fence(X);", "fence(Y);"]),
            lambda: f"{rng.choice('rs')} = cas({self.place()}, {rng.choice('01')}, {self.value()});",
            lambda: f"{rng.choice('rs')} = xchg({self.place()}, {self.value()});",
            lambda: f"{rng.choice(['', 'r = '])}faa({self.place()}, 1);",
        ]
        return rng.choice(common if atomic else [*common, *outside])()

    def nested(self, depth: int, atomic: bool) -> Statement:
        rng = self.rng
        inner = depth + 1
        options: list[Callable[[], Statement]] = [
            lambda: (f"if ({self.condition()})", self.body(rng.randint(1, 2), inner, atomic=atomic)),
            lambda: ("if (*)", self.body(1, inner, atomic=atomic)),
            lambda: ("while (i < 2)", (*self.body(1, inner, atomic=atomic), "i = i + 1;")),
            lambda: (f"while ({self.condition()})", self.body(1, inner, atomic=atomic)),
            lambda: self.jump(),
        ]
        if not atomic:
            options += 3 * [
                lambda: ("atomic", self.body(rng.randint(1, 4), 0 if rng.random() < 0.4 else 1, atomic=True))
            ]
            options.append(lambda: ("/* locked */", ("lock(m);", *self.body(1, 2), "unlock(m);")))
        return rng.choice(options)()

    def jump(self) -> Statement:
        self.labels += 1
        label = f"J{self.labels}"
        return "/* jump */", (
            f"{label}: skip;",
            self.rng.choice([f"goto {label}, {label}_;", f"if (r == s) goto {label};"]),
            f"{label}_: skip;",
        )


def _renamed(text: str, name: str, new: str) -> str:
    words = text.split(" ")
    return " ".join(new if word == name else word for word in words)
