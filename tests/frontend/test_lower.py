"""What statements become: flat instructions with at most one shared access each."""

import pytest

from ebb.backend.source_text import show_action
from ebb.formats.errors import Position
from ebb.formats.expressions import Binary, Conditional, Integer, Name
from ebb.formats.ir import Assign, Atomic, Forget, Instruction, Program, Range
from ebb.formats.ir_check import check
from ebb.frontend.ebb_source import parse

HEAD = "shared X = 0, Y = 0, Z = 0, Q[4] = 0; process P { local r, s, a[2]; "


def code(statements: str, more: str = "") -> list[str]:
    """The lowered body of a process, one string an instruction; the parts of an atomic block are indented."""
    return lines(parse(HEAD + statements + "}" + more, "p.ebb").processes[0].body)


def lines(body: tuple[Instruction, ...], indent: str = "") -> list[str]:
    found = []
    for instruction in body:
        note = f" // {instruction.note}" if instruction.note else ""
        found.append(f"{indent}{instruction.label}: {show_action(instruction.action)}{note}")
        if isinstance(instruction.action, Atomic):
            found += lines(instruction.action.body, indent + "  ")
    return found


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("X = 1;", ["L0: X = 1"]),
        ("r = X;", ["L0: r = X"]),
        ("r = X + s;", ["L0: r = X + s"]),
        ("r = X * X;", ["L0: r = X * X"]),
        ("X = Y + 1;", ["L0: _Y = Y // load Y", "L1: X = _Y + 1"]),
        ("X = X + 1;", ["L0: _X = X // load X", "L1: X = _X + 1"]),
        ("r = X + Y;", ["L0: _X = X // load X", "L1: r = _X + Y"]),
        ("r = Q[X];", ["L0: _X = X // load X", "L1: r = Q[_X]"]),
        ("r = Q[r] - Q[s];", ["L0: _Q = Q[r] // load Q[r]", "L1: r = _Q - Q[s]"]),
        ("X = Q[0] - Q[1];", ["L0: _Q = Q[0] // load Q[0]", "L1: _Q_2 = Q[1] // load Q[1]", "L2: X = _Q - _Q_2"]),
        ("Q[X] = Y;", ["L0: _X = X // load X", "L1: _Y = Y // load Y", "L2: Q[_X] = _Y"]),
        ("a[X] = s;", ["L0: _X = X // load X", "L1: a[_X] = s"]),
        ("X = *;", ["L0: X = *"]),
        ("store X = r;", ["L0: X = r"]),
        ("load r = X;", ["L0: r = X"]),
        ("assert(X == Y);", ["L0: _X = X // load X", "L1: assert(_X == Y)"]),
        ("assume(X == 0);", ["L0: assume(X == 0)"]),
        ("await(r == s);", ["L0: assume(r == s)"]),
        ("fence; fence(X);", ["L0: fence", "L1: fence(X)"]),
        ("goto a; a: skip;", ["L0: goto a", "a: skip"]),
    ],
)
def test_simple_statements(statement: str, expected: list[str]) -> None:
    assert code(statement) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("r = s ? 1 : 2;", ["L0: r = s ? 1 : 2"]),
        ("r = X == 0 ? 1 : 2;", ["L0: r = X == 0 ? 1 : 2"]),
        ("r = X == 0 ? Y : 1;", ["L0: _X = X // load X", "L1: r = _X == 0 ? Y : 1"]),
        (
            "r = X ? Y : Z;",
            ["L0: _X = X // load X", "L1: _Y = Y // load Y", "L2: r = _X ? _Y : Z"],
        ),
        ("r = s ? Y : Y + 1;", ["L0: r = s ? Y : Y + 1"]),
        ("X = s ? Y : 0;", ["L0: _Y = Y // load Y", "L1: X = s ? _Y : 0"]),
        ("Q[s ? 0 : 1] = 2;", ["L0: Q[s ? 0 : 1] = 2"]),
        ("await(X ? r : s);", ["L0: assume(X ? r : s)"]),
        ("await(X ? Y : s);", ["L0: _X = X // load X", "L1: if (!(_X ? Y : s)) goto L0"]),
        ("atomic { r = X ? Y : Z; }", ["L0: atomic {", "  L0_1: r = X ? Y : Z"]),
    ],
)
def test_a_conditional_loads_all_it_mentions_left_to_right(statement: str, expected: list[str]) -> None:
    assert code(statement) == expected


def test_a_conditional_binds_weakest_and_groups_to_the_right() -> None:
    one, two = Integer(1), Integer(2)
    r, s = Name("r"), Name("s")
    program = parse("process P { local r, s; r = r || s ? 1 : s ? 2 : 1 + 2; }", "p.ebb")
    assert program.processes[0].body[0].action == Assign(
        r, Conditional(Binary("||", r, s), one, Conditional(s, two, Binary("+", one, two)))
    )


REDUCED = '//@ program "p" from "p.ebb" model sc reduced rma\n'


def test_statements_that_only_reduced_programs_have() -> None:
    program = parse(
        REDUCED + "shared S = {}, X; process P { shared T = {}; local r, a[2];"
        "S = {X + 1}; add(T, a[r] ? X : 0); r = choose(S); a[X] = choose(T);"
        "forget(S); forget(r); forget(X); forget(a[X]); overflow; }",
        "p.ebb",
    )
    assert (program.model, program.reduced) == ("sc", "rma")
    assert [(variable.name, variable.type, variable.owner) for variable in program.shared] == [
        ("S", "set", None),
        ("X", "integer", None),
        ("T", "set", "P"),
    ]
    assert [instruction.action for instruction in program.processes[0].body][4] == Forget(Name("S"))
    assert lines(program.processes[0].body) == [
        "L0: S = {X + 1}",
        "L1: add(T, a[r] ? X : 0)",
        "L2: r = choose(S)",
        "L3: a[X] = choose(T)",
        "L4: forget(S)",
        "L5: forget(r)",
        "L6: forget(X)",
        "L7: forget(a[X])",
        "L8: overflow",
    ]


def test_a_statement_of_a_reduced_program_is_one_step_whatever_it_reads() -> None:
    program = parse(REDUCED + "shared X, Y, Q[4]; process P { Q[X] = Q[Y] + X; await(X == Y); }", "p.ebb")
    assert lines(program.processes[0].body) == ["L0: Q[X] = Q[Y] + X", "L1: assume(X == Y)"]


def test_processes_in_the_background() -> None:
    program = parse(REDUCED + "shared X; process P background { } process R background when X { } process Q { }", "p")
    assert [(process.name, process.background, process.when) for process in program.processes] == [
        ("P", True, None),
        ("R", True, "X"),
        ("Q", False, None),
    ]


def test_words_of_reduced_programs_are_names_like_any_other() -> None:
    text = "shared add, choose; process background { local forget; overflow: forget = add; goto overflow; choose = 1; }"
    program = parse(text, "p.ebb")
    assert program.processes[0].name == "background"
    assert lines(program.processes[0].body) == ["overflow: forget = add", "L1: goto overflow", "L2: choose = 1"]


def test_variables_have_the_notes_of_their_lines() -> None:
    program = parse("shared X; //@ 7:3 memory\nshared Y;\nprocess P {\n local r; //@ 9:1 a register\n}", "p.ebb")
    assert [(variable.note, variable.at) for variable in (*program.shared, *program.processes[0].locals)] == [
        ("memory", Position(7, 3)),
        ("", Position(2, 8)),
        ("a register", Position(9, 1)),
    ]


@pytest.mark.parametrize(
    ("comment", "place", "note"),
    [
        ("//@ 7:3  blanks ", Position(7, 3), "blanks"),
        ("//@ 7:3 a\tb", Position(7, 3), "ab"),
        ("//@ 0:3 nowhere", Position(1, 13), ""),
        ("//@ 7:0 nowhere", Position(1, 13), ""),
        ("//@ 1234567890:1 nowhere", Position(1, 13), ""),
        ("//@7:3 no blank", Position(1, 13), ""),
    ],
)
def test_comments_give_places_and_notes_that_programs_can_have(comment: str, place: Position, note: str) -> None:
    program = parse(f"process P {{ skip; {comment}\n}}", "p.ebb")
    (instruction,) = program.processes[0].body
    assert check(program) == []
    assert (instruction.at, instruction.note) == (place, note)


@pytest.mark.parametrize("names", ['"" from ""', '"a\\nb" from "p"', '"p" from "\\ud800"', '"p" from "\\q"'])
def test_names_that_programs_cannot_have_are_not_taken(names: str) -> None:
    program = parse(f"//@ program {names}\nprocess P {{ }}", "q.ebb")
    assert check(program) == []
    assert (program.name, program.source) == ("q", "q.ebb")


def test_waiting_for_several_variables_loads_them_again() -> None:
    assert code("await(X == Y);") == ["L0: _X = X // load X", "L1: if (_X != Y) goto L0"]


def test_a_condition_is_negated_without_a_not_where_a_comparison_allows() -> None:
    assert code("if (r < 3) { s = 1; }") == ["L0: if (r >= 3) goto L2", "L1: s = 1", "L2: skip"]
    assert code("if (r && s) { s = 1; } skip;") == ["L0: if (!(r && s)) goto L2", "L1: s = 1", "L2: skip"]


def test_if_else() -> None:
    assert code("if (X == Y) r = 1; else r = 2;") == [
        "L0: _X = X // load X",
        "L1: if (_X != Y) goto L4",
        "L2: r = 1",
        "L3: goto L5",
        "L4: r = 2",
        "L5: skip",
    ]


def test_an_else_belongs_to_the_nearest_if() -> None:
    assert code("if (r) if (s) r = 1; else r = 2; fence;") == [
        "L0: if (!r) goto L5",
        "L1: if (!s) goto L4",
        "L2: r = 1",
        "L3: goto L5",
        "L4: r = 2",
        "L5: fence",
    ]


def test_conditional_jumps_are_one_instruction() -> None:
    assert code("a: if (X == 1) goto a; if (r == 2) goto a; else goto a;") == [
        "a: if (X == 1) goto a",
        "L1: if (r == 2) goto a",
        "L2: goto a",
    ]


def test_choice() -> None:
    assert code("if (*) X = 1; else Y = 1;") == [
        "L0: goto L3, L1",
        "L1: X = 1",
        "L2: goto L4",
        "L3: Y = 1",
        "L4: skip",
    ]
    assert code("a: if (*) goto a;") == ["a: goto a, L1", "L1: skip"]


def test_loops() -> None:
    assert code("while (X != 0) { r = r + 1; } fence;") == [
        "L0: if (X == 0) goto L3",
        "L1: r = r + 1",
        "L2: goto L0",
        "L3: fence",
    ]
    assert code("while (1) skip;") == ["L0: skip", "L1: goto L0"]
    assert code("while (*) skip;") == ["L0: goto L3, L1", "L1: skip", "L2: goto L0", "L3: skip"]
    assert code("while (r < X + Y) r = r + 1;")[0:3] == [
        "L0: _X = X // load X",
        "L1: if (r >= _X + Y) goto L4",
        "L2: r = r + 1",
    ]


def test_two_labels_in_one_place_are_two_places_and_every_way_passes_both() -> None:
    assert code("while (*) { goto b; } a: b: X = 1;") == ["L0: goto a, L1", "L1: goto b", "a: skip", "b: X = 1"]


def test_a_label_at_the_end_gets_something_to_stand_on() -> None:
    assert code("goto end; end:") == ["L0: goto end", "end: skip"]


def test_generated_labels_keep_out_of_the_users_way() -> None:
    assert code("goto L1; skip; L1: skip;") == ["L0: goto L1", "L1_: skip", "L1: skip"]
    assert code("L1_1: skip; atomic { skip; }") == ["L1_1: skip", "L1: atomic {", "  L1_1_: skip"]


def test_blocks_count_as_one_and_name_what_they_contain() -> None:
    assert code("atomic { skip; a: atomic { skip; skip; } } cs: atomic { skip; } skip;") == [
        "L0: atomic {",
        "  L0_1: skip",
        "  a: atomic {",
        "    a_1: skip",
        "    a_2: skip",
        "cs: atomic {",
        "  cs_1: skip",
        "L2: skip",
    ]


def test_atomic_blocks_keep_their_expressions() -> None:
    assert code("atomic { X = X + Y; if (X > 3) { X = 0; } }") == [
        "L0: atomic {",
        "  L0_1: X = X + Y",
        "  L0_2: if (X <= 3) goto L0_4",
        "  L0_3: X = 0",
        "  L0_4: skip",
    ]


def test_locked_instructions() -> None:
    assert code("r = cas(X, r, s);") == [
        "L0: atomic { // cas X",
        "  L0_1: if (X != r) goto L0_5",
        "  L0_2: X = s",
        "  L0_3: r = 1",
        "  L0_4: goto L0_6",
        "  L0_5: r = 0",
        "  L0_6: skip",
    ]
    assert code("cas(X, 0, 1);")[1:] == ["  L0_1: if (X != 0) goto L0_3", "  L0_2: X = 1", "  L0_3: skip"]
    assert code("r = xchg(X, s);") == ["L0: atomic { // xchg X", "  L0_1: r = X", "  L0_2: X = s"]
    assert code("r = xchg(X, r);") == ["L0: atomic { // xchg X", "  L0_1: _X = X", "  L0_2: X = r", "  L0_3: r = _X"]
    assert code("r = faa(Q[r], 1);")[1:] == ["  L0_1: _Q = Q[r]", "  L0_2: Q[r] = Q[r] + 1", "  L0_3: r = _Q"]
    assert code("faa(X, 2);") == ["L0: atomic { // faa X", "  L0_1: X = X + 2"]
    assert code("Y = faa(X, Z);") == [
        "L0: _Z = Z // load Z",
        "L1: atomic { // faa X",
        "  L1_1: _Y = X",
        "  L1_2: X = X + _Z",
        "L2: Y = _Y",
    ]


def test_transactions() -> None:
    assert code("transaction { X = 1; last: }") == ["L0: transaction {", "L1: X = 1", "last: }"]


def test_locks_that_are_declared_and_not() -> None:
    assert code("lock(X); unlock(m);") == [
        "L0: atomic { // lock X",
        "  L0_1: assume(X == 0)",
        "  L0_2: X = 1",
        "L1: atomic { // unlock m",
        "  L1_1: assert(_m == 1) // P holds m",
        "  L1_2: _m = 0",
    ]
    assert code("lock(Q[r]);")[1] == "  L0_1: assume(Q[r] == 0)"


def test_semaphores() -> None:
    assert code("acquire(X); release(X);") == [
        "L0: atomic { // acquire X",
        "  L0_1: assume(X > 0)",
        "  L0_2: X = X - 1",
        "L1: atomic { // release X",
        "  L1_1: X = X + 1",
    ]


def test_condition_variables() -> None:
    assert code("wait(c, m);", "process R { signal(c); }") == [
        "L0: atomic { // wait c m",
        "  L0_1: assert(_m == 1) // P holds m",
        "  L0_2: _m = 0",
        "  L0_3: _c_P = 1",
        "L1: atomic { // wake c m",
        "  L1_1: assume(_c_P == 2 && _m == 0)",
        "  L1_2: _c_P = 0",
        "  L1_3: _m = 1",
    ]
    assert code("signal(c);", "process R { wait(c); } process S { wait(c); }") == [
        "L0: atomic { // signal c",
        "  L0_1: goto L0_2, L0_5, L0_8",
        "  L0_2: assume(_c_R == 1)",
        "  L0_3: _c_R = 2",
        "  L0_4: goto L0_9",
        "  L0_5: assume(_c_S == 1)",
        "  L0_6: _c_S = 2",
        "  L0_7: goto L0_9",
        "  L0_8: assume(_c_R != 1 && _c_S != 1)",
        "  L0_9: skip",
    ]
    assert code("signal(c);") == ["L0: atomic { // signal c", "  L0_1: skip"]


def test_a_barrier_counts_the_processes_that_use_it() -> None:
    assert code("barrier(b); barrier(b);", "process R { barrier(b); } process S { }")[3] == (
        "  L0_3: if (_b_count < 2) goto L0_6"
    )


def test_start_and_join() -> None:
    program = parse("process P { start(R); join(R); } process R { local x; x = 1; }", "p.ebb")
    assert lines(program.processes[0].body) == [
        "L0: atomic { // start R",
        "  L0_1: assert(_R_started == 0) // R is started once",
        "  L0_2: _R_started = 1",
        "L1: assume(_R_ended != 0) // join R",
    ]
    assert lines(program.processes[1].body) == [
        "L0: x = 1",
        "L1: atomic { // end R",
        "  L1_1: _R_ended = 1",
    ]
    assert program.processes[0].when is None
    assert program.processes[1].when == "_R_started"


def test_declarations() -> None:
    program = parse("shared X, T : 0..1 = 1, A[3] : -1..2 = *;\nprocess P { shared Y = -4; local r : 0..9; }", "d.ebb")
    x, t, a, y = program.shared
    assert (x.initial, x.range, x.size, x.owner, x.at) == (0, None, None, None, Position(1, 8))
    assert (t.initial, t.range) == (1, Range(0, 1))
    assert (a.initial, a.range, a.size) == (None, Range(-1, 2), 3)
    assert (y.name, y.initial, y.owner) == ("Y", -4, "P")
    assert program.processes[0].locals[0].range == Range(0, 9)


def test_a_temporary_has_the_range_of_what_it_holds() -> None:
    program = parse("shared X : 2..5 = 2, Y; process P { Y = X; }", "p.ebb")
    (temporary,) = program.processes[0].locals
    assert (temporary.name, temporary.range, temporary.initial) == ("_X", Range(2, 5), 2)


def test_names_in_properties_and_predicates() -> None:
    program = parse(
        "shared X; process P { local r; cs: skip; } process R { local r, only; }"
        "assert never (P@cs && P.r == X); assert always (only == 0); predicates { R.r == 1, only < X, }",
        "p.ebb",
    )
    assert [show_property(program, number) for number in (0, 1)] == [
        "never P@cs && P.r == X",
        "always R.only == 0",
    ]
    assert len(program.predicates) == 2


def show_property(program: Program, number: int) -> str:
    from ebb.formats.expressions import show

    prop = program.properties[number]
    return f"{prop.kind} {show(prop.condition)}"


def test_process_numbers_count_from_one() -> None:
    program = parse("process P { shared X; put(Y, 2, X); flush(2); } process R { shared Y; }", "p.ebb")
    assert lines(program.processes[0].body) == ["L0: put(Y, R, X)", "L1: flush(R)"]


def test_a_name_in_backquotes_may_be_a_keyword() -> None:
    program = parse("shared `lock`; process P { `lock` = 1; }", "p.ebb")
    assert program.shared[0].name == "lock"


def test_comments_of_both_kinds() -> None:
    assert code("/* one\n two */ skip; // three\n skip;") == ["L0: skip", "L1: skip"]
