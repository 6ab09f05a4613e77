"""`ebb-parse` as a command."""

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ebb.frontend.parse import main

SOURCE = "shared X;\nprocess P { X = 1; }\n"
LITMUS = "X86 T\n{ }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "small.ebb"
    path.write_text(SOURCE)
    return path


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_to_standard_output(program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([str(program)]) == 0
    document = json.loads(capfd.readouterr().out)
    assert (document["format"], document["name"], document["source"]) == ("ebb-ir", "small", "small.ebb")


def test_the_same_input_gives_the_same_bytes_wherever_it_lies(program: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "small.ebb"
    other.parent.mkdir()
    other.write_text(SOURCE)
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    assert main([str(program), "-o", str(first)]) == main([str(other), "-o", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()
    assert str(tmp_path) not in first.read_text()


@pytest.mark.parametrize(("text", "name"), [(SOURCE, "P"), (LITMUS, "P0")])
def test_standard_input_is_recognised(
    text: str, name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, text)
    assert main([]) == 0
    assert json.loads(capfd.readouterr().out)["processes"][0]["name"] == name


def test_ir_is_checked_and_written_again(
    program: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    main([str(program)])
    ir = capfd.readouterr().out
    feed(monkeypatch, ir)
    assert main(["-"]) == 0
    assert capfd.readouterr().out == ir


def test_the_language_can_be_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "program.txt"
    path.write_text(SOURCE)
    assert main([str(path)]) == 65
    assert "what language is this?" in capfd.readouterr().err
    assert main([str(path), "--from", "ebb"]) == 0


def test_bad_input_leaves_the_old_product_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, product = tmp_path / "bad.ebb", tmp_path / "bad.ir.json"
    source.write_text("process P { x = 1; }")
    product.write_text("old")
    assert main([str(source), "-o", str(product)]) == 65
    assert capfd.readouterr().err == f"{source}:1:13: `x` is not declared\n  process P {{ x = 1; }}\n              ^\n"
    assert product.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.ebb", "bad.ir.json"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.ebb"], 65, "nowhere.ebb: cannot be read: No such file or directory"),
        (["."], 65, ".: cannot be read: Is a directory"),
        (["--frm", "ebb"], 64, "ebb-parse: unrecognized arguments: --frm"),
        (["--from", "c"], 64, "ebb-parse: argument --from: invalid choice: 'c'"),
        (["a.ebb", "b.ebb"], 64, "ebb-parse: unrecognized arguments: b.ebb"),
    ],
)
def test_wrong_use(arguments: list[str], code: int, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == code
    assert message in capfd.readouterr().err


def test_an_output_that_cannot_be_written(program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([str(program), "-o", str(tmp_path / "no" / "where.json")]) == 64
    assert "cannot be written: No such file or directory" in capfd.readouterr().err


def test_bytes_that_are_not_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "latin.ebb"
    path.write_bytes(b"shared X;\n// caf\xe9\n")
    assert main([str(path)]) == 65
    assert capfd.readouterr().err == f"{path}:2:7: byte 0xe9 is not UTF-8\n"


def test_the_product_keeps_permissions_and_links(program: Path, tmp_path: Path) -> None:
    product, link = tmp_path / "product.json", tmp_path / "link.json"
    product.write_text("old")
    product.chmod(0o640)
    link.symlink_to(product)
    assert main([str(program), "-o", str(link)]) == 0
    assert link.is_symlink()
    assert stat.S_IMODE(product.stat().st_mode) == 0o640
    assert json.loads(product.read_text())["name"] == "small"


def test_a_device_can_be_the_output(program: Path) -> None:
    assert main([str(program), "-o", os.devnull]) == 0
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def test_help_and_version(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "example" in capfd.readouterr().out
    assert main(["--version"]) == 0
    assert capfd.readouterr().out.startswith("ebb-parse 0.")


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    source = tmp_path / "long.ebb"
    source.write_text("shared X;\nprocess P {\n" + "X = 1;\n" * 5000 + "}\n")
    command = [sys.executable, "-m", "ebb.frontend.parse", str(source)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("redirection", "code", "message"),
    [
        (">/dev/full", 64, "ebb-parse: standard output cannot be written: No space left on device\n"),
        (">&-", 64, "ebb-parse: standard output cannot be written: it is closed\n"),
    ],
)
def test_an_output_that_takes_nothing(redirection: str, code: int, message: str, program: Path) -> None:
    command = f'"$0" -m ebb.frontend.parse "$1" {redirection}'
    done = subprocess.run(["sh", "-c", command, sys.executable, str(program)], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (code, message)


def test_an_input_that_is_closed() -> None:
    command = '"$0" -m ebb.frontend.parse <&-'
    done = subprocess.run(["sh", "-c", command, sys.executable], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (65, "<stdin>: cannot be read: it is closed\n")


def test_an_empty_name(program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([""]) == 65
    assert "cannot be read: No such file or directory" in capfd.readouterr().err
    assert main([str(program), "-o", ""]) == 64
    assert "cannot be written: No such file or directory" in capfd.readouterr().err
