"""Which steps are private, and which bits are dead after them."""

from ebb.backend.automata.build import build
from ebb.backend.automata.runs import plan
from ebb.formats.bp_check import read


def process(name: str, body: str, head: str = "") -> str:
    return f"void {name.lower()}() begin //@ process {name}\n {head} {body} end\n"


def moves(text: str, thread: str) -> list[tuple[str, bool, tuple[str, ...]]]:
    """Each statement of the thread: its text, whether the thread goes on alone, and what it forgets."""
    automata = build(read(text))
    number = [found.name for found in automata.threads].index(thread)
    return [
        (move.edge.statement.text, move.goes_on, move.forgets)
        for move in plan(automata).all_moves()
        if move.edge.thread == number
    ]


OTHER = process("Q", "x := T;")


def test_local_steps_go_on_until_something_is_shared() -> None:
    text = "decl x;\n" + process("P", "l := !l; m := l; x := m;", "decl l, m;") + OTHER
    assert moves(text, "P") == [
        ("l := !l;", True, ()),
        ("m := l;", True, ("P.l",)),
        ("x := m;", False, ("P.m",)),
    ]


def test_a_global_that_one_thread_uses_is_private() -> None:
    text = "decl x, own;\n" + process("P", "own := T; x := own;") + OTHER
    assert moves(text, "P") == [("own := T;", True, ()), ("x := own;", False, ("own",))]


def test_inside_an_atomic_block_the_thread_goes_on() -> None:
    text = "decl x;\n" + process("P", "atomic_begin; x := T; x := F; atomic_end; skip;") + OTHER
    assert [goes_on for _, goes_on, _ in moves(text, "P")] == [True, True, True, False, True]


def test_an_enforce_makes_a_local_variable_a_matter_of_others() -> None:
    text = "decl x;\n" + process("P", "l := T; skip;", "decl l; enforce (!(l & x));") + OTHER
    assert moves(text, "P") == [("l := T;", False, ()), ("skip;", True, ())]


def test_leaving_an_enforce_is_a_matter_of_others() -> None:
    procedure = "void f() begin decl l; enforce (l = x); skip; end\n"
    text = "decl x;\n" + procedure + process("P", "f(); skip;") + OTHER
    assert moves(text, "P") == [("f();", False, ()), ("skip;", False, ()), ("skip;", True, ())]


def test_starting_a_thread_is_a_matter_of_others() -> None:
    text = "void main() begin skip; start_thread w(); skip; end void w() begin skip; end"
    assert [goes_on for _, goes_on, _ in moves(text, "main")] == [True, False, True]


def test_a_thread_of_a_pool_ends_for_others_to_see() -> None:
    text = "void main() begin while (*) do start_thread w(); od; end void w() begin skip; skip; end"
    assert [goes_on for _, goes_on, _ in moves(text, "w#1")] == [True, False]
