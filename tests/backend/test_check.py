"""`ebb-check` as a command: exit codes, where the verdict goes, limits that hold."""

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ebb.backend.automata.build import build
from ebb.backend.check import main
from ebb.backend.checker import cubes_engine
from ebb.backend.checker.answer import Answer
from ebb.formats.bp_check import read

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples/boolean").glob("*.bp"))
CODES = {"safe": 0, "unsafe": 1, "unknown": 2}
LINES = {
    "safe": "VERIFICATION SUCCESSFUL",
    "unsafe": "VERIFICATION FAILED",
    "unknown": "VERIFICATION INCONCLUSIVE",
}
OWN = ("auto", "bdd", "cubes")

SAFE = "decl b; void main() begin b := T; assert(b); end\n"
UNSAFE = "decl b; void main() begin b := F; assert(b); end\n"
UNKNOWN = "void main() begin skip; //@ overflow\n end\n"
PROGRAMS = {"safe": SAFE, "unsafe": UNSAFE, "unknown": UNKNOWN}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "p.bp"


def knot(bits: int = 120) -> str:
    """An assumption whose diagram is huge in any order: many equations over bits from all over the place."""
    rng = random.Random(0)
    names = [f"b{number}" for number in range(bits)]
    equations = (f"({' ^ '.join(rng.sample(names, 4))})" for _ in range(bits // 2))
    return f"decl {', '.join(names)}; void main() begin assume({' & '.join(equations)}); assert(b0); end\n"


def multiplier(bits: int = 16) -> str:
    """All products of two numbers, bit by bit: many steps, whose diagrams grow and grow."""
    left, right = ([f"{letter}{number}" for number in range(bits)] for letter in "ab")
    product = [f"p{number}" for number in range(2 * bits)]
    lines = [f"decl c, {', '.join(left + right + product)};", "void main() begin"]
    lines.append(f"{', '.join(product)} := {', '.join('F' for _ in product)};")
    for row, factor in enumerate(right):
        lines.append("c := F;")
        for column, other in enumerate(left):
            place, term = product[row + column], f"({other} & {factor})"
            carry = f"(({place} & {term}) | (c & ({place} | {term})))"
            lines.append(f"{place}, c := ({place} ^ {term} ^ c), {carry};")
        lines.append(f"{product[row + bits]} := c;")
    return "\n".join([*lines, f"assert(!({' & '.join(product)}));", "end", ""])


# ---- verdicts


@pytest.mark.parametrize("engine", OWN)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_has_the_verdict_that_it_expects(
    example: Path, engine: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (expected,) = re.findall(r"^// expect: (\w+)$", example.read_text(encoding="utf-8"), re.MULTILINE)
    code = main([str(example), "--engine", engine])
    printed = capfd.readouterr()
    document = json.loads(printed.out)
    assert (document["verdict"], document["engine"], document["program"]) == (expected, engine, example.name)
    assert code == CODES[expected]
    assert printed.err.startswith(LINES[expected])


def test_there_are_examples_of_every_verdict() -> None:
    text = "".join(example.read_text(encoding="utf-8") for example in EXAMPLES)
    assert set(re.findall(r"^// expect: (\w+)$", text, re.MULTILINE)) == CODES.keys()


@pytest.mark.parametrize("engine", OWN)
def test_a_violation_outranks_an_overflow(engine: str, file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Even where the overflow is nearer."""
    file.write_text("decl b; void main() begin if (b) then skip; //@ overflow\n fi; skip; skip; skip; assert(b); end\n")
    assert main([str(file), "--engine", engine]) == 1
    assert json.loads(capfd.readouterr().out)["overflow"] is None


@pytest.mark.parametrize("engine", OWN)
def test_an_overflow_outranks_safe(engine: str, file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text("decl b; void main() begin if (b) then full: skip; //@ overflow\n fi; assert(!b); end\n")
    assert main([str(file), "--engine", engine]) == 2
    document = json.loads(capfd.readouterr().out)
    assert document["reason"] == "overflow: the program marks this place as an overflow"
    assert (document["overflow"]["label"], document["overflow"]["at"]) == ("full", [1, 45])
    assert (document["violation"], document["trace"]) == (None, [])


def test_the_bound_on_threads(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text(
        "decl a, b, c; void w() begin assume(F); end void main() begin"
        " a, b, c := T, T, T; while (a) do start_thread w(); a, b, c := b, c, F; od; end\n"
    )
    assert main([str(file), "--thread-bound", "2"]) == 2
    assert "overflow: more than 2 threads run w at once" in capfd.readouterr().err
    assert main([str(file), "--thread-bound", "3"]) == 0
    assert main([str(file)]) == 0


# ---- where things go


@pytest.mark.parametrize("verdict", CODES)
def test_the_verdict_line_goes_to_standard_error_in_json_mode(
    verdict: str, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file.write_text(PROGRAMS[verdict])
    assert main([str(file)]) == CODES[verdict]
    printed = capfd.readouterr()
    assert json.loads(printed.out)["verdict"] == verdict
    reason = ": overflow: the program marks this place as an overflow" if verdict == "unknown" else ""
    assert printed.err == f"{LINES[verdict]}{reason}\n"


@pytest.mark.parametrize("verdict", CODES)
def test_the_verdict_line_ends_the_text(verdict: str, file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text(PROGRAMS[verdict])
    assert main([str(file), "--text"]) == CODES[verdict]
    printed = capfd.readouterr()
    assert printed.out.splitlines()[-1] == LINES[verdict]
    assert printed.err == ""


@pytest.mark.parametrize("verdict", CODES)
def test_quiet(verdict: str, file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text(PROGRAMS[verdict])
    assert main([str(file), "--quiet"]) == CODES[verdict]
    printed = capfd.readouterr()
    assert json.loads(printed.out)["verdict"] == verdict
    assert printed.err == ""
    assert main([str(file), "--quiet", "--text"]) == CODES[verdict]
    printed = capfd.readouterr()
    assert LINES[verdict] in printed.out
    assert printed.err == ""


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_standard_input(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(UNSAFE.encode())))
    assert main(arguments) == 1
    assert json.loads(capfd.readouterr().out)["program"] == "stdin"


@pytest.mark.parametrize("options", [[], ["--text"]])
def test_a_file_gets_what_standard_output_would(
    options: list[str], file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file.write_text(UNSAFE)
    product = tmp_path / "verdict"
    assert main([str(file), "--no-times", *options]) == 1
    shown = capfd.readouterr().out
    assert main([str(file), "--no-times", *options, "-o", str(product)]) == 1
    assert capfd.readouterr().out == ""
    assert product.read_text(encoding="utf-8") == shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.bp", "verdict"]


@pytest.mark.parametrize("text", ["void main( begin end", "void main() begin b := T; end", "decl b;"])
def test_a_wrong_program_leaves_the_output_as_it_was(
    text: str, file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    product = tmp_path / "verdict.json"
    product.write_text("old")
    file.write_text(text)
    assert main([str(file), "-o", str(product)]) == 65
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"{file}:1:")
    assert product.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.bp", "verdict.json"]


def test_a_wrong_program_leaves_no_output(file: Path, tmp_path: Path) -> None:
    file.write_text("nonsense")
    assert main([str(file), "-o", str(tmp_path / "verdict.json")]) == 65
    assert list(tmp_path.iterdir()) == [file]


def test_mistakes_that_show_up_late_have_a_place(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """This one is about the automata and not about the syntax."""
    file.write_text("void main() begin\n  atomic_end;\nend\n")
    assert main([str(file)]) == 65
    assert capfd.readouterr().err == f"{file}:2:3: atomic_end without atomic_begin before it\n    atomic_end;\n    ^\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "magic"], "invalid choice: 'magic'"),
        (["--max-states", "0"], "'0' is not a whole number from 1"),
        (["--timeout", "-1"], "'-1' is not a positive number of seconds"),
        (["--memory", "much"], "'much' is not a whole number from 1"),
        (["--thread-bound", "0"], "'0' is not a whole number from 1"),
        (["more"], "unrecognized arguments: more"),
        (["--output"], "expected one argument"),
    ],
)
def test_wrong_use(arguments: list[str], message: str, file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text(SAFE)
    assert main([str(file), *arguments]) == 64
    assert message in capfd.readouterr().err


def test_a_file_that_is_not_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.bp")]) == 65
    assert "none.bp: cannot be read: No such file or directory" in capfd.readouterr().err


def test_an_output_that_cannot_be_written(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text(SAFE)
    assert main([str(file), "-o", str(tmp_path / "none" / "verdict.json")]) == 64
    assert "cannot be written" in capfd.readouterr().err


# ---- for people to read

TABLE = """\
decl a, b; //@ predicate x == 0 | y == 0
void main() begin
  a, b := T, F;     //@ at x.ebb:1:1 x = 0
  a, b := a, b;
  L: b := !b;       //@ at x.ebb:2
  if (b) then a, b := F, F; fi;
  assert(a);        //@ checks nothing is lost
end
"""


def test_the_table_shows_only_what_changes(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text(TABLE)
    assert main([str(file), "--text", "--engine", "cubes"]) == 1
    table, _, rest = capfd.readouterr().out.partition("\n\n")
    heading, start, *steps = [line.split() for line in table.splitlines()]
    assert heading[:3] == ["step", "thread", "statement"]
    assert start[:2] == ["0", "(start)"]
    assert re.fullmatch(r"a = [01] {x == 0}, b = [01] {y == 0}", " ".join(start[2:]))
    values = dict(re.findall(r"(\w) = ([01])", " ".join(start)))
    first = [f"{name} = {value} {{{meaning}}}" for name, value, meaning in (("a", "1", "x == 0"), ("b", "0", "y == 0"))]
    changed = ", ".join(change for change in first if values[change[0]] != change[4])
    assert [" ".join(step) for step in steps] == [
        " ".join(filter(None, ["1 main a, b := T, F;", changed, "[x.ebb:1 x = 0]"])),
        "2 main a, b := a, b;",
        "3 main L: b := !b; b = 1 {y == 0} [x.ebb:2]",
        "4 main if (b) then on to then",
        "5 main a, b := F, F; a = 0 {x == 0}, b = 0 {y == 0}",
    ]
    assert rest.startswith("p.bp:7:3: main fails assert(a) (nothing is lost)\ncubes: ")


def test_a_long_statement_is_cut(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text(f"decl b; void main() begin b := {' & '.join(['b'] * 50)}; assert(F); end\n")
    assert main([str(file), "--text"]) == 1
    table = capfd.readouterr().out.partition("\n\n")[0]
    assert "…" in table
    assert max(map(len, table.splitlines())) < 100


def test_text_of_an_overflow_says_where(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_text(UNKNOWN)
    assert main([str(file), "--text"]) == 2
    said = capfd.readouterr().out
    assert "p.bp:1:19: main reaches an overflow\noverflow: the program marks this place as an overflow\n" in said


# ---- limits

HARD = {"knot": knot(), "multiplier": multiplier()}


def children() -> set[str]:
    """The processes that this one has started and that have not ended."""
    files = Path("/proc/self/task").glob("*/children")
    return {child for file in files for child in file.read_text().split()}


def in_time(arguments: list[str], limit: float) -> int:
    """The exit code; fails if that takes seconds longer than the limit, or if a process is left."""
    before = children()
    start = time.monotonic()
    code = main(arguments)
    assert time.monotonic() - start < limit + 5
    assert children() <= before
    return code


@pytest.mark.parametrize("engine", OWN)
def test_max_states(engine: str, capfd: pytest.CaptureFixture[str]) -> None:
    example = str(ROOT / "examples/boolean/alternating_bit.bp")
    assert main([example, "--engine", engine, "--max-states", "20"]) == 2
    printed = capfd.readouterr()
    assert json.loads(printed.out)["reason"] == "more than 20 states (--max-states)"
    assert printed.err == "VERIFICATION INCONCLUSIVE: more than 20 states (--max-states)\n"
    assert main([example, "--engine", engine, "--max-states", "100000"]) == 0


@pytest.mark.parametrize("engine", OWN)
@pytest.mark.parametrize("hard", HARD)
def test_timeout(hard: str, engine: str, file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It holds even while a library computes a single large diagram."""
    file.write_text(HARD[hard])
    assert in_time([str(file), "--engine", engine, "--timeout", "0.5"], 0.5) == 2
    printed = capfd.readouterr()
    document = json.loads(printed.out)
    assert (document["verdict"], document["reason"]) == ("unknown", "more than 0.5 seconds (--timeout)")
    assert printed.err == "VERIFICATION INCONCLUSIVE: more than 0.5 seconds (--timeout)\n"


@pytest.mark.parametrize("hard", HARD)
def test_memory(hard: str, file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The search begins with the memory that this process has."""
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    file.write_text(HARD[hard])
    megabytes = resident + 100
    assert in_time([str(file), "--engine", "bdd", "--memory", str(megabytes), "--timeout", "300"], 60) == 2
    assert json.loads(capfd.readouterr().out)["reason"] == f"more than {megabytes} MB of memory (--memory)"


@pytest.mark.parametrize("verdict", CODES)
@pytest.mark.parametrize("engine", OWN)
def test_limits_that_are_not_reached_change_nothing(
    engine: str, verdict: str, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file.write_text(PROGRAMS[verdict])
    shown = []
    for limits in ([], ["--timeout", "60"], ["--memory", "100000"], ["--max-states", "100000"]):
        assert in_time([str(file), "--engine", engine, "--no-times", *limits], 60) == CODES[verdict]
        shown.append(capfd.readouterr())
    assert shown == [shown[0]] * len(shown)


def test_an_interrupt_ends_the_search_too(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    file.write_text(HARD["knot"])
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        assert in_time([str(file), "--engine", "bdd", "--timeout", "300"], 0.5) == 130
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "ebb-check: interrupted\n")


def test_a_defect_is_no_verdict(file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Not even where the search runs in a process of its own."""

    def fail(*_: object) -> Answer:
        raise ValueError("what nobody thought of")

    monkeypatch.setattr(cubes_engine, "check", fail)
    file.write_text(SAFE)
    for limits in ([], ["--timeout", "60"]):
        assert main([str(file), "--engine", "cubes", *limits]) == 70
        printed = capfd.readouterr()
        assert printed.out == ""
        assert "internal error: ValueError: what nobody thought of" in printed.err


def test_an_engine_that_dies_is_no_verdict(
    file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def die(*_: object) -> Answer:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    monkeypatch.setattr(cubes_engine, "check", die)
    file.write_text(SAFE)
    assert main([str(file), "--engine", "cubes", "--memory", "100000"]) == 2
    assert json.loads(capfd.readouterr().out)["reason"] == "the engine died, perhaps for want of memory"


def test_a_counterexample_that_is_no_run_is_not_believed(
    file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    file.write_text(SAFE)
    assignment, _, failure = build(read(SAFE)).edges
    wrong = Answer("unsafe", edges=(assignment.number, failure.number))
    monkeypatch.setattr(cubes_engine, "check", lambda *_: wrong)
    assert main([str(file), "--engine", "cubes"]) == 2
    document = json.loads(capfd.readouterr().out)
    assert document["reason"] == "cubes gave a counterexample that is no run of the program"
    assert (document["violation"], document["trace"]) == (None, [])


# ---- other checkers


@pytest.mark.parametrize("limits", [[], ["--timeout", "60"]])
@pytest.mark.parametrize(
    ("engine", "package"),
    [("spin", "spin"), ("nusmv", "pyboolnet"), ("abc", "berkeley-abc"), ("rumur", "rumur")],
)
def test_a_checker_that_is_not_installed(
    engine: str,
    package: str,
    limits: list[str],
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pyboolnet", None)  # it may be installed
    file.write_text(UNSAFE)
    assert main([str(file), "--engine", engine, *limits]) == 64
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "not installed" in printed.err
    assert package in printed.err


def test_a_checker_that_needs_a_compiler(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for engine in ("spin", "rumur"):
        program = tmp_path / engine
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    file.write_text(UNSAFE)
    for engine in ("spin", "rumur"):
        assert main([str(file), "--engine", engine]) == 64
        assert "gcc is not installed: install the Debian package gcc" in capfd.readouterr().err


# ---- as a process of its own

EVERYTHING = """
import sys
from ebb.backend.check import main
for file in sys.argv[2:]:
    main([file, "--engine", sys.argv[1], "--no-times", "--quiet"])
"""


@pytest.mark.parametrize("engine", OWN)
def test_the_order_of_hash_tables_does_not_show(engine: str) -> None:
    command = [sys.executable, "-c", EVERYTHING, engine, *map(str, EXAMPLES)]
    products = [
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True)
        for seed in ("1", "2")
    ]
    assert products[0].stdout == products[1].stdout
    assert products[0].stdout.count(b"ebb-verdict") == len(EXAMPLES)


def test_a_small_program_needs_no_library_for_diagrams() -> None:
    program = "import sys; from ebb.backend.check import main; main(sys.argv[1:]); sys.exit('dd' in sys.modules)"
    command = [sys.executable, "-c", program, "--quiet", str(ROOT / "examples/boolean/peterson_turn_first.bp")]
    assert subprocess.run(command, capture_output=True).returncode == 0
