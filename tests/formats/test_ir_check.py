"""The validator: a sound program has no findings, and each rule has programs that break it."""

from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from ir_programs import programs

from ebb.formats.errors import Position
from ebb.formats.expressions import At, Binary, Conditional, Element, Expression, Integer, Name, Unary
from ebb.formats.ir import (
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
from ebb.formats.ir_check import Finding, check
from ebb.formats.json_text import Path

HERE = Position(7, 3)
X, Y, R, J, A, B = (Name(name) for name in "XYrjAB")
ZERO, ONE = Integer(0), Integer(1)
BEGIN, END = Transaction("begin"), Transaction("end")
SHARED = (
    Variable("X", HERE),
    Variable("Y", HERE),
    Variable("Q", HERE, size=4),
    Variable("A", HERE, owner="P"),
    Variable("B", HERE, owner="O"),
)
LOCALS = (Variable("r", HERE), Variable("j", HERE), Variable("a", HERE, size=2))
OTHER = Process("O", HERE, (Variable("s", HERE),), (Instruction("L0", Skip(), HERE),))


def q(index: Expression) -> Element:
    return Element("Q", index)


def body(*actions: Action) -> tuple[Instruction, ...]:
    """Instructions called `L0`, `L1`, … counted through atomic blocks; those inside already have a label."""
    return tuple(Instruction(f"L{number}", action, HERE) for number, action in enumerate(actions))


def inner(*actions: Action) -> Atomic:
    """An atomic block whose instructions are called `A0`, `A1`, …"""
    return Atomic(tuple(Instruction(f"A{number}", action, HERE) for number, action in enumerate(actions)))


def program(*actions: Action, **changes: Any) -> Program:
    process = Process("P", HERE, LOCALS, body(*actions))
    return replace(Program("p", "p.ebb", SHARED, (process, OTHER)), **changes)


def reduced(*actions: Action, **changes: Any) -> Program:
    """A reduced program with the set `S`."""
    sets = (Variable("S", HERE, type="set"),)
    return replace(program(*actions, shared=(*sets, *SHARED), model="sc", reduced="rma"), **changes)


def with_variable(variable: Variable) -> Program:
    return program(shared=(variable, *SHARED))


def with_local(variable: Variable) -> Program:
    return program(processes=(Process("P", HERE, (*LOCALS, variable), ()), OTHER))


def with_property(condition: Expression, kind: str = "final") -> Program:
    steps = body(Skip(), inner(Skip()))
    prop = Property(cast(Any, kind), condition, HERE)
    return program(processes=(Process("P", HERE, LOCALS, steps), OTHER), properties=(prop,))


def with_predicate(expression: Expression) -> Program:
    return program(Skip(), predicates=(Predicate(expression, HERE),))


def p(*path: str | int) -> Path:
    """A path in the body of the first process."""
    return ("processes", 0, "body", *path)


INNERMOST: Path = ("body", 0) * 60  # the path from a block to the one that is nested too deep


def deep(depth: int) -> Expression:
    expression: Expression = X
    for _ in range(depth):
        expression = Binary("+", expression, R)
    return expression


def blocks(depth: int) -> Program:
    instruction = Instruction("S", Skip(), HERE)
    for number in range(depth):
        instruction = Instruction(f"B{number}", Atomic((instruction,)), HERE)
    return program(processes=(Process("P", HERE, LOCALS, (instruction,)), OTHER))


BROKEN: dict[str, tuple[Program, str, Path]] = {
    # names
    "two shared": (with_variable(Variable("X", HERE)), "there is another shared variable 'X'", ("shared", 1, "name")),
    "two processes": (
        program(processes=(OTHER, OTHER), shared=()),
        "there is another process 'O'",
        ("processes", 1, "name"),
    ),
    "two locals": (
        with_local(Variable("r", HERE)),
        "there is another local variable 'r'",
        ("processes", 0, "locals", 3, "name"),
    ),
    "shared and local": (
        with_local(Variable("X", HERE)),
        "'X' is both shared and local",
        ("processes", 0, "locals", 3, "name"),
    ),
    "two labels": (
        program(processes=(Process("P", HERE, (), (*body(Skip()), *body(Skip()))), OTHER)),
        "the label 'L0' occurs twice in the process 'P'",
        p(1, "label"),
    ),
    "two labels, one in an atomic block": (
        program(Skip(), Atomic(body(Skip()))),
        "the label 'L0' occurs twice in the process 'P'",
        p(1, "body", 0, "label"),
    ),
    "no shared name": (
        with_variable(Variable("x y", HERE)),
        "'x y' cannot be the name of a shared variable",
        ("shared", 0, "name"),
    ),
    "trailing newline": (
        with_variable(Variable("x\n", HERE)),
        "'x\\n' cannot be the name of a shared variable",
        ("shared", 0, "name"),
    ),
    "no local name": (
        with_local(Variable("7", HERE)),
        "'7' cannot be the name of a local variable",
        ("processes", 0, "locals", 3, "name"),
    ),
    "no process name": (
        program(processes=(Process("é", HERE, (), ()), replace(OTHER, name="P"), OTHER)),
        "'é' cannot be the name of a process",
        ("processes", 0, "name"),
    ),
    "no label name": (
        program(processes=(Process("P", HERE, (), (Instruction("L.0", Skip(), HERE),)), OTHER)),
        "'L.0' cannot be the name of a label",
        p(0, "label"),
    ),
    "no line": (program(name="a\nb"), "the name is one line of printable characters", ("name",)),
    "no file": (program(source="a\tb"), "the source is one line of printable characters", ("source",)),
    "no name at all": (program(name=""), "the name is one line of printable characters", ("name",)),
    "no source at all": (program(source=""), "the source is one line of printable characters", ("source",)),
    "blank at the beginning of a note": (
        program(processes=(Process("P", HERE, (), (Instruction("L0", Skip(), HERE, " a"),)), OTHER)),
        "a note is one line of printable characters",
        p(0, "note"),
    ),
    "blank in the note of a local": (
        with_local(Variable("z", HERE, note=" a")),
        "a note is one line of printable characters",
        ("processes", 0, "locals", 3, "note"),
    ),
    "blank at the end of a note": (
        program(processes=(Process("P", HERE, (), (Instruction("L0", Skip(), HERE, "a "),)), OTHER)),
        "a note is one line of printable characters",
        p(0, "note"),
    ),
    "no note": (
        program(processes=(Process("P", HERE, (), (Instruction("L0", Skip(), HERE, "\x00"),)), OTHER)),
        "a note is one line of printable characters",
        p(0, "note"),
    ),
    "no model": (program(model="tso"), "unknown model 'tso'", ("model",)),
    "no process": (Program("p", "p.ebb", SHARED[:2], ()), "a program needs a process", ("processes",)),
    # declarations
    "no elements": (
        with_variable(Variable("Z", HERE, size=0)),
        "the array 'Z' has no element",
        ("shared", 0, "size"),
    ),
    "empty range": (
        with_variable(Variable("Z", HERE, 0, Range(1, 0))),
        "the range of 'Z' is empty",
        ("shared", 0, "range"),
    ),
    "initial value": (
        with_local(Variable("z", HERE, 0, Range(1, 2))),
        "the initial value of 'z' is not in its range",
        ("processes", 0, "locals", 3, "initial"),
    ),
    "unknown owner": (
        with_variable(Variable("Z", HERE, owner="N")),
        "the owner of 'Z', 'N', is not a process",
        ("shared", 0, "owner"),
    ),
    "owned local": (
        with_local(Variable("z", HERE, owner="P")),
        "a local variable has no owner",
        ("processes", 0, "locals", 3, "owner"),
    ),
    "when undeclared": (
        program(processes=(replace(OTHER, name="P", when="N"), OTHER)),
        "'N', which starts the process, is not a shared variable",
        ("processes", 0, "when"),
    ),
    "when local": (
        program(processes=(replace(OTHER, name="P", when="s"), OTHER)),
        "'s', which starts the process, is not a shared variable",
        ("processes", 0, "when"),
    ),
    "when array": (
        program(processes=(replace(OTHER, name="P", when="Q"), OTHER)),
        "an array, 'Q', cannot start a process",
        ("processes", 0, "when"),
    ),
    "line 0": (
        with_variable(Variable("Z", Position(0, 1))),
        "lines and columns count from 1",
        ("shared", 0, "at"),
    ),
    "column 0": (
        program(processes=(Process("P", HERE, (), (Instruction("L0", Skip(), Position(1, 0)),)), OTHER)),
        "lines and columns count from 1",
        p(0, "at"),
    ),
    "process at line 0": (
        program(processes=(Process("P", Position(0, 1), (), ()), OTHER)),
        "lines and columns count from 1",
        ("processes", 0, "at"),
    ),
    "property at line 0": (
        program(properties=(Property("final", X, Position(0, 1)),)),
        "lines and columns count from 1",
        ("properties", 0, "at"),
    ),
    "predicate at line 0": (
        program(predicates=(Predicate(X, Position(0, 1)),)),
        "lines and columns count from 1",
        ("predicates", 0, "at"),
    ),
    "long initial value": (
        with_variable(Variable("Z", HERE, 10**100)),
        "an integer of more than 100 digits",
        ("shared", 0, "initial"),
    ),
    "long bound": (
        with_variable(Variable("Z", HERE, 0, Range(-(10**100), 0))),
        "an integer of more than 100 digits",
        ("shared", 0, "range", 0),
    ),
    "long upper bound": (
        with_variable(Variable("Z", HERE, 0, Range(0, 10**100))),
        "an integer of more than 100 digits",
        ("shared", 0, "range", 1),
    ),
    "large array": (
        with_variable(Variable("Z", HERE, size=65_537)),
        "the array 'Z' has more than 65536 elements",
        ("shared", 0, "size"),
    ),
    "far line": (
        with_variable(Variable("Z", Position(10**9, 1))),
        "no source has so many lines or columns",
        ("shared", 0, "at"),
    ),
    "far column": (
        program(processes=(Process("P", HERE, (), (Instruction("L0", Skip(), Position(1, 10**9)),)), OTHER)),
        "no source has so many lines or columns",
        p(0, "at"),
    ),
    "owners in another order than processes": (
        program(shared=(SHARED[4], SHARED[3])),
        "shared variables without an owner come first, then in the order of their owners",
        ("shared",),
    ),
    "order of owners": (
        program(shared=(*SHARED, Variable("Z", HERE))),
        "shared variables without an owner come first",
        ("shared",),
    ),
    # expressions
    "undeclared": (program(Assign(R, Binary("+", ONE, Name("n")))), "'n' is not declared", p(0, "value", 2)),
    "undeclared target": (program(Havoc(Name("n"))), "'n' is not declared", p(0, "target")),
    "undeclared array": (program(Assume(Element("n", R))), "'n' is not declared", p(0, "condition", 1)),
    "undeclared index": (program(Assign(q(Name("n")), R)), "'n' is not declared", p(0, "target", 2)),
    "a local of another process": (program(Assert(Name("s"))), "'s' is not declared", p(0, "condition")),
    "array without index": (program(Assign(R, Name("Q"))), "the array 'Q' is used without an index", p(0, "value")),
    "array as target": (program(Assign(Name("a"), R)), "the array 'a' is used without an index", p(0, "target")),
    "index on no array": (
        program(Assign(R, Unary("!", Element("X", ONE)))),
        "'X' has an index but is not an array",
        p(0, "value", 1, 1),
    ),
    "dotted name in a process": (
        program(Assign(R, Name("P.j"))),
        "'P.j': only properties and predicates name the locals of a process",
        p(0, "value"),
    ),
    "unary operator": (program(Assign(R, Unary("+", J))), "unknown operator '+'", p(0, "value", 0)),
    "binary operator": (program(Assign(R, Binary("!", J, J))), "unknown operator '!'", p(0, "value", 0)),
    "two spellings": (program(Assign(R, Unary("-", ONE))), "a minus before an integer", p(0, "value")),
    "long integer": (
        program(Assign(R, Integer(-(10**100)))),
        "an integer of more than 100 digits",
        p(0, "value"),
    ),
    "deep expression": (
        program(Assign(R, deep(301))),
        "an expression nested deeper than 300",
        p(0, "value", *[1] * 300),
    ),
    "bottomless expression": (
        program(Assign(R, deep(50_000))),
        "an expression nested deeper than 300",
        p(0, "value", *[1] * 300),
    ),
    # properties and predicates
    "kind": (with_property(X, "sometimes"), "unknown kind of property 'sometimes'", ("properties", 0, "kind")),
    "@ in a process": (program(Assert(At("O", "L0"))), "`@` stands only in properties", p(0, "condition")),
    "@ in an atomic block": (
        program(inner(Assume(Unary("!", At("O", "L0"))))),
        "`@` stands only in properties",
        p(0, "body", 0, "condition", 1),
    ),
    "@ in a predicate": (
        with_predicate(At("P", "L0")),
        "`@` stands only in properties",
        ("predicates", 0, "expression"),
    ),
    "@ no process": (
        with_property(At("N", "L0")),
        "there is no process 'N'",
        ("properties", 0, "condition", 1),
    ),
    "@ no label": (
        with_property(Unary("!", At("P", "N"))),
        "the process 'P' has no label 'N' outside atomic blocks",
        ("properties", 0, "condition", 1, 2),
    ),
    "@ atomic label": (
        with_property(At("P", "A0")),
        "the process 'P' has no label 'A0' outside atomic blocks",
        ("properties", 0, "condition", 2),
    ),
    "local in a property": (with_property(R), "'r' is not declared", ("properties", 0, "condition")),
    "no such local": (
        with_property(Name("P.s")),
        "'P.s' is no process and a local of it",
        ("properties", 0, "condition"),
    ),
    "dotted shared": (
        with_predicate(Name("P.X")),
        "'P.X' is no process and a local of it",
        ("predicates", 0, "expression"),
    ),
    "dotted array without index": (
        with_predicate(Name("P.a")),
        "the array 'P.a' is used without an index",
        ("predicates", 0, "expression"),
    ),
    # jumps
    "goto nowhere": (program(Goto(())), "a goto needs a target", p(0, "targets")),
    "no label": (program(Goto(("L0", "N"))), "there is no label 'N'", p(0, "targets", 1)),
    "label of another process": (
        program(processes=(Process("P", HERE, (), body(Goto(("L1",)))), replace(OTHER, body=body(Skip(), Skip())))),
        "there is no label 'L1'",
        p(0, "targets", 0),
    ),
    "jump into a block": (
        program(Branch(R, "A0"), inner(Skip())),
        "the jump to 'A0' crosses the edge of an atomic block",
        p(0, "target"),
    ),
    "jump out of a block": (
        program(Skip(), inner(Skip(), Goto(("A0", "L0")))),
        "the jump to 'L0' crosses the edge of an atomic block",
        p(1, "body", 1, "targets", 1),
    ),
    "jump to the block itself": (
        program(inner(Goto(("L0",)))),
        "the jump to 'L0' crosses the edge of an atomic block",
        p(0, "body", 0, "targets", 0),
    ),
    # transactions
    "edge": (program(Transaction(cast(Any, "middle"))), "a transaction has the edges", p(0, "edge")),
    "end first": (program(BEGIN, END, END), "a transaction ends that has not begun", p(2, "edge")),
    "no end": (program(BEGIN, BEGIN, END), "a transaction begins that does not end", p(0, "edge")),
    "end in another body": (program(inner(END)), "a transaction ends that has not begun", p(0, "body", 0, "edge")),
    "jump into a transaction": (
        program(Goto(("L2",)), BEGIN, Skip(), END),
        "the jump to 'L2' crosses the edge of a transaction",
        p(0, "targets", 0),
    ),
    "jump out of a transaction": (
        program(BEGIN, Branch(R, "L3"), END, Skip()),
        "the jump to 'L3' crosses the edge of a transaction",
        p(1, "target"),
    ),
    "jump to the beginning from inside": (
        program(BEGIN, Branch(R, "L0"), END),
        "the jump to 'L0' crosses the edge of a transaction",
        p(1, "target"),
    ),
    "jump to the end from outside": (
        program(Branch(R, "L2"), BEGIN, END),
        "the jump to 'L2' crosses the edge of a transaction",
        p(0, "target"),
    ),
    "jump to a like transaction": (
        program(BEGIN, Goto(("L4",)), END, BEGIN, Skip(), END),
        "the jump to 'L4' crosses the edge of a transaction",
        p(1, "targets", 0),
    ),
    "jump between levels": (
        program(BEGIN, Skip(), BEGIN, Goto(("L1",)), END, END),
        "the jump to 'L1' crosses the edge of a transaction",
        p(3, "targets", 0),
    ),
    # shared accesses
    "load and store": (program(Assign(X, Y)), "2 shared accesses in one step outside atomic blocks, to 'X', 'Y'", p(0)),
    "load and store of one variable": (
        program(Assign(X, Binary("+", X, ONE))),
        "2 shared accesses in one step outside atomic blocks, to 'X'",
        p(0),
    ),
    "two loads": (program(Assign(R, Binary("+", X, Y))), "2 shared accesses", p(0)),
    "two in a condition": (program(Assume(Binary("<", X, Y))), "2 shared accesses", p(0)),
    "two in an assertion": (program(Assert(Binary("<", X, Y))), "2 shared accesses", p(0)),
    "two in a branch": (program(Branch(Binary("<", X, Y), "L0")), "2 shared accesses", p(0)),
    "two elements": (program(Assign(R, Binary("+", q(R), q(J)))), "2 shared accesses", p(0)),
    "element and index": (program(Assign(R, q(X))), "2 shared accesses", p(0)),
    "element of an element": (program(Assign(R, q(q(ZERO)))), "2 shared accesses", p(0)),
    "store to an element at a shared index": (program(Assign(q(X), ONE)), "2 shared accesses", p(0)),
    "local element at a shared index": (program(Assign(Element("a", X), Y)), "2 shared accesses", p(0)),
    "any value for an element at a shared index": (program(Havoc(q(X))), "2 shared accesses", p(0)),
    "in a transaction": (program(BEGIN, Assign(X, Y), END), "2 shared accesses", p(1)),
    # atomic blocks
    "deep blocks": (blocks(61), "atomic blocks nested deeper than 60", p(0, *INNERMOST)),
    "bottomless blocks": (blocks(50_000), "atomic blocks nested deeper than 60", p(0, *INNERMOST)),
    # reduced programs
    "reduced from nothing": (reduced(reduced="sc"), "unknown model 'sc'", ("reduced",)),
    "reduced and any model": (reduced(model="any"), "a reduced program is run under sc", ("model",)),
    "instruction of reduced programs": (
        program(Forget(R)),
        "only a reduced program has such an instruction",
        p(0, "op"),
    ),
    "overflow in a source program": (
        program(inner(Overflow())),
        "only a reduced program has such an instruction",
        p(0, "body", 0, "op"),
    ),
    "set in a source program": (
        with_variable(Variable("S", HERE, type="set")),
        "only a reduced program has sets",
        ("shared", 0, "type"),
    ),
    "background in a source program": (
        program(processes=(Process("P", HERE, (), (), background=True), OTHER)),
        "only a reduced program has background processes",
        ("processes", 0, "background"),
    ),
    "local set": (
        with_local(Variable("z", HERE, type="set")),
        "a local variable is not a set",
        ("processes", 0, "locals", 3, "type"),
    ),
    "no type": (
        with_variable(Variable("Z", HERE, type=cast(Any, "bag"))),
        "unknown type 'bag'",
        ("shared", 0, "type"),
    ),
    "set with an initial value": (
        reduced(shared=(Variable("T", HERE, 1, type="set"), *SHARED)),
        "the set 'T' has an initial value, a range or a size",
        ("shared", 0),
    ),
    "set with any initial value": (
        reduced(shared=(Variable("T", HERE, None, type="set"), *SHARED)),
        "the set 'T' has an initial value, a range or a size",
        ("shared", 0),
    ),
    "set with a range": (
        reduced(shared=(Variable("T", HERE, 0, Range(0, 1), type="set"), *SHARED)),
        "the set 'T' has an initial value, a range or a size",
        ("shared", 0),
    ),
    "set with a size": (
        reduced(shared=(Variable("T", HERE, size=2, type="set"), *SHARED)),
        "the set 'T' has an initial value, a range or a size",
        ("shared", 0),
    ),
    "note of a variable": (
        with_variable(Variable("Z", HERE, note="\n")),
        "a note is one line of printable characters",
        ("shared", 0, "note"),
    ),
    "when set": (
        reduced(processes=(Process("P", HERE, (), (), "S"), OTHER)),
        "a set, 'S', cannot start a process",
        ("processes", 0, "when"),
    ),
    "set as a number": (reduced(Assign(R, Name("S"))), "'S' is a set, not a number", p(0, "value")),
    "set as a target": (reduced(Choose(Name("S"), "S")), "'S' is a set, not a number", p(0, "target")),
    "any value for a set": (reduced(Havoc(Name("S"))), "'S' is a set, not a number", p(0, "target")),
    "put of a set": (reduced(Put(X, "O", Name("S"))), "'S' is a set, not a number", p(0, "source")),
    "set in a set": (reduced(Add("S", Name("S"))), "'S' is a set, not a number", p(0, "value")),
    "set in a property": (
        reduced(properties=(Property("never", Name("S"), HERE),)),
        "'S' is a set, not a number",
        ("properties", 0, "condition"),
    ),
    "set in a predicate": (
        reduced(predicates=(Predicate(Name("S"), HERE),)),
        "'S' is a set, not a number",
        ("predicates", 0, "expression"),
    ),
    "choose for nothing": (reduced(Choose(Name("n"), "S")), "'n' is not declared", p(0, "target")),
    "add to no set": (reduced(Add("X", ONE)), "'X' is not a set", p(0, "set")),
    "collect in no set": (reduced(Collect("n", ONE)), "'n' is not a set", p(0, "set")),
    "choose from no set": (reduced(Choose(R, "r")), "'r' is not a set", p(0, "set")),
    "add nothing": (reduced(Add("S", Name("n"))), "'n' is not declared", p(0, "value")),
    "collect nothing": (reduced(Collect("S", Name("n"))), "'n' is not declared", p(0, "value")),
    "forget nothing": (reduced(Forget(Name("n"))), "'n' is not declared", p(0, "target")),
    "forget an array": (reduced(Forget(Name("Q"))), "the array 'Q' is used without an index", p(0, "target")),
    "forget no element": (reduced(Forget(Element("X", R))), "'X' has an index but is not an array", p(0, "target", 1)),
    "first part of a conditional": (
        program(Assign(R, Conditional(Name("n"), R, J))),
        "'n' is not declared",
        p(0, "value", 1),
    ),
    "middle part of a conditional": (
        program(Assign(R, Conditional(R, Unary("!", Name("n")), J))),
        "'n' is not declared",
        p(0, "value", 2, 1),
    ),
    "last part of a conditional": (
        program(Assign(R, Conditional(R, J, Name("n")))),
        "'n' is not declared",
        p(0, "value", 3),
    ),
    "two in a conditional": (program(Assign(R, Conditional(X, Y, R))), "2 shared accesses", p(0)),
    # fences and remote access
    "fence undeclared": (program(Fence("N")), "'N' is not a shared variable", p(0, "variable")),
    "fence local": (program(Fence("r")), "'r' is not a shared variable", p(0, "variable")),
    "put to no process": (program(Put(X, "N", Y)), "there is no process 'N'", p(0, "process")),
    "get from no process": (program(Get(X, Y, "N")), "there is no process 'N'", p(0, "process")),
    "flush to no process": (program(Flush("N")), "there is no process 'N'", p(0, "process")),
    "put of a local": (program(Put(X, "O", R)), "'r' is not shared", p(0, "source")),
    "put to a local": (program(Put(R, "O", X)), "'r' is not shared", p(0, "target")),
    "get of a local": (program(Get(X, R, "O")), "'r' is not shared", p(0, "source")),
    "get to a local": (program(Get(R, X, "O")), "'r' is not shared", p(0, "target")),
    "put of nothing": (program(Put(X, "O", Name("n"))), "'n' is not declared", p(0, "source")),
    "put to another's": (program(Put(A, "O", X)), "'A' lives in the memory of 'P', not of 'O'", p(0, "target")),
    "put of another's": (program(Put(X, "O", B)), "'B' lives in the memory of 'O', not of 'P'", p(0, "source")),
    "get of another's": (program(Get(X, A, "O")), "'A' lives in the memory of 'P', not of 'O'", p(0, "source")),
    "get to another's": (program(Get(B, X, "O")), "'B' lives in the memory of 'O', not of 'P'", p(0, "target")),
    "put to a shared index": (program(Put(q(X), "O", Y)), "the index of a place", p(0, "target", 2)),
    "put of a shared index": (program(Put(Y, "O", q(Binary("+", R, X)))), "the index of a place", p(0, "source", 2)),
    "get of a shared index": (program(Get(Y, q(X), "O")), "the index of a place", p(0, "source", 2)),
    "get to a shared index": (program(inner(Get(q(X), Y, "O"))), "the index of a place", p(0, "body", 0, "target", 2)),
}  # fmt: skip


def test_instructions_on_sets_are_refused_one_by_one_where_nothing_is_reduced() -> None:
    actions = (Collect("S", R), Add("S", R), Choose(R, "S"), Forget(Name("S")))
    findings = check(reduced(*actions, reduced=None))
    assert [finding.path for finding in findings] == [*(p(number, "op") for number in range(4)), ("shared", 0, "type")]


@pytest.mark.parametrize(("broken", "message", "path"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_wrong_is_found_and_nothing_else(broken: Program, message: str, path: Path) -> None:
    (finding,) = check(broken)
    assert finding.message.startswith(message)
    assert finding.path == path


SOUND: dict[str, Program] = {
    "nothing": program(),
    "one load, often": program(Assign(R, Binary("+", Binary("*", X, X), Unary("-", X)))),
    "one element, often": program(Assume(Binary("==", q(J), Binary("+", q(J), ONE)))),
    "one store": program(Assign(q(R), Binary("+", J, Element("a", R)))),
    "a local element at a shared index": program(Assign(R, Element("a", X))),
    "many in an atomic block": program(inner(Assign(X, Binary("+", Y, q(X))), Assume(Binary("<", X, Y)))),
    "the same label in two processes": program(Skip()),
    "jumps inside blocks": program(inner(Branch(X, "A0"), Goto(("A0", "A1")))),
    "jumps around a transaction": program(Branch(R, "L3"), BEGIN, END, Goto(("L0", "L1"))),
    "jumps inside a transaction": program(BEGIN, Skip(), Branch(R, "L4"), Goto(("L1",)), END),
    "a transaction in a transaction": program(BEGIN, BEGIN, Branch(R, "L3"), END, Branch(R, "L1"), END),
    "a transaction in a block": program(inner(BEGIN, END)),
    "remote access": program(Put(B, "O", A), Get(A, B, "O"), Put(q(J), "O", q(R)), Get(X, Y, "P"), Flush("O")),
    "a fence about an array": program(Fence("Q")),
    "properties": with_property(Binary("&&", At("P", "L1"), Binary("<", Name("O.s"), q(Name("P.j"))))),
    "predicates": with_predicate(Binary("==", Element("P.a", Name("P.r")), Binary("+", X, Y))),
    "bounds": with_variable(Variable("Z", HERE, -1, Range(-1, -1), 1)),
    "a process that is started": program(processes=(Process("P", HERE, (), (), "X"), OTHER)),
    "a variable called as a process": with_variable(Variable("P", HERE)),
    "a reduced program": reduced(Collect("S", X), Add("S", Y), Choose(q(R), "S"), Forget(Name("S")), Overflow()),
    "many in a step of a reduced program": reduced(Assign(X, Binary("+", X, Y)), Assume(Binary("<", X, Y))),
    "forgetting an element": reduced(Forget(q(R)), Forget(R)),
    "a background process": reduced(processes=(Process("P", HERE, (), (), background=True), OTHER)),
    "a conditional": program(Assign(R, Conditional(Binary("<", X, ONE), X, J))),
    "last position": with_variable(Variable("Z", Position(10**9 - 1, 10**9 - 1))),
    "a note of a variable": with_variable(Variable("Z", HERE, note="what it is for")),
    "an owned set": reduced(shared=(*SHARED[:4], Variable("T", HERE, owner="P", type="set"), SHARED[4])),
    "largest array": with_variable(Variable("Z", HERE, size=65_536)),
    "deepest blocks": blocks(60),
    "deepest expression": program(Assign(R, deep(300))),
    "longest integer": program(Assign(R, Integer(1 - 10**100))),
}  # fmt: skip


@pytest.mark.parametrize("sound", SOUND.values(), ids=SOUND.keys())
def test_a_sound_program_has_no_findings(sound: Program) -> None:
    assert check(sound) == []


@given(programs())
def test_what_a_front_end_could_make_is_sound(made: Program) -> None:
    assert check(made) == []


def test_all_findings_are_listed_with_their_place_in_the_source() -> None:
    steps = (
        Instruction("L0", Assign(Name("n"), Binary("+", Name("m"), X)), Position(3, 1)),
        Instruction("L0", Goto(("N", "M")), Position(4, 2)),
    )
    broken = Program("p", "p.ebb", (Variable("X", Position(1, 8), size=0),), (Process("P", Position(2, 1), (), steps),))
    assert check(broken) == [
        Finding("the array 'X' has no element", ("shared", 0, "size"), Position(1, 8)),
        Finding("the label 'L0' occurs twice in the process 'P'", p(1, "label"), Position(4, 2)),
        Finding("there is no label 'N'", p(1, "targets", 0), Position(4, 2)),
        Finding("there is no label 'M'", p(1, "targets", 1), Position(4, 2)),
        Finding("'n' is not declared", p(0, "target"), Position(3, 1)),
        Finding("'m' is not declared", p(0, "value", 1), Position(3, 1)),
        Finding("the array 'X' is used without an index", p(0, "value", 2), Position(3, 1)),
    ]
