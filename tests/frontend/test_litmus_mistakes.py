"""What the litmus front end says about mistakes, and where; and that no text makes it fail in any other way."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebb.formats.errors import InputError, Position
from ebb.frontend.litmus_source import parse

# In these texts ¶ stands where the error is reported; it is removed before parsing.
HEADER_MISTAKES = [
    ("¶", "the file is empty; a litmus test begins with `X86 name`"),
    ("\n¶AArch64 MP\n{}\n", "unknown architecture `AArch64`; known are `X86` and `X86_64`"),
    ("X86¶\n{}\n", "expected the name of the test after `X86`"),
    ("X86 t¶\n", "expected `{` and the initial state, found the end of the file"),
    ("X86 t\nKey=1¶", "expected `{` and the initial state, found the end of the file"),
    ("X86 t\n{ }¶\n\n", "expected `P0` at the head of a column, found the end of the file"),
    ("X86 t\n¶Key\n{}", 'expected `{`, `"…"` or `Key=value`'),
    ('X86 t\n¶"never closed\n{}', 'this `"` is not closed on its line'),
    ("X86 t\n{ ¶(* (* *) }", "this comment is never closed"),
    ("X86 t\n{ x=¶\0 }", "control character U+0000 in a text file"),
    ("X86 t\n(* ¶\x1b *)", "control character U+001B in a text file"),
]

INIT_MISTAKES = [
    ("{ x=1; ¶x=2; }", "x has two initial values"),
    ("{ int x; ¶[x]=2; }", "x has two initial values"),
    ("{ 0:EAX=1; ¶0:eax=2; }", "EAX has two initial values"),
    ("{ 0:¶FOO=1; }", "unknown register `FOO`"),
    ("{ 0:¶RAX=1; }", "unknown register `RAX`"),
    ("{ ¶2:EAX=1; } P0 | P1 ;", "there is no process 2"),
    ("{ ¶-1:EAX=1; } P0 | P1 ;", "there is no process -1"),
    ("{ ¶EAX=1; }", "`EAX` is a register, not a location"),
    ("{ ¶_x=1; }", "the location `_x` begins with an underscore, which is reserved"),
    ("{ ¶float x; }", "unknown type `float`; known are int, int32_t, int64_t, uint32_t, uint64_t"),
    ("{ x¶; }", "expected `=`, found `;`"),
    ("{ x=¶y; }", "expected a number, found `y`"),
    ("{ x=¶1y; }", "`1y` is not a number"),
    ("{ x=1 ¶y=2; }", "expected `;` or `}`, found `y`"),
    ("{ x=1;¶; }", "expected `x=1`, `0:EAX=1` or `}`, found `;`"),
    ("{ [¶1]=2; }", "expected a location, found `1`"),
    ("{ [x¶=2; }", "expected `]`, found `=`"),
    ("{ 0¶=2; }", "expected `:`, found `=`"),
    ("{ x=1;¶\n", "expected `x=1`, `0:EAX=1` or `}`, found the end of the file"),
    ("{ x=1¶", "expected `;` or `}`, found the end of the file"),
    ("{ x=¶" + "1" * 101 + " }", "a number of more than 100 digits"),
    ("{ x=¶0x" + "f" * 90 + " }", "a number of more than 100 digits"),
    ("{ x=¶-0x" + "f" * 5000 + " }", "a number of more than 100 digits"),
]

TABLE_MISTAKES = [
    ("¶P1 ;", "expected `P0` at the head of a column, found `P1`"),
    ("P0 | ¶P2 ;", "expected `P1` at the head of a column, found `P2`"),
    ("P0 |¶\n P1 ;", "expected `P1` at the head of a column, found the end of the line"),
    ("P0 ¶, P1 ;", "expected `|` or `;`, found `,`"),
    ("P0 | P1¶  \n NOP | NOP ;", "expected `;` at the end of this row"),
    ("P0 | P1 ;\n NOP ¶;", "this row has fewer cells than there are processes (2)"),
    ("P0 | P1 ;\n NOP | NOP ¶| NOP ;", "this row has more cells than there are processes (2)"),
    ("P0 | P1 ;\n NOP | NOP ¶| ;", "this row has more cells than there are processes (2)"),
    ("P0 | P1 ;\n NOP | NOP¶  \n NOP | NOP ;", "expected `;` at the end of this row"),
    ("P0 | P1 ;\n NOP |¶\n NOP | NOP ;", "expected `;` at the end of this row"),
    ("P0 | P1 ;\n NOP | NOP¶", "expected `;` at the end of this row"),
    ("P0 ;\n NOP;¶\n", "the condition is missing: `exists`, `~exists` or `forall`"),
    ("P0 ;¶\n", "the condition is missing: `exists`, `~exists` or `forall`"),
]

INTEL_MISTAKES = [
    ("¶JMP L0", "unknown instruction `JMP`"),
    ("¶MOVL [x],$1", "unknown instruction `MOVL`"),
    ("LOCK ¶FOO [x]", "unknown instruction `FOO`"),
    ("¶L0: NOP", "labels are not supported"),
    ("¶[x]", "expected an instruction, found `[`"),
    ("LOCK ¶", "expected an instruction after LOCK, found `;`"),
    ("¶LOCK MOV [x],$1", "LOCK cannot stand before `MOV`"),
    ("¶LOCK INC EAX", "LOCK `INC` takes location, not register"),
    ("¶LOCK ADD EAX,[x]", "LOCK `ADD` takes location,number or location,register, not register,location"),
    ("¶LOCK XCHG EAX,EBX", "LOCK `XCHG` takes location,register or register,location, not register,register"),
    ("¶XADD [x],EAX", "`XADD` is supported only with LOCK"),
    ("¶CMPXCHG [x],EAX", "`CMPXCHG` is supported only with LOCK"),
    ("¶INC $1", "`INC` takes location or register, not number"),
    ("¶INC", "`INC` takes location or register, not no operands"),
    ("¶MFENCE EAX", "`MFENCE` takes no operands, not register"),
    ("¶XCHG [x],$1", "`XCHG` takes location,register or register,location or register,register, not location,number"),
    (
        "¶MOV [x],[y]",
        "`MOV` takes location,number or location,register or register,location or register,number or "
        "register,register, not location,location",
    ),
    ("MOV ¶FOO,$1", "unknown register `FOO`"),
    ("MOV ¶AL,$1", "unknown register `AL`"),
    ("MOV ¶%EAX,$1", "expected `EAX`, `[x]` or `$1`, found `%`"),
    ("MOV [x],¶", "expected `EAX`, `[x]` or `$1`, found `;`"),
    ("MOV [x],¶\n EAX", "expected `EAX`, `[x]` or `$1`, found the end of the line"),
    ("MOV [x],$¶x", "expected a number after `$`, found `x`"),
    ("MOV [x],¶0x", "`0x` is not a number"),
    ("MOV [x¶+4],$1", "expected `]`, found `+`"),
    ("MOV [¶EAX],$1", "an address in a register is not supported"),
    ("MOV [¶4],$1", "expected a location, found `4`"),
    ("MOV [¶_x],$1", "the location `_x` begins with an underscore, which is reserved"),
    ("MOV [x],$1 ¶EAX", "expected `|` or `;`, found `EAX`"),
    ("NOP ¶é", "expected `EAX`, `[x]` or `$1`, found `é`"),
    ("MOV EAX,¶\u2028", "expected `EAX`, `[x]` or `$1`, found U+2028"),
    ("¶" + "A" * 1000, "unknown instruction `" + "A" * 40 + "…`"),
]

ATT_MISTAKES = [
    ("movl $1,¶eax", "expected `%eax`, `(x)` or `$1`, found `eax`"),
    ("movl $1,¶[x]", "expected `%eax`, `(x)` or `$1`, found `[`"),
    ("movl $1,%¶foo", "unknown register `foo`"),
    ("movl $1,%¶1", "expected a register after `%`, found `1`"),
    ("movl $1,(¶%rax)", "an address in a register is not supported"),
    ("movl $1,(x¶", "expected `)`, found `;`"),
    ("¶movb $1,(x)", "unknown instruction `movb`"),
    ("¶mfencel", "unknown instruction `mfencel`"),
    ("¶xchgl $1,(x)", "`xchgl` takes register,location or location,register or register,register, not number,location"),
]

CONDITION_MISTAKES = [
    ("exists¶", "expected `0:EAX=1`, `[x]=1`, `x=1` or `(`, found the end of the file"),
    ("exists (¶)", "expected `0:EAX=1`, `[x]=1`, `x=1` or `(`, found `)`"),
    ("exists x=1 /\\¶\n", "expected `0:EAX=1`, `[x]=1`, `x=1` or `(`, found the end of the file"),
    ("exists x¶", "expected `=`, found the end of the file"),
    ("exists x=¶", "expected a number, found the end of the file"),
    ("exists x=¶y", "expected a number, found `y`"),
    ("exists x¶!=1", "expected `=`, found `!`"),
    ("exists [x¶=1", "expected `]`, found `=`"),
    ("exists [¶1]=1", "expected a location, found `1`"),
    ("exists ¶(x=1", "this `(` is never closed"),
    ("exists (x=1)¶)", "this `)` closes nothing"),
    ("exists (x=1 ¶y=2)", "expected `/\\`, `\\/` or `)`, found `y`"),
    ("exists (x=1)\n¶exists (x=2)", "expected `/\\`, `\\/` or the end of the file, found `exists`"),
    ("exists x=1 ¶/ x=2", "expected `/\\`, `\\/` or the end of the file, found `/`"),
    ("exists ¶1:EBX=1", "P1 never writes the register EBX"),
    ("exists x=1 /\\ ¶0:EDX=1", "P0 never writes the register EDX"),
    ("exists ¶2:EAX=1", "there is no process 2"),
    ("exists 0:¶FOO=1", "unknown register `FOO`"),
    ("exists 0:¶1=1", "expected a register, found `1`"),
    ("exists 0¶=1", "expected `:`, found `=`"),
    ("exists ¶EAX=1", "`EAX` is a register, not a location"),
    ("exists ¶_x=1", "the location `_x` begins with an underscore, which is reserved"),
    ("exists x=¶" + "9" * 101, "a number of more than 100 digits"),
    ("exists " + "(" * 200 + "¶(x=1", "the condition is nested more than 200 deep"),
    ("exists " + "not " * 200 + "¶not x=1", "the condition is nested more than 200 deep"),
    ("¶exists " + "not " * 200 + "x=1", "the condition is nested more than 200 deep"),
    ("not ¶x=1", "expected `exists`, found `x`"),
    ("~¶forall x=1", "expected `exists`, found `forall`"),
    ("¶filter x=1\nexists x=1", "`filter` is not supported"),
    ("locations [x]\n¶filter x=1\nexists x=1", "`filter` is not supported"),
    ("locations ¶x\nexists x=1", "expected `[`, found `x`"),
    ("locations ¶[x;\nexists x=1", "this `[` is never closed"),
    ("locations [x]\n¶x=1", "expected `exists`, `~exists` or `forall`, found `x`"),
    ("locations [x]¶", "the condition is missing: `exists`, `~exists` or `forall`"),
    ("¶Exists (x=1)", "unknown instruction `Exists`"),
]

MISTAKES = [
    *HEADER_MISTAKES,
    *((f"X86 t\n{init}", message) for init, message in INIT_MISTAKES),
    *((f"X86 t\n{{ }}\n {table}", message) for table, message in TABLE_MISTAKES),
    *((f"X86 t\n{{ }}\n P0 ;\n {cell};\nexists true\n", message) for cell, message in INTEL_MISTAKES),
    *((f"X86_64 t\n{{ }}\n P0 ;\n {cell};\nexists true\n", message) for cell, message in ATT_MISTAKES),
    *(
        (f"X86 t\n{{ }}\n P0 | P1 ;\n MOV EAX,[x] | MOV [x],EBX ;\n{condition}", message)
        for condition, message in CONDITION_MISTAKES
    ),
]


@pytest.mark.parametrize(("marked", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes_are_named_where_they_are(marked: str, message: str) -> None:
    before, after = marked.split("¶")
    with pytest.raises(InputError) as caught:
        parse(before + after, "t.litmus")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    assert (caught.value.message, caught.value.position) == (message, Position(line, column))


FRAGMENTS = [
    *("{", "}", "(", ")", "[", "]", "|", ";", "\n", "=", ":", "$", "%", "~", "(*", "*)", '"', "/\\", "\\/"),
    *("not ", "lock;", "x", "EAX", "_", "0:", "P2", "exists", "filter", "locations", "MOV ", "XCHG "),
    *("-", "0x", "9" * 5000, "\0", "\u2028"),
]
STARTS = [
    'X86 t\n"doc"\nKey=1\n{ x=1; int y; 0:EAX=2 }\nP0|P1;\nMOV [x],$1|XCHG [y],EAX;\n|INC [x];\nexists (x=1 /\\ y=0)',
    "X86_64 t\n{ }\nP0;\nlock; xaddl %eax,(x);\nforall ~(x=1 \\/ 0:rax=0)",
]


@given(st.data())
def test_no_text_leads_to_anything_but_an_input_error(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(STARTS))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.one_of(st.just(start), st.integers(start, min(len(text), start + 8)), st.just(len(text))))
        text = (
            text[:start]
            + data.draw(st.one_of(st.just(""), st.sampled_from(FRAGMENTS), st.text(max_size=3)))
            + text[end:]
        )
    position = _mistake(text)
    if position is not None:
        assert 1 <= position.line <= text.count("\n") + 1
        assert 1 <= position.column <= len(text.split("\n")[position.line - 1]) + 1


def _mistake(text: str) -> Position | None:
    """Where the text is wrong, if it is."""
    try:
        parse(text, "t.litmus")
    except InputError as error:
        return error.position or pytest.fail("an error without a position")
    return None


@pytest.mark.parametrize("piece", ["(*", "(* *)", '"', "A=1\n", "{", "x=1;", "P0|", "|", ";", "\n", "(", "lock;"])
def test_long_repetitions_take_no_time(piece: str) -> None:
    began = time.perf_counter()
    for start in ("X86 t\n", "X86 t\n{", "X86 t\n{}P0;\n", "X86 t\n{}P0;\nexists "):
        with pytest.raises(InputError):
            parse(start + piece * 20_000, "t.litmus")
    assert time.perf_counter() - began < 5
