"""`ebb-shrink`: what each reduction does, that what is left is minimal, and the executable."""

import contextlib
import io
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from boolean_brute_force import TooLarge, brute_force
from random_boolean_programs import random_program

from ebb.backend.bp_shrinking import REDUCTIONS, shrink
from ebb.backend.delta_debugging import Property, Reduction, smaller_programs
from ebb.backend.shrink import main
from ebb.formats import bp
from ebb.formats.bp_check import check, read, statements
from ebb.formats.bp_grammar import parse
from ebb.formats.bp_text import show_program
from ebb.formats.errors import InputError

# ---- each reduction, in each single place


class Nth:
    """Takes one place."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.asked = 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked - 1 == self._number


def in_single_places(program: bp.Program, reduction: Reduction) -> Iterator[bp.Program]:
    everywhere = Nth(-1)
    reduction(program, everywhere)
    for number in range(everywhere.asked):
        yield reduction(program, Nth(number))


def in_every_place(program: bp.Program, reduction: Reduction) -> bp.Program:
    return reduction(program, lambda: True)


def passes(program: bp.Program) -> bool:
    try:
        check(program)
    except InputError:
        return False
    return True


def one_line(program: bp.Program) -> str:
    """The program in one line; a comment to the right of something ends with a bar."""
    lines = (f"{line} |" if "//" in line else line for line in show_program(program).splitlines())
    return re.sub(r"\s+", " ", " ".join(lines)).replace("void main() begin", "main:").removesuffix(" end")


# A program, and what is left of it in each single place where that passes the checks.
SINGLE: dict[str, tuple[str, list[str]]] = {
    "functions": (
        "void f() begin end void g() begin end void main() begin f(); L: start_thread f(); g(); goto L; end",
        [
            "void g() begin end main: skip; L: skip; g(); goto L;",
            "void f() begin end main: f(); L: start_thread f(); skip; goto L;",
        ],
    ),
    "statements": (
        "void main() begin 1: skip; 2: if (*) then dead; goto 1; fi; 3: return; end",
        [
            "main: 1: 2: if (*) then dead; goto 1; fi; 3: return;",
            "main: 1: skip; 2: 3: return;",
            "main: 1: skip; 2: if (*) then goto 1; fi; 3: return;",
            "main: 1: skip; 2: if (*) then dead; fi; 3: return;",
            "main: 1: skip; 2: if (*) then dead; goto 1; fi;",
        ],
    ),
    "calls": (
        "bool<2> f(a) begin end void main() begin decl x, y; x, y := f(x); f(y); end",
        ["bool<2> f(a) begin end main: decl x, y; x, y := *, *; f(y);"],
    ),
    "inner blocks": (
        "void main() begin L: if (T) then skip; elsif (F) then dead; else fi; 1: while (*) do 2: dead; od; goto L; end",
        [
            "main: L: skip; 1: while (*) do 2: dead; od; goto L;",
            "main: L: dead; 1: while (*) do 2: dead; od; goto L;",
            "main: L: 1: while (*) do 2: dead; od; goto L;",
            "main: L: if (T) then skip; elsif (F) then dead; else fi; 1: 2: dead; goto L;",
        ],
    ),
    "branches": (
        "void main() begin if (T) then skip; elsif (F) then dead; else return; fi; if (*) then else fi; end",
        [
            "main: if (F) then dead; else return; fi; if (*) then else fi;",
            "main: if (T) then skip; else return; fi; if (*) then else fi;",
            "main: if (T) then skip; elsif (F) then dead; fi; if (*) then else fi;",
            "main: if (T) then skip; elsif (F) then dead; else return; fi; if (*) then fi;",
        ],
    ),
    "atomic in functions": (
        "void f() begin end void main() begin atomic_begin; if (*) then atomic_end; else L: atomic_end; dead; fi; end",
        ["void f() begin end main: if (*) then else L: dead; fi;"],
    ),
    "atomic blocks": (
        "void main() begin atomic_begin; skip; atomic_begin; dead; atomic_end; atomic_end; atomic_begin; end",
        [
            "main: skip; atomic_begin; dead; atomic_end; atomic_begin;",
            "main: atomic_begin; skip; dead; atomic_end; atomic_begin;",
        ],
    ),
    "unused variables": (
        "decl a, b; decl c; void f(p) begin decl b, d; assume(b); end void main() begin c := T; end",
        [
            "decl b; decl c; void f(p) begin decl b, d; assume(b); end main: c := T;",
            "decl a; decl c; void f(p) begin decl b, d; assume(b); end main: c := T;",
            "decl a, b; decl c; void f(p) begin decl b; assume(b); end main: c := T;",
        ],
    ),
    "variables by T": (
        "decl a, b; void f(p) begin decl a; a, b := p, a constrain 'a; end void main() begin f(a & b); dead a, b; end",
        [
            "decl b; void f(p) begin decl a; a, b := p, a constrain 'a; end main: f((T & b)); dead b;",
            "decl a; void f(p) begin decl a; a := p constrain 'a; end main: f((a & T)); dead a;",
            "decl a, b; void f() begin decl a; a, b := T, a constrain 'a; end main: f(); dead a, b;",
            "decl a, b; void f(p) begin b := T constrain T; end main: f((a & b)); dead a, b;",
        ],
    ),
    "variables by F": (
        "decl a, b; void main() begin enforce !a; a := T constrain 'a | 'b; dead a; end",
        [
            "decl b; main: enforce (!F); assume(F | b); skip;",
            "decl a; main: enforce (!a); a := T constrain ('a | F); dead a;",
        ],
    ),
    "variables by *": (
        "decl a, b; bool f() begin end void main() begin enforce !b; a := f(); a := T; if (a) then fi; end",
        ["decl b; bool f() begin end main: enforce (!b); _ := f(); skip; if (*) then fi;"],
    ),
    "parameters": (
        "void f(p, q) begin decl a; end void main() begin f(T, F); start_thread f(F, *); end",
        [
            "void f(q) begin decl a; decl p; end main: f(F); start_thread f(*);",
            "void f(p) begin decl a; decl q; end main: f(T); start_thread f(F);",
        ],
    ),
    "results": (
        "bool<2> f() begin return T, F; end bool g() begin return; end void main() begin decl a; _, a := f(); g(); end",
        [
            "bool f() begin return F; end bool g() begin return; end main: decl a; a := f(); g();",
            "bool f() begin return T; end bool g() begin return; end main: decl a; _ := f(); g();",
            "bool<2> f() begin return T, F; end void g() begin return; end main: decl a; _, a := f(); g();",
        ],
    ),
    "enforce": (
        "decl a; void main() begin enforce a; enforce !a; end",
        ["decl a; main: enforce (!a);", "decl a; main: enforce (a);"],
    ),
    "constrain": (
        "decl a; void main() begin a := T constrain 'a; end",
        ["decl a; main: a := T;"],
    ),
    "targets": (
        "decl a, b; void main() begin a, _ := T, F constrain 'a; dead a, b; b := F; dead; end",
        [
            "decl a, b; main: _ := F constrain 'a; dead a, b; b := F; dead;",
            "decl a, b; main: a := T constrain 'a; dead a, b; b := F; dead;",
            "decl a, b; main: a, _ := T, F constrain 'a; dead b; b := F; dead;",
            "decl a, b; main: a, _ := T, F constrain 'a; dead a; b := F; dead;",
        ],
    ),
    "call targets": (
        "decl a; bool<2> f() begin end void main() begin a, _ := f(); f(); end",
        [
            "decl a; bool<2> f() begin end main: f(); f();",
            "decl a; bool<2> f() begin end main: _, _ := f(); f();",
        ],
    ),
    "return values": (
        "bool main() begin return T; return; end",
        ["bool main() begin return; return;"],
    ),
    "jumps": (
        "void main() begin 1: goto 1, 2; 2: goto 2; end",
        ["main: 1: goto 2; 2: goto 2;", "main: 1: goto 1; 2: goto 2;"],
    ),
    "operands": (
        "decl a; void main() begin assume(a & !a & (T | F | *)); end",
        [
            "decl a; main: assume(!a & (T | F | *));",
            "decl a; main: assume(a & (T | F | *));",
            "decl a; main: assume(a & !a);",
            "decl a; main: assume(a & !a & (F | *));",
            "decl a; main: assume(a & !a & (T | *));",
            "decl a; main: assume(a & !a & (T | F));",
        ],
    ),
    "one operand": (
        "decl a; void main() begin enforce !a; assert(a ? T : (a = F)); return; end",
        [
            "decl a; main: enforce (a); assert(a ? T : (a = F)); return;",
            "decl a; main: enforce (!a); assert(a); return;",
            "decl a; main: enforce (!a); assert(T); return;",
            "decl a; main: enforce (!a); assert(a = F); return;",
            "decl a; main: enforce (!a); assert(a ? T : a); return;",
            "decl a; main: enforce (!a); assert(a ? T : F); return;",
        ],
    ),
    "expressions by T": (
        "decl a; void main() begin a := schoose[a, *] constrain 'a; while (1) do od; end",
        [
            "decl a; main: a := T constrain 'a; while (1) do od;",
            "decl a; main: a := schoose[T, *] constrain 'a; while (1) do od;",
            "decl a; main: a := schoose[a, T] constrain 'a; while (1) do od;",
            "decl a; main: a := schoose[a, *] constrain T; while (1) do od;",
        ],
    ),
    "expressions by F": (
        "decl a; void main() begin enforce a | T; if (!a) then elsif (F) then fi; end",
        [
            "decl a; main: enforce (F); if (!a) then elsif (F) then fi;",
            "decl a; main: enforce (F | T); if (!a) then elsif (F) then fi;",
            "decl a; main: enforce (a | T); if (F) then elsif (F) then fi;",
            "decl a; main: enforce (a | T); if (!F) then elsif (F) then fi;",
        ],
    ),
    "expressions by *": (
        "decl a; void f(p) begin end void main() begin enforce a; f(!a); f(*); f(F); end",
        [
            "decl a; void f(p) begin end main: enforce (a); f(*); f(*); f(F);",
            "decl a; void f(p) begin end main: enforce (a); f(!*); f(*); f(F);",
        ],
    ),
    "actions": (
        "void main() begin assert(F); //@ at a.ebb:1 //@ checks it\n L: while (*) do M: skip; od; goto L; end",
        [
            "main: skip; //@ at a.ebb:1 | L: while (*) do M: skip; od; goto L;",
            "main: assert(F); //@ at a.ebb:1 //@ checks it | L: skip; goto L;",
            "main: assert(F); //@ at a.ebb:1 //@ checks it | L: while (*) do M: skip; od; skip;",
        ],
    ),
    "labels": (
        "void main() begin 1: 2: skip; 3: start_thread goto 4; while (*) do 4: 5: goto 2; od; end",
        [
            "main: 2: skip; 3: start_thread goto 4; while (*) do 4: 5: goto 2; od;",
            "main: 1: 2: skip; start_thread goto 4; while (*) do 4: 5: goto 2; od;",
            "main: 1: 2: skip; 3: start_thread goto 4; while (*) do 4: goto 2; od;",
        ],
    ),
    "comments": (
        "decl a; // a\n void main() begin // b\n enforce a; // c\n // d\n dead; end // e",
        [
            "decl a; main: // b | enforce (a); // c | // d | dead; end // e |",
            "decl a; // a | main: enforce (a); // c | // d | dead; end // e |",
            "decl a; // a | main: // b | enforce (a); // d | dead; end // e |",
            "decl a; // a | main: // b | enforce (a); // c | // d | dead;",
            "decl a; // a | main: // b | enforce (a); // c | dead; end // e |",
        ],
    ),
    "marks": (
        "decl a; //@ predicate P\nvoid main() begin decl c; //@ predicate R\nassert(a); //@ at a:1 //@ checks it\nend",
        [
            "decl a; main: decl c; //@ predicate R | assert(a); //@ at a:1 //@ checks it |",
            "decl a; //@ predicate P | main: decl c; assert(a); //@ at a:1 //@ checks it |",
            "decl a; //@ predicate P | main: decl c; //@ predicate R | assert(a); //@ checks it |",
            "decl a; //@ predicate P | main: decl c; //@ predicate R | assert(a); //@ at a:1 |",
        ],
    ),
    "roles": (
        "void f() begin //@ process P\n skip; //@ overflow\n end",
        ["void f() begin skip; //@ overflow |", "void f() begin //@ process P | skip;"],
    ),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_what_each_reduction_does_in_each_place(name: str) -> None:
    text, expected = SINGLE[name]
    found = in_single_places(read(text), REDUCTIONS[name])
    assert [one_line(program) for program in found if passes(program)] == expected


def test_comments_below_the_last_statement_go_too() -> None:
    text = """\
void main() begin
  if (*) then
    // 1
  elsif (T) then
    // 2
  else
    // 3
  fi;
  while (*) do
    // 4
  od;
  // 5
end
// 6
"""
    program = read(text)
    assert show_program(program) == text
    without = in_every_place(program, REDUCTIONS["comments"])
    assert one_line(without) == "main: if (*) then elsif (T) then else fi; while (*) do od;"
    fewer = [one_line(each) for each in in_single_places(program, REDUCTIONS["branches"])]
    assert [re.findall(r"\d", each) for each in fewer] == [["2", "3", *"456"], ["1", "3", *"456"], ["1", "2", *"456"]]


# ---- what all reductions have in common

RANDOM = [random_program(random.Random(seed)) for seed in range(60)]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_what_is_left_is_what_its_text_says(name: str) -> None:
    for text in (SINGLE[name][0], *RANDOM):
        reduced = in_every_place(read(text), REDUCTIONS[name])
        assert parse(show_program(reduced)) == reduced


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_makes_a_program_smaller(name: str) -> None:
    for text in (SINGLE[name][0], *RANDOM[::6]):
        program = read(text)
        for reduced in in_single_places(program, REDUCTIONS[name]):
            assert weight(reduced) < weight(program), one_line(reduced)


def weight(program: bp.Program) -> tuple[int, int, int, int]:
    """Calls, parameters and results, words, and all the text: less of one may make more of those after it."""
    text = show_program(program)
    words = re.findall(r"'?\w+|:=|=>|!=|\S", re.sub(r"//.*", "", text))
    actions = (each.action for function in program.functions for each in statements(function.body))
    return (
        sum(isinstance(action, bp.Call) for action in actions),
        sum(len(function.parameters) + function.results for function in program.functions),
        sum(0 if word == "skip" else 3 if is_name(word) else 2 if word == "*" else 1 for word in words),
        len(text),
    )


def is_name(word: str) -> bool:
    return word[0] in "'" or (word[0].isalnum() and word not in bp.KEYWORDS and word not in "01")


# ---- the search


def by_chance(share: float) -> Property:
    """As bad as a property can be: nothing follows from that another program has it."""
    return lambda program: sha256(show_program(program).encode()).digest()[0] < 256 * share


def same_answer(text: str) -> Property:
    """The program is safe or unsafe as another one is, and after as many steps."""
    answer = brute_force(text, thread_bound=1)

    def interesting(program: bp.Program) -> bool:
        try:
            return brute_force(show_program(program), thread_bound=1, most_states=2_000) == answer
        except (AssertionError, TooLarge):  # an atomic block ends that has not begun; or threads start threads
            return False

    return interesting


def mentions(*patterns: str) -> Property:
    return lambda program: all(re.search(pattern, show_program(program)) for pattern in patterns)


LONG = [text for text in RANDOM if (brute_force(text).length or 0) in range(4, 9)][:8]
PROPERTIES: list[tuple[str, Property]] = [
    *((text, same_answer(text)) for text in LONG),
    *((text, by_chance(0.1)) for text in RANDOM[:10]),
    *((text, by_chance(0.5)) for text in RANDOM[:10]),
]


@pytest.mark.parametrize(("text", "interesting"), PROPERTIES)
def test_nothing_that_is_left_can_go(text: str, interesting: Property) -> None:
    small = shrink(read(text), interesting)
    for name, reduction in REDUCTIONS.items():
        for smaller in in_single_places(small, reduction):
            assert show_program(smaller) != show_program(small), name
            assert not (passes(smaller) and interesting(smaller)), f"{name}: {one_line(smaller)}"


@pytest.mark.parametrize("text", LONG)
def test_no_line_of_the_text_can_go(text: str) -> None:
    interesting = same_answer(text)
    lines = show_program(shrink(read(text), interesting)).splitlines(keepends=True)
    for number, line in enumerate(lines):
        with contextlib.suppress(InputError):
            assert not interesting(read("".join(lines[:number] + lines[number + 1 :]))), line


@pytest.mark.parametrize(("text", "interesting"), PROPERTIES)
def test_programs_are_tried_once_and_only_if_they_pass_the_checks(text: str, interesting: Property) -> None:
    first = show_program(read(text))
    tried = [first]

    def note(program: bp.Program) -> bool:
        check(program)
        tried.append(show_program(program))
        assert read(tried[-1]) == program
        return interesting(program)

    found = [show_program(program) for program in smaller_programs(read(text), note, REDUCTIONS.values())]
    assert len(set(tried)) == len(tried)
    assert found == [each for each in tried[1:] if interesting(read(each))]


@pytest.mark.parametrize(("text", "interesting"), PROPERTIES)
def test_the_search_is_the_same_each_time(text: str, interesting: Property) -> None:
    def tried() -> list[str]:
        texts = []

        def note(program: bp.Program) -> bool:
            texts.append(show_program(program))
            return interesting(program)

        shrink(read(text), note)
        return texts

    assert tried() == tried()


LOCK = """\
// A lock that two threads can hold at once.
decl lock, inside;

void main() begin
  lock, inside := F, F;
  start_thread worker(T);
  start_thread worker(F);
end

void worker(patient) begin
  again: if (lock & patient) then
    goto again;
  elsif (lock) then
    return;
  fi;
  lock := T;
  assert(!inside);             //@ checks one at a time
  inside := T;
  inside, lock := F, F;
  goto again;
end
"""


def is_raced(program: bp.Program) -> bool:
    """An assertion fails, because of `inside := T`."""
    text = show_program(program)
    without = text.replace("inside := T;", "skip;")
    return [brute_force(each).verdict for each in (text, without)] == ["unsafe", "safe"]


@pytest.mark.parametrize(
    ("interesting", "expected"),
    [
        (mentions(), "main:"),
        (mentions("patient"), "void worker() begin decl patient;"),
        (mentions("lock :="), "decl lock; void worker() begin lock := F;"),
        (mentions("goto"), "void worker() begin again: goto again;"),
        (mentions("main", "goto"), "main: end void worker() begin again: goto again;"),
        (mentions("one at a time"), "void worker() begin assert(T); //@ checks one at a time |"),
        (mentions("two threads"), "// A lock that two threads can hold at once. | decl inside; main:"),
        (
            is_raced,
            "decl inside; main: inside := F; start_thread worker(); start_thread worker(); end "
            "void worker() begin assert(!inside); inside := T;",
        ),
    ],
)
def test_what_is_left(interesting: Property, expected: str) -> None:
    assert one_line(shrink(read(LOCK), interesting)) == expected


def test_big_cuts_come_first() -> None:
    many = "a := !a; if (a) then skip; fi; " * 300
    runs = 0

    def interesting(program: bp.Program) -> bool:
        nonlocal runs
        runs += 1
        return "assert(a)" in show_program(program)

    small = shrink(read(f"decl a; void main() begin {many} assert(a); {many} end"), interesting)
    assert one_line(small) == "decl a; main: assert(a);"
    assert runs < 60


# ---- the executable

ASSERTS = ("sh", "-c", 'grep -q assert "$0"')
SMALLEST = "void worker() begin\n  assert(T);\nend\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.bp").write_text(LOCK, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("here")
def test_a_script_says_what_is_interesting(capfd: pytest.CaptureFixture[str]) -> None:
    script = "import sys\nprint('hello')\nraise SystemExit('assert' not in open(sys.argv[1]).read())\n"
    Path("script.py").write_text(script, encoding="utf-8")
    assert main(["p.bp", "--", sys.executable, "script.py"]) == 0
    output, messages = capfd.readouterr()
    assert output == SMALLEST
    assert re.fullmatch(r"shrunk from 11 to 1 statements in \d+ runs\n", messages)
    assert Path("p.bp").read_text(encoding="utf-8") == LOCK


@pytest.mark.usefixtures("here")
def test_output_goes_to_a_file(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--quiet", "-o", "small.bp", "p.bp", "--", *ASSERTS]) == 0
    assert Path("small.bp").read_text(encoding="utf-8") == SMALLEST
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "script",
    [
        'test "${0##*/}" = p.bp',  # the name of the file
        'test "$(ls "${0%/*}")" = p.bp; code=$?; touch "${0%/*}/more"; exit $code',  # nothing else is there
        'test "$(pwd)" = "$1" && ebb-show --quiet -o /dev/null "$0"',
    ],
)
def test_where_a_program_is_tried(script: str, here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["sh", "-c", script, "{}", str(here)]
    Path("p.bp").write_text("void main() begin skip; end", encoding="utf-8")
    assert main(["p.bp", "--quiet", "--", *command]) == 0
    assert capfd.readouterr() == ("void main() begin\nend\n", "")


@pytest.mark.usefixtures("here")
def test_braces_are_replaced_wherever_they_are(capfd: pytest.CaptureFixture[str]) -> None:
    script = 'test $# = 1 && test "$0" = "file=$1" && grep -q assert "$1"'
    assert main(["p.bp", "--quiet", "--", "sh", "-c", script, "file={}", "{}"]) == 0
    assert capfd.readouterr() == (SMALLEST, "")


def test_a_program_from_standard_input(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOCK.encode()), encoding="utf-8"))
    assert main(["--quiet", "--", "sh", "-c", 'test "${0##*/}" = stdin.bp && grep -q assert "$0"']) == 0
    assert capfd.readouterr() == (SMALLEST, "")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["p.bp"], 64, "ebb-shrink: which command? It stands at the end, after --\n"),
        (["p.bp", "--"], 64, "ebb-shrink: which command? It stands at the end, after --\n"),
        (["p.bp", "--", "./none"], 64, "ebb-shrink: ./none: cannot be started: No such file or directory\n"),
        (["p.bp", "--", "./p.bp"], 64, "ebb-shrink: ./p.bp: cannot be started: Permission denied\n"),
        (
            ["p.bp", "--", "false"],
            64,
            "ebb-shrink: nothing to shrink: the command does not succeed on p.bp itself (exit code 1)\n",
        ),
        (
            ["p.bp", "--", "sh", "-c", "kill -9 $$"],
            64,
            "ebb-shrink: nothing to shrink: the command does not succeed on p.bp itself (killed by signal 9)\n",
        ),
        (
            ["p.bp", "--timeout", "0.2", "--", "sh", "-c", "sleep 100 & wait"],
            64,
            "ebb-shrink: nothing to shrink: the command does not succeed on p.bp itself (not done after 0.2 s)\n",
        ),
        (["none.bp", "--", "true"], 65, "none.bp: cannot be read: No such file or directory\n"),
        (["bad.bp", "--", "true"], 65, "bad.bp:1:1: a program has at least one function\n"),
        (
            ["p.bp", "-o", "none/small.bp", "--quiet", "--", "true"],
            64,
            "ebb-shrink: none/small.bp: cannot be written: No such file or directory\n",
        ),
    ],
)
def test_mistakes(arguments: list[str], code: int, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("bad.bp").write_text("", encoding="utf-8")
    assert main(arguments) == code
    assert capfd.readouterr() == ("", message)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("wrong", [["--timeout", "0"], ["--timeout"], ["--shell"], ["q.bp"]])
def test_wrong_options(wrong: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["p.bp", *wrong, "--", "true"]) == 64
    output, messages = capfd.readouterr()
    assert output == ""
    assert messages.startswith("usage: ebb-shrink [FILE] ")
    assert "-- COMMAND" in messages


@pytest.mark.usefixtures("here")
def test_a_run_that_takes_too_long_has_not_succeeded(capfd: pytest.CaptureFixture[str]) -> None:
    Path("p.bp").write_text("void main() begin assert(T); end", encoding="utf-8")
    start = time.monotonic()
    assert main(["p.bp", "--timeout", "0.5", "--", "sh", "-c", 'grep -q assert "$0" || sleep 100']) == 0
    assert time.monotonic() - start < 50
    assert capfd.readouterr().out == "void main() begin\n  assert(T);\nend\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("options", "shown"), [([], True), (["--quiet"], False)])
def test_progress_is_shown_on_a_terminal(options: list[str], shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("p.bp").write_text("void main() begin skip; end", encoding="utf-8")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["p.bp", "-o", "small.bp", *options, "--", "sh", "-c", "sleep 0.3"]) == 0
    assert ("shrinking: run 2, statements left: 1" in terminal.getvalue()) == shown
    assert ("shrunk from 1 to 0 statements in 2 runs" in terminal.getvalue()) == shown


def _can_be_interrupted() -> None:
    """A shell starts what runs in the background deaf to interrupts, and all that it starts in turn."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


# The third program to try, and those after it, keep the command busy.
BUSY = """\
echo run >> runs
test $(wc -l < runs) -le 2 || sleep 100
"""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "ebb-shrink: interrupted\n"),
        (["-o", "small.bp"], "ebb-shrink: interrupted; small.bp is the smallest program so far\n"),
    ],
)
def test_an_interrupt(options: list[str], message: str, here: Path) -> None:
    Path("p.bp").write_text("void f() begin end void main() begin f(); end", encoding="utf-8")
    Path("busy.sh").write_text(BUSY, encoding="utf-8")
    command = [sys.executable, "-m", "ebb.backend.shrink", "p.bp", *options, "--", "sh", "busy.sh"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_can_be_interrupted
    ) as process:
        while not Path("runs").exists() or Path("runs").read_text(encoding="utf-8").count("run") < 3:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.communicate() == ("", message)
    assert process.returncode == 130
    written = [path.read_text(encoding="utf-8") for path in here.glob("small.bp")]
    assert written == (["void main() begin\n  skip;\nend\n"] if options else [])
