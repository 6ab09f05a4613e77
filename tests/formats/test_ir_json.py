"""Programs as documents: what is written is read back, and what is wrong is refused where it stands."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_programs import programs

from ebb.formats import ir_json
from ebb.formats.errors import InputError, Position
from ebb.formats.expression_json import from_json
from ebb.formats.expressions import At, Binary, Conditional, Element, Expression, Integer, Name, Unary
from ebb.formats.ir import (
    PROPERTY_KINDS,
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
    Skip,
    Transaction,
    Variable,
)
from ebb.formats.ir_check import check
from ebb.formats.json_record import ShapeError

REPO = Path(__file__).parent.parent.parent
SCHEMA = json.loads((REPO / "docs/formats/ir.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def at(line: int) -> Position:
    return Position(line, 3)


def step(label: str, action: Action, note: str = "") -> Instruction:
    return Instruction(label, action, at(7), note)


X, Y, Z, R = (Name(name) for name in "XYZr")
Q_I = Element("Q", Name("i"))

EVERYTHING = Program(
    name="every thing é",
    source="every-thing.ebb",
    shared=(
        Variable("X", at(1)),
        Variable("Y", at(1), initial=None, range=Range(-1, 4)),
        Variable("Q", at(2), initial=2, range=Range(0, 9), size=4),
        Variable("_started", at(2)),
        Variable("Z", at(3), initial=-7, owner="P0"),
        Variable("W", at(3), initial=1, owner="process"),
    ),
    processes=(
        Process(
            "P0",
            at(5),
            locals=(Variable("r", at(6)), Variable("i", at(6), None, Range(0, 3)), Variable("a", at(6), 0, None, 2)),
            body=(
                step("again", Assign(X, Binary("+", R, Integer(1)))),
                step("L1", Assign(R, Binary("-", Unary("-", R), Q_I)), "load Q[i]"),
                step("L2", Assign(Q_I, Integer(-3))),
                step("L3", Havoc(R)),
                step("L4", Havoc(Element("Q", Integer(0)))),
                step("L5", Assume(Binary("!=", Y, Integer(0)))),
                step("L6", Assert(Unary("!", Binary("&&", R, Element("a", R)))), "r and a[r]"),
                step("cs", Skip()),
                step("L8", Goto(("again", "L9"))),
                step("L9", Branch(Binary("<=", R, Integer(3)), "cs")),
                step(
                    "L10",
                    Atomic(
                        (
                            step("L11", Branch(Binary("==", X, Y), "L15")),
                            step("L12", Atomic((step("L13", Assign(X, Y)), step("L14", Goto(("L13",)))))),
                            step("L15", Assume(X), "inner"),
                        )
                    ),
                    "lock m",
                ),
                step("L16", Atomic(())),
                step("L17", Fence()),
                step("L18", Fence("X")),
                step("L19", Put(Name("W"), "process", Z)),
                step("L20", Get(Q_I, Element("Q", Integer(1)), "P0")),
                step("L21", Flush("process")),
                step("L22", Transaction("begin")),
                step("L23", Transaction("begin")),
                step("L24", Branch(R, "L25")),
                step("L25", Transaction("end")),
                step("L26", Transaction("end")),
            ),
        ),
        Process("process", at(30), locals=(), body=(), when="_started"),
    ),
    properties=tuple(
        Property(kind, Binary("||", At("P0", "cs"), Binary(">", Name("P0.r"), X)), at(40)) for kind in PROPERTY_KINDS
    ),
    predicates=(
        Predicate(Binary("<", Element("Q", Name("P0.i")), Binary("%", X, Integer(2))), at(41)),
        Predicate(Binary(">=", Binary("*", X, Y), Binary("/", Element("P0.a", Integer(0)), Integer(10**99))), at(42)),
    ),
    model="sc",
)
REDUCED = Program(
    name="reduced",
    source="reduced.ebb",
    shared=(Variable("X", at(1)), Variable("X1Set", at(1), type="set", note="what put 1 may have read")),
    processes=(
        Process(
            "P0",
            at(2),
            locals=(Variable("a", at(3), size=2, note="the buffer of X"),),
            body=(
                step("L0", Assign(X, Conditional(Binary("<", X, Integer(2)), Binary("+", X, X), Integer(0)))),
                step("L1", Collect("X1Set", X)),
                step("L2", Add("X1Set", Binary("+", X, Integer(1)))),
                step("L3", Choose(X, "X1Set")),
                step("L4", Forget(Name("X1Set"))),
                step("L5", Forget(Element("a", Integer(1)))),
                step("L6", Overflow()),
            ),
        ),
        Process("network", at(9), locals=(), body=(), background=True),
    ),
    model="sc",
    reduced="rma",
)
SMALL = Program("small", "small.ebb", (), (Process("P", at(1), (), ()),))
TEXT = ir_json.dumps(EVERYTHING)


def load(text: str) -> Program | InputError:
    try:
        return ir_json.loads(text)
    except InputError as error:
        return error


def load_error(text: str) -> InputError:
    error = load(text)
    assert isinstance(error, InputError), "this document was read"
    return error


def position(text: str, offset: int) -> Position:
    lines = text[:offset].split("\n")
    return Position(len(lines), len(lines[-1]) + 1)


# ---- round trips


def test_the_programs_use_every_operation() -> None:
    used = set(re.findall(r'"op": "(\w+)"', TEXT + ir_json.dumps(REDUCED)))
    assert used == set(ir_json._ACTIONS)


@pytest.mark.parametrize("program", [EVERYTHING, REDUCED, SMALL], ids=lambda program: program.name)
def test_what_is_written_is_read_back(program: Program) -> None:
    text = ir_json.dumps(program)
    assert ir_json.loads(text) == program
    VALIDATOR.validate(json.loads(text))


@given(programs())
def test_what_is_written_is_read_back_for_any_program(program: Program) -> None:
    text = ir_json.dumps(program)
    assert ir_json.loads(text) == program
    VALIDATOR.validate(json.loads(text))


def test_layout(golden: Callable[[str, str], None]) -> None:
    golden("everything.ir.json", TEXT)
    golden("reduced.ir.json", ir_json.dumps(REDUCED))


def test_one_instruction_a_line() -> None:
    assert TEXT.endswith("}\n")
    for line in TEXT.splitlines():
        assert line.count('"label":') + line.count('"initial":') <= 1
        assert line == line.rstrip()


def test_any_other_layout_is_read_too() -> None:
    document = json.loads(TEXT)
    for text in (json.dumps(document), json.dumps(document, indent=3), json.dumps(document, sort_keys=True)):
        assert ir_json.loads(text) == EVERYTHING


def test_unprintable_strings_are_written_in_ascii() -> None:
    program = Program("\ud800\u202e", "a\nb", (), SMALL.processes)
    assert r'"name": "\ud800\u202e"' in ir_json.dumps(program)
    assert r'"source": "a\nb"' in ir_json.dumps(program)


@pytest.mark.parametrize(("value", "expression"), [("5", -5), ('["-", 5]', 5), ("-5", 5), ("0", 0)])
def test_a_minus_before_an_integer_is_folded(value: str, expression: int) -> None:
    text = TEXT.replace('"target": ["[]", "Q", "i"], "value": -3', f'"target": "r", "value": ["-", {value}]')
    assert text != TEXT
    assert ir_json.loads(text).processes[0].body[2].action == Assign(R, Integer(expression))


# ---- what is refused, and where: ¶ stands before the offending value

BAD_SHAPES = [  # what the schema refuses as well
    ('"format": "ebb-ir"', '"format": ¶"ebb-bp"', "expected the format 'ebb-ir', not 'ebb-bp'"),
    ('"format": "ebb-ir"', '"format": ¶7', "expected a string, not an integer"),
    ('{\n  "format": "ebb-ir",\n', "¶{\n", "not an ebb-ir document: 'format' or 'version' is missing"),
    ('"version": 1', '"version": ¶2', "written by a newer ebb: version 2; this one reads version 1"),
    ('"version": 1', '"version": ¶0', "there is no version 0; this ebb reads version 1"),
    ('"version": 1', '"version": ¶true', "expected an integer, not true"),
    ('"version": 1', '"version": ¶"1"', "expected an integer, not a string"),
    ('"model": "sc"', '"model": ¶"tso"', "unknown model 'tso'"),
    ('"model": "sc"', '"model": ¶null', "expected a string, not null"),
    ('"model": "sc"', '"model": "sc",\n ¶"colour": 1', "unknown key 'colour'"),
    ('{\n  "format"', '¶{\n  "format"', "the key 'model' is missing"),
    ('"name": "every thing é"', '"name": ¶"two\\nlines"', "the name is one line of printable characters"),
    ('"name": "every thing é"', '"name": ¶""', "the name is one line of printable characters"),
    ('"source": "every-thing.ebb"', '"source": ¶"\\u2028"', "the source is one line of printable characters"),
    ('{"name": "X", "initial": 0', '{"name": "X", "initial": ¶false', "expected an integer, not false"),
    ('{"name": "X", "initial": 0', '{"name": "X", "initial": ¶"any"', "expected an integer or '*', not 'any'"),
    ('{"name": "X", "initial": 0', '{"name": ¶"X.y", "initial": 0', "'X.y' cannot be the name of a shared variable"),
    ('{"name": "X", "initial": 0', '{"name": ¶"", "initial": 0', "'' cannot be the name of a shared variable"),
    ('{"name": "X", "initial": 0', '¶{"name": "X"', "the key 'initial' is missing"),
    ('{"name": "X", "initial": 0', '{"name": "X", "initial": 0, "range": ¶[1]', "expected the lowest and the highest"),
    ('{"name": "X", "initial": 0', '{"name": "X", "initial": 0, "range": ¶null', "expected a list, not null"),
    ('"range": [-1, 4]', '"range": [-1, ¶4.5]', "expected an integer, not a number with a fraction or an exponent"),
    ('"range": [-1, 4]', '"range": [-1, 4], "size": ¶0', "the array 'Y' has no element"),
    ('"range": [-1, 4]', '"range": [-1, 4], "size": ¶65537', "the array 'Y' has more than 65536 elements"),
    ('{"name": "r", "initial": 0', '{"name": "r", "initial": 0, "owner": ¶"P0"', "a local variable has no owner"),
    ('"at": [5, 3]', '"at": ¶[5]', "expected a line and a column, not a list of 1"),
    ('"at": [5, 3]', '"at": ¶[5, 3, 1]', "expected a line and a column, not a list of 3"),
    ('"at": [5, 3]', '"at": ¶[0, 3]', "lines and columns count from 1"),
    ('"at": [5, 3]', '"at": ¶[1000000000, 3]', "no source has so many lines or columns"),
    ('"at": [5, 3]', '"at": ¶{"line": 5}', "expected a list, not an object"),
    ('{"label": "again", "op": "assign"', '{"label": "again", "op": ¶"move"', "unknown operation 'move'"),
    ('{"label": "again", "op": "assign"', '¶{"label": "again"', "the key 'op' is missing"),
    ('{"label": "again", "op": "assign"', '¶{"op": "assign"', "the key 'label' is missing"),
    ('{"label": "again", "op": "assign"', '{"label": ¶"a b", "op": "assign"', "'a b' cannot be the name of a label"),
    ('{"label": "again", "op"', '¶7, {"label": "again", "op"', "expected an object, not an integer"),
    ('"op": "skip"', '"op": "skip", ¶"target": "X"', "unknown key 'target'"),
    ('"note": "load Q[i]"', '"note": ¶""', "'note' is left out where it is \"\""),
    ('"note": "load Q[i]"', '"note": ¶" load"', "a note is one line of printable characters"),
    ('"note": "load Q[i]"', '"note": ¶"a\\tb"', "a note is one line of printable characters"),
    ('"targets": ["again", "L9"]', '"targets": ¶[]', "a goto needs a target"),
    ('"targets": ["again", "L9"]', '"targets": ["again", ¶["L9"]]', "expected a string, not a list"),
    ('"variable": "X"', '"variable": ¶null', "expected a string, not null"),
    ('"edge": "begin"', '"edge": ¶"middle"', "a transaction has the edges 'begin' and 'end', not 'middle'"),
    ('"kind": "never"', '"kind": ¶"sometimes"', "unknown kind of property 'sometimes'"),
    ('["+", "r", 1]', "¶null", "expected an expression"),
    ('["+", "r", 1]', "¶[]", "expected an expression"),
    ('["+", "r", 1]', "¶{}", "expected an expression"),
    ('["+", "r", 1]', '["+", "r", ¶1.5]', "expected an expression"),
    ('["+", "r", 1]', '["+", ¶true, 1]', "expected an expression"),
    ('["+", "r", 1]', '[¶"^", "r", 1]', "unknown operator '^'"),
    ('["+", "r", 1]', '[¶["+"], "r", 1]', "expected a string, not a list"),
    ('["+", "r", 1]', '¶["+", "r"]', "the operator '+' does not take 1 operands"),
    ('["+", "r", 1]', '¶["!", "r", 1]', "the operator '!' does not take 2 operands"),
    ('["+", "r", 1]', '["[]", ¶["a"], 1]', "expected a string, not a list"),
    ('["@", "P0", "cs"]', '["@", "P0", ¶7]', "expected a string, not an integer"),
    ('"target": "X"', '"target": ¶["+", "X", 1]', "expected a variable or an element of an array"),
    ('"target": "X"', '"target": ¶7', "expected a variable or an element of an array"),
]  # fmt: skip
BAD_MEANING = [  # what no schema sees
    ('"version": 1', '"version": 1, ¶"version": 1', "the key 'version' occurs twice in one object"),
    ('"version": 1', '"version": ¶NaN', "NaN is not JSON"),
    ('"version": 1', '"version": ¶1.0', "expected an integer, not a number with a fraction or an exponent"),
    ('"version": 1', '"version" ¶1', "not JSON: expecting ':' delimiter"),
    ('"range": [-1, 4]', f'"range": [-1, ¶{"4" * 101}]', "an integer of more than 100 digits"),
    ('"range": [-1, 4]', '"range": ¶[4, -1]', "the range of 'Y' is empty"),
    ('["+", "r", 1]', '["+", "r", ¶"nowhere"]', "'nowhere' is not declared"),
    ('["+", "r", 1]', '["+", ["-", 3], ["!", ["[]", ¶"r", 0]]]', "'r' has an index but is not an array"),
    ('"target": "cs"', '"target": ¶"CS"', "there is no label 'CS'"),
    ('["@", "P0", "cs"]', '["@", "P0", ¶"L11"]', "the process 'P0' has no label 'L11' outside atomic blocks"),
    ('"label": "L14"', '"label": ¶"again"', "the label 'again' occurs twice in the process 'P0'"),
    ('"process": "process", "source": "Z"', '"process": ¶"P9", "source": "Z"', "there is no process 'P9'"),
]  # fmt: skip


BAD_REDUCED = [  # in the reduced program, refused by the schema as well
    ('"reduced": "rma"', '"reduced": ¶"arm"', "unknown model 'arm'"),
    ('"reduced": "rma"', '"reduced": ¶true', "expected a string, not true"),
    ('"background": true', '"background": ¶1', "expected true or false, not an integer"),
    ('"background": true', '"background": ¶false', "'background' is left out where it is false"),
    ('"type": "set"', '"type": ¶"integer"', "'type' is left out where it is \"integer\""),
    ('"reduced": "rma"', '"reduced": ¶null', "expected a string, not null"),
    ('"note": "the buffer of X"', '"note": ¶"the buffer "', "a note is one line of printable characters"),
    ('"type": "set"', '"type": ¶"bag"', "unknown type 'bag'"),
    ('"note": "the buffer of X"', '"note": ¶"\\n"', "a note is one line of printable characters"),
    ('"set": "X1Set"', '"set": ¶["X1Set"]', "expected a string, not a list"),
    ('["?", ["<", "X", 2], ["+", "X", "X"], 0]', '¶["?", "X", 0]', "the operator '?' does not take 2 operands"),
    ('["?", ["<", "X", 2], ["+", "X", "X"], 0]', '["?", "X", 0, ¶null]', "expected an expression"),
    ('"target": ["[]", "a", 1]', '"target": ¶1', "expected a variable or an element of an array"),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD_REDUCED)
def test_what_is_wrong_with_a_reduced_program(old: str, new: str, message: str) -> None:
    text = ir_json.dumps(REDUCED)
    assert old in text
    before, after = text.replace(old, new, 1).split("¶")
    error = load_error(before + after)
    assert error.message.startswith(message)
    assert error.position == position(before, len(before))
    assert not VALIDATOR.is_valid(json.loads(before + after))


@pytest.mark.parametrize(("old", "new", "message"), BAD_SHAPES + BAD_MEANING)
def test_what_is_wrong_is_refused_where_it_stands(old: str, new: str, message: str) -> None:
    base = TEXT if message != "the key 'model' is missing" else TEXT.replace('  "model": "sc",\n', "")
    assert old in base
    marked = base.replace(old, new, 1)
    before, after = marked.split("¶")
    error = load_error(before + after)
    assert error.message.startswith(message)
    assert error.position == position(before, len(before))


@pytest.mark.parametrize(("old", "new", "message"), BAD_SHAPES)
def test_the_schema_refuses_what_has_the_wrong_shape(old: str, new: str, message: str) -> None:
    base = TEXT if message != "the key 'model' is missing" else TEXT.replace('  "model": "sc",\n', "")
    document = json.loads(base.replace(old, new, 1).replace("¶", ""))
    assert not VALIDATOR.is_valid(document)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("text", ["", "[]", "7", '"x"', "null", "{}", "\ufeff{}"])
def test_other_documents(text: str) -> None:
    assert load_error(text).position == Position(1, 1)


def test_what_a_newer_ebb_wrote_is_named_before_anything_it_added() -> None:
    text = TEXT.replace('"version": 1', '"version": 2, "colours": []')
    assert load_error(text).message.startswith("written by a newer ebb")


# ---- limits


def nested(depth: int) -> Expression:
    expression: Expression = R
    for _ in range(depth):
        expression = Unary("!", expression)
    return expression


def blocks(depth: int, action: Action) -> Instruction:
    instruction = step("L0", action)
    for number in range(depth):
        instruction = step(f"B{number}", Atomic((instruction,)))
    return instruction


def with_step(instruction: Instruction) -> Program:
    process = Process("P0", at(1), (Variable("r", at(2)),), (instruction,))
    return Program("p", "p.ebb", (), (process,))


@pytest.mark.parametrize("program", [with_step(step("L0", Assign(R, nested(300)))), with_step(blocks(60, Skip()))])
def test_what_is_as_deep_as_can_be_is_read_back(program: Program) -> None:
    assert check(program) == []
    assert ir_json.loads(ir_json.dumps(program)) == program


def test_the_deepest_expression_in_the_deepest_block_is_read_back() -> None:
    text = ir_json.dumps(with_step(blocks(60, Assign(R, nested(300)))))
    assert ir_json.dumps(ir_json.loads(text)) == text  # comparing the programs themselves would recurse too deep


def test_depth_does_not_hide_another_mistake() -> None:
    text = ir_json.dumps(with_step(blocks(60, Assign(R, nested(300)))))
    error = load_error(text.replace('"predicates": []', '"predicates": [], "name": "q"'))
    assert error.message == "the key 'name' occurs twice in one object"


def test_deep_indices_that_are_equal_are_compared() -> None:
    def index() -> Expression:
        expression: Expression = Integer(0)
        for _ in range(198):
            expression = Element("Q", expression)
        return expression

    put = Put(Element("Q", Binary("+", index(), index())), "P0", X)
    program = replace(with_step(blocks(60, put)), shared=(Variable("Q", at(1), size=2), Variable("X", at(1))))
    assert load_error(ir_json.dumps(program)).message.startswith("the index of a place that is copied remotely")


def test_deeper_expressions_are_refused_where_they_get_too_deep() -> None:
    program = with_step(step("L0", Assign(R, nested(301))))
    text = ir_json.dumps(program)
    error = load_error(text)
    assert error.message == "an expression nested deeper than 300"
    assert error.position == position(text, text.index('["!", "r"]'))
    assert [finding.message for finding in check(program)] == [error.message]


def test_deeper_atomic_blocks_are_refused() -> None:
    program = with_step(blocks(61, Skip()))
    text = ir_json.dumps(program)
    error = load_error(text)
    assert error.message == "atomic blocks nested deeper than 60"
    assert error.position == position(text, text.index('{"label": "B0"'))
    assert [finding.message for finding in check(program)] == [error.message]


@pytest.mark.parametrize("many", [*range(305, 1000, 50), 100_000])
def test_what_is_far_too_deep_is_refused_by_whoever_meets_it_first(many: int) -> None:
    text = TEXT.replace('["+", "r", 1]', '["!", ' * many + "1" + "]" * many)
    assert "nested deeper than" in load_error(text).message
    block = '{"label": "D", "op": "atomic", "at": [1, 1], "body": ['
    text = TEXT.replace('"body": []', f'"body": [{block * many}{"]}" * many}]')
    assert "nested deeper than" in load_error(text).message
    assert load_error("[" * many).position is not None


def test_reading_an_expression_stops_where_it_gets_too_deep() -> None:
    value: Any = "r"
    for _ in range(50_000):
        value = ["!", value]
    with pytest.raises(ShapeError) as caught:
        from_json(value, ("here",))
    assert caught.value.path == ("here", *[1] * 300)


# ---- programs that nobody should have made

NAMES = st.sampled_from(["X", "Y", "Q", "r", "P0", "P1", "P0.r", "L0", "L1", "L2", "a b"])
INTEGERS = st.sampled_from([0, 1, -1, 4, 10**100])
PLACES = st.builds(Name, NAMES) | st.builds(Element, NAMES, st.builds(Integer, INTEGERS) | st.builds(Name, NAMES))
EXPRESSIONS = st.recursive(
    st.builds(Integer, INTEGERS) | PLACES | st.builds(At, NAMES, NAMES),
    lambda inner: (
        st.builds(Element, NAMES, inner)
        | st.builds(Unary, st.sampled_from("-!?"), inner)
        | st.builds(Binary, st.sampled_from(["+", "==", "||", "?"]), inner, inner)
        | st.builds(Conditional, inner, inner, inner)
    ),
    max_leaves=4,
)
POSITIONS = st.builds(Position, st.integers(0, 3), st.just(1))
ACTIONS: st.SearchStrategy[Action] = st.deferred(
    lambda: st.one_of(
        st.builds(Assign, PLACES, EXPRESSIONS),
        st.builds(Havoc, PLACES),
        st.builds(Assume, EXPRESSIONS),
        st.builds(Assert, EXPRESSIONS),
        st.builds(Goto, st.lists(NAMES, max_size=2).map(tuple)),
        st.builds(Branch, EXPRESSIONS, NAMES),
        st.builds(Atomic, BODIES),
        st.builds(Fence, st.none() | NAMES),
        st.builds(Put, PLACES, NAMES, PLACES),
        st.builds(Get, PLACES, PLACES, NAMES),
        st.builds(Flush, NAMES),
        st.builds(Transaction, st.sampled_from(["begin", "end", "between"])),
        st.just(Overflow()),
        st.builds(Forget, PLACES),
        st.builds(Collect, NAMES, EXPRESSIONS),
        st.builds(Add, NAMES, EXPRESSIONS),
        st.builds(Choose, PLACES, NAMES),
    )
)
NOTES = st.sampled_from(["", "note", "\n"])
BODIES: st.SearchStrategy[tuple[Instruction, ...]] = st.lists(
    st.builds(Instruction, NAMES, ACTIONS, POSITIONS, NOTES), max_size=3
).map(tuple)
VARIABLES = st.lists(
    st.builds(
        Variable,
        NAMES,
        POSITIONS,
        st.none() | INTEGERS,
        st.none() | st.builds(Range, INTEGERS, INTEGERS),
        st.none() | INTEGERS,
        st.none() | NAMES,
        st.sampled_from(["integer", "set", "bag"]),
        NOTES,
    ),
    max_size=3,
).map(tuple)
PROCESSES = st.builds(Process, NAMES, POSITIONS, VARIABLES, BODIES, st.none() | NAMES, st.booleans())
LOOSE_PROGRAMS = st.builds(
    Program,
    st.sampled_from(["p", "\n"]),
    st.sampled_from(["p.ebb", "\t"]),
    VARIABLES,
    st.lists(PROCESSES, max_size=2).map(tuple),
    st.lists(st.builds(Property, st.sampled_from(["final", "?"]), EXPRESSIONS, POSITIONS), max_size=2).map(tuple),
    st.lists(st.builds(Predicate, EXPRESSIONS, POSITIONS), max_size=2).map(tuple),
    st.sampled_from(["any", "sc", "tso"]),
    st.sampled_from([None, "tso", "rma", "sc"]),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(LOOSE_PROGRAMS)
def test_a_document_is_read_exactly_if_the_validator_finds_nothing(program: Program) -> None:
    text = ir_json.dumps(program)
    findings = check(program)
    if findings:
        assert load_error(text).position is not None
    else:
        assert ir_json.loads(text) == program
    document = json.loads(text)
    for finding in findings:
        part: Any = document
        for key in finding.path:
            part = part[key]


# ---- damaged documents


def flip(text: str, choice: random.Random) -> str:
    data = bytearray(text.encode())
    for _ in range(choice.randint(1, 3)):
        data[choice.randrange(len(data))] ^= 1 << choice.randrange(8)
    return data.decode(errors="replace")


def cut(text: str, choice: random.Random) -> str:
    start = choice.randrange(len(text))
    return text[:start] + text[start + choice.choice([1, 1, 2, 5, 20, len(text)]) :]


def swap(text: str, choice: random.Random) -> str:
    """Puts one value of the document where another one was."""
    document = json.loads(text)
    holders: list[tuple[Any, Any]] = []
    pending = [document]
    while pending:
        value = pending.pop()
        steps = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
        holders += [(value, step) for step in steps]
        pending += [value[step] for step in steps]
    (into, key), (out_of, other) = choice.sample(holders, 2)
    value = json.loads(json.dumps(out_of[other]))  # a copy: a value cannot contain itself
    if choice.random() < 0.2:
        value = choice.choice([None, True, 1.5, "", "X", [], {}, -1, 10**120])
    into[key] = value
    return json.dumps(document, indent=1)


def test_damaged_documents_are_read_or_refused_with_a_position() -> None:
    choice = random.Random(2024)
    refused = read = 0
    for number in range(2000):
        text = (flip, cut, swap)[number % 3](TEXT, choice)
        outcome = load(text)
        if isinstance(outcome, InputError):
            refused += 1
            assert outcome.position is not None
            lines = text.split("\n")
            assert 1 <= outcome.position.line <= len(lines)
            assert 1 <= outcome.position.column <= len(lines[outcome.position.line - 1]) + 1
            assert outcome.message.isprintable()
        else:
            read += 1
            assert check(outcome) == []
            assert ir_json.loads(ir_json.dumps(outcome)) == outcome
    assert refused > 1000
    assert read > 50


# ---- the page about the format


def test_the_documents_on_the_page_are_as_written() -> None:
    page = (REPO / "docs/formats/ir.md").read_text(encoding="utf-8")
    documents = [block for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL) if block.startswith("{\n")]
    assert len(documents) >= 2
    for document in documents:
        assert ir_json.dumps(ir_json.loads(document)) == document


def test_the_page_names_every_operation() -> None:
    page = (REPO / "docs/formats/ir.md").read_text(encoding="utf-8")
    for operation in ir_json._ACTIONS:
        assert f'"{operation}"' in page
