"""Random small programs with puts, gets, flushes and predicates: what the extrapolation to RMA has to understand.

    program = random_rma_program(random.Random(seed))
    program.text()                           # each predicate is a line of its own, `predicates { … }`
    shrink(program, fails)                   # as for all random programs

Predicates and properties prefer what a put or get connects: its source, its target, and both together. Some programs
are about what can be proved of values that move around: that they stay small.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from random_programs import Body, RandomProgram, Statement

_MOST_REMOTE = 4  # puts and gets: each gives two variables for every predicate about what it reads


def random_rma_program(rng: random.Random) -> RandomProgram:
    return _Maker(rng).program()


@dataclass
class _Maker:
    rng: random.Random
    said: list[str] = field(default_factory=list)  # conditions of assertions: good predicates
    copied: list[tuple[str, str]] = field(default_factory=list)  # sources and targets
    count: int = 2
    arrays: bool = False
    size: int = 2  # of arrays; more than four elements are not told apart
    tame: bool = False  # all values are small, and something like that is claimed
    ranges: list[bool] = field(default_factory=list)
    labels: int = 0
    process: int = 0

    def program(self) -> RandomProgram:
        rng = self.rng
        self.count = rng.choice([2, 2, 2, 3])
        self.arrays = rng.random() < 0.2
        self.size = rng.choice([2, 2, 5])
        self.tame = rng.random() < 0.35
        self.ranges = [rng.random() < 0.3 for _ in range(self.count)]
        heads = tuple(self.head(number) for number in range(self.count))
        length = 2 if self.count == 3 else 4
        bodies: list[Body] = []
        for number in range(self.count):
            self.process = number
            body = self.body(rng.randint(0 if number else 2, length))
            bodies.append((*body, "cs: skip;") if rng.random() < 0.4 else body)
        if not self.copied:
            bodies[-1] = (self.remote(), *bodies[-1])
        if rng.random() < 0.08:
            bodies[0] = ("start(P1);", *bodies[0])
        properties = [self.property(bodies) for _ in range(rng.choice([0, 1, 1, 1, 2]))]
        return RandomProgram("shared G = 0;", heads, tuple(bodies), (*properties, *self.predicates()))

    def head(self, number: int) -> str:
        rng = self.rng
        ranged = f": 0..{rng.choice('223')} " if self.ranges[number] else ""
        first = rng.choice(["0", "1", "2", "*" if ranged else "1"])
        text = f"process P{number} {{ shared X{number} {ranged}= {first}, Y{number} = {rng.choice('001')};"
        if self.arrays:
            text += f" shared Q{number}[{self.size}] {rng.choice(['', ': 0..2 '])}= {rng.choice('01')};"
        return f"{text} local r, s, i{rng.choice(['', ' : 0..3'])};"

    # -- places and values

    def of(self, process: int) -> str:
        """A variable of a process; an element by number, as the reduction asks for."""
        options = [f"X{process}", f"Y{process}", f"X{process}"]
        if self.arrays:
            options += [f"Q{process}[0]", f"Q{process}[1]"]
        return self.rng.choice(options)

    def own(self) -> str:
        return self.of(self.process)

    def anywhere(self) -> str:
        return self.of(self.rng.randrange(self.count))

    def written(self) -> str:
        options = [self.own(), self.own(), self.own(), self.anywhere(), "G"]
        if self.arrays:
            options.append(f"Q{self.process}[{self.rng.choice('ri')}{self.rng.choice([' % 2', ''])}]")
        return self.rng.choice(options)

    def value(self) -> str:
        rng = self.rng
        values = ["0", "1", "1", "2", "r", "s", "r % 2", "r ? 1 : 2", self.own()]
        return rng.choice(values if self.tame else [*values, "3", "r + 1", f"{self.own()} + 1", f"1 - {self.own()}"])

    # -- conditions

    def condition(self) -> str:
        rng = self.rng
        number, relation = rng.choice("012"), rng.choice(["==", "!=", "<", ">=", "<="])
        options = [
            f"{rng.choice('rs')} {relation} {number}",
            f"{self.own()} {relation} {number}",
            f"{self.own()} {relation} {number}",
            f"{self.anywhere()} {relation} {rng.choice(['r', 's', self.own()])}",
            "r == s", "r <= s", "G == 1", "i == 0",
        ]  # fmt: skip
        return rng.choice(options)

    def global_condition(self) -> str:
        """A condition for properties and predicates."""
        rng = self.rng
        one, other = self.anywhere(), self.anywhere()
        if self.copied and rng.random() < 0.7:
            one, other = rng.choice(self.copied)
            if rng.random() < 0.3:
                other = rng.choice([self.anywhere(), rng.choice(rng.choice(self.copied))])
            if rng.random() < 0.5:
                one, other = other, one
        register = f"P{rng.randrange(self.count)}.{rng.choice('rs')}"
        number = rng.choice("012")
        options = 2 * [
            f"{one} == {number}", f"{one} <= {number}", f"{one} != {number}",
            f"{one} == {other}", f"{one} < {other}", f"{one} <= {other}",
        ]  # fmt: skip
        options += [
            f"{one} + {other} == {number}", f"{one} + {other} <= {number}", f"{one} <= {other} + 1",
            f"{register} == {number}", f"{register} == {number}", f"{register} <= {number}",
            f"{one} == {register}", f"{one} <= {register}", f"{one} < {other} + {register}",
            f"{one} % 2 == 0", f"2 * {one} <= {other}", f"{one} > 0 && {other} == 0", f"{one} == 0 || {other} == 1",
            f"G == {number}", f"{one} - {one} == {other}", f"P{rng.randrange(self.count)}.i == {number}",
        ]  # fmt: skip
        if self.arrays:
            array = f"Q{rng.randrange(self.count)}"
            options += [
                f"{array}[0] == {array}[1]", f"{array}[0] < {other}", f"{array}[P0.i] == {number}",
                f"{array}[{one} % 2] == {other}", f"{array}[1] <= {array}[P1.r % 2]",
            ]  # fmt: skip
        return rng.choice(options)

    def property(self, bodies: list[Body]) -> str:
        rng = self.rng
        condition = f"{self.anywhere()} <= {rng.choice('23')}" if self.tame else self.global_condition()
        self.said.append(condition)
        marked = [number for number, body in enumerate(bodies) if "cs: skip;" in body]
        if marked and rng.random() < 0.5:
            return f"assert always (!P{rng.choice(marked)}@cs || {condition});"
        kind = rng.choice(["never", "always", "final", "final"])
        if kind == "never":
            condition = f"!({condition})"
        return f"assert {kind} ({condition});"

    def predicates(self) -> tuple[str, ...]:
        """What was said, in parts, and some more; of values that move, often the same of source and target."""
        rng = self.rng
        wanted: dict[str, None] = {}
        for condition in self.said:
            for part in condition.replace(" || ", " && ").split(" && "):
                wanted[part] = None
        if self.tame:
            limit = rng.choice("23")
            for number in range(self.count):
                for name in (f"X{number}", f"Y{number}", f"P{number}.r", f"P{number}.s"):
                    wanted |= dict.fromkeys([f"{name} <= {limit}"] if rng.random() < 0.9 else [])
        elif rng.random() < 0.6:
            relation = f"{rng.choice(['==', '<=', '!='])} {rng.choice('012')}"
            for source, target in self.copied:
                wanted |= {f"{source} {relation}": None, f"{target} {relation}": None}
            wanted[f"P{rng.randrange(self.count)}.{rng.choice('rs')} {relation}"] = None
        for _ in range(rng.randint(1, 4)):
            wanted[self.global_condition()] = None
        return tuple(f"predicates {{ {predicate} }}" for predicate in wanted)

    # -- statements

    def body(self, length: int, depth: int = 0, *, atomic: bool = False) -> Body:
        return tuple(self.statement(depth, atomic) for _ in range(length))

    def remote(self) -> str:
        if len(self.copied) == _MOST_REMOTE:
            return "skip;"
        far = self.rng.choice([n for n in range(self.count) if n != self.process] * 3 + [self.process])
        place, near = self.of(far), self.own()
        if self.rng.random() < 0.6:
            self.copied.append((near, place))
            return f"put({place}, P{far}, {near});"
        self.copied.append((place, near))
        return f"{near} = get({place}, P{far});"

    def assertion(self) -> str:
        condition = self.condition()
        words = [f"P{self.process}.{word}" if word in ("r", "s", "i") else word for word in condition.split(" ")]
        self.said.append(" ".join(words))
        return f"assert({condition});"

    def statement(self, depth: int, atomic: bool) -> Statement:
        rng = self.rng
        if (depth == 0 and rng.random() < 0.3) or (depth == 1 and rng.random() < 0.1):
            return self.nested(depth, atomic)
        havoc = f"X{self.process} = *;" if self.ranges[self.process] else "skip;"
        options: list[Callable[[], Statement]] = [
            self.remote, self.remote, self.remote, self.remote,
            lambda: f"{self.written()} = {self.value()};",
            lambda: f"{self.written()} = {self.value()};",
            lambda: f"{self.written()} = {self.value()};",
            lambda: f"{rng.choice('rs')} = {self.anywhere()};",
            lambda: f"{rng.choice('rs')} = {rng.choice(['0', '1', 'G', self.own()])};",
            lambda: f"flush(P{rng.randrange(self.count)});",
            lambda: self.assertion() if rng.random() < 0.5 else "skip;",
            lambda: havoc,
            lambda: f"assume({self.condition()});" if rng.random() < 0.5 else "skip;",
        ]  # fmt: skip
        outside: list[Callable[[], Statement]] = [
            lambda: f"r = xchg({self.own()}, {rng.choice(['0', '2', 's'])});",
            lambda: f"r = cas({self.own()}, {rng.choice('01')}, {rng.choice('12')});",
            lambda: f"await({self.own()} {rng.choice(['!=', '=='])} {rng.choice('012')});",
        ]
        return rng.choice(options if atomic else [*options, *outside])()

    def nested(self, depth: int, atomic: bool) -> Statement:
        rng = self.rng
        inner = depth + 1
        options: list[Callable[[], Statement]] = [
            lambda: (f"if ({self.condition()})", self.body(rng.randint(1, 2), inner, atomic=atomic)),
            lambda: ("if (*)", self.body(1, inner, atomic=atomic)),
            lambda: ("while (i < 2)", (*self.body(1, inner, atomic=atomic), "i = i + 1;")),
        ]
        if not atomic:  # else the explorer would try to finish a block in which there is no end of puts
            options += [lambda: (f"while ({self.condition()})", self.body(1, inner)), self.jump]
            options += 3 * [
                lambda: ("atomic", self.body(rng.randint(1, 4), 0 if rng.random() < 0.3 else 1, atomic=True))
            ]
        return rng.choice(options)()

    def jump(self) -> Statement:
        self.labels += 1
        label = f"J{self.labels}"
        return "/* jump */", (
            f"{label}: skip;",
            *self.body(1, 2),
            self.rng.choice([f"goto {label}, {label}_;", f"if (r == s) goto {label};"]),
            f"{label}_: skip;",
        )
