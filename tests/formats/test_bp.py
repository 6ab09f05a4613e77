"""Boolean programs as text: what is read, what is printed, and that the two fit together."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from random_boolean_programs import random_program

from ebb.formats import bp
from ebb.formats.bp_check import read
from ebb.formats.bp_grammar import parse
from ebb.formats.bp_text import show_program
from ebb.formats.errors import Position

# ---- texts that are printed as they are

CANONICAL = [
    "void main() begin\nend\n",
    """\
// ebb boolean program 1
// What this is about.

/* Several
   lines. */
decl b0;                       //@ predicate F0 == 0
decl b1, {x == 0};             //@ predicate P0.f == 0 | x == 0

// A procedure.
bool<2> f(a, b) begin          // two results
  decl c;                      /* one */ /* two */ // three
  // above
  enforce (!(a & c));          // beside

  // a block, and a blank line around it

  enforce (T);
  // before the first statement
  c := (a ? b : !c);
  return a, schoose[b, c];
  // below the last statement
end                            // of f

bool g() begin
end

void main() begin              //@ process P0
  decl l, m, n;
  L1: skip;                    // plain //@ at peterson.ebb:8 flush F0
  L2: 10: goto L1, L2, 10;     //@ at dir/my file.ebb:8:12 flush //@ overflow
  assume(*);                   //@ unknown mark //@ at a.ebb:1
  assert(l | !m | (n & 'l));   //@ checks never both //@ overflow
  assert((l => m) = (m ^ n));  //@ at a.ebb:1:1 //@ checks something

  l, _, m := T, F, 1 constrain (('l | 0) != *);
  l := l;
  f(T, F);
  l, _ := f(l, !!m);
  l := g();
  start_thread f(l, (l & m));
  start_thread goto L1;
  end_thread;
  atomic_begin;
  atomic_end;
  dead;
  dead l, m;
  return;
  if (l) then                  //@ at a.ebb:3
    skip;                      // in the branch
    // below it
  elsif (m & n) then
    // nothing here
  elsif (*) then
  else

    skip;

    // at the end

  fi;
  // after the if
  if (F) then
  fi;
  if (F) then
  else
  fi;
  while (T) do                 // for ever
    while (!l) do
    od;
    // below
  od;
  /* on two
lines */
end

// The end.

// Really.
""",
]


@pytest.mark.parametrize("text", CANONICAL, ids=["small", "everything"])
def test_what_is_printed_so_is_printed_so_again(text: str) -> None:
    assert show_program(parse(text)) == text


# ---- texts of other hands

MESSY: dict[str, tuple[str, str | None]] = {
    "spellings": (
        "void main() begin decl a,b; assume ~a&&b; assume((a)||(!b)); assume a == b; assume a<=>b; assume a<>b;"
        " assume a!=b; assume a->b; a:=choose[a,b]; a := a=b constrain ' a; end",
        """\
void main() begin
  decl a, b;
  assume(!a & b);
  assume(a | !b);
  assume(a = b);
  assume(a = b);
  assume(a != b);
  assume(a != b);
  assume(a => b);
  a := schoose[a, b];
  a := (a = b) constrain 'a;
end
""",
    ),
    "numbers as labels, and jumps": (
        "decl g;\nvoid main()\nbegin\n1: skip;\n2: if * then goto 5; fi;\n"
        "3: goto 1,\n4;\n4:skip; 5: if !g then goto 1; fi\nend",
        """\
decl g;
void main() begin
  1: skip;
  2: if (*) then
    goto 5;
  fi;
  3: goto 1, 4;
  4: skip;
  5: if (!g) then
    goto 1;
  fi;
end
""",
    ),
    "if and while with and without their words": (
        "void main() begin decl b; if b then skip; else goto 7; fi if (b) 7: skip; fi; if * b := T; elsif b f(); fi\n"
        "while b do skip; od while (*) od; while b b := F; od; end void f() begin end",
        """\
void main() begin
  decl b;
  if (b) then
    skip;
  else
    goto 7;
  fi;
  if (b) then
    7: skip;
  fi;
  if (*) then
    b := T;
  elsif (b) then
    f();
  fi;
  while (b) do
    skip;
  od;
  while (*) do
  od;
  while (b) do
    b := F;
  od;
end
void f() begin
end
""",
    ),
    "names in braces, results": (
        "decl {x==0},{ *p > 3 };\nbool<2> f(a,b) begin return a,{x==0}; end\nbool<1> g() begin return(T); end\n"
        "void main() begin decl a; a, _ := f(a,{x==0}); {x==0} := g( ) ; dead; dead {x==0},a; end",
        """\
decl {x==0}, { *p > 3 };
bool<2> f(a, b) begin
  return a, {x==0};
end
bool g() begin
  return T;
end
void main() begin
  decl a;
  a, _ := f(a, {x==0});
  {x==0} := g();
  dead;
  dead {x==0}, a;
end
""",
    ),
    "comments wherever they fit": (
        """

        // first
        decl a /* in a list */ , // between
             b; // beside
        /* before */ void /* in */ main() // heading
        begin // of main
        ; // nothing
        skip; skip; // second
        ; // third

        L: // label
           skip; /* one */ // two


        // far
        if /* inside */ a then // then
          skip;
        elsif b then // elsif
          // under elsif
        else // else
          skip;
        fi // fi
        while a do // do
          skip; od; // od
        // last
        end // end
        // tail


        """,
        """\
// first
/* in a list */
// between
decl a, b;                     // beside
/* before */
/* in */
// heading
void main() begin              // of main
  // nothing
  skip;
  skip;                        // second
  // third

  // label
  L: skip;                     /* one */ // two

  // far
  /* inside */
  if (a) then                  // then
    skip;
  elsif (b) then
    // elsif
    // under elsif
  else
    // else
    skip;
  fi;
  // fi
  while (a) do                 // do
    skip;
  od;
  // od
  // last
end                            // end
// tail
""",
    ),
    "a comment beside an if without then": (
        "void main() begin if * goto 5; // 1\n if (*) skip; // 2\n fi // 3\n 5: while * skip; od // 4\n fi end",
        """\
void main() begin
  if (*) then
    goto 5;                    // 1
    if (*) then
      skip;                    // 2
    fi;
    // 3
    5: while (*) do
      skip;
    od;
    // 4
  fi;
end
""",
    ),
    "a comment in the way": ("void main() begin skip; // a\n ; /* b\n c */ ; /* d */ skip; end", None),
    "lines end as on Windows": ("decl a;\r\n\r\n// c\r\nvoid main() begin // d\r\n skip;\r\nend\r\n", None),
    "declarations among what is enforced": (
        "void main() begin decl a; enforce a; decl b; enforce(b); end",
        "void main() begin\n  decl a;\n  decl b;\n  enforce (a);\n  enforce (b);\nend\n",
    ),
    "long lines": (
        f"decl {'a' * 40}; // beside\nvoid main() begin end",
        f"decl {'a' * 40};  // beside\nvoid main() begin\nend\n",
    ),
    "precedence": (
        "void main() begin decl a, b, c; assume !a & b | c; assume a | b => c & b; assume a ? b : c ? a : b; end",
        """\
void main() begin
  decl a, b, c;
  assume((!a & b) | c);
  assume((a | b) => (c & b));
  assume(a ? b : (c ? a : b));
end
""",
    ),
}


@pytest.mark.parametrize(("text", "printed"), MESSY.values(), ids=MESSY)
def test_texts_of_other_hands(text: str, printed: str | None) -> None:
    program = read(text)
    shown = show_program(program)
    assert printed in (shown, None)
    assert parse(shown) == program
    assert show_program(parse(shown)) == shown


@pytest.mark.parametrize("seed", range(0, 500, 50))
def test_random_programs(seed: int) -> None:
    for number in range(seed, seed + 50):
        program = read(random_program(random.Random(number)))
        shown = show_program(program)
        assert read(shown) == program
        assert show_program(read(shown)) == shown


@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_comments_may_stand_anywhere_and_none_is_lost(seed: int) -> None:
    for number in range(seed, seed + 20):
        rng = random.Random(number)
        plain = re.sub(r" *//@.*", "", random_program(rng))
        words: list[str] = []
        comments: list[str] = []
        for word in re.findall(r"'?\w+|:=|[&|=<>!-]*[&|=>]|\S|\n", plain):
            words.append(word)
            if rng.random() < 0.2:
                end = rng.choice(("\n", "\n\n", "\n \n\n"))
                comments.append(f"c{len(comments)}c")
                words.append(
                    rng.choice((f"// {comments[-1]}{end}", f"/* {comments[-1]} */", f"/*\n{comments[-1]}*/{end}"))
                )
        shown = show_program(parse(" ".join(words)))
        assert sorted(re.findall(r"c\d+c", shown)) == sorted(comments)
        assert show_program(parse(shown)) == shown
        assert without_comments(parse(shown)) == without_comments(parse(plain))


def without_comments(program: bp.Program) -> str:
    shown = re.sub(r"/\*.*?\*/|//[^\n]*", "", show_program(program), flags=re.DOTALL)
    return "\n".join(line.rstrip() for line in shown.split("\n") if line.strip())


# ---- what comments say


def statement(text: str) -> bp.Statement:
    (only,) = parse(f"void main() begin\n{text}\nend").functions[0].body
    return only


@pytest.mark.parametrize(
    ("comment", "predicates", "beside"),
    [
        ("//@ predicate x == 0 | y || z", ("x == 0", "y || z"), ""),
        ("// plain //@ predicate  x == 0  |  y ", ("x == 0", "y"), "// plain"),
        ("//@predicate x | y", ("x", "y"), ""),
        ("/* a */ //@ predicate x | y", ("x", "y"), "/* a */"),
        ("/* //@ predicate x | y */", (), "/* //@ predicate x | y */"),
        ("//@ predicate", (), "//@ predicate"),
        ("//@ predicates x | y", (), "//@ predicates x | y"),
        ("//@ process P //@ predicate x | y //@ predicate z", ("x", "y"), "//@ process P // predicate z"),
    ],
)
def test_predicates(comment: str, predicates: tuple[str, ...], beside: str) -> None:
    (declaration,) = parse(f"decl a, b; {comment}\nvoid main() begin end").declarations
    assert (declaration.predicates, declaration.comments.beside) == (predicates, beside)


@pytest.mark.parametrize(
    ("comment", "process", "beside"),
    [
        ("", "", ""),
        ("//@ process P 0", "P 0", ""),
        ("//@ process", "main", ""),
        ("// of //@ process P0 //@ overflow", "P0", "// of //@ overflow"),
    ],
)
def test_processes(comment: str, process: str, beside: str) -> None:
    (function,) = parse(f"void main() begin {comment}\nend").functions
    assert (function.process, function.comments.beside) == (process, beside)


def test_a_process_is_marked_beside_its_heading_and_not_above() -> None:
    (function,) = parse("//@ process P\nvoid main() begin\nend //@ process Q").functions
    assert (function.process, function.comments.above, function.beside_end) == ("", ("//@ process P",), "//@ process Q")


@pytest.mark.parametrize(
    ("comment", "origin", "beside"),
    [
        ("//@ at a.ebb:12", bp.Origin("a.ebb", 12), ""),
        ("//@ at a.ebb:12:3", bp.Origin("a.ebb", 12, 3), ""),
        ("//@ at my dir/a.ebb:12:3   flush F0:1 ", bp.Origin("my dir/a.ebb", 12, 3, "flush F0:1"), ""),
        ("//@ at C:\\a.ebb:12 x", bp.Origin("C:\\a.ebb", 12, None, "x"), ""),
        ("// see //@ at a.ebb:1 //@ at b.ebb:2", bp.Origin("a.ebb", 1), "// see // at b.ebb:2"),
        ("//@ at a.ebb", None, "//@ at a.ebb"),
        ("//@ at a.ebb:0", None, "//@ at a.ebb:0"),
        ("//@ at a.ebb:12x", None, "//@ at a.ebb:12x"),
        ("//@", None, "//@"),
    ],
)
def test_origins(comment: str, origin: bp.Origin | None, beside: str) -> None:
    found = statement(f"skip; {comment}")
    assert (found.origin, found.comments.beside) == (origin, beside)


@pytest.mark.parametrize(
    ("text", "checks", "overflow", "beside"),
    [
        ("assert(T); //@ checks mutual exclusion", "mutual exclusion", False, ""),
        ("assert(T); //@ overflow //@ checks x", "x", True, ""),
        ("assert(T); //@ checks", "", False, "//@ checks"),
        ("skip; //@ checks x", "", False, "//@ checks x"),
        ("skip; //@ overflow", "", True, ""),
        ("skip; // a //@ overflow the buffer is full", "", True, "// a // the buffer is full"),
        ("skip; //@ overflows", "", False, "//@ overflows"),
        ("skip; /* //@ overflow */", "", False, "/* //@ overflow */"),
        ("skip; // //@ overflow", "", True, "//"),
        ("skip; //@ foo //@ overflow //@ bar", "", True, "//@ foo //@ bar"),
        ("if (*) then //@ overflow\n fi;", "", True, ""),
        ("while (*) do skip; od; //@ overflow", "", False, ""),
    ],
)
def test_checks_and_overflows(text: str, checks: str, overflow: bool, beside: str) -> None:
    found = statement(text)
    assert (found.checks, found.overflow, found.comments.beside) == (checks, overflow, beside)
    shown = show_program(parse(f"void main() begin\n{text}\nend"))
    assert show_program(parse(shown)) == shown


def test_a_mark_beside_the_statement_in_a_branch_without_then() -> None:
    branch = statement("if (*) skip; //@ overflow\n fi")
    assert not branch.overflow
    assert isinstance(branch.action, bp.If)
    assert branch.action.branches[0][1][0].overflow


def test_positions() -> None:
    program = parse("decl a,\n b;\nvoid main() begin\n  L: M: a, b := b, 'a;\n  goto L, M;\nend\n")
    assert program.declarations[0].names_at == (Position(1, 6), Position(2, 2))
    assert program.functions[0].at == Position(3, 6)
    assign, goto = program.functions[0].body
    assert (assign.at, assign.names_at) == (Position(4, 9), (Position(4, 9), Position(4, 12)))
    assert assign.labels_at == (Position(4, 3), Position(4, 6))
    assert (goto.at, goto.names_at) == (Position(5, 3), (Position(5, 8), Position(5, 11)))
    assert isinstance(assign.action, bp.Assign)
    assert [part.at for part in assign.action.values if isinstance(part, bp.Variable | bp.Next)] == [
        Position(4, 17),
        Position(4, 20),
    ]


# ---- whatever can be written down

PLAIN_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_$]{0,3}", fullmatch=True).filter(lambda name: name not in bp.KEYWORDS)
NAMES = PLAIN_NAMES | st.sampled_from(["{x == 0}", "{}", "{*p > '3'}", "{// no comment}"])
LABELS = NAMES | st.from_regex(r"[0-9]{1,3}", fullmatch=True)
TARGETS = NAMES | st.just("_")

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\n@|")
WORDS = st.text(LETTERS, min_size=1, max_size=8).map(str.strip).filter(bool)
LINE_COMMENTS = st.text(LETTERS, max_size=8).map(lambda text: f"// {text}".rstrip()) | st.just("//@ unknown words")
BLOCK_COMMENTS = st.text(LETTERS | st.just("\n"), max_size=8).map(lambda text: f"/*{text.replace('*/', '')} */")
BESIDE = st.tuples(st.lists(BLOCK_COMMENTS, max_size=2), st.just("") | LINE_COMMENTS).map(
    lambda parts: " ".join(filter(None, [*parts[0], parts[1]]))
)


@st.composite
def lines(draw: DrawFn) -> tuple[str, ...]:
    """Comments with a blank line here and there."""
    found: list[str] = []
    for line in draw(st.lists(st.just("") | LINE_COMMENTS | BLOCK_COMMENTS, max_size=3)):
        if line or not found or found[-1]:
            found.append(line)
    return tuple(found)


def tuples(strategy: SearchStrategy[bp.Expression], least: int = 0) -> SearchStrategy[tuple[bp.Expression, ...]]:
    return st.lists(strategy, min_size=least, max_size=3).map(tuple)


def names(strategy: SearchStrategy[str], least: int = 0) -> SearchStrategy[tuple[str, ...]]:
    return st.lists(strategy, min_size=least, max_size=3).map(tuple)


def compound(inner: SearchStrategy[bp.Expression]) -> SearchStrategy[bp.Expression]:
    pairs = st.tuples(inner, inner)
    return (
        st.builds(bp.Not, inner)
        | st.builds(bp.Schoose, inner, inner)
        | st.builds(bp.Conditional, inner, inner, inner)
        | st.builds(
            bp.Operation, st.sampled_from(["&", "|", "^"]), tuples(inner, 2).filter(lambda parts: len(parts) > 1)
        )
        | st.builds(bp.Operation, st.sampled_from(["=", "!=", "=>"]), pairs)
    )


CONSTANTS = st.sampled_from([bp.TRUE, bp.FALSE, bp.Constant(True, "1"), bp.Constant(False, "0")])
EXPRESSIONS: SearchStrategy[bp.Expression] = st.recursive(
    CONSTANTS | st.builds(bp.Variable, NAMES) | st.builds(bp.Next, NAMES) | st.just(bp.Nondet()), compound, max_leaves=6
)
COMMENTS = st.builds(bp.Comments, lines(), BESIDE)
ORIGINS = st.builds(
    bp.Origin,
    st.from_regex(r"[\w./-]{1,4}( [\w.]{1,3})?", fullmatch=True).map(str.strip),
    st.integers(1, 999_999_999),
    st.none() | st.integers(1, 999_999_999),
    st.just("") | WORDS,
)
SIMPLE: SearchStrategy[bp.Action] = (
    st.builds(bp.Skip)
    | st.builds(bp.EndThread)
    | st.builds(bp.AtomicBegin)
    | st.builds(bp.AtomicEnd)
    | st.builds(bp.Goto, names(LABELS, 1))
    | st.builds(bp.Assume, EXPRESSIONS)
    | st.builds(bp.Assert, EXPRESSIONS)
    | st.builds(bp.Assign, names(TARGETS, 1), tuples(EXPRESSIONS, 1), st.none() | EXPRESSIONS)
    | st.builds(bp.Call, names(TARGETS), NAMES, tuples(EXPRESSIONS))
    | st.builds(bp.Return, tuples(EXPRESSIONS))
    | st.builds(bp.StartThread, NAMES, tuples(EXPRESSIONS))
    | st.builds(bp.StartThreadAt, LABELS)
    | st.builds(bp.Dead, names(NAMES))
)


@st.composite
def ifs(draw: DrawFn, blocks: SearchStrategy[tuple[bp.Statement, ...]]) -> bp.If:
    branches = draw(st.lists(st.tuples(EXPRESSIONS, blocks), min_size=1, max_size=3))
    otherwise = draw(st.none() | blocks)
    below = [draw(lines()) for _ in range(len(branches) + (otherwise is not None))]
    return bp.If(tuple(branches), otherwise, tuple(below) if any(below) else ())


@st.composite
def statements(draw: DrawFn, actions: SearchStrategy[bp.Action]) -> bp.Statement:
    action = draw(actions)
    checks = draw(st.just("") | WORDS) if isinstance(action, bp.Assert) else ""
    origin = draw(st.none() | ORIGINS)
    return bp.Statement(action, draw(names(LABELS)), origin, checks, draw(st.booleans()), draw(COMMENTS))


def blocks(inner: SearchStrategy[bp.Statement]) -> SearchStrategy[tuple[bp.Statement, ...]]:
    return st.lists(inner, max_size=3).map(tuple)


STATEMENTS: SearchStrategy[bp.Statement] = st.recursive(
    statements(SIMPLE),
    lambda inner: statements(ifs(blocks(inner)) | st.builds(bp.While, EXPRESSIONS, blocks(inner), lines())),
    max_leaves=6,
)


@st.composite
def declarations(draw: DrawFn) -> bp.Declaration:
    declared = draw(names(NAMES, 1))
    predicates = draw(st.booleans())
    return bp.Declaration(declared, tuple(draw(WORDS) for _ in declared) if predicates else (), draw(COMMENTS))


FUNCTIONS = st.builds(
    bp.Function,
    NAMES,
    names(NAMES),
    st.sampled_from([0, 1, 2, 999]),
    st.lists(declarations(), max_size=2).map(tuple),
    st.lists(st.builds(bp.Enforce, EXPRESSIONS, COMMENTS), max_size=2).map(tuple),
    blocks(STATEMENTS),
    st.just("") | WORDS,
    COMMENTS,
    lines(),
    BESIDE,
)


@st.composite
def programs(draw: DrawFn) -> bp.Program:
    """Blank lines at the very beginning and end are nobody's."""
    heading = bp.Declaration((draw(NAMES),), (), bp.Comments((bp.HEADING,)))
    below = draw(lines())
    while below and not below[-1]:
        below = below[:-1]
    return bp.Program(
        (heading, *draw(st.lists(declarations(), max_size=2))), tuple(draw(st.lists(FUNCTIONS, max_size=2))), below
    )


@given(programs())
def test_what_is_printed_is_read_back(program: bp.Program) -> None:
    text = show_program(program)
    assert parse(text) == program
