"""The automata of a Boolean program do what the program does, step by step."""

import random
import re
from collections.abc import Iterator
from itertools import product, zip_longest
from typing import Literal, TypeAlias

import pytest
from boolean_brute_force import Answer, State, Step, brute_force, levels
from random_boolean_programs import MOST_BITS, MOST_THREADS, random_program

from ebb.backend.automata.automaton import ENDED, IDLE, Automata, Edge, Outcome
from ebb.backend.automata.build import build
from ebb.backend.automata.steps import (
    Control,
    after_edge,
    exists,
    initial_control,
    is_step,
    may_move,
    possible,
)
from ebb.formats.bp_check import read
from ebb.formats.errors import InputError, Position

PROGRAMS = 300

_Valuation: TypeAlias = tuple[bool, ...]
_Reached: TypeAlias = tuple[Control, _Valuation] | Literal["unsafe", "overflow"]


# ---- the automata, state by state


def automata_levels(automata: Automata) -> Iterator[set[_Reached]]:
    """What is reached after no step, after one, and so on, each time without what was reached before."""
    first = initial_control(automata)
    seen: set[_Reached] = set()
    level: set[_Reached] = {
        (first, values)
        for values in product((False, True), repeat=len(automata.bits))
        if _exists(automata, first, values)
    }
    while level:
        yield level
        seen |= level
        level = {
            after
            for reached in level
            if not isinstance(reached, str)
            for edge in automata.edges
            if may_move(automata, reached[0], edge)
            for after in _after(automata, reached, edge)
        } - seen


def _named(automata: Automata, values: _Valuation) -> dict[str, bool]:
    return {bit.name: value for bit, value in zip(automata.bits, values, strict=True)}


def _exists(automata: Automata, control: Control, values: _Valuation) -> bool:
    return exists(automata, control, _named(automata, values))


def _after(automata: Automata, reached: tuple[Control, _Valuation], edge: Edge) -> Iterator[_Reached]:
    before = _named(automata, reached[1])
    if edge.outcome is not Outcome.LOCATION:
        if True in possible(edge.guard, before, before):
            yield "unsafe" if edge.outcome is Outcome.VIOLATION else "overflow"
        return
    control = after_edge(reached[0], edge, automata)
    for chosen in product((False, True), repeat=len(edge.targets)):
        after = before | dict(zip(edge.targets, chosen, strict=True))
        if is_step(edge, before, after) and exists(automata, control, after):
            yield control, tuple(after.values())


def answer(automata: Automata) -> Answer:
    overflow = False
    for length, level in enumerate(automata_levels(automata)):
        if "unsafe" in level:
            return Answer("unsafe", length)
        overflow |= "overflow" in level
    return Answer("overflow" if overflow else "safe")


# ---- what both can say of a state

# The global variables, and of each thread its function, the variables of that, and whether it has ended or is in an
# atomic block. Which thread is which has no name that both know.
_Thread: TypeAlias = tuple[str, _Valuation, bool, bool]
_View: TypeAlias = tuple[_Valuation, tuple[_Thread, ...]] | str


def _view(step: Step) -> _View:
    if not isinstance(step, State):
        return step
    threads = []
    for (first, *called), atomic, _ in step.threads:
        threads.append((first.function, first.values, first.place is None and not called, atomic > 0))
    return step.values, tuple(sorted(threads))


def _automata_view(automata: Automata, reached: _Reached) -> _View:
    if isinstance(reached, str):
        return reached
    control, values = reached
    named = _named(automata, values)
    threads = []
    for number, thread in enumerate(automata.threads):
        own = tuple(
            named[bit.name]
            for bit in automata.bits
            if bit.thread == number and "." not in bit.name.removeprefix(f"{thread.name}.")
        )
        if control[number] != IDLE:
            threads.append((thread.function, own, control[number] == ENDED, control[number] in thread.atomic))
    shared = tuple(named[bit.name] for bit in automata.bits if bit.thread is None)
    return shared, tuple(sorted(threads))


def agree(text: str) -> None:
    """What is reached in any number of steps is the same by the program and by its automata."""
    automata = build(read(text))
    by_program: set[_View] = set()
    by_automata: set[_View] = set()
    for level, reached in zip_longest(levels(text), automata_levels(automata), fillvalue=()):
        by_program |= {_view(step) for step in level}
        by_automata |= {_automata_view(automata, state) for state in reached}
        assert by_program == by_automata, text


# ---- random programs


@pytest.mark.parametrize("seed", range(0, PROGRAMS, 10))
def test_random_programs(seed: int) -> None:
    for number in range(seed, seed + 10):
        agree(random_program(random.Random(number)))


def test_random_programs_are_worth_it() -> None:
    """They are small, their verdicts differ, violations are often deep, and everything occurs in them."""
    texts = [random_program(random.Random(number)) for number in range(PROGRAMS)]
    assert texts[:10] == [random_program(random.Random(number)) for number in range(10)]
    for text in texts:
        automata = build(read(text))
        assert 1 <= len(automata.bits) <= MOST_BITS
        assert 1 <= len(automata.threads) <= MOST_THREADS
    answers = [brute_force(text) for text in texts]
    lengths = [found.length for found in answers if found.length is not None]
    assert 0.3 < len(lengths) / PROGRAMS < 0.7
    assert sum(length >= 5 for length in lengths) > len(lengths) / 3
    assert sum(found.verdict == "overflow" for found in answers) >= PROGRAMS / 50
    for part in (
        *("constrain", "schoose", "enforce", "assume(", "goto ", "if ", "elsif ", "else", "while ", "atomic_begin"),
        *("skip;", "dead", "return", "end_thread", "//@ process", "//@ overflow", "start_thread w0()"),
        *("start_thread w0(", "start_thread goto", "bool<2> p", " := p0(", "  p0("),
    ):
        assert sum(part in text for text in texts) >= PROGRAMS / 100, part


# ---- programs by hand

CASES = """
== nothing happens: safe
void main() begin
end

== variables have any value at first: unsafe 1
decl a;
void main() begin
  assert(a);
end

== local variables have any value at first: unsafe 1
void main() begin
  decl l;
  assert(l);
end

== an assertion that may hold and may fail: unsafe 2
void main() begin
  assert(T);
  assert(*);
end

== all values are those before the assignment: unsafe 4
decl a, b;
void main() begin
  a, b := T, F;
  a, b := b, a;
  assert(!a & b);
  assert(!b);
end

== dead alone does nothing: safe
decl a;
void main() begin
  a := F;
  dead;
  assert(!a);
end

== dead with a name: unsafe 3
decl a;
void main() begin
  a := F;
  dead a;
  assert(!a);
end

== constrain: safe
decl a, b;
void main() begin
  a := F;
  a, b := *, * constrain ('a != 'b) & (a = 'b);
  assert(a & !b);
end

== overflow is a dead end: overflow
decl a;
void main() begin
  skip;  //@ overflow
  assert(F);
end

== a violation outranks an overflow: unsafe 2
void main() begin
  if (*) then
    skip;  //@ overflow
  fi;
  assert(F);
end

== an if that is an overflow: overflow
void main() begin
  if (F) then  //@ overflow
    assert(F);
  fi;
  assert(F);
end

== an overflow where nothing goes on: overflow
void main() begin
  assume(F);  //@ overflow
end

== no overflow where nobody comes: safe
void main() begin
  assume(F);
  skip;  //@ overflow
end

== if evaluates all its conditions in one step: unsafe 3
decl a;
void main() begin
  a := F;
  if (a) then
    assert(F);
  elsif (schoose[a, a]) then
    assert(!a);
  elsif (!a) then
    assert(F);
  else
    assert(a);
  fi;
end

== a choice of a condition is made once: safe
decl a;
void main() begin
  if (T) then
    skip;
  elsif (*) then
    assert(F);
  else
    assert(F);
  fi;
end

== a local variable hides a global one: safe
decl a;
void main() begin
  decl a;
  a := F;
  f();
  assert(!a);
end
void f() begin
  a := T;
end

== a parameter hides a global variable: safe
decl a;
void main() begin
  decl b;
  a := F;
  b := f(T);
  assert(!a & b);
end
bool f(a) begin
  return a;
end

== results go to the variables that the caller sees: safe
decl a;
void main() begin
  decl b;
  a := f();
  b := a;
  assert(b);
end
bool f() begin
  decl a;
  a := F;
  return !a;
end

== procedures call procedures: safe
decl a, b;
void main() begin
  a, b := f(T);
  assert(a & !b);
end
bool<2> f(x) begin
  decl y;
  y := g(x);
  return x, y;
end
bool g(x) begin
  x := !x;
  return x;
end

== a procedure is called twice: unsafe 5
decl a, b;
void main() begin
  a := f(T);
  b := f(F);
  assert(a = b);
end
bool f(x) begin
  return x;
end

== local variables of a procedure are new at each call: unsafe 6
void main() begin
  f(F);
  f(T);
end
void f(x) begin
  decl y;
  if (x) then
    assert(!y);
  fi;
  y := F;
end

== no return gives any results, in a step: unsafe 4
decl a;
void main() begin
  a := f();
  assume(a);
  assert(!a);
end
bool f() begin
end

== results that nobody wants: unsafe 3
void main() begin
  _ := f();
  assert(F);
end
bool f() begin
end

== results that nobody asked for: unsafe 2
void main() begin
  f();
  assert(F);
end
bool f() begin
end

== return without values gives any results: unsafe 4
decl a, b;
void main() begin
  a, _ := f();
  assert(a);
  assert(!a);
end
bool<2> f() begin
  skip;
  return;
end

== end_thread in a procedure: safe
void main() begin
  f();
  assert(F);
end
void f() begin
  end_thread;
end

== numbers as labels: unsafe 5
decl a, b;
void main() begin
  a, b := F, F;
  goto 3, 4, 3;
  3: a := T;
  goto 5;
  4: b := T;
  5: assert(a | b);
  assert(a);
end

== goto into a branch: unsafe 3
decl b;
void main() begin
  goto L;
  if (F) then
    assert(F);
    L: b := T;
  else
    assert(F);
  fi;
  assert(!b);
end

== goto into a loop, which then goes on: unsafe 4
decl a, b;
void main() begin
  goto L;
  while (!b) do
    assert(!a);
    L: a := T;
  od;
end

== goto out of a loop, and several labels: unsafe 9
decl a;
void main() begin
  a := F;
  L: M: while (*) do
    if (a) then
      goto N;
    fi;
    a := T;
    goto L, M;
  od;
  assert(T);
  goto L;
  N: assert(F);
end

== for ever: safe
void main() begin
  L: goto L;
end

== a loop without a body: unsafe 2
void main() begin
  while (*) do
  od;
  assert(F);
end

== a function is started twice: unsafe 7
decl a, b;
void main() begin
  a, b := F, F;
  start_thread f(T);
  start_thread f(F);
end
void f(x) begin
  if (x) then
    a := T;
  else
    assert(!a);
  fi;
end

== each thread has its own variables: safe
decl a;
void main() begin
  start_thread f(T);
  start_thread f(F);
end
void f(x) begin
  assume(x);
  x := F;
  assume(x);
  assert(F);
end

== a procedure that starts a thread is called twice: unsafe 11
decl a, b;
void main() begin
  a, b := F, F;
  f(T);
  f(F);
  assume(a & b);
  assert(F);
end
void f(x) begin
  start_thread g(x);
end
void g(x) begin
  if (x) then
    a := T;
  else
    b := T;
  fi;
end

== a thread goes on from a label with copies of the variables: safe
decl a;
void main() begin
  decl l, m;
  l, m := T, F;
  start_thread goto L;
  l, m := F, T;
  end_thread;
  L: assert(l & !m);
end

== a thread that goes on in a procedure ends with it: unsafe 9
decl a, b;
void main() begin
  a, b := F, F;
  f(T);
  assert(!b);
  b := T;
end
void f(x) begin
  decl y;
  y := !x;
  start_thread goto L;
  return;
  L: assume(x & !y);
  assert(!b);
end

== two processes: unsafe 4
decl a;
void f() begin  //@ process P
  assume(!a);
  assert(!a);
end
void g() begin  //@ process Q
  a := F;
  a := T;
end

== processes by the name of others: safe
decl a;
void f() begin  //@ process P
  decl x;
  p();
  x := T;
  assert(x);
end
void p() begin
  decl x;
  x := F;
  assert(!x);
end
void g() begin  //@ process P.p
  decl x;
  x := T;
  assert(x);
end
void h() begin  //@ process P
  decl x;
  x := F;
  assert(!x);
end
void i() begin  //@ process P#1
  decl x;
  x := T;
  assert(x);
end

== the only function need not be main: unsafe 1
void f() begin
  assert(F);
end

== an atomic block: safe
decl a;
void main() begin
  a := F;
  start_thread f();
  atomic_begin;
  a := T;
  a := F;
  atomic_end;
end
void f() begin
  assert(!a);
end

== end_thread in an atomic block is a step: unsafe 6
decl a;
void main() begin
  a := F;
  start_thread f();
  atomic_begin;
  a := T;
  end_thread;
end
void f() begin
  assert(!a);
end

== nested atomic blocks: safe
decl a;
void main() begin
  a := F;
  start_thread f();
  atomic_begin;
  atomic_begin;
  a := T;
  atomic_end;
  a := F;
  atomic_end;
end
void f() begin
  assert(!a);
end

== a procedure begins an atomic block: safe
decl a;
void main() begin
  a := F;
  start_thread f();
  enter();
  a := T;
  a := F;
  atomic_end;
end
void enter() begin
  atomic_begin;
end
void f() begin
  assert(!a);
end

== a thread that is started inside an atomic block is not in it: unsafe 7
decl a;
void main() begin
  a := F;
  atomic_begin;
  start_thread f();
  a := T;
  a := F;
  atomic_end;
end
void f() begin
  assert(a);
end

== who waits in an atomic block blocks everything: safe
decl a;
void main() begin
  a := F;
  atomic_begin;
  start_thread f();
  assume(a);
end
void f() begin
  a := T;
  assert(F);
end

== who ends in an atomic block leaves it: unsafe 8
decl a;
void main() begin
  a := F;
  start_thread f();
  f();
end
void f() begin
  atomic_begin;
  assert(!a);
  a := T;
end

== an overflow in an atomic block of another thread is not reached: safe
decl a;
void f() begin  //@ process P
  atomic_begin;
  a := F;
  assume(F);
end
void g() begin  //@ process Q
  assume(F);
  skip;  //@ overflow
end

== what is enforced of global variables holds always: safe
decl a, b;
void main() begin
  enforce (!(a & b));
  b := *;
  assert(!a | !b);
end

== and even where it stands in a function that nobody runs: safe
decl a, b;
void main() begin
  assert(a & !b);
end
void f() begin
  enforce (!(!a | b));
end

== what is enforced of a local variable holds after its thread has ended: safe
decl a;
void main() begin
  a := F;
  start_thread f();
  assume(a);
  a := F;
  assert(F);
end
void f() begin
  decl l;
  enforce (a = l);
  assume(F);
end

== and not before it has started: unsafe 4
decl a;
void main() begin
  a := F;
  a := T;
  start_thread f(F);
  assert(F);
end
void f(x) begin
  enforce (!x);
end

== nor does a thread start that violates it: safe
void main() begin
  start_thread f(T);
  assert(F);
end
void f(x) begin
  enforce (!x);
end

== the end of a thread leaves its constraints: safe
decl a, b;
void main() begin
  a, b := F, F;
  start_thread f();
  assume(b);
  a := T;
  assert(F);
end
void f() begin
  decl l;
  enforce (a => l);
  l := F;
  b := T;
end

== what a procedure enforces holds from the call to the return: unsafe 6
decl a;
void main() begin
  a := F;
  f();
  a := T;
  assert(F);
end
void f() begin
  decl l;
  enforce (!(a & (l | !l)));
  a := *;
  assert(!a);
end

== what a caller enforces holds in procedures too: safe
decl a;
void main() begin
  decl l;
  enforce (a = l);
  l, a := T, T;
  f();
end
void f() begin
  a := F;
  assert(F);
end

== what the caller of a caller enforces: safe
decl a;
void main() begin
  f();
end
void f() begin
  decl l;
  enforce (!(a ^ l));
  l, a := T, T;
  g();
end
void g() begin
  a := F;
  assert(F);
end

== conjuncts of a procedure are taken one by one: safe
decl a;
void main() begin
  assert(a);
end
void f() begin
  decl l;
  enforce (!(!a | (l & !l)));
end

== what mentions a local variable is local, even if that does not matter: unsafe 1
decl a;
void main() begin
  assert(a);
end
void f() begin
  decl l;
  enforce (a | (l & F));
end

== a negated implication is one conjunct: unsafe 1
decl a;
void main() begin
  assert(a);
end
void f() begin
  decl l;
  enforce (!(a => l));
end

== hidden variables are others: safe
decl a;
void main() begin
  enforce (a);
  f();
  assert(a);
end
void f() begin
  decl a;
  enforce (!a);
  assert(!a);
end
"""

PARTS = re.findall(r"^== ([^\n]*): (\w+)(?: (\d+))?\n(.*?)(?=^==|\Z)", CASES, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("text", "verdict", "length"),
    [pytest.param(text, verdict, length, id=name) for name, verdict, length, text in PARTS],
)
def test_by_hand(text: str, verdict: str, length: str) -> None:
    assert brute_force(text) == (verdict, int(length) if length else None)
    agree(text)


# ---- threads that are started again and again

LOOP = """
decl running;
void main() begin
  running := F;
  while (*) do
    assume(!running);
    running := {value};
    start_thread f();
  od;
end
void f() begin
  running := F;
end
"""


def test_a_loop_takes_threads_from_a_pool() -> None:
    automata = build(read(LOOP.format(value="F")), thread_bound=2)
    assert [(thread.name, thread.runs) for thread in automata.threads] == [
        ("main", True),
        ("f#1", False),
        ("f#2", False),
    ]
    edges = [(edge.starts, edge.busy, edge.outcome) for edge in automata.edges if "start_thread" in edge.statement.text]
    assert edges == [
        (1, (), Outcome.LOCATION),
        (2, (1,), Outcome.LOCATION),
        (None, (1, 2), Outcome.OVERFLOW),
    ]
    (overflow,) = (edge.reason for edge in automata.edges if edge.reason)
    assert overflow == "more than 2 threads run f at once"
    assert answer(automata) == Answer("overflow")


@pytest.mark.parametrize("bound", [1, 2])
def test_a_thread_that_has_ended_can_run_again(bound: int) -> None:
    assert answer(build(read(LOOP.format(value="T")), bound)) == Answer("safe")


def test_the_bound_decides_how_much_is_seen() -> None:
    text = """
    decl a, b;
    void main() begin
      a, b := F, F;
      L: start_thread f();
      goto L;
    end
    void f() begin
      if (b) then
        assert(F);
      elsif (a) then
        b := T;
      else
        a := T;
      fi;
      assume(F);
    end
    """
    assert [answer(build(read(text), bound)).verdict for bound in (1, 2, 3)] == ["overflow", "overflow", "unsafe"]


def test_a_function_that_starts_itself() -> None:
    text = "void main() begin start_thread f(); end void f() begin start_thread f(); end"
    automata = build(read(text), thread_bound=3)
    assert [thread.name for thread in automata.threads] == ["main", "f#1", "f#2", "f#3"]
    assert answer(automata) == Answer("safe")  # one at a time ends as soon as it has started the next
    assert answer(build(read(text.replace("f(); end", "f(); skip; end")), 1)).verdict == "overflow"


def test_a_label_that_starts_itself() -> None:
    text = "void main() begin decl l; l := F; L: start_thread goto L; assert(!l); l := T; end"
    automata = build(read(text), thread_bound=2)
    assert [thread.name for thread in automata.threads] == ["main#1", "main#2", "main#3"]
    assert answer(automata) == Answer("overflow")
    assert {edge.reason for edge in automata.edges} - {""} == {"more than 2 threads run main from L at once"}


def test_a_loop_around_a_procedure_that_starts_a_thread() -> None:
    text = "void main() begin while (*) do f(); od; end void f() begin start_thread g(); end void g() begin skip; end"
    assert len(build(read(text), thread_bound=4).threads) == 5


def test_what_a_thread_of_a_pool_starts_is_a_pool() -> None:
    text = """
    void main() begin while (*) do start_thread f(); od; end
    void f() begin start_thread g(); end
    void g() begin skip; end
    """
    assert [thread.name for thread in build(read(text), 2).threads] == ["main", "f#1", "g#1", "g#2", "f#2"]


# ---- names


def test_names_of_bits() -> None:
    text = """
    decl a;  //@ predicate X == 0
    void main() begin decl l; start_thread f(T); start_thread f(F); l := p(); end
    void f(x) begin decl l; l := p(); end
    bool p() begin decl y, z; return y; end  //@ process no
    """
    automata = build(read(text))
    assert [(bit.name, bit.thread) for bit in automata.bits] == [
        *(("a", None), ("main.l", 0), ("main.p.y", 0), ("main.p.z", 0)),
        *(("f#1.x", 1), ("f#1.l", 1), ("f#1.p.y", 1), ("f#1.p.z", 1)),
        *(("f#2.x", 2), ("f#2.l", 2), ("f#2.p.y", 2), ("f#2.p.z", 2)),
    ]
    assert automata.bits[0].predicate == "X == 0"


# ---- mistakes


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("void main() begin atomic_end; end", "1:19", "atomic_end without atomic_begin before it"),
        (
            "void main() begin if (*) then atomic_begin; fi; atomic_end; end",
            "1:49",
            "atomic_end without atomic_begin before it",
        ),
        (
            "void main() begin atomic_begin; start_thread goto L; L: atomic_end; end",
            "1:57",
            "atomic_end without atomic_begin before it",
        ),
        (
            "void main() begin goto L; atomic_begin; L: skip; atomic_end; end",
            "1:50",
            "atomic_end without atomic_begin before it",
        ),
        (
            "void main() begin f(); end void f() begin atomic_begin; atomic_end; atomic_end; end",
            "1:69",
            "atomic_end without atomic_begin before it",
        ),
        ("void main() begin L: atomic_begin; goto L; end", "1:22", "atomic_begin again and again without atomic_end"),
        (
            "void main() begin while (*) do f(); od; end void f() begin atomic_begin; end",
            "1:60",
            "atomic_begin again and again without atomic_end",
        ),
        (
            "void main() begin " + "start_thread f(); " * 100 + "end void f() begin end",
            "1:1828",
            "more than 100 threads",
        ),
    ],
)
def test_mistakes(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        build(read(text))
    line, column = map(int, place.split(":"))
    assert (raised.value.position, raised.value.message) == (Position(line, column), message)


def test_too_many_locations() -> None:
    procedures = " ".join(f"void f{n}() begin {f'f{n + 1}(); ' * 10}end" for n in range(6))
    with pytest.raises(InputError, match="inlining procedures gives more than 200000 locations"):
        build(read(f"void main() begin f0(); end {procedures} void f6() begin skip; end"))
