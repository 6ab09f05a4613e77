"""Each feature of a Boolean program, as every checker sees it; and checkers that are missing, slow or broken."""

import importlib.util
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest

from ebb.backend.automata.automaton import Automata, Edge, Outcome
from ebb.backend.automata.build import build
from ebb.backend.automata.steps import (
    Control,
    State,
    after_edge,
    exists,
    initial_control,
    is_step,
    may_move,
    possible,
)
from ebb.backend.others import spin
from ebb.backend.others.registry import CHECKERS, LANGUAGES, checker, exporter
from ebb.formats.bp_check import read
from ebb.formats.errors import UsageError

PACKAGES = {"spin": "spin", "nusmv": "pyboolnet", "abc": "berkeley-abc", "rumur": "rumur"}
INSTALLED = [pytest.param(name, marks=pytest.mark.system_package(PACKAGES[name])) for name in CHECKERS]
VIOLATION, OVERFLOW = Outcome.VIOLATION, Outcome.OVERFLOW

# A program and the outcomes that it can have; at most two threads of a pool run at once.
PROGRAMS: Mapping[str, tuple[str, set[Outcome]]] = {
    "values at the beginning": ("decl x; void main() begin enforce (x); assert(x); end", set()),
    "any value at the beginning": ("decl x; void main() begin assert(x); end", {VIOLATION}),
    "values that the first step gives": (
        "decl x, y; void main() begin enforce (x = y); x, y := F, F; assert(!x); end",
        set(),
    ),
    "all at once": ("decl x, y; void main() begin x, y := T, F; x, y := y, x; assert(!x & y); end", set()),
    "schoose that is decided": ("decl x, y; void main() begin x := T; y := schoose[x, F]; assert(y); end", set()),
    "schoose that is free": ("decl x, y; void main() begin x := F; y := schoose[x, F]; assert(y); end", {VIOLATION}),
    "each choice for itself": ("decl x, y; void main() begin x, y := *, *; assert(x = y); end", {VIOLATION}),
    "many choices, next values": (
        "decl a, b, c, d; void main() begin a, b, c, d := *, *, *, * constrain ('a & ('b = !'c) & ('d => 'c));"
        " assert(a & (b != c) & (!d | c)); end",
        set(),
    ),
    "values before and after": (
        "decl a, b, c; void main() begin a, b, c := F, *, *; a, b, c := *, *, * constrain (('a = !a) & ('b = b));"
        " assert(a); assert(c); end",
        {VIOLATION},
    ),
    "an enforce about a local variable": (
        "decl g; void main() begin g := F; start_thread P(); g := T; end"
        " void P() begin decl l; enforce (l => !g); l := T; assert(!g); end",
        set(),
    ),
    "an enforce that ends with its procedure": (
        "decl g; void main() begin g := F; f(); g := T; assert(!g); end"
        " void f() begin decl l; enforce (!l | !g); l := T; end",
        {VIOLATION},
    ),
    "results": (
        "decl x, y; void main() begin x, y := f(T); assert(!x & y); end"
        " bool<2> f(p) begin decl l; l := !p; return l, p; end",
        set(),
    ),
    "an atomic block": (
        "decl x; void main() begin x := F; start_thread P(); assert(!x); end"
        " void P() begin atomic_begin; x := T; x := F; atomic_end; end",
        set(),
    ),
    "an atomic block that cannot go on": (
        "decl x; void main() begin x := F; start_thread P(); assert(!x); end"
        " void P() begin atomic_begin; x := T; assume(F); x := F; atomic_end; end",
        set(),
    ),
    "an atomic block with a forbidden step": (
        "decl x, y, z; void main() begin enforce (!(x & y & z)); x, y, z := F, F, F; start_thread P();"
        " assert(!x | (y & z)); end"
        " void P() begin decl a, b; atomic_begin; x := T; y, z, a, b := *, *, *, * constrain ('y & 'z & 'a & 'b);"
        " x := F; atomic_end; end",
        set(),
    ),
    "a loop in an atomic block": (
        "decl x; void main() begin x := F; start_thread P(); assert(!x); end"
        " void P() begin atomic_begin; while (*) do x := !x; od; x := F; atomic_end; end",
        set(),
    ),
    "a start in an atomic block": (
        "decl a; void main() begin a := F; atomic_begin; start_thread P(); a := T; a := F; atomic_end; end"
        " void P() begin assert(!a); atomic_begin; a := F; atomic_end; end",
        set(),
    ),
    "one thread for each start": (
        "decl x, y; void main() begin x, y := F, F; start_thread P(); start_thread P(); end"
        " void P() begin if (x) then y := T; fi; x := T; assert(!y); end",
        {VIOLATION},
    ),
    "threads that start again": (
        "decl x; void main() begin x := F; while (*) do start_thread P(); od; end"
        " void P() begin decl l; l := x; x := !l; assert(!(l & x)); end",
        {VIOLATION, OVERFLOW},
    ),
    "a thread that goes on from a label": (
        "decl x; void main() begin decl l; x, l := F, T; start_thread goto on; x := T; assert(x); goto off;"
        " on: assert(l & !x); off: skip; end",
        {VIOLATION},
    ),
    "an overflow that is marked": (
        "decl x; void main() begin x := T; if (x) then skip; //@ overflow\n fi; assert(F); end",
        {OVERFLOW},
    ),
    "names that mean something elsewhere": (
        "decl linux, held, n0, edge, reached, next, TRUE, {x == y}, {x != y}; void main() begin"
        " linux, held, n0, edge, reached, next, TRUE, {x == y}, {x != y} := T, T, T, T, T, T, T, T, F;"
        " assert(linux & held & n0 & edge & reached & next & TRUE & ({x == y} != {x != y})); end",
        set(),
    ),
}


def automata_of(text: str) -> Automata:
    return build(read(text), 2)


# ---- whether edges are a run, by walking through all states


def valuations(names: tuple[str, ...]) -> Iterator[dict[str, bool]]:
    for values in product((False, True), repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def following(automata: Automata, control: Control, state: State, edge: Edge) -> Iterator[tuple[Control, State]]:
    then = after_edge(control, edge, automata)
    for changed in valuations(edge.targets):
        later = {**state, **changed}
        if is_step(edge, state, later) and exists(automata, then, later):
            yield then, later


def is_realisable(automata: Automata, edges: tuple[int, ...], goal: Outcome) -> bool:
    control = initial_control(automata)
    states: list[tuple[Control, State]] = [
        (control, state)
        for state in valuations(tuple(bit.name for bit in automata.bits))
        if exists(automata, control, state)
    ]
    *steps, last = (automata.edges[number] for number in edges)
    for edge in steps:
        after = [
            found for here in states if may_move(automata, here[0], edge) for found in following(automata, *here, edge)
        ]
        states = list({(there, tuple(sorted(state.items()))): (there, state) for there, state in after}.values())
    return last.outcome is goal and any(
        may_move(automata, here, last) and True in possible(last.guard, state, state) for here, state in states
    )


@pytest.mark.parametrize("engine", INSTALLED)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_can_do(name: str, engine: str) -> None:
    text, outcomes = PROGRAMS[name]
    automata = automata_of(text)
    for goal in sorted({edge.outcome for edge in automata.edges} - {Outcome.LOCATION}, key=lambda goal: goal.value):
        answer = checker(engine)(automata, goal, 120)
        assert answer.reached is (goal in outcomes), answer
        assert not answer.reached or is_realisable(automata, answer.edges, goal)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_text_each_time(language: str) -> None:
    for text, _ in PROGRAMS.values():
        assert exporter(language)(automata_of(text), VIOLATION) == exporter(language)(automata_of(text), VIOLATION)


# ---- checkers that do not do what they should


LONG = "decl x; void main() begin x := F; " + "x := !x; " * 60


@pytest.mark.system_package("spin")
@pytest.mark.parametrize(("end", "reached"), [("assert(x); end", True), ("assert(!x); end", False)])
def test_spin_goes_as_deep_as_it_has_to(end: str, reached: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin, "_DEPTH", 10)
    automata = automata_of(LONG + end)
    answer = spin.check(automata, VIOLATION, 120)
    assert answer.reached is reached
    assert not reached or is_realisable(automata, answer.edges, VIOLATION)


@pytest.mark.system_package("spin")
def test_spin_does_not_guess_what_is_deeper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin, "_DEPTH", 10)
    monkeypatch.setattr(spin, "_NO_DEPTH", 20)
    answer = spin.check(automata_of(LONG + "assert(x); end"), VIOLATION, 120)
    assert answer.reached is None
    assert "depth" in answer.reason


@pytest.mark.parametrize("engine", CHECKERS)
def test_a_missing_checker_is_named(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=f"install.*{PACKAGES[engine]}"):
        checker(engine)(automata_of(LONG + "end"), VIOLATION, None)


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is called instead of abc. Temporary files go to a directory that can be looked at."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    script = tmp_path / "berkeley-abc"
    script.touch(mode=0o755)
    return script


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo; echo 'Segmentation what?'; exit 3", "'Segmentation what?'"),
        ("exit 3", "code 3"),
        ("echo bad; kill -SEGV $$", "SIGSEGV"),
        ("echo 'Property proved'", "'Property proved'"),
    ],
)
def test_what_cannot_be_understood_is_no_answer(script: str, reason: str, pretended: Path) -> None:
    pretended.write_text(f"#!/bin/sh\n{script}\n")
    answer = checker("abc")(automata_of(LONG + "end"), VIOLATION, 60)
    assert answer.reached is None
    assert reason in answer.reason


def test_nothing_is_left_after_a_timeout(pretended: Path) -> None:
    pretended.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {pretended.parent}/child\nsleep 600\n")
    start = time.monotonic()
    answer = checker("abc")(automata_of(LONG + "end"), VIOLATION, 1)
    assert (answer.reached, answer.reason) == (None, "timeout after 1 s")
    assert time.monotonic() - start < 30
    assert list((pretended.parent / "temporary").iterdir()) == []
    child = Path("/proc") / (pretended.parent / "child").read_text().strip() / "stat"
    for _ in range(100):
        if not child.exists() or child.read_text().split(")")[-1].split()[0] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("a process has outlived its checker")
