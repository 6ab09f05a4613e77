"""Printing source: its shape on small programs, and that it parses back to the same IR on any program."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from ir_programs import programs

from ebb.backend.source_text import show_action, show_body, show_program, show_program_without_positions
from ebb.formats.errors import Position
from ebb.formats.expressions import At, Binary, Conditional, Element, Expression, Integer, Name, Unary, show
from ebb.formats.ir import (
    PROPERTY_KINDS,
    REDUCED_MODELS,
    Action,
    Add,
    Assert,
    Assign,
    Assume,
    Atomic,
    Branch,
    Choose,
    Collect,
    Fence,
    Flush,
    Forget,
    Get,
    Goto,
    Havoc,
    Instruction,
    Overflow,
    Predicate,
    Process,
    Program,
    Property,
    Put,
    Range,
    ReducedModel,
    Skip,
    Transaction,
    Variable,
)
from ebb.formats.ir_check import check
from ebb.frontend.ebb_source import parse

AT = Position(1, 1)
X, Y, R = Name("X"), Name("Y"), Name("r")


def step(label: str, action: Action, line: int = 1, column: int = 1, note: str = "") -> Instruction:
    return Instruction(label, action, Position(line, column), note)


def program_of(*body: Instruction) -> Program:
    """A process P with that body, over the shared X, Y and the array Q and the locals r and i."""
    shared = (Variable("X", AT), Variable("Y", AT), Variable("Q", AT, size=4))
    process = Process("P", AT, (Variable("r", AT), Variable("i", AT)), body)
    return Program("p", "p.ebb", shared, (process,))


def body_lines(program: Program) -> list[str]:
    """The lines between the declarations of the only process and its closing brace, without comments."""
    lines = show_program_without_positions(program).splitlines()
    return lines[max(number for number, line in enumerate(lines) if line.startswith("  local")) + 1 : -1]


def without_positions(program: Program) -> Program:
    """The program as if it had been written on a single spot, without notes."""

    def variables(declared: tuple[Variable, ...]) -> tuple[Variable, ...]:
        return tuple(replace(variable, at=AT, note="") for variable in declared)

    def body(instructions: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
        return tuple(
            Instruction(
                instruction.label,
                Atomic(body(instruction.action.body)) if isinstance(instruction.action, Atomic) else instruction.action,
                AT,
            )
            for instruction in instructions
        )

    return replace(
        program,
        name="p",
        source="p.ebb",
        shared=variables(program.shared),
        processes=tuple(
            replace(process, at=AT, locals=variables(process.locals), body=body(process.body))
            for process in program.processes
        ),
        properties=tuple(replace(property_, at=AT) for property_ in program.properties),
        predicates=tuple(replace(predicate, at=AT) for predicate in program.predicates),
    )


EVERYTHING = Program(
    "everything",
    "everything.ebb",
    (
        Variable("X", Position(1, 8)),
        Variable("T", Position(1, 15), 0, Range(0, 1)),
        Variable("Q", Position(2, 8), 3, Range(-1, 7), 4),
        Variable("A", Position(3, 8), None),
        Variable("Y", Position(3, 15)),
        Variable("_P1_started", Position(30, 3)),
        Variable("Here", Position(5, 10), 1, owner="P0"),
        Variable("There", Position(41, 10), -1, owner="P1"),
    ),
    (
        Process(
            "P0",
            Position(4, 1),
            (Variable("r", Position(6, 9)), Variable("lock", Position(6, 16), None, Range(0, 3), 2)),
            (
                step("again", Assign(X, Integer(1)), 7, 3),
                step("L1", Havoc(Element("lock", R)), 8, 3),
                step("L2", Transaction("begin"), 9, 3),
                step("L3", Assume(Binary("==", Name("T"), Integer(0))), 10, 5, "until T is free"),
                step("L4", Branch(Binary("<", R, Integer(-2)), "L7"), 11, 5),
                step("L5", Goto(("L5", "L7")), 12, 5),
                step("wait", Put(Name("There"), "P1", Name("Here")), 13, 5),
                step("L7", Transaction("end"), 14, 3),
                step(
                    "L8",
                    Atomic(
                        (
                            step("L8_1", Assume(Binary("&&", X, Unary("!", Name("A")))), 15, 3),
                            step("inner", Atomic((step("inner_1", Assign(X, Binary("+", X, Y)), 15, 3),)), 15, 3),
                            step("L8_3", Branch(R, "inner"), 15, 3),
                            step("L8_4", Atomic((step("L8_4_1", Skip(), 15, 3),)), 15, 3),
                        )
                    ),
                    15,
                    3,
                    "lock m",
                ),
                step("L9", Atomic(()), 16, 3),
                step("cs", Skip(), 17, 1),
                step("L11", Fence(), 18, 3),
                step("L12", Fence("X"), 19, 3),
                step("L13", Get(Name("Here"), Name("There"), "P1"), 20, 3),
                step("L14", Flush("P1"), 21, 3),
                step("L15", Assert(Binary("-", R, Binary("-", Integer(1), R))), 22, 3),
                step("L16", Assign(R, Conditional(Binary("<", R, X), Integer(1), R)), 23, 3),
            ),
        ),
        Process("P1", Position(40, 1), (), (step("L0", Skip(), 42, 3),), "_P1_started"),
    ),
    (
        Property("never", Binary("&&", At("P0", "cs"), At("P1", "L0")), Position(50, 1)),
        Property("~exists", Binary("==", Name("P0.r"), Integer(3)), Position(51, 1)),
    ),
    (
        Predicate(Binary("==", Element("Q", Integer(0)), Integer(0)), Position(52, 14)),
        Predicate(Binary("<=", Name("P0.r"), X), Position(52, 24)),
    ),
    "sc",
)

EVERYTHING_TEXT = """\
//@ program "everything" from "everything.ebb" model sc

shared X = 0;             //@ 1:8
shared T : 0..1 = 0;      //@ 1:15
shared Q[4] : -1..7 = 3;  //@ 2:8
shared A = *;             //@ 3:8
shared Y = 0;             //@ 3:15
shared _P1_started = 0;   //@ 30:3

process P0 {                   //@ 4:1
  shared Here = 1;             //@ 5:10
  local r = 0;                 //@ 6:9
  local `lock`[2] : 0..3 = *;  //@ 6:16
again:
  X = 1;                       //@ 7:3
  `lock`[r] = *;               //@ 8:3
  transaction {                //@ 9:3
    assume(T == 0);            //@ 10:5 until T is free
    if (r < -2) goto L7;       //@ 11:5
  L5:
    goto L5, L7;               //@ 12:5
  wait:
    put(There, P1, Here);      //@ 13:5
  L7: }                        //@ 14:3
  atomic {                     //@ 15:3 lock m
    assume(X && !A);           //@ 15:3
  inner:
    atomic {                   //@ 15:3
      X = X + Y;               //@ 15:3
    }
    if (r) goto inner;         //@ 15:3
    atomic {                   //@ 15:3
      skip;                    //@ 15:3
    }
  }
  atomic {                     //@ 16:3
  }
cs:
  skip;                        //@ 17:1
  fence;                       //@ 18:3
  fence(X);                    //@ 19:3
  Here = get(There, P1);       //@ 20:3
  flush(P1);                   //@ 21:3
  assert(r - (1 - r));         //@ 22:3
  r = r < X ? 1 : r;           //@ 23:3
}

process P1 when _P1_started {  //@ 40:1
  shared There = -1;           //@ 41:10
L0:
  skip;                        //@ 42:3
}

assert never (P0@cs && P1@L0);  //@ 50:1
assert ~exists (P0.r == 3);     //@ 51:1

predicates {
  Q[0] == 0,  //@ 52:14
  P0.r <= X   //@ 52:24
}
"""


def test_every_construct_in_print() -> None:
    assert show_program(EVERYTHING) == EVERYTHING_TEXT


def test_every_construct_parses_back_to_itself() -> None:
    assert parse(EVERYTHING_TEXT, "elsewhere.ebb") == EVERYTHING


REDUCED = Program(
    "p.rma",
    "p.ebb",
    (
        Variable("X", Position(1, 8), note="memory"),
        Variable("_X_values", Position(1, 8), type="set", note="values read for X"),
        Variable("_S", Position(3, 3), owner="P", type="set"),
        Variable("Q", Position(2, 8), 0, Range(0, 3), 2, owner="P", note="two slots"),
    ),
    (
        Process(
            "P",
            Position(4, 9),
            (Variable("r", Position(5, 9), note="a register"),),
            (
                step("L0", Assign(X, Binary("+", X, Element("Q", X))), 6, 3),
                step("L1", Collect("_X_values", Binary("+", X, Integer(1))), 7, 3, "put X"),
                step("L2", Add("_S", Element("Q", Integer(0))), 8, 3),
                step("L3", Choose(Element("Q", R), "_S"), 9, 3),
                step("L4", Atomic((step("L4_1", Choose(R, "_X_values"), 10, 3), step("L4_2", Overflow(), 10, 3)))),
                step("L5", Forget(R), 11, 3),
                step("L6", Forget(Element("Q", Integer(1))), 12, 3),
                step("L7", Forget(Name("_S")), 13, 3),
                step("L8", Overflow(), 14, 3, "no room for X"),
            ),
        ),
        Process("_network", Position(1, 1), (), (step("L0", Goto(("L0",))),), "X", background=True),
        Process("background", Position(1, 1), (), (step("add", Goto(("add",))),), background=True),
    ),
    (Property("never", Conditional(At("P", "L8"), X, Name("P.r")), Position(15, 1)),),
    (),
    "sc",
    "rma",
)

REDUCED_TEXT = """\
//@ program "p.rma" from "p.ebb" model sc reduced rma

shared X = 0;           //@ 1:8 memory
shared _X_values = {};  //@ 1:8 values read for X

process P {                 //@ 4:9
  shared _S = {};           //@ 3:3
  shared Q[2] : 0..3 = 0;   //@ 2:8 two slots
  local r = 0;              //@ 5:9 a register
  X = X + Q[X];             //@ 6:3
  _X_values = {X + 1};      //@ 7:3 put X
  add(_S, Q[0]);            //@ 8:3
  Q[r] = choose(_S);        //@ 9:3
  atomic {                  //@ 1:1
    r = choose(_X_values);  //@ 10:3
    overflow;               //@ 10:3
  }
  forget(r);                //@ 11:3
  forget(Q[1]);             //@ 12:3
  forget(_S);               //@ 13:3
L8:
  overflow;                 //@ 14:3 no room for X
}

process _network background when X {  //@ 1:1
L0:
  goto L0;                            //@ 1:1
}

process background background {  //@ 1:1
add:
  goto add;                      //@ 1:1
}

assert never (P@L8 ? X : P.r);  //@ 15:1
"""


def test_what_only_reduced_programs_have_in_print() -> None:
    assert check(REDUCED) == []
    assert show_program(REDUCED) == REDUCED_TEXT


def test_what_only_reduced_programs_have_parses_back_to_itself() -> None:
    assert parse(REDUCED_TEXT, "elsewhere.ebb") == REDUCED


@pytest.mark.parametrize("model", REDUCED_MODELS)
def test_a_reduced_program_stays_one_without_positions(model: ReducedModel) -> None:
    text = show_program_without_positions(replace(REDUCED, reduced=model))
    assert text.splitlines()[0] == f'//@ program "p.rma" from "p.ebb" model sc reduced {model}'
    assert parse(text, "p.ebb").reduced == model


@given(programs())
@settings(deadline=None)
def test_any_program_parses_back_to_itself(program: Program) -> None:
    assert parse(show_program(program), program.source) == program


@given(programs())
@settings(deadline=None)
def test_without_positions_only_they_and_the_notes_are_lost(program: Program) -> None:
    again = parse(show_program_without_positions(program), "p.ebb")
    assert without_positions(again) == without_positions(program)


def test_without_positions_positions_are_those_of_the_text() -> None:
    text = show_program_without_positions(program_of(step("L0", Skip(), 70, 7, "said before")))
    assert "//@" not in text
    again = parse(text, "again.ebb")
    assert again.name == "again"
    assert again.source == "again.ebb"
    (instruction,) = again.processes[0].body
    assert text.splitlines()[instruction.at.line - 1] == "  skip;"
    assert instruction.note == ""


def test_without_positions_a_program_keeps_the_memory_model_it_contains() -> None:
    text = show_program_without_positions(replace(program_of(), model="sc"))
    assert parse(text, "p.ebb").model == "sc"


@pytest.mark.parametrize("kind", PROPERTY_KINDS)
def test_every_kind_of_property(kind: str) -> None:
    property_ = next(
        Property(known, Binary("==", X, Integer(0)), Position(9, 1)) for known in PROPERTY_KINDS if known == kind
    )
    program = replace(program_of(), properties=(property_,))
    assert f"assert {kind} (X == 0);  //@ 9:1\n" in show_program(program)
    assert parse(show_program(program), "p.ebb") == program


# ---- labels


def test_a_made_label_that_nothing_refers_to_is_not_printed() -> None:
    program = program_of(step("L0", Skip()), step("L1", Atomic((step("L1_1", Skip()),))), step("L2", Skip()))
    assert body_lines(program) == ["  skip;", "  atomic {", "    skip;", "  }", "  skip;"]


def test_a_label_inside_a_block_is_made_from_that_of_the_block() -> None:
    program = program_of(step("cs", Atomic((step("cs_1", Skip()), step("L0_2", Skip()), step("L2", Skip())))))
    assert body_lines(program) == [
        *("cs:", "  atomic {", "    skip;", "  L0_2:", "    skip;", "  L2:", "    skip;", "  }"),
    ]
    assert parse(show_program(program), "p.ebb") == program


def test_a_made_label_that_a_jump_refers_to_is_printed() -> None:
    program = program_of(step("L0", Skip()), step("L1", Skip()), step("L2", Goto(("L1",))))
    assert body_lines(program) == ["  skip;", "L1:", "  skip;", "  goto L1;"]


def test_a_made_label_that_a_property_refers_to_is_printed() -> None:
    other = Process("P2", AT, (), (step("L0", Skip()),))
    program = program_of(step("L0", Skip()), step("L1", Skip()))
    inside = Binary("==", Element("Q", Unary("!", At("P", "L1"))), Integer(0))
    program = replace(program, processes=(*program.processes, other), properties=(Property("never", inside, AT),))
    lines = show_program_without_positions(program).splitlines()
    assert [line for line in lines if line.endswith(":")] == ["L1:"]


def test_a_label_in_the_wrong_place_is_printed() -> None:
    program = program_of(step("L1", Skip()), step("L0", Skip()), step("cs", Skip()), step("L3", Skip()))
    assert body_lines(program) == ["L1:", "  skip;", "L0:", "  skip;", "cs:", "  skip;", "  skip;"]
    assert parse(show_program(program), "p.ebb") == program


def test_the_edges_of_a_transaction_count_as_instructions() -> None:
    program = program_of(step("L0", Transaction("begin")), step("L1", Skip()), step("L2", Transaction("end")))
    assert body_lines(program) == ["  transaction {", "    skip;", "  }"]
    assert parse(show_program(program), "p.ebb") == program


def test_nested_transactions_have_labels_before_their_braces() -> None:
    program = program_of(
        step("a", Transaction("begin"), 1),
        step("b", Transaction("begin"), 2),
        step("c", Transaction("end"), 3),
        step("d", Transaction("end"), 4),
        step("e", Atomic((step("f", Transaction("begin"), 5), step("g", Transaction("end"), 6)))),
    )
    assert body_lines(program) == [
        *("a:", "  transaction {", "  b:", "    transaction {", "    c: }", "  d: }"),
        *("e:", "  atomic {", "  f:", "    transaction {", "    g: }", "  }"),
    ]
    assert parse(show_program(program), "p.ebb") == program


# ---- comments


def comment_columns(text: str) -> list[int]:
    return [line.index("//@") for line in text.splitlines()[1:] if "//@" in line]


def test_comments_of_a_block_stand_in_one_column() -> None:
    program = program_of(step("L0", Skip()), step("L1", Assign(R, Binary("+", X, Integer(100)))))
    columns = comment_columns(show_program(program))
    assert columns == [len("shared Q[4] = 0;  ")] * 3 + [len("  r = X + 100;  ")] * 5


def test_a_long_line_does_not_push_the_other_comments_away() -> None:
    name = "a_name_that_is_much_longer_than_what_anybody_would_like_to_read"
    program = replace(program_of(), shared=(Variable("X", AT), Variable(name, AT)))
    assert comment_columns(show_program(program))[:2] == [48, len(f"shared {name} = 0;  ")]
    assert parse(show_program(program), "p.ebb") == program


@pytest.mark.parametrize("note", ["load Y", "//@ 1:2", "*/ x /*", "a  b", '"', "→ Ω"])
def test_notes_come_back_as_they_were(note: str) -> None:
    program = program_of(
        step("L0", Skip(), 3, 4, note), step("L1", Atomic((step("L1_1", Skip(), 5, 6, note),)), 7, 8, note)
    )
    program = replace(program, shared=tuple(replace(variable, note=note) for variable in program.shared))
    assert parse(show_program(program), "p.ebb") == program


@pytest.mark.parametrize("name", ["p", "SB+mfence+po", "my prog", "from"])
@pytest.mark.parametrize("source", ["p.ebb", "my prog.ebb", "x from y.ebb", "model sc.ebb"])
@pytest.mark.parametrize("model", ["any", "sc"])
def test_the_first_line_names_program_and_source(name: str, source: str, model: str) -> None:
    program = replace(program_of(), name=name, source=source, model="sc" if model == "sc" else "any")
    assert parse(show_program(program), "elsewhere.ebb") == program


# ---- smaller parts


@pytest.mark.parametrize("keyword", ["wait", "process", "predicates", "never", "when"])
def test_names_that_are_keywords_stand_in_backquotes(keyword: str) -> None:
    program = Program(
        "p",
        "p.ebb",
        (Variable("X", AT), Variable("flag", AT)),
        (Process(keyword, AT, (Variable(keyword, AT),), (step(keyword, Goto((keyword,))),), "flag"),),
        (Property("never", Binary("&&", At(keyword, keyword), Name(f"{keyword}.{keyword}")), AT),),
    )
    text = show_program(program)
    assert f"process `{keyword}` when flag {{" in text
    label = (
        f"`{keyword}`" if keyword in ("process", "predicates") else keyword
    )  # most keywords can be labels as they are
    assert f"assert never (`{keyword}`@{label} && `{keyword}`.`{keyword}`);" in text
    assert parse(text, "p.ebb") == program


def test_an_element_of_a_local_array_in_a_property() -> None:
    local = Variable("a", AT, size=2)
    condition = Binary("==", Element("P.a", Name("P.r")), Integer(0))
    program = program_of()
    process = replace(program.processes[0], locals=(Variable("r", AT), local))
    program = replace(program, processes=(process,), properties=(Property("final", condition, AT),))
    assert "assert final (P.a[P.r] == 0);" in show_program(program)
    assert parse(show_program(program), "p.ebb") == program


def test_an_action_is_one_line_without_semicolon() -> None:
    assert show_action(Branch(Binary("==", R, Integer(0)), "cs")) == "if (r == 0) goto cs"
    assert show_action(Put(Element("Q", R), "P", X)) == "put(Q[r], P, X)"


def test_part_of_a_body_has_the_labels_it_needs() -> None:
    block = step("L7", Atomic((step("L7_1", Branch(R, "L7_2")), step("L7_2", Skip()))))
    assert show_body((block,)) == ["atomic {", "  if (r) goto L7_2;", "L7_2:", "  skip;", "}"]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Conditional(R, X, Y), "r ? X : Y"),
        (Conditional(Binary("||", R, X), Y, Integer(1)), "r || X ? Y : 1"),
        (Conditional(R, Integer(1), Conditional(X, Integer(2), Integer(3))), "r ? 1 : X ? 2 : 3"),
        (Conditional(R, Conditional(X, Integer(1), Integer(2)), Integer(3)), "r ? X ? 1 : 2 : 3"),
        (Conditional(Conditional(R, X, Y), Integer(1), Integer(2)), "(r ? X : Y) ? 1 : 2"),
        (Binary("||", Conditional(R, X, Y), Integer(1)), "(r ? X : Y) || 1"),
        (Binary("||", Integer(1), Conditional(R, X, Y)), "1 || (r ? X : Y)"),
        (Unary("!", Conditional(R, X, Y)), "!(r ? X : Y)"),
        (Unary("-", Conditional(R, X, Y)), "-(r ? X : Y)"),
        (Element("Q", Conditional(R, X, Y)), "Q[r ? X : Y]"),
    ],
)
def test_a_conditional_binds_weakest_and_groups_to_the_right(expression: Expression, text: str) -> None:
    assert show(expression) == text
    program = program_of(step("L0", Atomic((step("L0_1", Assign(R, expression)),))))
    assert parse(show_program(program), "p.ebb") == program
