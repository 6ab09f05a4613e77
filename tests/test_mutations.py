"""Ten thousand random mutations of valid files: each gives an IR or one positioned message, never anything else."""

import random
import re
from pathlib import Path

import pytest

from ebb.frontend.parse import main

ROOT = Path(__file__).resolve().parent.parent
CHUNKS = 16
MUTATIONS = 10_000

LITMUS = """X86_64 mutant
"some title" (* and a comment *)
Cycle=Rfi PodRR
{ x=1; int y; 0:rax=2; }
 P0            | P1             ;
 movl $1,(x)   | xchgl (y),%eax ;
 mfence        | lock incl (x)  ;
 movl (y),%eax |                ;
~exists (0:rax=1 /\\ [x]=2 \\/ not (y=0))
"""
PIECES = (
    "process P2 { skip; }", "goto again;", "if (*) ", "while (1) ", "else ", "atomic { ", "}", "{", "transaction {",
    "lock(m);", "wait(c, m);", "put(X, P0, Y);", "shared ", "local ", ";", "(", ")", "[", "]", "P0@cs", "P0.r", "= *",
    "..", "/*", "*/", "//@ 1:1 x", "`", "\0", "\ufeff", "é", "9" * 120, "-", "!", "~exists", "assert final (",
    "predicates {", "|", "exists", "/\\", "[x]", "%eax", "$1", "MOV", "\t", "\r\n", "\n",
)  # fmt: skip


def originals() -> list[tuple[str, str]]:
    """(suffix, text) of every file to start from."""
    found = [(".litmus", LITMUS)]
    for path in sorted((ROOT / "examples").iterdir()):
        if path.suffix in (".ebb", ".litmus"):
            found.append((path.suffix, path.read_text(encoding="utf-8")))
    return found


def mutate(text: str, rng: random.Random) -> bytes:
    """A few edits: characters, lines and tokens lost, doubled, swapped or put in."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(text) + 1)
        match rng.randrange(7):
            case 0:
                text = text[:at] + text[at + rng.randint(1, 3) :]
            case 1:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            case 2:
                text = text[:at]
            case 3:
                lines = text.split("\n")
                lines.insert(rng.randrange(len(lines)), rng.choice(lines))
                text = "\n".join(lines)
            case 4:
                lines = text.split("\n")
                del lines[rng.randrange(len(lines))]
                text = "\n".join(lines)
            case 5:
                tokens = re.split(r"(\W)", text)
                first, second = rng.randrange(len(tokens)), rng.randrange(len(tokens))
                tokens[first], tokens[second] = tokens[second], tokens[first]
                text = "".join(tokens)
            case _:
                text = text[:at] + chr(rng.choice([*range(32, 127), 0, 10, 233, 0x1F30A])) + text[at + 1 :]
    data = text.encode("utf-8")
    if rng.random() < 0.02:
        data = data[: len(data) // 2] + bytes([rng.randrange(128, 256)]) + data[len(data) // 2 :]
    return data


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_mutations(chunk: int, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    rng = random.Random(chunk)
    files = originals()
    refused = 0
    for number in range(MUTATIONS // CHUNKS):
        suffix, text = rng.choice(files)
        path, product = tmp_path / f"mutant{suffix}", tmp_path / "out.ir.json"
        data = mutate(text, rng)
        path.write_bytes(data)
        product.unlink(missing_ok=True)
        code = main([str(path), "-o", str(product)])
        messages = capfdbinary.readouterr().err.decode()
        what = f"chunk {chunk}, mutation {number}: {data!r}\n{messages}"
        if code == 0:
            assert messages == "", what
            assert product.exists(), what
        else:
            refused += 1
            assert code == 65, what
            assert not product.exists(), what
            head, *excerpt = messages.rstrip("\n").split("\n")
            assert re.match(rf"{re.escape(str(path))}:\d+:\d+: .", head), what
            assert len(excerpt) in (0, 2), what
            if excerpt:
                assert excerpt[1].strip() == "^", what
    assert 0.3 < refused / (MUTATIONS // CHUNKS) < 0.99
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.startswith(("mutant", "out"))) == []
