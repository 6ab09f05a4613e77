"""Bad `.bp` files: one message each, with the exact place."""

import random
import string
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebb.formats.bp_check import read
from ebb.formats.bp_grammar import parse
from ebb.formats.bp_text import show_program
from ebb.formats.errors import InputError

M = "decl a, b; void main() begin "
PARENTHESES = "put parentheses, because readers of this language disagree on what binds tighter"
ENTRY = "which function runs first? There is no main, and no function with `//@ process` beside it"
DEEP = "more than 100 operations and blocks inside each other"
TOO_MANY = "more than 1000 brackets and blocks inside each other"
BEFORE = "a value after the assignment, stands only in constrain"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        # variables
        (M + "c := a; end", "1:30", "there is no variable c"),
        (M + "a := c; end", "1:35", "there is no variable c"),
        (M + "a, b := b,\n !c; end", "2:3", "there is no variable c"),
        (M + "assume(a & (b | c)); end", "1:46", "there is no variable c"),
        (M + "assert schoose[a, c]; end", "1:48", "there is no variable c"),
        (M + "if (a) then skip; elsif (c) then fi; end", "1:55", "there is no variable c"),
        (M + "while (c) do od; end", "1:37", "there is no variable c"),
        (M + "dead a, c; end", "1:38", "there is no variable c"),
        (M + "a := b constrain a = 'c; end", "1:51", "there is no variable c"),
        (M + "a := f(c); end bool f(x) begin end", "1:37", "there is no variable c"),
        (M + "_, c := f(); end bool<2> f() begin end", "1:33", "there is no variable c"),
        (M + "start_thread f(c); end void f(x) begin end", "1:45", "there is no variable c"),
        (M + "end void f() begin decl l; end void g() begin l := a; end", "1:76", "there is no variable l"),
        (M + "end bool f() begin return l; end", "1:56", "there is no variable l"),
        (M + "enforce (a & c); end", "1:43", "there is no variable c"),
        ("decl a, b, a; void main() begin end", "1:12", "a is declared twice"),
        ("decl a;\ndecl b, a; void main() begin end", "2:9", "a is declared twice"),
        ("void main() begin decl l; decl l; end", "1:32", "l is declared twice"),
        ("void main() begin end void f(x, y, x) begin end", "1:28", "f has two parameters x"),
        ("void main() begin end void f(x) begin decl x; end", "1:44", "x is declared twice"),
        # labels
        (M + "goto L; end", "1:35", "main has no label L"),
        (M + "goto a, 5, b; a: skip; b: skip; end", "1:38", "main has no label 5"),
        (M + "start_thread goto L; end void f() begin L: skip; end", "1:48", "main has no label L"),
        (M + "L: skip; if (*) then\nM: L: skip; fi; end", "2:4", "main has two labels L"),
        (M + "5: 5: skip; end", "1:33", "main has two labels 5"),
        # assignments
        (M + "a, b := T; end", "1:30", "2 variables, but 1 value"),
        (M + "a := T, F; end", "1:30", "1 variable, but 2 values"),
        (M + "a, _, _, a := T, T, T, T; end", "1:39", "a is assigned twice"),
        (M + "dead b, a, b; end", "1:41", "b is assigned twice"),
        (M + "a := 'b; end", "1:35", f"'b, {BEFORE}"),
        (M + "assume(a & 'a); end", "1:41", f"'a, {BEFORE}"),
        (M + "f('a); end void f(x) begin end", "1:32", f"'a, {BEFORE}"),
        (M + "enforce (' a); end", "1:39", f"'a, {BEFORE}"),
        (M + "enforce (a & *); end", "1:30", "enforce says what always holds, so there is nothing to choose in it"),
        (
            M + "enforce !schoose[a, b]; end",
            "1:30",
            "enforce says what always holds, so there is nothing to choose in it",
        ),
        # functions
        (M + "f(a); end void f() begin end", "1:30", "1 argument, but f has no parameters"),
        (M + "a := f(); end bool f(x, y) begin end", "1:35", "no arguments, but f has 2 parameters"),
        (M + "start_thread f(a, b); end void f(x) begin end", "1:43", "2 arguments, but f has 1 parameter"),
        (M + "a := f(); end void f() begin end", "1:30", "1 variable, but f has no results"),
        (M + "a, b := f(); end bool f() begin end", "1:30", "2 variables, but f has 1 result"),
        (M + "a := f(); end bool<2> f() begin end", "1:30", "1 variable, but f has 2 results"),
        (M + "return a; end", "1:30", "1 value, but main has no results"),
        (M + "end bool<2> f() begin return a; end", "1:52", "1 value, but f has 2 results"),
        (M + "g(); end", "1:30", "there is no function g"),
        (M + "a := g(); end", "1:35", "there is no function g"),
        (M + "start_thread g(); end", "1:43", "there is no function g"),
        (M + "end void f() begin end\nvoid main() begin end", "2:6", "there is another function main"),
        (M + "if (*) then main(); fi; end", "1:42", "recursion: main calls main"),
        (
            "void main() begin f(); end void f() begin g(); g(); end void g() begin while (*) do f(); od; end",
            "1:85",
            "recursion: f calls g calls f",
        ),
        ("void main() begin end bool f(x) begin x := f(x); return x; end", "1:44", "recursion: f calls f"),
        ("bool<0> f() begin end", "1:6", "a function has from 1 to 999 results, or is void"),
        ("bool<1000> f() begin end", "1:6", "a function has from 1 to 999 results, or is void"),
        # the whole
        ("", "1:1", "a program has at least one function"),
        ("// nothing\n", "1:1", "a program has at least one function"),
        ("decl a;", "1:1", "a program has at least one function"),
        ("void f() begin end void g() begin end", "1:6", ENTRY),
        ("//@ process P\nvoid f() begin end\n//@ process Q\nvoid g() begin end", "2:6", ENTRY),
        ("void main(x) begin end", "1:6", "main runs from the beginning, so it cannot have parameters"),
        (
            "void f() begin //@ process P\nend void g(x) begin //@ process Q\nend",
            "2:10",
            "g runs from the beginning, so it cannot have parameters",
        ),
        ("void main() begin end decl a;", "1:23", "global variables are declared before the first function"),
        (
            "// ebb boolean program 2\nvoid main() begin end",
            "1:1",
            "version 2 of the format is not known; this is a reader of version 1",
        ),
        (
            "decl a, b; //@ predicate x\nvoid main() begin end",
            "1:1",
            "as many predicates as variables, separated by ` | `: here are 1 and 2",
        ),
        # expressions
        (M + "assume(a => b | a); end", "1:44", f"unexpected `|`: {PARENTHESES}"),
        (M + "assume a = b = a; end", "1:43", f"unexpected `=`: {PARENTHESES}"),
        (M + "assume a & b == a; end", "1:43", f"unexpected `==`: {PARENTHESES}"),
        (M + "assume a ^ b & a; end", "1:43", f"unexpected `&`: {PARENTHESES}"),
        (M + "assume a -> b -> a; end", "1:44", f"unexpected `->`: {PARENTHESES}"),
        (M + "a := ; end", "1:35", "unexpected `;`; expected an expression"),
        (M + "a := a &; end", "1:38", "unexpected `;`; expected an expression"),
        (M + "assume(); end", "1:37", "unexpected `)`; expected an expression"),
        (M + "a := skip; end", "1:35", "unexpected `skip`; expected an expression"),
        (M + "f(a, ); end", "1:35", "unexpected `)`; expected an expression"),
        (M + "f(; end", "1:32", "unexpected `;`; expected `)` or an expression"),
        (M + "assume(a; end", "1:38", "unexpected `;`; expected `)`"),
        (M + "assume a); end", "1:38", "unexpected `)`; expected `;`"),
        (M + "a := a ? b; end", "1:40", "unexpected `;`; expected `:`"),
        (M + "a := schoose[a]; end", "1:44", "unexpected `]`; expected `,`"),
        (M + "a := schoose(a, b); end", "1:42", "unexpected `(`; expected `[`"),
        (M + "a := 2; end", "1:35", "a Boolean constant is one of 0, 1, F, T"),
        (M + "a := 00; end", "1:35", "a Boolean constant is one of 0, 1, F, T"),
        # statements
        (M + "a = T; end", "1:32", "unexpected `=`; `:=` assigns"),
        (M + "a == T; end", "1:32", "unexpected `==`; `:=` assigns"),
        (M + "a; end", "1:31", "unexpected `;`; expected `(` or `,` or `:=` or `:`"),
        (M + "a, := T; end", "1:33", "unexpected `:=`; expected `_` or a name"),
        (M + "a := T b := F; end", "1:37", "unexpected `b`; expected `,` or `;` or `constrain`"),
        (M + "a := T constrain; end", "1:46", "unexpected `;`; expected an expression"),
        (M + "skip end", "1:35", "unexpected `end`; expected `;`"),
        (M + "goto; end", "1:34", "unexpected `;`; expected a name or a number"),
        (M + "start_thread; end", "1:42", "unexpected `;`; expected `goto` or a name"),
        (M + "start_thread f; end", "1:44", "unexpected `;`; expected `(`"),
        (M + "L: end", "1:33", "unexpected `end`; expected a statement"),
        (M + "skip; fi; end", "1:36", "unexpected `fi`; expected `end`"),
        (M + "if (a) then skip; end", "1:48", "unexpected `end`; expected `else` or `elsif` or `fi`"),
        (M + "if (a then skip; fi; end", "1:36", "unexpected `then`; expected `)`"),
        (M + "if (a) else else fi; end", "1:42", "unexpected `else`; expected `fi` or a statement"),
        (M + "while (a) do skip; end", "1:49", "unexpected `end`; expected `od`"),
        (M + "skip; decl c; end", "1:36", "unexpected `decl`: decl stands before the first statement"),
        (M + "skip; enforce (a); end", "1:36", "unexpected `enforce`: enforce stands before the first statement"),
        (M + "else end", "1:30", "unexpected `else`; expected `decl` or `end` or `enforce` or a statement"),
        # declarations
        ("decl if; void main() begin end", "1:6", "unexpected `if`: if is a keyword"),
        ("decl a, T; void main() begin end", "1:9", "unexpected `T`: T is a keyword"),
        ("decl _; void main() begin end", "1:6", "unexpected `_`: _ is a keyword"),
        ("void end() begin end", "1:6", "unexpected `end`: end is a keyword"),
        ("void main(begin) begin end", "1:11", "unexpected `begin`: begin is a keyword"),
        ("void main() begin goto fi; end", "1:24", "unexpected `fi`: fi is a keyword"),
        ("decl a void main() begin end", "1:8", "unexpected `void`; expected `,` or `;`"),
        ("decl a,; void main() begin end", "1:8", "unexpected `;`; expected a name"),
        ("int main() begin end", "1:1", "unexpected `int`; expected `bool` or `decl` or `void`"),
        ("void main begin end", "1:11", "unexpected `begin`; expected `(`"),
        ("void main() skip; end", "1:13", "unexpected `skip`; expected `begin`"),
        ("void main() begin end end", "1:23", "unexpected `end`; expected `bool` or `decl` or `void`"),
        ("bool<x> f() begin end", "1:6", "unexpected `x`; expected a number"),
        ("bool<2 f() begin end", "1:8", "unexpected `f`; expected `>`"),
        # characters
        (M + "a := b $ a; end", "1:37", "unexpected character '$'"),
        (M + "a := '; end", "1:35", 'unexpected character "\'"'),
        (M + "a := \x00; end", "1:35", r"unexpected character '\x00'"),
        (M + "a := {b; end", "1:35", "unexpected character '{'"),
        ("#include", "1:1", "unexpected character '#'"),
        (M + "a := b /* ; end", "1:37", "this comment is never closed"),
        ("void main() begin end\n /*/", "2:2", "this comment is never closed"),
        ("void main() begin skip;\n\n  \n", "1:24", "the file ends too early; expected `end` or a statement"),
        ("void", "1:5", "the file ends too early; expected a name"),
        # nesting
        (f"{M}skip; assume {'!' * 101}a; end", "1:36", DEEP),
        (f"{M}enforce {'!(a & ' * 51}b{')' * 51}; end", "1:30", DEEP),
        (f"{M}a := b constrain {'schoose[a, ' * 101}a{']' * 101}; end", "1:30", DEEP),
        (f"{M}a := {'a ? b : ' * 101}a; end", "1:30", DEEP),
        (f"{M}{'if * then ' * 101}{'fi ' * 101}end", "1:1030", DEEP),
        (f"{M}{'while * do ' * 100}f(!a); {'od ' * 100}end", "1:1130", DEEP),
        (f"{M}assume {'(' * 1001}a{')' * 1001}; end", "1:1037", TOO_MANY),
        (f"{M}assume {'!' * 1001}a; end", "1:1037", TOO_MANY),
        (f"{M}assume {'!(' * 501}a{')' * 501}; end", "1:1037", TOO_MANY),
        (f"{M}a := {'a ? b : ' * 1001}a; end", "1:8037", TOO_MANY),
        (f"{M}{'if * then ' * 1001}{'fi ' * 1001}end", "1:10030", TOO_MANY),
    ],
)
def test_messages(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read(text)
    error = raised.value
    assert error.position is not None
    assert (f"{error.position.line}:{error.position.column}", error.message) == (place, message)


@pytest.mark.parametrize(
    "body",
    [
        f"assume {'(' * 1000}a{')' * 1000};",
        f"assume {'!' * 100}a;",
        f"a := {'a ? b : ' * 100}a;",
        f"a := {'a ? b ? ' * 50}a{' : b : a' * 50};",
        f"a := {'(a | b & ' * 50}a{')' * 50};",
        f"a, b := {'schoose[a, ' * 100}a{']' * 100}, b constrain {'(a => ' * 99}(a ? b : a){')' * 99};",
        "if * then " * 100 + "fi " * 100,
        "while (*) " * 50 + "a := " + "!" * 50 + "a; " + "od " * 50,
        "if (a) then skip; " + "elsif (!a ? b : a) then skip; " * 2000 + "fi;",
        f"assume {' & '.join(['!(a | b)'] * 2000)};",
        f"f({', '.join(['a ? b : !a'] * 2000)});",
        "skip; " * 2000,
    ],
)
def test_what_is_just_deep_enough(body: str) -> None:
    shown = show_program(parse(f"{M}{body} end"))
    assert show_program(parse(shown)) == shown


def test_the_message_shows_the_line_and_points_at_the_column() -> None:
    text = "decl a;\nvoid main() begin a = T; end\n"
    with pytest.raises(InputError) as raised:
        read(text)
    assert str(raised.value.within("dir/p.bp", text)) == (
        "dir/p.bp:2:21: unexpected `=`; `:=` assigns\n"
        "  void main() begin a = T; end\n"
        "                      ^"
    )  # fmt: skip


# ---- whatever else a file may hold

SAMPLE = """\
// ebb boolean program 1
decl a, {x == 0};  //@ predicate p | q
/* a procedure */
bool<2> f(x) begin
  enforce (!x | 'a);
  return x, schoose[!a, *];
end
void main() begin  //@ process P0
  decl l;
  1: if (a <> l) then
    goto 1, L;
  elsif a -> l then
    start_thread goto L; //@ overflow
  else
    while * do l, _ := f(T); od
  fi;
  L: a, l := F, a ? 0 : 1 constrain ('a = l); // c
  atomic_begin; assert(a && ~l || T); atomic_end; dead a;
end
"""


def test_a_file_may_end_anywhere() -> None:
    for end in range(len(SAMPLE)):
        positioned(SAMPLE[:end])


def positioned(text: str) -> None:
    """Either a program, printed in one way, or one message about a place in the text."""
    if mistake(parse, text) is None:
        shown = show_program(parse(text))
        assert show_program(parse(shown)) == shown
    error = mistake(read, text)
    if error is not None:
        assert error.message
        assert error.position is not None
        line, column = error.position.line, error.position.column
        assert 1 <= line <= text.count("\n") + 1
        assert 1 <= column <= len(text.split("\n")[line - 1]) + 1


def mistake(reader: Callable[[str], object], text: str) -> InputError | None:
    try:
        reader(text)
    except InputError as error:
        return error
    return None


TOKENS = st.sampled_from(
    [
        *("decl", "void", "bool", "begin", "end", "if", "then", "elsif", "else", "fi", "while", "do", "od", "enforce"),
        *("skip", "goto", "assume", "assert", "return", "start_thread", "atomic_begin", "dead", "constrain", "schoose"),
        *("a", "b", "main", "{x}", "'a", "_", "T", "0", "5", "*", "!", "&", "|", "=", "!=", "=>", "^", "?", ":", ":="),
        *(
            "(",
            ")",
            "[",
            "]",
            "<",
            ">",
            ",",
            ";",
            "\n",
            "\n\n",
            "// c\n",
            "//@ overflow\n",
            "//@ process P\n",
            "/* c */",
        ),
        *("void main() begin", "decl a, b;", "a := b;", "if (*) then", "L: skip;", "end"),
    ]
)


@given(st.lists(TOKENS, max_size=30))
def test_tokens_in_any_order(tokens: list[str]) -> None:
    positioned(" ".join(tokens))


@given(st.lists(st.tuples(st.integers(0, len(SAMPLE)), st.integers(0, 6), TOKENS | st.just("")), max_size=3))
def test_a_sample_with_changes(changes: list[tuple[int, int, str]]) -> None:
    text = SAMPLE
    for start, length, what in changes:
        text = text[:start] + what + text[start + length :]
    positioned(text)


@given(st.text())
def test_any_text(text: str) -> None:
    positioned(text)
    positioned(M + text)


TEN_MEGABYTES = 10_000_000
PRINTABLE = "".join(random.Random(1).choices(string.printable, k=1000))
EARLY = "the file ends too early"
TOP = "expected `bool` or `decl` or `void`"


@pytest.mark.parametrize(
    ("head", "garbage", "place", "message"),
    [
        ("", PRINTABLE, "1:1", f"unexpected `d`; {TOP}"),
        (M, PRINTABLE, "1:31", "unexpected `[`; expected `(` or `,` or `:=` or `:`"),
        ("", "(", "1:1", f"unexpected `(`; {TOP}"),
        (M + "a := ", "(", "1:1035", TOO_MANY),
        ("", "x", "1:1", f"unexpected `{'x' * 40}…`; {TOP}"),
        (M, "x", "1:10000030", f"{EARLY}; expected `(` or `,` or `:=` or `:`"),
        ("", "\0", "1:1", r"unexpected character '\x00'"),
        (M, "\0", "1:30", r"unexpected character '\x00'"),
        ("", "1", "1:1", f"unexpected `{'1' * 40}…`; {TOP}"),
        ("/*", "x", "1:1", "this comment is never closed"),
        ("/*", "*", "1:1", "this comment is never closed"),
        (M + "{", "x", "1:30", "unexpected character '{'"),
        (M + "skip; //@ at ", "x:10", "1:10000043", f"{EARLY}; expected `end` or a statement"),
        ("", "\n", "1:1", "a program has at least one function"),
        (M, "if * then ", "1:10030", TOO_MANY),
    ],
)
def test_ten_megabytes_of_garbage(head: str, garbage: str, place: str, message: str) -> None:
    text = head + garbage * (TEN_MEGABYTES // len(garbage))
    begin = time.process_time()
    with pytest.raises(InputError) as raised:
        read(text)
    assert time.process_time() - begin < 5
    error = raised.value
    assert error.position is not None
    assert (f"{error.position.line}:{error.position.column}", error.message) == (place, message)
    assert len(str(error.within("p.bp", text))) < 1000
