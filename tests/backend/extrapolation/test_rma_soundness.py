"""Proofs for RMA that are carried over from SC: nothing unsafe is called safe, and no solver is asked.

Random programs are compared with the explorer; the seeds are fixed, and what fails is shrunk before it is shown. Then
programs for the places where carrying over could go wrong. Each says what it is under RMA, and `proved` if its Boolean
program has to be good enough to prove it: a test in which nothing is ever proved would show nothing.
"""

import random
from collections import Counter
from pathlib import Path

import pytest
from abstraction_oracle import abstracted, really, said
from random_programs import shrink
from random_rma_programs import random_rma_program
from rma_oracle import VARIANTS, lost_state, relaxed, wrong_step, wrong_verdict

from ebb.backend import abstract, extrapolate
from ebb.backend.abstraction import smt
from ebb.backend.abstraction.options import Options
from ebb.backend.extrapolation.methods import extrapolated
from ebb.backend.extrapolation.sc_proof import read_proof
from ebb.formats.bp_check import read
from ebb.formats.bp_text import show_program
from ebb.frontend.ebb_source import parse
from ebb.passes import reduce
from ebb.passes.reduce_rma import reduce_rma

JUDGED, FOLLOWED, LOOKED_AT, PART = 100, 150, 50, 50


@pytest.mark.parametrize("first", range(0, JUDGED, PART))
def test_nothing_that_is_unsafe_is_called_safe(first: int) -> None:
    count: Counter[tuple[str, str]] = Counter()
    for seed in range(first, first + PART):
        program = random_rma_program(random.Random(f"judged {seed}"))
        if wrong := wrong_verdict(program.text(), count):
            smallest = shrink(program, lambda text: wrong_verdict(text) is not None)
            pytest.fail(f"{wrong}\n{smallest.text()}")
    assert count["unsafe", "unsafe"] > count.total() / 5, count
    assert count["safe", "safe"] > count.total() / 6, count


@pytest.mark.parametrize("first", range(0, FOLLOWED, PART))
def test_every_step_is_there(first: int) -> None:
    count: Counter[str] = Counter()
    for seed in range(first, first + PART):
        variants = [VARIANTS[seed % 4]]
        program = random_rma_program(random.Random(f"followed {seed}"))
        if wrong_step(program.text(), variants, count):
            smallest = shrink(program, lambda text: wrong_step(text, variants) is not None).text()  # noqa: B023
            pytest.fail(f"{wrong_step(smallest, variants)}\n{smallest}")
    assert count["steps"] > 100 * PART, count
    assert count["violations"] > 0, count
    assert count["broken properties"] > 5 * PART, count
    assert count["blocks with loops"] < count["steps"] / 20, count


def test_no_state_is_lost() -> None:
    count: Counter[tuple[str, str]] = Counter()
    for seed in range(LOOKED_AT):
        program = random_rma_program(random.Random(f"looked at {seed}"))
        if lost := lost_state(program.text(), random.Random(seed), [VARIANTS[seed % 4]], count):
            pytest.fail(f"{lost}\n{program.text()}")
    assert count.total() == LOOKED_AT, count


# ---- places where carrying over could go wrong

DIRECTED = {
    # What is chosen from a mixed set says nothing about what is chosen next.
    "two choices from one set": """// unsafe
process P0 { shared X = 0; again: put(Y, P1, X); X = 1; X = 0; goto again; }
process P1 { shared Y = 0; local r, s, t; r = Y; s = Y; t = Y; assert(r == 0 || s == 1 || t == 0); }
predicates { X == 0, Y == 0, r == 0, s == 1, s == 0, t == 0 }
""",
    "two choices, then a third": """// unsafe
process P0 { shared X : 0..1 = 0; again: put(Y, P1, X); X = *; goto again; }
process P1 { shared Y = 0; local r, s; await(Y == 1); r = Y; await(Y == 0); s = Y; await(Y == 1); assert(Y == s); }
predicates { X == 0, Y == 0, Y == 1, r == 1, s == 0, Y == s }
""",
    "a choice is one element, not all": """// unsafe
shared F = 0;
process P0 { shared X = 0; again: put(Y, P1, X); X = 1; X = 0; goto again; }
process P1 { shared Y = 0; local r; await(Y == 1); r = Y; await(Y != r); cs: skip; }
assert always (!P1@cs || X - Y == 0 || Y == 1);
predicates { X - Y == 0, X - X == 0, Y - Y == 0, Y == 1, Y == 0, X == 0, Y == P1.r, P1.r == 1, P1.r == 0 }
""",
    "small values from one set": """// proved
process P0 { shared X : 0..3 = 0; again: put(Y, P1, X); X = *; goto again; }
process P1 { shared Y = 0; local r; again: r = Y; assert(r <= 3); goto again; }
predicates { X == 0, Y <= 3, r <= 3 }
""",
    # X < Y where X is what a pending put reads and Y changes meanwhile.
    "the other side is stored": """// unsafe
process P0 { shared X = 1, Y = 2; put(Z, P1, X); Y = 0; flush(P1); cs: skip; }
process P1 { shared Z = 0; }
assert always (!P0@cs || Z < Y);
predicates { X < Y, Z < Y }
""",
    "the other side is stored, and stays larger": """// proved
process P0 { shared X = 1, Y = 2; put(Z, P1, X); atomic { Y = Y + 1; } Y = 3; flush(P1); cs: skip; }
process P1 { shared Z = 0; }
assert always (!P0@cs || Z < Y);
predicates { X < Y, Z < Y, X < 3, Z < 3 }
""",
    "the other side is made of what there is now": """// unsafe
process P0 { shared X = 5, Y = 6; put(Z, P1, X); X = 1; atomic { Y = 2 * X; } flush(P1); cs: skip; }
process P1 { shared Z = 0; }
assert always (!P0@cs || Z < Y);
predicates { X < Y, Z < Y, X > 0, X == 1 }
""",
    "both sides become smaller": """// unsafe
process P0 { shared X = 5, Y = 6; put(Z, P1, X); atomic { X = X - 1; Y = Y - 1; } flush(P1); cs: skip; }
process P1 { shared Z = 0; }
assert always (!P0@cs || Z < Y);
predicates { X < Y, Z < Y }
""",
    "the other side is put": """// unsafe
process P0 { shared X = 1, Y = 2, V = 0; put(Z, P1, X); put(Y, P0, V); flush(P0); flush(P1); cs: skip; }
process P1 { shared Z = 0; }
assert always (!P0@cs || Z < Y);
predicates { X < Y, Z < Y, X < V, Z < V }
""",
    "the other side is put, and stays larger": """// proved with pairs
process P0 { shared X = 1, Y = 2, V = 3; put(Z, P1, X); put(Y, P0, V); flush(P0); flush(P1); cs: skip; }
process P1 { shared Z = 0; }
assert always (!P0@cs || Z < Y);
predicates { X < Y, Z < Y, X < V, Z < V }
""",
    "the other side is got": """// unsafe
process P0 { shared X = 1, Y = 2; put(Z, P1, X); Y = get(W, P1); flush(P1); cs: skip; }
process P1 { shared Z = 0, W = 4; W = 1; }
assert always (!P0@cs || Z < Y);
predicates { X < Y, Z < Y, X < W, Z < W }
""",
    "both sides are pending": """// unsafe
process P0 { shared X = 1, Y = 2; put(V, P1, X); put(W, P1, Y); X = 4; Y = 5; flush(P1); cs: skip; }
process P1 { shared V = 0, W = 1; }
assert always (!P0@cs || V < W);
predicates { X < Y, V < Y, X < W, V < W }
""",
    "both sides are pending and change at once": """// unsafe
process P0 { shared X = 1, Y = 5; put(V, P1, X); put(W, P1, Y); atomic { X = 2; Y = 0; } flush(P1); cs: skip; }
process P1 { shared V = 0, W = 1; }
assert always (!P0@cs || V < W);
predicates { X < Y, V < Y, X < W, V < W, 2 < Y, 2 < W }
""",
    "both sides are pending, and what they are is far apart": """// proved
process P0 { shared X = 1, Y = 5; put(V, P1, X); put(W, P1, Y); X = 2; Y = 6; flush(P1); cs: skip; }
process P1 { shared V = 0, W = 4; }
assert always (!P0@cs || V < W);
predicates { X <= 2, Y <= 4, V <= 2, W <= 4, X < Y, V < Y, X < W, V < W }
""",
    # Under SC a put makes source and target equal. Under RMA the target gets what the source was.
    "source and target of one put": """// unsafe
shared F = 0;
process P0 { shared X = 1; put(Y, P1, X); X = 2; F = 1; }
process P1 { shared Y = 0; local r; await(F == 1); r = Y; assume(r == 0); await(Y != 0); cs: skip; }
assert never (P1@cs && Y != X);
predicates { F == 1, P1.r == 0, Y == 0, X == 1, X == 0, X == Y }
""",
    "source and target of one get": """// unsafe
shared F = 0;
process P0 { shared X = 0; X = get(Y, P1); await(F == 1); assume(X == 0); F = 2; await(X != 0); cs: skip; }
process P1 { shared Y = 1; Y = 2; F = 1; }
assert never (P0@cs && X < Y);
predicates { F == 1, F == 2, X == 0, Y == 0, X < Y }
""",
    "source and target in a sum, with a third variable pending": """// unsafe
shared F = 0;
process P0 { shared X = 1, V = 3; put(Y, P1, X); X = 2; put(W, P1, V); F = 1; }
process P1 { shared Y = 0, W = 0; local r; await(F == 1); r = Y; assume(r == 0); await(Y != 0); await(W != 0);
  cs: skip; }
assert always (!P1@cs || W < X + Y);
predicates { F == 1, P1.r == 0, Y == 0, X == 0, W == 0, V == 0, V < X + Y, W < X + Y, V < X + X }
""",
    "onto itself": """// unsafe
process P0 { shared X = 1; put(X, P0, X); X = 2; flush(P0); assert(X == 2); }
process P1 { skip; }
predicates { X == 2, X == 1 }
""",
    # What is asked of the target is implied by what is known of the source, and not the other way round.
    "another form": """// proved
process P0 { shared X = 1; put(Y, P1, X); X = 2; flush(P1); assert(Y <= 4); }
process P1 { shared Y = 0; }
predicates { X == 1, X == 2, X <= 3, Y <= 4 }
""",
    "another form, too weak": """// unsafe
process P0 { shared X = 1; put(Y, P1, X); X = 4; flush(P1); assert(Y <= 3); }
process P1 { shared Y = 0; }
predicates { X == 1, X <= 3, X <= 4, Y <= 3 }
""",
    # One variable, two readers: each may read at another time.
    "two readers": """// unsafe
process P0 { shared X = 0; put(Y, P1, X); put(Z, P1, X); X = 1; flush(P1); }
process P1 { shared Y = 2, Z = 2; }
assert final (Y == Z);
predicates { X == 0, X == 1, Y == 0, Y == 1, Z == 0, Z == 1, Y == Z, X == Z, X == Y }
""",
    "two readers of what does not change": """// proved
process P0 { shared X = 0; put(Y, P1, X); put(Z, P1, X); flush(P1); }
process P1 { shared Y = 2, Z = 2; }
assert final (Y == Z);
predicates { X == 0, Y == 0, Z == 0, Y == Z }
""",
    # A get in a loop, of which nobody knows when it is over.
    "get in a loop": """// unsafe
process P0 { shared X = 0; local r, s; again: X = get(Y, P1); r = X; s = X; assert(s == 0 || r == s); goto again; }
process P1 { shared Y = 0; Y = 1; }
predicates { X == 0, X == 1, Y == 0, Y == 1, r == 0, r == 1, s == 0, s == 1, r == s }
""",
    "get in a loop, flushed": """// proved
process P0 { shared X = 0; local r, s; again: X = get(Y, P1); flush(P1); r = X; s = X; assert(r == s); goto again; }
process P1 { shared Y = 0; Y = 1; }
predicates { X == 0, X == 1, Y == 0, Y == 1, r == 0, r == 1, s == 0, s == 1, r == s, X == r }
""",
    # Of a set that is empty nothing is known: neither all of it nor none of it is anything.
    "an empty set": """// unsafe
process P0 { shared X : 0..3 = 0, Y = 2; Y = 5; Y = 0 - 1; Y = 5; put(Z, P1, X); Y = 0; flush(P1); cs: skip; }
process P1 { shared Z = 0; }
assert always (!P0@cs || Z < Y);
predicates { X < Y, Z < Y }
""",
    "a set that was used before": """// unsafe
process P0 { shared X = 0; local i; while (i < 2) { put(Y, P1, X); flush(P1); X = 1; i = i + 1; } assert(Y == 0); }
process P1 { shared Y = 0; }
predicates { X == 0, Y == 0, i < 2 }
""",
    # Values move on: what one put writes, another reads.
    "a chain": """// unsafe
process P0 { shared X = 0; put(Y, P1, X); X = 1; }
process P1 { shared Y = 0; put(Z, P2, Y); }
process P2 { shared Z = 0; }
assert final (Z == 0);
predicates { X == 0, Y == 0, Z == 0 }
""",
    "a chain that begins at its end": """// unsafe
shared F = 0;
process P0 { shared X = 1; await(F == 1); put(Y, P1, X); }
process P1 { shared Y = 0; put(Z, P2, Y); F = 1; }
process P2 { shared Z = 0; }
assert final (Z == 0);
predicates { X == 0, Y == 0, Z == 0, F == 1 }
""",
    "a chain that ends with what there is": """// proved
process P0 { shared X = 0, Y = 0; put(Z, P1, Y); put(Y, P0, X); X = 1; flush(P0); flush(P1); }
process P1 { shared Z = 0; }
assert final (Y != 0 || Z == 0);
predicates { X == 0, Y == 0, Z == 0 }
""",
    "a chain of small values": """// proved
process P0 { shared X = 0; put(Y, P1, X); X = 1; X = 2; }
process P1 { shared Y = 0; put(Z, P2, Y); }
process P2 { shared Z = 0; local r; r = Z; assert(r <= 2); }
assert always (Z <= 2);
predicates { X <= 2, Y <= 2, Z <= 2, r <= 2 }
""",
    "a ring": """// unsafe
process P0 { shared X = 0; put(Y, P1, X); X = get(Y, P1); }
process P1 { shared Y = 1; local r, s; r = Y; s = Y; assert(r <= s || r == 0); }
assert final (X == Y);
predicates { X == 0, Y == 0, X == 1, Y == 1, X == Y, r <= s, r == 0, s == 0, r == 1, s == 1 }
""",
    # Inside an atomic block nothing remote happens; what was read is what there was at its end, or later.
    "a store after the put in a block": """// proved
process P0 { shared X = 0; atomic { put(Y, P1, X); X = 1; } flush(P1); assert(Y == 1); }
process P1 { shared Y = 0; }
predicates { X == 1, X == 0, Y == 1, Y == 0 }
""",
    "a store in a later block": """// unsafe
process P0 { shared X = 0; put(Y, P1, X); atomic { X = 2; X = 1; } flush(P1); assert(Y == 1); }
process P1 { shared Y = 0; }
predicates { X == 1, X == 0, Y == 1, Y == 0 }
""",
    "what is between nobody reads": """// proved
process P0 { shared X = 0; put(Y, P1, X); atomic { X = 2; X = 1; } flush(P1); assert(Y <= 1); }
process P1 { shared Y = 0; }
predicates { X <= 1, Y <= 1 }
""",
    "a block with a loop": """// unsafe
process P0 { shared X = 0; local i; atomic { while (i < 2) { put(Y, P1, X); X = X + 1; i = i + 1; } } flush(P1); }
process P1 { shared Y = 0; }
assert final (Y == 1);
predicates { X == 0, X == 1, X == 2, Y == 0, Y == 1, i < 2 }
""",
    # What follows a check relies on it, and under SC a put is checked where it stands.
    "a range that is checked later": """// unsafe
process P0 { shared X = 5, Y : 0..3 = 0, Z = 0; atomic { put(Y, P0, X); Y = 1; Z = X; X = 1; } }
process P1 { skip; }
assert always (Z <= 3);
predicates { Z <= 3, X == 1, X == 5, Y == 1 }
""",
    "a range that is checked later, of what is pending": """// unsafe
process P0 { shared X = 5, Y : 0..3 = 0, V = 4; put(W, P1, X); V = 6; atomic { put(Y, P0, X); Y = 1; V = X; X = 1; } }
process P1 { shared W = 0; }
assert always (V <= 4 || W > 0 || V == 6);
predicates { V <= 4, W > 0, V == 6, X == 1, X == 5, Y == 1, X < V }
""",
    # A value out of range is a violation when it is written, whatever it was taken to be.
    "out of range": """// unsafe
process P0 { shared X = 5; put(Y, P1, X); X = 1; }
process P1 { shared Y : 0..3 = 0; }
predicates { X <= 3, Y <= 3 }
""",
    "out of range later": """// unsafe
process P0 { shared X = 1; put(Y, P1, X); X = 5; }
process P1 { shared Y : 0..3 = 0; }
predicates { X <= 3, X >= 0, X == 1, X == 5, Y <= 3 }
""",
    "out of another range": """// unsafe
process P0 { shared X : 0..5 = 4; put(Y, P1, X); X = 1; }
process P1 { shared Y : 0..3 = 0; }
predicates { X <= 3, Y <= 3 }
""",
    "out of range through a get": """// unsafe
process P0 { shared X : 0..1 = 0; X = get(Y, P1); }
process P1 { shared Y = 0; Y = 2; Y = 1; }
predicates { Y == 0, Y == 1, Y == 2 }
""",
    "within its range": """// proved
process P0 { shared X = 1; put(Y, P1, X); X = 2; }
process P1 { shared Y : 0..3 = 0; }
predicates { X >= 1, X <= 2 }
""",
    "within a larger range": """// proved
process P0 { shared X : 1..2 = 1; again: put(Y, P1, X); X = *; goto again; }
process P1 { shared Y : 0..3 = 0; }
predicates { X == 1 }
""",
    # Stores to a source while it is pending, of which it is not known whether they happen, or what they store.
    "a store that may be": """// unsafe
process P0 { shared X = 0; put(Y, P1, X); if (*) X = 1; flush(P1); assert(Y == 0); }
process P1 { shared Y = 2; }
predicates { X == 0, Y == 0 }
""",
    "a store of a register": """// unsafe
process P0 { shared X = 0; local r : 0..1 = *; put(Y, P1, X); X = r; flush(P1); assert(r == 0 || Y == 1); }
process P1 { shared Y = 2; }
predicates { X == 0, Y == 0, r == 0, X == 1, Y == 1, r == 1 }
""",
    "a store of a register, and all is the same": """// proved
process P0 { shared X = 0; local r : 0..1 = *; put(Y, P1, X); X = r; flush(P1); assert(r != 0 || Y == 0); }
process P1 { shared Y = 2; }
predicates { X == 0, Y == 0, r == 0 }
""",
    "a store of anything": """// unsafe
process P0 { shared X : 0..3 = 0; put(Y, P1, X); X = *; flush(P1); assert(Y <= 2); }
process P1 { shared Y = 0; }
predicates { X <= 2, Y <= 2, X == 0, Y == 0 }
""",
    "a store of anything there is": """// proved
process P0 { shared X : 0..3 = 0; put(Y, P1, X); X = *; flush(P1); assert(Y <= 3); }
process P1 { shared Y = 0; }
predicates { Y <= 3, X == 0 }
""",
    "a store by somebody else": """// unsafe
process P0 { shared X = 0; put(Y, P1, X); flush(P1); assert(Y == 0); }
process P1 { shared Y = 2; X = 1; X = 0; }
predicates { X == 0, X == 1, Y == 0 }
""",
    # Elements of arrays.
    "an element of an array": """// unsafe
process P0 { shared Q[2] = 0; local i = 1; put(Y, P1, Q[0]); i = 1 - i; Q[i] = 1; flush(P1); assert(Y == 0); }
process P1 { shared Y = 2; }
predicates { Q[0] == 0, Q[1] == 0, Y == 0, i == 0, i == 1 }
""",
    "another element": """// proved
process P0 { shared Q[2] = 0; local i = 1; put(Y, P1, Q[0]); Q[i] = 1; flush(P1); assert(Y == 0); }
process P1 { shared Y = 2; }
predicates { Q[0] == 0, Q[1] == 0, Y == 0, i == 0, i == 1 }
""",
    "an element of a large array": """// unsafe
process P0 { shared Q[6] = 0; local i = 5; put(Y, P1, Q[0]); i = i - 5; Q[i] = 1; flush(P1); assert(Y == 0); }
process P1 { shared Y = 2; }
predicates { Q[0] == 0, Y == 0, i == 0, i == 5 }
""",
    "two elements in one predicate": """// unsafe
process P0 { shared Q[2] = 0; put(Y, P1, Q[0]); Q[1] = 1; Q[0] = 1; flush(P1); cs: skip; }
process P1 { shared Y = 2; }
assert always (!P0@cs || Y == Q[1]);
predicates { Q[0] == Q[1], Y == Q[1], Q[0] == Y }
""",
}


@pytest.mark.parametrize("name", DIRECTED)
def test_where_carrying_over_could_go_wrong(name: str) -> None:
    text = DIRECTED[name]
    expected = text.removeprefix("// ").partition("\n")[0]
    program = parse(text, "directed.ebb")
    verdicts = {what: said(boolean) for what, _, boolean in relaxed(program)}
    if expected == "unsafe":
        assert really(program, "rma") == "unsafe"
        assert "safe" not in verdicts.values()
    else:
        assert really(program, "rma") != "unsafe"
        wanted = {what: verdict for what, verdict in verdicts.items() if "pairs" in what or expected == "proved"}
        assert set(wanted.values()) == {"safe"}
    assert wrong_step(text) is None
    assert lost_state(text, random.Random(0)) is None


def test_a_set_with_many_readers() -> None:
    """A store then has more ways than are listed: its steps are told one by one."""
    puts = " ".join(f"put(Y{number}, P1, X);" for number in range(8))
    targets = ", ".join(f"Y{number} = 0" for number in range(8))
    text = f"""process P0 {{ shared X = 0; {puts} X = 1; flush(P1); }}
process P1 {{ shared {targets}; }}
assert final (Y0 == 0);
predicates {{ X == 0, Y0 == 0 }}
"""
    program = parse(text, "directed.ebb")
    assert really(program, "rma") != "safe"
    for merged, pairs in VARIANTS[:3:2]:
        ((_, _, boolean),) = relaxed(program, [(merged, pairs)])
        assert said(boolean) == "unsafe"


# ---- no solver

PROVED = sorted(name for name, text in DIRECTED.items() if text.startswith("// proved"))


def forbid_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on asking for a solver, in whatever way, is an error."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a solver was asked for")

    monkeypatch.setattr(smt, "z3", None)
    monkeypatch.setattr(smt, "z3core", None)
    for name in [name for name, each in vars(smt.Solver).items() if callable(each)]:
        monkeypatch.setattr(smt.Solver, name, refuse)


def test_the_solver_is_really_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_solver(monkeypatch)
    with pytest.raises(AssertionError, match="a solver was asked for"):
        abstracted(parse(DIRECTED["a chain"], "directed.ebb"))


def test_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the text of the SC proof on."""
    texts = [*DIRECTED.values(), *(random_rma_program(random.Random(f"asked {n}")).text() for n in range(20))]
    programs = [parse(text, "p.ebb") for text in texts]
    proofs = [show_program(abstracted(program)) for program in programs]
    forbid_solver(monkeypatch)
    for program, proof in zip(programs, proofs, strict=True):
        for merged, pairs in VARIANTS:
            reduced = reduce_rma(program, merge_sets=merged)
            _, figures = extrapolated(reduced, read_proof(read(proof), reduced), "program", Options(), pairs=pairs)
            assert figures.smt.calls == 0
            assert figures.smt.seconds == 0


@pytest.mark.parametrize("name", PROVED)
def test_the_tool_says_so(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, proof, reduced, output = (str(tmp_path / each) for each in ("p.ebb", "p.sc.bp", "p.ir.json", "p.rma.bp"))
    Path(path).write_text(DIRECTED[name])
    assert abstract.main([path, "-o", proof, "--quiet"]) == 0
    assert reduce.main(["--model", "rma", path, "-o", reduced]) == 0
    capsys.readouterr()
    forbid_solver(monkeypatch)
    assert extrapolate.main(["--from", proof, reduced, "--pairs", "-o", output]) == 0
    assert " predicates, 0 SMT calls, " in capsys.readouterr().err
    assert said(read(Path(output).read_text())) == "safe"
