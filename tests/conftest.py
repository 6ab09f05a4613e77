"""What all tests share: golden files, tests that need a Debian package, the litmus tests, and an account of skips."""

import ctypes
import difflib
import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent

# Machines are shared and noisy: how long one example takes says nothing.
settings.register_profile("ebb", deadline=None, print_blob=True)
settings.load_profile("ebb")

# Debian package to a program, file or library by which it is known; `make system-packages` reads the same file.
SYSTEM_PACKAGES = dict(line.split() for line in (HERE / "system-packages.txt").read_text().splitlines())
# What a package needs besides itself, and the wheel that brings NuSMV.
NEEDS = {"spin": ("gcc", "libc6-dev"), "rumur": ("gcc", "libc6-dev"), "pyboolnet": ("libtinfo5", "libxml2")}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "system_package(name): calls a program from that Debian package or wheel")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("system_package"):
        (name,) = marker.args
        for package in (*NEEDS.get(name, ()), name):
            if not present(package):
                pytest.skip(f"{_sign(package)} is missing: install {_kind(package)} {package}")


def present(package: str) -> bool:
    sign = _sign(package)
    if package not in SYSTEM_PACKAGES:
        return importlib.util.find_spec(sign) is not None
    return shutil.which(sign) is not None or Path(sign).exists() or (".so" in sign and _loads(sign))


def _sign(package: str) -> str:
    return SYSTEM_PACKAGES.get(package, package)


def _kind(package: str) -> str:
    return "the Debian package" if package in SYSTEM_PACKAGES else "the wheel"


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str | Path, str], None]:
    """`golden(file, text)`: the text is what the file holds. A relative name starts from the test's own directory."""

    def compare(file: str | Path, text: str) -> None:
        path = request.path.parent / file
        known = path.read_text(encoding="utf-8") if path.exists() else None
        if text == known:
            return
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8", newline="")
            return
        if known is None:
            pytest.fail(f"{path.name} does not exist; pytest --update-golden writes it", pytrace=False)
        diff = difflib.unified_diff(known.split("\n"), text.split("\n"), path.name, "now", lineterm="")
        pytest.fail("\n".join(["not as it was; pytest --update-golden rewrites the file", *diff]), pytrace=False)

    return compare


@pytest.fixture(scope="session")
def litmus_dir() -> Path:
    """The directory with the litmus tests and `expected.tsv`."""
    path = Path(os.environ.get("EBB_LITMUS") or HERE.parent.parent / "shared" / "litmus")
    if not (path / "expected.tsv").is_file():
        pytest.skip("no litmus tests: EBB_LITMUS does not name a directory with expected.tsv")
    return path


def _skipped(config: pytest.Config) -> list[str]:
    """`test: reason` for whatever was skipped. Only the process that prints the results knows them all."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    return sorted(
        f"{report.nodeid}: {report.longrepr[2].removeprefix('Skipped: ')}"
        for report in (reporter.stats.get("skipped", []) if reporter else [])
    )


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where every test has to run (`EBB_NO_SKIPS`), a skipped one fails the run."""
    if os.environ.get("EBB_NO_SKIPS") and _skipped(session.config) and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    skipped = _skipped(config)
    for line in skipped:
        terminalreporter.write_line(f"skipped {line}", yellow=True)
    if skipped and os.environ.get("EBB_NO_SKIPS"):
        terminalreporter.write_line(f"EBB_NO_SKIPS: {len(skipped)} skipped, so this run fails", red=True)
