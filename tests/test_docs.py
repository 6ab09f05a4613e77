"""Keeps the documentation true: what it shows is run, what it links to exists, what tools can do it mentions.

Each page is replayed in a directory of its own, from top to bottom:

- A block marked `ebb` or `litmus` is a program that can be read. If its first line is a comment `// file: sb.ebb` (or
  `(* file: sb.litmus *)`), the block is that file, from that line on.
- In a block marked `console`, a line `$ command` is run, and the lines up to the next one are all that it prints,
  errors included. `$ cat FILE` makes the file when there is none of that name yet. `|`, `> FILE` and `$?` mean what
  they mean to a shell.
- Any other block is only shown.

`pytest --update-golden tests/test_docs.py` rewrites what commands print; review the difference like code.
"""

import io
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ebb.formats.program_file import read_program

REPO = Path(__file__).parent.parent
PAGES = sorted(
    path
    for path in (*REPO.glob("*.md"), *(REPO / "docs").rglob("*.md"), *(REPO / "examples").rglob("*.md"))
    if path.is_file()
)
TOOLS: dict[str, str] = tomllib.loads((REPO / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]

PROGRAM_LANGUAGES = ("ebb", "litmus")
_FENCE = re.compile(r"```(\w*)\s*")
_FILE_COMMENT = re.compile(r"(?://|\(\*) file: (\S+)(?: \*\))?")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def page_id(path: Path) -> str:
    return str(path.relative_to(REPO))


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive lines of a page: prose, or the inside of a fenced block in some language."""

    language: str | None  # None: prose, fences included
    line: int
    lines: tuple[str, ...]


def parts(text: str) -> Iterator[Part]:
    language: str | None = None
    start = 1
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            lines.append(line)
            continue
        opening = language is None
        if opening:
            lines.append(line)
        yield Part(language, start, tuple(lines))
        language, start = (fence[1], number + 1) if opening else (None, number)
        lines = [] if opening else [line]
    yield Part(language, start, tuple(lines))


@dataclass(slots=True)
class Shell:
    """As much of a shell as the pages use. Executables of ebb run in this process, which saves their start-up."""

    folder: Path
    code: int = 0
    terminal: io.BytesIO = field(default_factory=io.BytesIO)

    def run(self, line: str) -> str:
        """All that the command prints."""
        self.terminal = io.BytesIO()
        words = shlex.shlex(line.replace("$?", str(self.code)), posix=True, punctuation_chars="|>")
        words.whitespace_split = True
        words.commenters = ""
        command = list(words)
        target = None
        if ">" in command:
            where = command.index(">")
            (target,) = command[where + 1 :]
            command = command[:where]
        data = b""
        while "|" in command:
            where = command.index("|")
            data = self._stage(command[:where], data, io.BytesIO())
            command = command[where + 1 :]
        output = io.BytesIO() if target else self.terminal
        self._stage(command, data, output)
        if target:
            (self.folder / target).write_bytes(output.getvalue())
        return self.terminal.getvalue().decode("utf-8")

    def _stage(self, command: list[str], data: bytes, output: io.BytesIO) -> bytes:
        if command[0] in TOOLS:
            self.code = run_tool(command[0], command[1:], data, output, self.terminal)
        else:
            done = subprocess.run(command, cwd=self.folder, input=data, capture_output=True)
            self.code = done.returncode
            output.write(done.stdout)
            self.terminal.write(done.stderr)
        return output.getvalue()


def run_tool(name: str, arguments: list[str], data: bytes, output: io.BytesIO, errors: io.BytesIO) -> int:
    module, _, function = TOOLS[name].partition(":")
    main: Callable[[list[str]], int] = getattr(import_module(module), function)
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(output, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(errors, encoding="utf-8", write_through=True)
    try:
        return int(main(arguments))
    finally:
        sys.stdout.detach()
        sys.stderr.detach()
        sys.stdin, sys.stdout, sys.stderr = streams


def printed_by(name: str, *arguments: str) -> str:
    output = io.BytesIO()
    run_tool(name, list(arguments), b"", output, output)
    return output.getvalue().decode("utf-8")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return Shell(tmp_path)


def replay(text: str, shell: Shell) -> str:
    """The page as it should be: the same text with what its commands print now."""
    lines: list[str] = []
    for part in parts(text):
        if part.language == "console":
            lines.extend(_commands(part.lines, shell))
            continue
        lines.extend(part.lines)
        if part.language in PROGRAM_LANGUAGES:
            _read_block(part, shell.folder)
    return "\n".join(lines)


def _commands(lines: tuple[str, ...], shell: Shell) -> Iterator[str]:
    commands: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            assert commands, f"a console block begins with a command, not with {line!r}"
            commands[-1][1].append(line)
    for command, shown in commands:
        yield f"$ {command}"
        if (cat := re.fullmatch(r"cat (\S+)", command)) and not (shell.folder / cat[1]).exists():
            (shell.folder / cat[1]).write_text("".join(f"{line}\n" for line in shown), "utf-8")
        printed = shell.run(command)
        yield from printed.removesuffix("\n").split("\n") if printed else ()


def _read_block(part: Part, folder: Path) -> None:
    named = _FILE_COMMENT.fullmatch(part.lines[0])
    path = folder / (named[1] if named else f"line{part.line}.{part.language}")
    path.write_text("".join(f"{line}\n" for line in part.lines), "utf-8")
    read_program(str(path))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_what_a_page_shows_is_what_happens(page: Path, shell: Shell, golden: Callable[[Path, str], None]) -> None:
    golden(page, replay(page.read_text("utf-8"), shell))


def test_commands_are_replayed(shell: Shell) -> None:
    page = "\n".join(
        (
            "```console",
            "$ cat p.ebb",
            "process P { skip; }",
            "$ ebb-parse p.ebb | ebb-show --no-positions > q.ebb",
            "$ cat q.ebb",
            "old",
            "$ ebb-parse none.ebb",
            "$ echo code $?",
            "```",
            "",
        )
    )
    assert replay(page, shell).split("\n") == [
        "```console",
        "$ cat p.ebb",
        "process P { skip; }",
        "$ ebb-parse p.ebb | ebb-show --no-positions > q.ebb",
        "$ cat q.ebb",
        "process P {",
        "  skip;",
        "}",
        "$ ebb-parse none.ebb",
        "none.ebb: cannot be read: No such file or directory",
        "$ echo code $?",
        "code 65",
        "```",
        "",
    ]


# ---- links


def headings(page: Path) -> set[str]:
    """The anchors that a page's headings have where Markdown is rendered as GitHub does."""
    prose = [line for part in parts(page.read_text("utf-8")) if part.language is None for line in part.lines]
    titles = (line.lstrip("#").strip().lower() for line in prose if re.match(r"#+ ", line))
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for part in parts(page.read_text("utf-8")):
        if part.language is not None:
            continue
        for offset, line in enumerate(part.lines):
            for target in _LINK.findall(line):
                file, _, anchor = target.partition("#")
                linked = page.parent / file if file else page
                if re.match(r"[a-z]+:", target):
                    continue
                if not linked.exists() or (anchor and anchor not in headings(linked)):
                    broken.append(f"{page_id(page)}:{part.line + offset}: {target}")
    assert not broken


# ---- completeness


def test_every_keyword_is_described() -> None:
    keywords = re.findall(r'^_?[A-Z]+: "([a-z]+)"$', (REPO / "frontend/ebb.lark").read_text("utf-8"), re.MULTILINE)
    assert {"acquire", "else", "when", "xchg"} <= set(keywords)
    text = (REPO / "docs/language.md").read_text("utf-8")
    code = "\n".join(re.findall(r"`[^`\n]+`", text) + [line for p in parts(text) if p.language for line in p.lines])
    assert sorted(word for word in keywords if not re.search(rf"\b{word}\b", code)) == []


@pytest.mark.parametrize("tool", TOOLS)
def test_every_option_is_described(tool: str, shell: Shell) -> None:
    page = REPO / "docs" / "tools" / f"{tool}.md"
    assert page.is_file(), f"{tool} has no page"
    described = set(_OPTION.findall(page.read_text("utf-8")))
    missing = [spellings for text in help_texts(tool) for spellings in options(text) if not described & spellings]
    assert missing == []


def help_texts(tool: str, *command: str) -> Iterator[str]:
    """The help of a tool and of all its commands."""
    text = printed_by(tool, *command, "--help")
    yield text
    listed = re.search(r"^positional arguments:\n((?: .*\n)+)", text, re.MULTILINE)
    for name in re.findall(r"^    ([a-z-]+) ", listed[1] if listed else "", re.MULTILINE):
        yield from help_texts(tool, *command, name)


def options(text: str) -> Iterator[set[str]]:
    """The spellings of each option that a help text lists: at the beginning of a line, behind two blanks."""
    for line in re.findall(r"^  (-.*?)(?:   |$)", text, re.MULTILINE):
        yield set(_OPTION.findall(line))


def test_options_are_found_in_help_texts(shell: Shell) -> None:
    found = [spellings for text in help_texts("ebb") for spellings in options(text)]
    assert {"-h", "--help"} in found
    assert {"-o", "--output"} in found
    assert {"--jobs"} in found


# ---- the outcomes document

SCHEMA = json.loads((REPO / "docs/formats/outcomes.schema.json").read_text("utf-8"))

STORE_BUFFERING = """
shared X = 0, Y = 0;
process P0 { local r = 0; X = 1; r = Y; }
process P1 { local r = 0; Y = 1; r = X; }
assert final (P0.r == 1 || P1.r == 1);
assert exists (P0.r == 0);
"""
PROGRAMS = {
    "nothing": "process P { }",
    "store_buffering": STORE_BUFFERING,
    "failing_step": "shared Q[2] = 0; process P { Q[2] = 1; } assert always (Q[0] == 0);",
    "lock": "process P { lock(m); unlock(m); unlock(m); }",
    "stuck": "shared X = 0; process P { await(X == 1); } assert never (X == 1);",
    "endless": "shared X = 0; process P { while (1) X = 1; } assert ~exists (X == 1); assert forall (X == 0);",
    "remote": "process P { shared X = 1; put(Y, Q, X); flush(Q); } process Q { shared Y = 0; await(Y == 1); }",
}
REDUCED = {
    "sets": "shared S = {}, X; process P { local r; S = {1}; add(S, 2); X = choose(S); } assert final (X == 1);",
    "overflow": "shared _S = {}; process P { add(_S, 1); if (*) { overflow; } } assert exists (1);",
    "background": "shared X = 0; process P { X = 1; } process B background { await(X == 1); X = 2; }",
}
PROGRAMS |= {name: f'//@ program "{name}" from "p.ebb" model sc reduced rma\n{REDUCED[name]}' for name in REDUCED}
MODELS = {
    "sc": PROGRAMS.keys(),
    "rma": PROGRAMS.keys() - REDUCED.keys(),
    "tso": PROGRAMS.keys() - REDUCED.keys() - {"remote"},
    "pso": PROGRAMS.keys() - REDUCED.keys() - {"remote"},
}


@pytest.mark.parametrize(("name", "model"), [(name, model) for model in MODELS for name in sorted(MODELS[model])])
def test_the_schema_describes_outcomes(name: str, model: str, shell: Shell) -> None:
    (shell.folder / f"{name}.ebb").write_text(PROGRAMS[name], "utf-8")
    for limit in ((), ("--buffer-bound", "1", "--keep-going"), ("--max-states", "2")):
        document = json.loads(printed_by("ebb-explore", f"{name}.ebb", "--model", model, "--json", *limit))
        jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)


def spoilt(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield document | {"format": "ebb-ir"}
    yield document | {"more": 1}
    yield {key: value for key, value in document.items() if key != "final"}
    yield document | {"verdict": "unsafe"}
    yield document | {"verdict": "unknown"}
    yield document | {"final": [{"X": "1"}]}
    yield document | {"final": [{"not a name": 1}]}
    yield document | {"final": [{"_bookkeeping": 1}]}
    yield document | {"final": [{"P._bookkeeping": 1}]}
    yield document | {"final": [{"S": [1, 1]}]}
    yield document | {"final": [{"S": ["1"]}]}
    yield document | {"stuck": -1}


def test_the_schema_refuses_other_documents(shell: Shell) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    (shell.folder / "p.ebb").write_text("shared X = 0; process P { X = 1; }", "utf-8")
    document = json.loads(printed_by("ebb-explore", "p.ebb", "--model", "sc", "--json"))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate(document)
    for wrong in spoilt(document):
        assert not validator.is_valid(wrong), wrong
