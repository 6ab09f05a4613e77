"""The account of skips and the golden files, tried on small suites of their own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

SKIPS_ONE = """
import pytest
def test_passes(): pass
@pytest.mark.skip(reason="not today")
def test_skipped(): pass
"""
SKIPS_MODULE = """
import pytest
pytest.skip("nothing here today", allow_module_level=True)
"""
ALSO_PASSES = """
def test_passes_too(): pass
"""


def run(suite: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "no:cacheprovider", "--strict-markers", *arguments]
    unset = ("EBB_NO_SKIPS", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER")
    clean = {name: value for name, value in os.environ.items() if name not in unset}
    clean["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # starts faster
    return subprocess.run(command, cwd=suite, env=clean | environment, capture_output=True, text=True, check=False)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for name in ("conftest.py", "system-packages.txt"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize(
    ("text", "reason"),
    [(SKIPS_ONE, "test_skipped: not today"), (SKIPS_MODULE, "test_it.py: nothing here today")],
    ids=["test", "module"],
)
def test_a_skip_fails_the_run_only_where_none_is_allowed(suite: Path, workers: str, text: str, reason: str) -> None:
    (suite / "test_it.py").write_text(text)
    (suite / "test_other.py").write_text(ALSO_PASSES)
    lenient = run(suite, "-n", workers)
    assert lenient.returncode == 0, lenient.stdout
    assert reason in lenient.stdout
    strict = run(suite, "-n", workers, EBB_NO_SKIPS="1")
    assert strict.returncode == 1, strict.stdout
    assert "1 skipped, so this run fails" in strict.stdout


def test_without_skips_the_strict_run_passes(suite: Path) -> None:
    (suite / "test_it.py").write_text(ALSO_PASSES)
    assert run(suite, "-n", "2", EBB_NO_SKIPS="1").returncode == 0


def test_a_missing_system_package_is_named(suite: Path) -> None:
    (suite / "test_it.py").write_text(
        "import pytest\n@pytest.mark.system_package('graphviz')\ndef test_it(): assert False\n"
    )
    result = run(suite, PATH="")
    assert result.returncode == 0, result.stdout
    assert "dot is missing: install the Debian package graphviz" in result.stdout


def test_golden_file_is_compared_and_rewritten(suite: Path) -> None:
    (suite / "test_it.py").write_text("def test_it(golden): golden('it.txt', 'one\\ntwo\\n')\n")
    file = suite / "it.txt"
    assert "does not exist" in run(suite).stdout
    file.write_text("one\nthree\n")
    differs = run(suite)
    assert differs.returncode == 1
    assert "-three\n+two" in differs.stdout.replace("E   ", "")
    assert file.read_text() == "one\nthree\n"
    assert run(suite, "--update-golden").returncode == 0
    assert file.read_text() == "one\ntwo\n"
    assert run(suite).returncode == 0


def test_litmus_dir_is_where_the_environment_says(suite: Path) -> None:
    (suite / "test_it.py").write_text("def test_it(litmus_dir): assert litmus_dir.name == 'here'\n")
    (suite / "here").mkdir()
    absent = run(suite, EBB_LITMUS=str(suite / "here"))
    assert "no litmus tests" in absent.stdout
    (suite / "here" / "expected.tsv").touch()
    assert "1 passed" in run(suite, EBB_LITMUS=str(suite / "here")).stdout
