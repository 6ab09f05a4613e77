"""The specification of Boolean programs says what the reader does; the examples say what they are."""

import re
from pathlib import Path

import pytest

from ebb.formats import bp
from ebb.formats.bp_check import read
from ebb.formats.bp_text import show, show_program
from ebb.formats.errors import InputError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/formats/bp.md").read_text("utf-8")
LARK = (ROOT / "formats/bp.lark").read_text("utf-8")
EXAMPLES = ROOT / "examples/boolean"
FILES = sorted(EXAMPLES.glob("*.bp"))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


(GRAMMAR,) = (block for block in blocks("") if block.startswith("program "))


def printed(expression: str) -> str:
    """An expression over some variables, read and printed."""
    program = read(f"void main() begin decl a, b, c, e, f; assume {expression}; end")
    (statement,) = program.functions[0].body
    assert isinstance(statement.action, bp.Assume)
    return show(statement.action.condition)


# ---- the specification


@pytest.mark.parametrize("number", range(len(blocks("bp"))))
def test_an_example_is_a_program_in_the_layout_that_tools_print(number: int) -> None:
    text = blocks("bp")[number]
    assert show_program(read(text)) == text


def test_there_are_examples() -> None:
    assert len(blocks("bp")) >= 2


def test_every_keyword_is_mentioned() -> None:
    quoted = set(re.findall(r'"([^"\n]+)"', GRAMMAR))
    assert quoted >= bp.KEYWORDS
    rest = PAGE.replace(GRAMMAR, "")
    assert sorted(word for word in bp.KEYWORDS if not re.search(rf"(?<!\w){word}(?!\w)", rest)) == []


def test_the_grammars_have_the_same_tokens() -> None:
    lark = "\n".join(line for line in LARK.splitlines() if not line.startswith(("//", "NAME:", "NEXT:", "INTEGER:")))
    tokens = set(re.findall(r'"([^"\n]+)"', lark)) | {"schoose", "choose", "'", "{", "}", "$", "1", "0"}
    assert set(re.findall(r'"([^"\n]+)"', GRAMMAR)) == tokens


def test_the_heading_is_the_one_that_readers_know() -> None:
    assert f"`{bp.HEADING}`" in PAGE


def rows(heading: str) -> list[list[str]]:
    """The cells of the table that begins with a heading."""
    table = PAGE.split(f"{heading}\n")[1].split("\n\n")[0]
    return [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in table.splitlines()[1:]]


def test_spellings_are_printed_as_the_page_says() -> None:
    checked = 0
    for spellings, shown in rows("| read | printed |"):
        if match := re.fullmatch(r"`([^`;']+)`", shown):
            for spelling in re.findall(r"`([^`;']+)`", spellings):
                assert printed(spelling.replace(r"\|", "|")) == match[1].replace(r"\|", "|")
                checked += 1
    assert checked == 8


@pytest.mark.parametrize(
    ("expression", "meaning"),
    [
        ("!a = b", "(!a = b)"),
        ("a & b | c", "((a & b) | c)"),
        ("a ^ b ^ c", "(a ^ b ^ c)"),
        ("a | b => c & e", "((a | b) => (c & e))"),
        ("a => b ? c : e ? f : T", "((a => b) ? c : (e ? f : T))"),
    ],
)
def test_precedence(expression: str, meaning: str) -> None:
    assert printed(expression) == meaning


def test_what_the_page_calls_mistakes() -> None:
    (mistakes,) = re.findall(r"parentheses are required: (.*?) are mistakes", PAGE, re.DOTALL)
    found = re.findall(r"`([^`]+)`", mistakes)
    assert len(found) == 5
    for expression in found:
        with pytest.raises(InputError, match="parentheses"):
            printed(expression)


@pytest.mark.parametrize("word", ["sync e", "print(a)", "abortif a", "constrain(a)"])
def test_what_is_not_in_the_language(word: str) -> None:
    assert re.search(rf"Not in the language:.*`{re.split(r'[ (]', word)[0]}`", PAGE, re.DOTALL)
    with pytest.raises(InputError):
        read(f"void main() begin decl a; {word}; end")


# ---- the examples


def verdict(text: str) -> str:
    """What the comment at the head of an example says."""
    (said,) = re.findall(r"^// expect: (.*)$", text.split("decl")[0].split("void")[0], re.MULTILINE)
    return str(said)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_says_what_it_is(file: Path) -> None:
    text = file.read_text("utf-8")
    assert text.startswith(f"{bp.HEADING}\n// ")
    assert verdict(text) in ("safe", "unsafe", "unknown")
    assert show_program(read(text)) == text


def test_the_index_of_examples() -> None:
    index = (EXAMPLES / "README.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| \[`([^`]+)`\]\(\1\) \| .* \| (\w+) \|$", index, re.MULTILINE))
    assert listed == {file.name: verdict(file.read_text("utf-8")) for file in FILES}
