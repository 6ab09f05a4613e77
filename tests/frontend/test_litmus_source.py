"""The litmus front end: what each part of a file becomes, and the whole collection."""

import time
from pathlib import Path

import pytest

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import Binary, Expression, Integer, Name, Unary, show
from ebb.formats.ir import (
    Action,
    Assign,
    Atomic,
    Branch,
    Fence,
    Instruction,
    Process,
    Program,
    Property,
    PropertyKind,
    Skip,
    Variable,
    instructions,
)
from ebb.formats.ir_check import check
from ebb.frontend.litmus_source import parse

STORE_BUFFERING = r"""X86 SB
"Fre PodWR Fre PodWR"
Generator=by hand (version 1)
{ y=0; x=7; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MFENCE      ;
             | MOV EBX,[x] ;
exists (0:EAX=0 /\ 1:EBX=0)
"""


def intel(*cells: str, init: str = "", condition: str = "exists true") -> Program:
    """One process that runs the cells, in Intel's syntax."""
    rows = "".join(f" {cell} ;\n" for cell in cells)
    return parse(f"X86 t\n{{ {init} }}\n P0 ;\n{rows}{condition}", "t.litmus")


def att(*cells: str, init: str = "", condition: str = "exists true") -> Program:
    """One process that runs the cells, in AT&T's syntax."""
    rows = "".join(f" {cell} ;\n" for cell in cells)
    return parse(f"X86_64 t\n{{ {init} }}\n P0 ;\n{rows}{condition}", "t.litmus")


def lines(program: Program) -> list[str]:
    """The instructions of the first process in a notation short enough to compare."""
    return [
        f"{each.label}: {_show_action(each.action)}" + (f"  // {each.note}" if each.note else "")
        for each in instructions(program.processes[0].body)
    ]


def _show_action(action: Action) -> str:
    match action:
        case Assign(target, value):
            return f"{show(target)} = {show(value)}"
        case Branch(condition, target):
            return f"if ({show(condition)}) goto {target}"
        case Atomic(body):
            return f"atomic {len(body)}"
        case _:
            return type(action).__name__.lower()


def local_values(program: Program) -> dict[str, int | None]:
    return {variable.name: variable.initial for variable in program.processes[0].locals}


def condition_of(program: Program) -> Expression:
    return program.properties[0].condition


def test_a_whole_program() -> None:
    zero = Integer(0)
    eax, ebx = Binary("==", Name("P0.EAX"), zero), Binary("==", Name("P1.EBX"), zero)
    assert parse(STORE_BUFFERING, "SB+one.litmus") == Program(
        name="SB+one",
        source="SB+one.litmus",
        shared=(Variable("y", Position(4, 3), 0), Variable("x", Position(4, 8), 7)),
        processes=(
            Process(
                "P0",
                Position(5, 2),
                (Variable("EAX", Position(7, 6)),),
                (
                    Instruction("L0", Assign(Name("x"), Integer(1)), Position(6, 2)),
                    Instruction("L1", Assign(Name("EAX"), Name("y")), Position(7, 2)),
                ),
            ),
            Process(
                "P1",
                Position(5, 16),
                (Variable("EBX", Position(8, 20)),),
                (
                    Instruction("L0", Assign(Name("y"), Integer(1)), Position(6, 16)),
                    Instruction("L1", Fence(None), Position(7, 16)),
                    Instruction("L2", Assign(Name("EBX"), Name("x")), Position(8, 16)),
                ),
            ),
        ),
        properties=(Property("exists", Binary("&&", eax, ebx), Position(9, 1)),),
    )


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("MOV [x],$1", ["L0: x = 1"]),
        ("mov [x],1", ["L0: x = 1"]),
        ("MOV [x],$-1", ["L0: x = -1"]),
        ("MOV [x],-0x1F", ["L0: x = -31"]),
        ("MOV EAX,$0X10", ["L0: EAX = 16"]),
        ("MOV EAX,$007", ["L0: EAX = 7"]),
        ("Mov eax , [ x ]", ["L0: EAX = x"]),
        ("MOV EAX,EAX", ["L0: EAX = EAX"]),
        ("INC EAX", ["L0: EAX = EAX + 1"]),
        ("DEC EAX", ["L0: EAX = EAX - 1"]),
        ("ADD EAX,$2", ["L0: EAX = EAX + 2"]),
        ("SUB EAX,[x]", ["L0: EAX = EAX - x"]),
        ("INC [x]", ["L0: _x = x  // load x", "L1: x = _x + 1"]),
        ("DEC [x]", ["L0: _x = x  // load x", "L1: x = _x - 1"]),
        ("ADD [x],$3", ["L0: _x = x  // load x", "L1: x = _x + 3"]),
        ("SUB [x],$3", ["L0: _x = x  // load x", "L1: x = _x - 3"]),
        ("LOCK INC [x]", ["L0: atomic 1  // faa x", "L0_1: x = x + 1"]),
        ("LOCK DEC [x]", ["L0: atomic 1  // faa x", "L0_1: x = x - 1"]),
        ("LOCK ADD [x],$3", ["L0: atomic 1  // faa x", "L0_1: x = x + 3"]),
        ("LOCK SUB [x],$3", ["L0: atomic 1  // faa x", "L0_1: x = x - 3"]),
        ("XCHG [x],EAX", ["L0: atomic 3  // xchg x", "L0_1: _x = x", "L0_2: x = EAX", "L0_3: EAX = _x"]),
        ("XCHG EAX,[x]", ["L0: atomic 3  // xchg x", "L0_1: _x = x", "L0_2: x = EAX", "L0_3: EAX = _x"]),
        ("LOCK XCHG [x],EAX", ["L0: atomic 3  // xchg x", "L0_1: _x = x", "L0_2: x = EAX", "L0_3: EAX = _x"]),
        ("LOCK XADD [x],EAX", ["L0: atomic 3  // faa x", "L0_1: _x = x", "L0_2: x = _x + EAX", "L0_3: EAX = _x"]),
        ("MFENCE", ["L0: fence"]),
        ("LFENCE", ["L0: skip"]),
        ("nop", ["L0: skip"]),
        ("", []),
    ],
)
def test_intel_instructions(cell: str, expected: list[str]) -> None:
    assert lines(intel(cell)) == expected


@pytest.mark.parametrize(
    ("cell", "same"),
    [
        ("movl $1,(x)", "MOV [x],$1"),
        ("movq $-1,(x)", "MOV [x],$-1"),
        ("mov (x),%rax", "MOV EAX,[x]"),
        ("movl $1,%eax", "MOV EAX,$1"),
        ("MOVL %EAX,%EAX", "MOV EAX,EAX"),
        ("subl (x),%eax", "SUB EAX,[x]"),
        ("xchgl (x),%eax", "XCHG [x],EAX"),
        ("xchgl %eax,(x)", "XCHG [x],EAX"),
        ("incl (x)", "INC [x]"),
        ("lock incl (x)", "LOCK INC [x]"),
        ("lock; incl (x)", "LOCK INC [x]"),
        ("lock ;incq (x)", "LOCK INC [x]"),
        ("lock addl $2,(x)", "LOCK ADD [x],$2"),
        ("lock xaddl %eax,(x)", "LOCK XADD [x],EAX"),
        ("lock cmpxchgl %ebx,(x)", "LOCK CMPXCHG [x],EBX"),
        ("mfence", "MFENCE"),
    ],
)
def test_att_instructions_mean_the_same_in_their_order(cell: str, same: str) -> None:
    program = att(cell)
    assert lines(program) == lines(intel(same))
    assert local_values(program) == local_values(intel(same))


def test_programs_of_all_instructions_are_valid() -> None:
    cells = ["MOV [x],$-1", "XCHG EAX,EBX", "XCHG [x],EAX", "INC [y]", "LOCK INC [lock]", "LOCK XADD [x],EBX"]
    cells += ["LOCK CMPXCHG [P0],EDX", "ADD EAX,[x]", "SUB [exists],EDX", "LFENCE", "MFENCE"]
    assert check(intel(*cells, condition="forall not 0:EAX=1 \\/ lock=1")) == []


def test_compare_and_exchange_stores_or_loads_in_one_step() -> None:
    program = intel("MOV EBX,$5", "LOCK CMPXCHG [x],EBX", "NOP")
    assert lines(program) == [
        "L0: EBX = 5",
        "L1: atomic 4  // cas x",
        "L1_1: _x = x",
        "L1_2: if (EAX != _x) goto L1_4",
        "L1_3: x = EBX",
        "L1_4: EAX = _x",
        "L2: skip",
    ]
    assert local_values(program) == {"EBX": 0, "EAX": 0, "_x": 0}


def test_exchange_of_registers_is_no_atomic_block() -> None:
    program = intel("XCHG EAX,EBX")
    assert not any(isinstance(each.action, Atomic) for each in program.processes[0].body)
    assert lines(program) == ["L0: _EBX = EBX", "L1: EBX = EAX", "L2: EAX = _EBX"]


def test_what_a_cell_becomes_stands_at_the_cell() -> None:
    program = parse("X86 t\n{}\nP0      | P1           ;\n INC[x] | LOCK INC [x] ;\nexists true", "t.litmus")
    assert {each.at for each in instructions(program.processes[0].body)} == {Position(4, 2)}
    assert {each.at for each in instructions(program.processes[1].body)} == {Position(4, 11)}
    assert program.processes[0].locals == (Variable("_x", Position(4, 2)),)
    assert program.processes[1].locals == ()


def test_bookkeeping_comes_after_the_registers_and_once() -> None:
    program = intel("XCHG [x],EAX", "INC [y]", "INC [x]", "MOV ECX,$1")
    assert list(local_values(program)) == ["EAX", "ECX", "_x", "_y"]


def test_registers_that_are_only_read_are_constants() -> None:
    program = intel("MOV [x],EAX", "MOV [y],EBX", "MOV ECX,EAX", init="0:EAX=3; 0:ECX=4; 0:EDX=5")
    assert lines(program) == ["L0: x = 3", "L1: y = 0", "L2: ECX = 3"]
    assert local_values(program) == {"ECX": 4}


def test_a_register_is_a_constant_only_where_its_process_never_writes_it() -> None:
    text = "X86 t\n{}\nP0 | P1 ;\nMOV [x],EAX | MOV [y],EAX ;\nMOV EAX,$1 | ;\nexists true"
    first, second = parse(text, "t.litmus").processes
    assert first.body[0].action == Assign(Name("x"), Name("EAX"))
    assert second.body[0].action == Assign(Name("y"), Integer(0))


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("rax", "EAX"), ("eax", "EAX"), ("RSI", "ESI"), ("r8", "R8D"), ("r8d", "R8D"), ("R15", "R15D")],
)
def test_registers_have_one_name(spelling: str, name: str) -> None:
    condition = f"exists 0:{spelling}=1 /\\ 0:%{spelling}=1"
    program = att(f"movl $1,%{spelling}", init=f"0:{spelling}=2", condition=condition)
    assert local_values(program) == {name: 2}
    atom = Binary("==", Name(f"P0.{name}"), Integer(1))
    assert condition_of(program) == Binary("&&", atom, atom)


def test_locations_come_in_the_order_of_the_text() -> None:
    program = intel("MOV [b],$1", "MOV EAX,[a]", init="d=1;", condition="exists c=0 \\/ [a]=1")
    assert [variable.name for variable in program.shared] == ["d", "b", "a", "c"]
    assert [variable.initial for variable in program.shared] == [1, 0, 0, 0]
    assert program.shared[3].at == Position(6, 8)


@pytest.mark.parametrize(
    ("init", "expected"),
    [
        ("", {}),
        ("x=1", {"x": 1}),
        ("x=1; [y] = -0x2;", {"x": 1, "y": -2}),
        ("int x; int y=3; uint64_t z", {"x": 0, "y": 3, "z": 0}),
        ("int 0:EAX=1; int 0:EBX; x=2", {"x": 2}),
        ("int\n x\n = (* seven *) 7", {"x": 7}),
    ],
)
def test_initial_values(init: str, expected: dict[str, int]) -> None:
    assert {variable.name: variable.initial for variable in intel(init=init).shared} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x=1", "x == 1"),
        ("(x=1)", "x == 1"),
        ("((([x]=-1)))", "x == -1"),
        ("x=1 /\\ y=2 /\\ z=3", "x == 1 && y == 2 && z == 3"),
        ("x=1 \\/ y=2 /\\ z=3", "x == 1 || y == 2 && z == 3"),
        ("(x=1 \\/ y=2) /\\ z=3", "(x == 1 || y == 2) && z == 3"),
        ("not x=1 /\\ y=2", "!(x == 1) && y == 2"),
        ("not (x=1 /\\ y=2)", "!(x == 1 && y == 2)"),
        ("~(x=1) \\/ ~ not y=2", "!(x == 1) || !!(y == 2)"),
        ("true /\\ false", "1 && 0"),
        ("\n(0:EAX=1\n /\\ (x=0x10))\n\n", "P0.EAX == 1 && x == 16"),
    ],
)
def test_conditions(text: str, expected: str) -> None:
    assert show(condition_of(intel("MOV EAX,$1", condition=f"exists {text}"))) == expected


@pytest.mark.parametrize(
    ("quantifier", "kind"),
    [
        ("exists", "exists"),
        ("forall", "forall"),
        *((each, "~exists") for each in ("~exists", "~ exists", "not exists")),
    ],
)
def test_kinds_of_conditions(quantifier: str, kind: PropertyKind) -> None:
    program = intel(condition=f"locations [x; 0:EAX; [y];]\n{quantifier} true")
    assert program.properties == (Property(kind, Integer(1), Position(5, 1)),)
    assert program.shared == ()


def test_long_conditions_stay_shallow() -> None:
    """A thousand alternatives are a big test, not a deep one: later stages recurse over them."""
    states = " \\/ ".join(f"(x={number} /\\ y={number})" for number in range(1000))
    shown = show(condition_of(intel(condition=f"forall {states}")))
    assert shown.replace("(", "").replace(")", "") == " || ".join(f"x == {n} && y == {n}" for n in range(1000))


def test_the_largest_and_deepest_things_are_still_valid() -> None:
    big = "9" * 100
    program = intel(f"MOV [x],$-{big}", init=f"x={big}", condition=f"exists {'not ' * 199}(x={big})")
    assert check(program) == []


def test_two_hundred_levels_are_the_limit() -> None:
    assert condition_of(intel(condition=f"exists {'(' * 200}x=1{')' * 200}")) == Binary("==", Name("x"), Integer(1))
    assert isinstance(condition_of(intel(condition=f"exists {'~(' * 100}x=1{')' * 100}")), Unary)
    for opening in ("(", "not ", "~("):
        with pytest.raises(InputError, match="nested more than 200 deep") as caught:
            intel(condition=f"exists {opening * 10_000}x=1")
        assert caught.value.position is not None
        assert caught.value.position.line == 4


def test_chains_inside_chains_count_as_depth_too() -> None:
    condition = "x=1"
    for _ in range(100):
        condition = f"({condition} /\\ x=1 /\\ x=1 /\\ x=1 \\/ x=1 \\/ x=1 \\/ x=1)"
    with pytest.raises(InputError, match="nested more than 200 deep") as caught:
        intel(condition=f"exists {condition}")
    assert caught.value.position == Position(4, 1)


def test_comments_are_blanks_and_positions_stay() -> None:
    text = (
        "(* before *) X86 t (* the\nname *)\nKey=value (* a (* nested *)\n comment *) still the value\n"
        '"(* no comment"\n(**){ x=1; (* y=2; *) }\n P0 (* | P1 *) ;\n'
        " MOV (* two\nlines *) [x],$2 ; (* ; *)\nexists (* ) *) x=2"
    )
    program = parse(text, "t.litmus")
    assert program.shared == (Variable("x", Position(6, 7), 1),)
    assert program.processes[0].body == (Instruction("L0", Assign(Name("x"), Integer(2)), Position(8, 2)),)
    assert program.properties[0].at == Position(10, 1)


def test_windows_line_ends_change_nothing() -> None:
    assert parse(STORE_BUFFERING.replace("\n", "\r\n"), "t.litmus") == parse(STORE_BUFFERING, "t.litmus")


def test_empty_columns_and_several_rows_in_a_line() -> None:
    program = parse("X86 t\n{}P0|P1;MOV [x],$1|;|;\n|NOP;\nexists x=1", "t.litmus")
    assert [len(process.body) for process in program.processes] == [1, 1]
    assert program.processes[1].body == (Instruction("L0", Skip(), Position(3, 2)),)


def test_a_huge_test_is_read_in_linear_time() -> None:
    count = 5000
    heads = " | ".join(f"P{number}" for number in range(count))
    cells = " | ".join(f"MOV EAX,[x{number}]" for number in range(count))
    init = " ".join(f"{number}:EAX=1; x{number}=2;" for number in range(count))
    atoms = " /\\ ".join(f"{number}:EAX=2" for number in range(count))
    began = time.perf_counter()
    program = parse(f"X86 t\n{{ {init} }}\n{heads};\n{cells};\nforall {atoms}", "t.litmus")
    assert time.perf_counter() - began < 5
    assert (len(program.processes), len(program.shared)) == (count, count)


def test_the_whole_collection(litmus_dir: Path) -> None:
    """Every file is read, and its kind, registers and locations are those of the expected outcomes."""
    expected: dict[str, tuple[str, str]] = {}
    for line in (litmus_dir / "expected.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        file, _, kind, _, _, states = line.split("\t")
        expected[file] = kind, states.split(" | ")[0]
    texts = {path.name: path.read_text(encoding="utf-8") for path in (litmus_dir / "tests").glob("*.litmus")}
    assert texts.keys() == expected.keys()
    for file, text in texts.items():
        program = parse(text, file)
        assert check(program) == [], file
        observed = [
            f"{process.name[1:]}:{variable.name}"
            for process in program.processes
            for variable in process.locals
            if not variable.name.startswith("_")
        ]
        names = sorted(observed) + sorted(variable.name for variable in program.shared)
        kind, state = expected[file]
        assert program.properties[0].kind == kind, file
        assert names == [each.split("=")[0] for each in state.split(";")], file


def test_the_whole_collection_is_read_in_a_moment(litmus_dir: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (litmus_dir / "tests").glob("*.litmus")]
    began = time.perf_counter()
    for text in texts:
        parse(text, "t.litmus")
    assert time.perf_counter() - began < 2
