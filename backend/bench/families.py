"""Boolean programs that scale: in threads, in variables, in nondeterminism."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal


@dataclass(frozen=True, slots=True)
class Instance:
    family: str
    size: int
    verdict: Literal["safe", "unsafe"]
    text: str

    @property
    def name(self) -> str:
        return f"{self.family}-{self.size}"


def instances() -> list[Instance]:
    """All instances that are measured, small ones first."""
    return [_FAMILIES[family](size) for family, sizes in SIZES.items() for size in sizes]


def instance(family: str, size: int) -> Instance:
    return _FAMILIES[family](size)


def lock(threads: int) -> Instance:
    """Threads: one lock that is taken by test-and-set in an atomic block, and a flag of each thread in its section."""
    return Instance("lock", threads, "safe", _locked(threads, ("atomic_begin;", "atomic_end;")))


def broken_lock(threads: int) -> Instance:
    """The same without atomic blocks."""
    return Instance("broken-lock", threads, "unsafe", _locked(threads, ("skip;", "skip;")))


def _locked(threads: int, brackets: tuple[str, str]) -> str:
    flags = [f"in{i}" for i in range(threads)]
    bodies = [
        _function(
            f"P{i}",
            "decl got;",
            "again: got := F;",
            "while (!got) do",
            brackets[0],
            "got := !m;",
            "m := T;",
            brackets[1],
            "od;",
            *_section(flags, i),
            "m := F;",
            "goto again;",
        )
        for i in range(threads)
    ]
    return _program(["m", *flags], dict.fromkeys(("m", *flags), "F"), bodies)


def flags(threads: int) -> Instance:
    """Threads: Burns' mutual exclusion with one flag a thread, which reads the flags of all others one by one."""
    wants = [f"f{i}" for i in range(threads)]
    inside = [f"in{i}" for i in range(threads)]
    bodies = []
    for i in range(threads):
        lower = [f"if (f{j}) then goto again; fi;" for j in range(i)]
        higher = [f"w{j}: if (f{j}) then goto w{j}; fi;" for j in range(i + 1, threads)]
        steps = [f"again: f{i} := F;", *lower, f"f{i} := T;", *lower, *higher, *_section(inside, i), "goto again;"]
        bodies.append(_function(f"P{i}", *steps))
    return Instance(
        "flags", threads, "safe", _program([*wants, *inside], dict.fromkeys([*wants, *inside], "F"), bodies)
    )


def ring(threads: int) -> Instance:
    """Threads and variables: a token goes round; whoever has it may work or pass it on."""
    tokens = [f"t{i}" for i in range(threads)]
    busy = [f"in{i}" for i in range(threads)]
    bodies = []
    for i in range(threads):
        after = f"t{(i + 1) % threads}"
        steps = [
            f"again: assume(t{i});",
            "if (*) then",
            *_section(busy, i),
            "fi;",
            f"t{i}, {after} := F, T;",
            "goto again;",
        ]
        bodies.append(_function(f"P{i}", *steps))
    start = dict.fromkeys((*tokens, *busy), "F") | {"t0": "T"}
    return Instance("ring", threads, "safe", _program([*tokens, *busy], start, bodies))


def register(bits: int) -> Instance:
    """Nondeterminism: any bits are shifted through a register while a second one shifts copies of them."""
    left, right = [f"a{i}" for i in range(bits)], [f"b{i}" for i in range(bits)]
    shift = f"{', '.join([*left, *right])} := x, {', '.join(left[:-1])}, x, {', '.join(right[:-1])};"
    body = _function("main", "decl x;", *(f"{a}, {b} := F, F;" for a, b in zip(left, right, strict=True)),
        "again: x := *;", shift, f"assert({left[-1]} = {right[-1]});", "goto again;")  # fmt: skip
    return Instance("register", bits, "safe", _declared([*left, *right]) + body)


def parity(bits: int) -> Instance:
    """Variables and nondeterminism: two threads change bits at will and keep account of how many are true."""
    names = [f"b{i}" for i in range(bits)]
    bodies = []
    for thread, own in enumerate((names[::2], names[1::2])):
        lines = ["decl old;", "again: skip;"]
        for name in own:
            change = f"old := {name}; {name} := *; odd := odd ^ old ^ {name};"
            lines.append(f"if (*) then atomic_begin; {change} atomic_end; fi;")
        lines += [f"assert(odd = ({' ^ '.join(names)}));", "goto again;"]
        bodies.append(_function(f"P{thread}", *lines))
    names = ["odd", *names]
    return Instance("parity", bits, "safe", _program(names, dict.fromkeys(names, "F"), bodies))


def choices(bits: int) -> Instance:
    """Variables and nondeterminism: predicates of which no two neighbours hold together; every step changes one."""
    names = [f"b{i}" for i in range(bits)]
    together = " & ".join(f"!({a} & {b})" for a, b in pairwise(names))
    bodies = []
    for thread, own in enumerate((names[::2], names[1::2])):
        lines = [f"enforce ({together});"] if thread == 0 else []
        lines.append("again: skip;")
        for number, name in enumerate(own):
            other = own[number - 1]
            lines.append(f"if (*) then {name} := schoose[F, {other}]; fi;")
        lines += [f"assert(!({names[0]} & {names[1]}));", "goto again;"]
        bodies.append(_function(f"P{thread}", *lines))
    return Instance("choices", bits, "safe", _program(names, dict.fromkeys(names, "F"), bodies))


def counter(bits: int) -> Instance:
    """Variables and depth: two threads count up together; the counter does reach its end."""
    names = [f"c{i}" for i in range(bits)]
    sums = [f"({name} ^ ({' & '.join(names[:i])}))" if i > 1 else ("!c0" if i == 0 else "(c1 ^ c0)")
            for i, name in enumerate(names)]  # fmt: skip
    step = f"{', '.join(names)} := {', '.join(sums)};"
    bodies = [_function(f"P{i}", f"again: {step}", f"assert(!({' & '.join(names)}));", "goto again;") for i in range(2)]
    return Instance("counter", bits, "unsafe", _program(names, dict.fromkeys(names, "F"), bodies))


def _section(flags: list[str], own: int) -> list[str]:
    others = " | ".join(flag for number, flag in enumerate(flags) if number != own)
    return [f"{flags[own]} := T;", f"assert(!({others}));", f"{flags[own]} := F;"]


def _declared(names: Iterable[str]) -> str:
    return "".join(f"decl {name};\n" for name in names)


def _function(name: str, *lines: str) -> str:
    return "\n".join([f"void {name}() begin", *(f"  {line}" for line in lines), "end", ""])


def _program(names: list[str], start: dict[str, str], bodies: list[str]) -> str:
    """Globals with their first values, and a thread for each body."""
    begin = [f"{name} := {value};" for name, value in start.items()]
    begin += [f"start_thread P{number}();" for number in range(len(bodies))]
    return _declared(names) + _function("main", *begin) + "".join(bodies)


_FAMILIES: dict[str, Callable[[int], Instance]] = {
    "lock": lock,
    "broken-lock": broken_lock,
    "flags": flags,
    "ring": ring,
    "register": register,
    "choices": choices,
    "parity": parity,
    "counter": counter,
}
SIZES: dict[str, tuple[int, ...]] = {
    "lock": (2, 4, 6, 8, 10),
    "broken-lock": (2, 4, 6, 8),
    "flags": (2, 3, 4, 5),
    "ring": (2, 4, 6, 8, 10),
    "register": (4, 8, 12, 16),
    "choices": (8, 12, 16, 20),
    "parity": (8, 12, 16),
    "counter": (4, 6, 8, 10),
}
