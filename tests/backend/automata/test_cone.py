"""What the cone keeps and what it leaves out."""

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.build import build
from ebb.backend.automata.cone import cone
from ebb.formats.bp_check import read


def kept(text: str) -> tuple[set[str], set[str]]:
    """The bits, and the threads that can still move."""
    small: Automata = cone(build(read(text)))
    return {bit.name for bit in small.bits}, {thread.name for thread in small.threads if thread.edges}


def process(name: str, body: str) -> str:
    return f"void {name.lower()}() begin //@ process {name}\n {body} end\n"


THREE = "decl x, y, z;\n" + process("P", "assert(x);") + process("Q", "x := !y;") + process("R", "z := z ^ y;")


def test_only_what_the_assertion_depends_on() -> None:
    assert kept(THREE) == ({"x", "y"}, {"P", "Q"})


def test_a_guard_decides() -> None:
    text = "decl x, g, u;\n" + process("P", "assume(g); assert(x);") + process("Q", "g := u;") + process("R", "u := *;")
    assert kept(text) == ({"x", "g", "u"}, {"P", "Q", "R"})


def test_a_thread_that_starts_another_matters() -> None:
    text = "decl u; void main() begin u := T; start_thread w(); end void w() begin assert(F); end"
    assert kept(text) == (set(), {"main", "w"})


def test_what_an_enforce_is_about_can_forbid_a_step() -> None:
    text = "decl x, u, v; void main() begin enforce (!(u & v)); u := T; assert(x); end"
    assert kept(text) == ({"x", "u", "v"}, {"main"})


def test_without_an_assertion_nothing_matters() -> None:
    assert kept("decl u, v; void main() begin enforce (u = v); u, v := T, T; end") == (set(), set())


def test_an_overflow_matters_like_a_violation() -> None:
    text = "decl x; void main() begin assume(x); skip; //@ overflow\n end"
    assert kept(text) == ({"x"}, {"main"})


def test_threads_and_edges_keep_their_numbers() -> None:
    full = build(read(THREE))
    small = cone(full)
    assert [thread.name for thread in small.threads] == [thread.name for thread in full.threads]
    for edge in small.edges:
        assert full.edges[edge.number].statement == edge.statement
