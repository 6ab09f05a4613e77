"""Compacted automata have the same verdicts, and their counterexamples are runs of the original."""

import random
from collections import Counter
from pathlib import Path

import pytest
from random_boolean_programs import random_hard_program, random_program

from ebb.backend.automata.build import build
from ebb.backend.automata.compact import compact
from ebb.backend.automata.steps import is_run
from ebb.backend.checker import engines
from ebb.backend.checker.concretise import concretise
from ebb.backend.checker.limits import Limits
from ebb.formats.bp_check import read

CHECKER = Path(__file__).parents[1] / "checker"
KEPT = sorted((CHECKER / "regressions").glob("*.bp")) + sorted((CHECKER / "hazards").glob("*.bp"))


def verdict_of(text: str, thread_bound: int = 5) -> str:
    """The verdict, after making sure that the compacted automata have it too."""
    automata = build(read(text), thread_bound)
    plain = engines.check(automata, "cubes", Limits())
    quick = engines.check_quickly(automata, "auto", Limits())
    assert quick.verdict == plain.verdict, text
    if quick.verdict == "unsafe":
        path = concretise(automata, quick.edges)
        assert path is not None
        assert is_run(automata, path)
    assert (quick.overflow is None) == (plain.overflow is None), text
    return quick.verdict


@pytest.mark.parametrize("part", range(4))
def test_random_programs_keep_their_verdicts(part: int) -> None:
    rng = random.Random(f"compact {part}")
    verdicts = Counter(verdict_of(random_program(rng)) for _ in range(150))
    assert verdicts["safe"] >= 20
    assert verdicts["unsafe"] >= 20


def test_hard_programs_keep_their_verdicts() -> None:
    rng = random.Random("compact hard")
    for _ in range(100):
        pooled = random_hard_program(rng)
        verdict_of(pooled.text, pooled.thread_bound)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_programs_that_were_kept(path: Path) -> None:
    verdict_of(path.read_text())


def test_jumps_and_places_that_are_only_jumped_to_are_gone() -> None:
    text = "decl b; void main() begin start: goto l, m; l: b := T; goto start; m: assume(b); goto start; end"
    automata = build(read(text))
    compacted = compact(automata)
    (thread,) = compacted.automata.threads
    assert len(thread.edges) == 2
    assert {edge.source for edge in thread.edges} == {thread.entry}
    assert {edge.target for edge in thread.edges} == {thread.entry}
    assert [len(compacted.runs[edge.number]) for edge in thread.edges] == [3, 3]


def test_other_threads_see_no_difference_inside_and_outside_atomic_blocks() -> None:
    text = """
    decl b;
    void main() begin
      b := F;
      start_thread other();
      atomic_begin; goto in; in: goto deeper; deeper: assert(!b); atomic_end;
    end
    void other() begin b := T; b := F; end
    """
    assert verdict_of(text) == "unsafe"


def test_a_search_until_an_overflow_ends_there() -> None:
    text = "decl b; void main() begin goto l, m; l: skip; //@ overflow\n m: b := T; b := !b; assert(b); end"
    automata = build(read(text))
    assert engines.check_quickly(automata, "auto", Limits()).verdict == "unsafe"
    ended = engines.check_quickly(automata, "auto", Limits(), until_overflow=True)
    assert ended.verdict == "unknown"
    assert ended.overflow is not None
