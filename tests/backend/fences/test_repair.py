"""Fences written into a source text: it parses to the program with these fences, and the rest of it is as it was."""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import pytest

from ebb.backend.driver import main
from ebb.backend.fences.points import Point, points, points_of_fences, with_fences
from ebb.backend.fences.repair import repaired, unified_diff
from ebb.backend.source_text import show_action
from ebb.formats import ir_json
from ebb.formats.ir import Branch, Goto, Instruction, Program, Skip
from ebb.formats.program_file import read_program
from ebb.frontend.ebb_source import parse

EXAMPLES = Path(__file__).parents[3] / "examples"


def parsed(text: str) -> Program:
    return parse(text, "p.ebb")


def steps(program: Program) -> list[list[str]]:
    """What each process does; jumps say to what they go. Without what skips."""
    return [list(_steps(process.body)) for process in program.processes]


def _steps(instructions: Sequence[Instruction]) -> Iterator[str]:
    kept = [each for each in instructions if not isinstance(each.action, Skip)]

    def place(label: str) -> int:
        begin = next(number for number, each in enumerate(instructions) if each.label == label)
        return sum(not isinstance(each.action, Skip) for each in instructions[:begin])

    for each in kept:
        match each.action:
            case Goto(targets):
                yield f"goto {[place(target) for target in targets]}"
            case Branch(condition, target):
                yield f"if {condition} goto {place(target)}"
            case action:
                yield show_action(action)


def subsets(found: Sequence[Point]) -> Iterator[set[int]]:
    numbers = [point.number for point in found]
    for size in (0, 1, 2, len(numbers)):
        yield from map(set, combinations(numbers, size))


def check(text: str, found: list[Point]) -> str:
    """Whichever fences are chosen, they can be written; the text with all of them (or without, if it has them)."""
    program = parsed(text)
    for chosen in subsets(found):
        changed = repaired(text, program, found, chosen, parsed)
        assert changed is not None, chosen
        assert steps(parsed(changed)) == steps(with_fences(program, found, chosen)), chosen
    everything = {point.number for point in found if point.side != "at"}
    changed = repaired(text, program, found, everything, parsed)
    assert changed is not None
    return changed


HEAD = "shared X, Y;\nprocess Q { X = 2; }\n"
BODIES: dict[str, tuple[str, str]] = {
    "a label on the same line": (
        "foo: X = 1;\nbar: r = Y;\n  goto foo;\n",
        "foo: fence; X = 1; fence;\nbar: r = Y;\n  goto foo;\n",
    ),
    "a label on a line of its own": (
        "  X = 1;\nfoo:\n  r = Y;\n  goto foo;\n",
        "  X = 1;\n  fence;\nfoo:\n  fence;\n  r = Y;\n  goto foo;\n",
    ),
    "an if without braces": (
        "  if (r == 0) X = 1;\n  if (r == 1)\n    r = Y;\n  else\n    r = X;\n",
        "  if (r == 0) { X = 1; fence; }\n  if (r == 1)\n    { fence; r = Y; }\n  else\n    { fence; r = X; }\n",
    ),
    "both sides without braces": (
        "  X = 1; r = Y;\n  if (r == 0) Y = 1;\n  r = X;\n",
        "  X = 1; fence; r = Y;\n  if (r == 0) { { fence; Y = 1; fence; } }\n  fence;\n  r = X;\n",
    ),
    "a while without braces": (
        "  X = 1;\n  while (r == 0) r = Y;\n",
        "  X = 1;\n  fence;\n  while (r == 0) { fence; r = Y; }\n",
    ),
    "several statements on a line": (
        "  X = 1; Y = 2; r = Y; r = X;\n",
        "  X = 1; fence; Y = 2; fence; r = Y; fence; r = X;\n",
    ),
    "comments": (
        "  X = 1; // one; two\n  r = Y; /* a; b */ r = X; // c\n  Y = 1 /* ; */ ; // d\n  X = 3; /* e\n  f */ r = Y;\n",
        "  X = 1; // one; two\n  fence;\n  r = Y; /* a; b */ fence; r = X; // c\n  fence;\n  Y = 1 /* ; */ ; // d\n"
        "  fence;\n  X = 3; fence; /* e\n  f */ r = Y;\n",
    ),
    "a statement over several lines": (
        "  X =\n    1 // one\n  ;\n  r\n  = Y;\n  r = X;\n",
        "  X =\n    1 // one\n  ;\n  fence;\n  r\n  = Y;\n  fence;\n  r = X;\n",
    ),
    "tabs": ("\tX = 1;\n\t\tr\t= Y;\tr = X;\t// x\n", "\tX = 1;\n\tfence;\n\t\tr\t= Y;\tfence; r = X;\t// x\n"),
    "blocks": (
        "  X = 1;\n  if (Y == 0) { X = 2; }\n  { Y = 2; }\n  await(X == 1);\n",
        "  X = 1;\n  fence;\n  if (Y == 0) { fence; X = 2; fence; }\n  { fence; Y = 2; fence; }\n  await(X == 1);\n",
    ),
    "what other languages end lines with": (
        "  // \x0c, \x0b, \x85 and \u2028 do not end a line\n  X = 1;\n  r = Y;\n  r = X;\n",
        "  // \x0c, \x0b, \x85 and \u2028 do not end a line\n  X = 1;\n  fence;\n  r = Y;\n  fence;\n  r = X;\n",
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_fences_are_put_where_they_belong(name: str) -> None:
    before, after = BODIES[name]
    text = f"{HEAD}process P {{ local r;\n{before}}}\n"
    assert check(text, points(parsed(text), "pso")) == f"{HEAD}process P {{ local r;\n{after}}}\n"


def test_a_text_without_a_newline_at_the_end() -> None:
    text = f"{HEAD}process P {{ local r; X = 1; r = Y; r = X; }}"
    assert check(text, points(parsed(text), "pso")).endswith("X = 1; fence; r = Y; fence; r = X; }")


def test_flushes() -> None:
    text = "process A { shared X, Y;\n  put(Z, B, X);\n  if (Y == 0) Y = get(Z, B);\n}\nprocess B { shared Z; }\n"
    changed = check(text, points(parsed(text), "rma"))
    assert "  put(Z, B, X);\n  flush(B);\n  if (Y == 0) { Y = get(Z, B); flush(B); }\n" in changed


def test_fences_are_taken_away() -> None:
    text = (
        f"{HEAD}process P {{ local r;\n  X = 1;\n  fence;\n  r = Y; fence; r = X;\n  if (r == 0) fence;\n"
        "  if (r == 1)\n    fence;\n  fence; // why\nhere: fence;\nthere:\n  fence;\n  r = Y;\n"
        "  if (r == 0) goto there;\n  fence(X);\n}\nassert never (P@here && X == 3);\n"
    )
    found = points_of_fences(parsed(text), "pso")
    assert len(found) == 8
    assert check(text, found) == (
        f"{HEAD}process P {{ local r;\n  X = 1;\n  r = Y; skip; r = X;\n  if (r == 0) skip;\n"
        "  if (r == 1)\n    skip;\n  skip; // why\nhere: skip;\nthere:\n  r = Y;\n"
        "  if (r == 0) goto there;\n}\nassert never (P@here && X == 3);\n"
    )


def test_a_label_that_a_property_asks_about_stays_where_it_is() -> None:
    """If the line went, the label would be that of the store."""
    text = f"{HEAD}process P {{\nhere:\n  fence;\n  Y = 1;\n}}\nassert never (P@here && X == 3);\n"
    found = points_of_fences(parsed(text), "pso")
    assert repaired(text, parsed(text), found, set(), parsed) == text.replace("  fence;", "  skip;")


def test_what_cannot_be_written() -> None:
    """Before an `if` behind an `else` there is no place without braces around all of it."""
    text = (
        f"{HEAD}process P {{ local r;\n  X = 1;\n  if (r == 0) r = 2;\n  else if (Y == 0) r = 1;\n  else r = 3;\n}}\n"
    )
    program = parsed(text)
    found = points(program, "pso")
    (before,) = (point.number for point in found if point.side == "before")
    assert repaired(text, program, found, {before}, parsed) is None


# -- files


def fences(*arguments: str) -> int:
    return main(["fences", *arguments, "--no-times"])


def diff_in(text: str) -> str:
    """The change in a report: from `---` to the next empty line that is no line of the change."""
    lines = text[text.index("\n--- ") + 1 :].split("\n")
    end = lines.index("") if "" in lines else len(lines)
    return "\n".join(lines[:end]) + "\n"


SOURCE = """shared X = 0, Y = 0;
process P { local r = 1;
  X = 1;
  r = Y;
}
process Q { local r = 1;
  Y = 1; r = X;
}
assert final (!(P.r == 0 && Q.r == 0));
predicates { X == 0, Y == 0, P.r == 0, Q.r == 0 }
"""


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch")
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("  X", "\tX"),
        lambda text: text.replace("\n  r = Y;\n}", " r = Y; }"),
        lambda text: text.replace("shared", "// a \x0c b\nshared", 1),
    ],
    ids=["plain", "no newline at the end", "tabs", "one line", "form feed"],
)
def test_patch_applies_the_change(
    change: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, mended = tmp_path / "p.ebb", tmp_path / "mended.ebb"
    path.write_text(change(SOURCE))
    assert fences(str(path), "--model", "tso", "-o", str(mended)) == 0
    difference = diff_in(capsys.readouterr().out)
    subprocess.run(["patch", "--quiet", str(path)], input=difference.encode(), check=True)
    assert path.read_bytes() == mended.read_bytes()
    assert mended.read_text().count("fence;") == 2


def test_a_line_end_of_another_system_becomes_a_newline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, mended = tmp_path / "p.ebb", tmp_path / "mended.ebb"
    path.write_bytes(SOURCE.replace("\n", "\r\n").encode())
    assert fences(str(path), "--model", "tso", "-o", str(mended)) == 0
    capsys.readouterr()
    expected = SOURCE.replace("  X = 1;\n", "  X = 1;\n  fence;\n").replace("Y = 1; r", "Y = 1; fence; r")
    assert mended.read_bytes() == expected.encode()


def test_a_change_at_the_end_of_a_text_without_a_newline() -> None:
    assert unified_diff("a\nb", "a\nb\nc", "n") == (
        "--- n\n+++ n\n@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n"
    )


def test_ir_becomes_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, mended = tmp_path / "p.ir.json", tmp_path / "mended.ebb"
    program = parsed(SOURCE)
    path.write_text(ir_json.dumps(program))
    assert fences(str(path), "--model", "tso", "-o", str(mended)) == 0
    assert "---" not in capsys.readouterr().out
    found = points(program, "tso")
    assert steps(read_program(str(mended))) == steps(with_fences(program, found, {point.number for point in found}))
    assert main(["verify", str(mended), "--model", "tso", "--quiet"]) == 0
    capsys.readouterr()


def test_a_litmus_test_becomes_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, mended = tmp_path / "sb.litmus", tmp_path / "mended.ebb"
    path.write_text(
        "X86_64 sb\n{ }\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\n"
        "~exists (0:rax=0 /\\ 1:rax=0)\n"
    )
    predicates = tmp_path / "sb.preds.yaml"
    names = [variable.name for variable in read_program(str(path)).shared]
    locals_ = [
        f"{process.name}.{each.name}" for process in read_program(str(path)).processes for each in process.locals
    ]
    predicates.write_text("".join(f"- {name} == 0\n" for name in [*names, *locals_]))
    assert fences(str(path), "--model", "tso", "-o", str(mended)) == 0
    capsys.readouterr()
    program = read_program(str(path))
    found = points(program, "tso")
    assert steps(read_program(str(mended))) == steps(with_fences(program, found, {point.number for point in found}))
