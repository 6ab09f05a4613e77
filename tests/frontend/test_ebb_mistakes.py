"""Bad `.ebb` files: one message each, with the exact place."""

import pytest

from ebb.formats.errors import InputError
from ebb.frontend.ebb_source import parse

P = "process P { local r; "
REDUCED = '//@ program "p" from "p.ebb" model sc reduced rma\n'
R = REDUCED + "shared X, S = {}, Q[2]; process P { local r; "


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        # names
        ("shared Turn; process P { Turm = 1; }", "1:26", "`Turm` is not declared; did you mean `Turn`?"),
        (P + "r = q; }", "1:26", "`q` is not declared"),
        ("shared r; process P { local r; }", "1:29", "`r` is both shared and local in P"),
        ("shared X, Y, X; process P { }", "1:14", "`X` is declared twice"),
        ("process P { local r, r; }", "1:22", "`r` is declared twice"),
        ("process P { } process P { }", "1:23", "there are two processes `P`"),
        (
            P + "r = R.s; } process R { local s; }",
            "1:26",
            "`R.s`: a process sees only its own locals, by their plain name",
        ),
        (P + "r = P@a; }", "1:26", "where a process stands can be asked in properties only"),
        ("shared Q[2]; process P { Q = 1; }", "1:26", "`Q` is an array; name an element, `Q[…]`"),
        ("shared X; process P { X[0] = 1; }", "1:23", "`X` is not an array"),
        # labels
        (P + "goto b; }", "1:27", "P has no label `b`"),
        (P + "a: skip; a: skip; }", "1:31", "the label `a` stands twice in P"),
        (P + "goto a; atomic { a: skip; } }", "1:27", "this jump crosses the edge of an atomic block"),
        (P + "a: atomic { goto a; } }", "1:39", "this jump crosses the edge of an atomic block"),
        (P + "transaction { goto a; } a: skip; }", "1:41", "this jump crosses the edge of a transaction"),
        # declarations
        ("shared X : 3..1; process P { }", "1:8", "the range of `X` is empty"),
        ("shared X : 0..1 = 2; process P { }", "1:8", "`X` starts at 2, outside its range"),
        ("shared X : 1..3; process P { }", "1:8", "`X` starts at 0, outside its range"),
        ("shared Q[0]; process P { }", "1:10", "an array has 1 to 65536 elements"),
        ("shared Q[99999999999999]; process P { }", "1:10", "an array has 1 to 65536 elements"),
        ("shared X = 0;", "1:1", "a program has at least one process"),
        # remote access
        (P + "put(Y, R, X); }", "1:26", "`Y` is not declared"),
        ("process P { shared X; put(X, R, X); }", "1:30", "there is no process `R`"),
        ("process P { shared X; put(X, 2, X); }", "1:30", "there is no process number 2; they are numbered 1 to 1"),
        ("process P { shared X; flush(0); }", "1:29", "there is no process number 0; they are numbered 1 to 1"),
        ("process P { shared X; put(X, R, X); } process R { }", "1:27", "`X` lives in P, not in R"),
        ("process P { shared X; } process R { shared Y; put(X, P, X); }", "1:57", "`X` lives in P, not in R"),
        (
            "process P { local r; shared X; r = get(X, P); }",
            "1:32",
            "a get copies between shared variables; `r` is local",
        ),
        (
            "shared X, Q[2]; process P { atomic { put(Q[X], P, X); } }",
            "1:38",
            "the index of what is copied remotely reads only locals here: load it before",
        ),
        (
            REDUCED + "shared X, Q[2]; process P { X = get(Q[X], P); }",
            "2:29",
            "the index of what is copied remotely reads only locals here: load it before",
        ),
        # synchronisation
        ("process P { lock(r); local r; }", "1:18", "`r` is local; what processes synchronise on is shared"),
        ("process P { start(P); }", "1:19", "a process cannot start itself"),
        ("process P { join(R); }", "1:18", "there is no process `R`"),
        (
            "process P { atomic { wait(c); } }",
            "1:22",
            "wait in an atomic block can never end: no other process moves meanwhile",
        ),
        # words
        ("shared X; process P { load X = 1; }", "1:23", "a load is from a shared variable to a local: load r = X"),
        (P + "store r = 1; }", "1:22", "a store is to a shared variable; `r` is local"),
        (P + "r = cas(r, 0, 1); }", "1:22", "cas works on a shared variable; `r` is local"),
        ("shared X; process P { cas(X, 1); }", "1:23", "cas is used as cas(X, old, new)"),
        ("shared X; process P { faa(X, 1, 2); }", "1:23", "faa is used as faa(X, value)"),
        (P + "fence(r); }", "1:28", "a fence is about a shared variable; `r` is local"),
        # properties
        ("process P { a: skip; } assert never (P@b);", "1:40", "P has no label `b` outside atomic blocks"),
        ("process P { } assert never (R@b);", "1:29", "there is no process `R`"),
        ("process P { atomic { b: skip; } } assert never (P@b);", "1:51", "P has no label `b` outside atomic blocks"),
        (
            "process P { local r; } process R { local r; } assert always (r == 0);",
            "1:62",
            "`r` is a local of several processes; write P.r or R.r",
        ),
        (P + "} assert always (P.q == 0);", "1:39", "`P.q`: P has no local `q`"),
        ("shared X; process P { } assert always (P.X == 0);", "1:40", "`X` is shared; write it without `P.`"),
        (
            "process P { a: skip; } predicates { P@a }",
            "1:37",
            "a predicate is about variables; a label has no place in it",
        ),
        # what only reduced programs have
        ("process P background { }", "1:9", "only a reduced program has background processes"),
        ("shared S = {}; process P { }", "1:8", "only a reduced program has sets"),
        ("process P { shared S = {}; }", "1:20", "only a reduced program has sets"),
        ("process P { local s = {}; }", "1:19", "only a reduced program has sets"),
        (P + "overflow; }", "1:22", "only a reduced program has such a statement"),
        (P + "forget(r); }", "1:22", "only a reduced program has such a statement"),
        (P + "r = {1}; }", "1:22", "`r` is not a set"),
        (P + "r = choose(r); }", "1:33", "`r` is not a set"),
        (P + "add(r, 1); }", "1:26", "`r` is not a set"),
        (P + "forgit(r); }", "1:22", "there is no such statement as `forgit`"),
        (P + "yield; }", "1:22", "there is no such statement as `yield`"),
        (P + "r = random(r); }", "1:26", "there is no such statement as `random`"),
        (R + "overflow(r); }", "2:46", "overflow is used as overflow;"),
        (R + "add(S); }", "2:46", "add is used as add(SET, value);"),
        (R + "forget(1); }", "2:46", "forget is used as forget(X);"),
        (R + "X = {1}; }", "2:46", "`X` is not a set"),
        (R + "Q[0] = {1}; }", "2:46", "`Q` is not a set"),
        (R + "r = choose(X); }", "2:57", "`X` is not a set"),
        (R + "add(Q, 1); }", "2:50", "`Q` is not a set"),
        (R + "add(T, 1); }", "2:50", "`T` is not declared"),
        (R + "r = S; }", "2:50", "`S` is a set, not a number"),
        (R + "S = 1; }", "2:46", "`S` is a set, not a number"),
        (R + "S = *; }", "2:46", "`S` is a set, not a number"),
        (R + "S = choose(S); }", "2:46", "`S` is a set, not a number"),
        (R + "add(S, S); }", "2:53", "`S` is a set, not a number"),
        (R + "faa(S, 1); }", "2:50", "`S` is a set, not a number"),
        (R + "lock(S); }", "2:51", "`S` is a set, not a number"),
        (R + "r = S[0]; }", "2:50", "`S` is not an array"),
        (R + "forget(S[0]); }", "2:53", "`S` is not an array"),
        (R + "forget(Q); }", "2:53", "`Q` is an array; name an element, `Q[…]`"),
        (R + "} assert never (S);", "2:62", "`S` is a set, not a number"),
        (R + "} predicates { S }", "2:61", "`S` is a set, not a number"),
        (REDUCED + "shared S[2] = {}; process P { }", "2:8", "the set `S` has a size or a range"),
        (REDUCED + "shared S : 0..1 = {}; process P { }", "2:8", "the set `S` has a size or a range"),
        (REDUCED + "process P { local s = {}; }", "2:19", "`s` is a local set; sets are shared"),
        (
            REDUCED + "shared S = {}; process P when S { }",
            "2:31",
            "`S` is not a shared variable that holds a number",
        ),
        ("process P foo { }", "1:11", "unexpected `foo`; expected `{`"),
        (REDUCED + "process P foreground { }", "2:11", "unexpected `foreground`; expected `{`"),
        ("process P when X { }", "1:16", "`X` is not a shared variable that holds a number"),
        ("shared X[2]; process P when X { }", "1:29", "`X` is not a shared variable that holds a number"),
        # grammar
        (P + "r = r ? 1; }", "1:31", "unexpected `;`; expected `:`"),
        (P + "r = r ? 1 : ; }", "1:34", "unexpected `;`; expected `(` or a name or a number or an operator"),
        ("process P { r = 1\n skip; }", "2:2", "unexpected `skip`; expected `;`"),
        ("process P {", "1:12", "the file ends too early"),
        ("process P { skip; } /* what", "1:21", "this comment is never closed"),
        (
            "shared lock = 0;",
            "1:8",
            "unexpected `lock`: lock is a keyword, and a name that is one stands in backquotes",
        ),
        ("process P { skip; } }", "1:21", "unexpected `}`; expected `assert` or `predicates` or `process` or `shared`"),
        ("process P { r = $; }", "1:17", "unexpected character '$'"),
        (f"process P {{ r = {'9' * 101}; }}", "1:17", "a number of more than 100 digits"),
        ("process P { r = 1 ++ 2; }", "1:20", "unexpected `+`; expected `(` or a name or a number or an operator"),
    ],
)
def test_messages(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(text, "p.ebb")
    error = raised.value
    assert error.position is not None
    assert (f"{error.position.line}:{error.position.column}", error.message) == (place, message)


def test_the_message_shows_the_line_and_points_at_the_column() -> None:
    text = "shared X;\nprocess P { X = y; }\n"
    with pytest.raises(InputError) as raised:
        parse(text, "p.ebb")
    assert str(raised.value.within("dir/p.ebb", text)) == (
        "dir/p.ebb:2:17: `y` is not declared\n"
        "  process P { X = y; }\n"
        "                  ^"
    )  # fmt: skip


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 5000 + "r" + ")" * 5000 + " + 1",
        "r" + " + 1" * 5000,
        "!" * 5000 + "r",
        "-" * 5000 + "r",
        "r ? 1 : " * 5000 + "1",
    ],
)
def test_deep_expressions(expression: str) -> None:
    """Parentheses alone are no depth; what would exhaust a stack later is refused here."""
    text = f"{P} r = {expression}; }}"
    if expression.startswith("("):
        parse(text, "p.ebb")
    else:
        with pytest.raises(InputError, match="nested more than 200 levels deep"):
            parse(text, "p.ebb")


@pytest.mark.parametrize(("opening", "closing"), [("{", "}"), ("if (r) {", "}"), ("while (r) ", ""), ("atomic {", "}")])
def test_deep_blocks(opening: str, closing: str) -> None:
    with pytest.raises(InputError, match=r"nested more than (150|50) levels deep"):
        parse(f"{P} {opening * 2000} skip; {closing * 2000} }}", "p.ebb")


def test_deep_brackets() -> None:
    with pytest.raises(InputError, match="nested more than 200 levels deep"):
        parse("shared Q[2]; process P { Q[" + "Q[" * 1000 + "0" + "]" * 1000 + "] = 1; }", "p.ebb")
