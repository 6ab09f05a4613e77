"""What `pyproject.toml` promises is what is on disk, and the wheel works without the checkout."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

REPO = Path(__file__).parent.parent
PARTS = ("backend", "formats", "frontend", "passes")
PYPROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
SCRIPTS: dict[str, str] = PROJECT["scripts"]
FRONTENDS: dict[str, str] = PROJECT["entry-points"]["ebb.frontends"]

STORE_BUFFERING = """
shared X = 0, Y = 0;
process P0 { local r = 0; X = 1; r = Y; }
process P1 { local r = 0; Y = 1; r = X; }
"""


def package_files() -> set[Path]:
    """Every file that belongs into the wheel, relative to the root of the project."""
    files = (path for part in PARTS for path in (REPO / part).rglob("*"))
    return {path.relative_to(REPO) for path in files if path.is_file() and "__pycache__" not in path.parts}


def test_packages_are_those_on_disk() -> None:
    # A package that has no module yet is there by its py.typed.
    on_disk = {file.parent for file in package_files() if file.suffix == ".py" or file.name == "py.typed"}
    named = {".".join(("ebb", *directory.parts)): str(directory) for directory in on_disk}
    assert sorted(PYPROJECT["tool"]["setuptools"]["packages"]) == sorted(named)
    assert PYPROJECT["tool"]["setuptools"]["package-dir"] == named


def test_every_package_is_typed() -> None:
    packages = {file.parent for file in package_files() if file.suffix == ".py"}
    assert {package for package in packages if not (REPO / package / "py.typed").is_file()} == set()


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_has_a_main(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module, function = SCRIPTS[name].split(":")
    assert function == "main"
    main = importlib.import_module(module).main
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"{name} ")


def test_installed_front_ends_are_those_declared() -> None:
    installed = {entry.name: entry.value for entry in entry_points(group="ebb.frontends")}
    assert installed == FRONTENDS


@pytest.mark.parametrize("suffix", FRONTENDS)
def test_front_end_loads(suffix: str) -> None:
    (entry,) = entry_points(group="ebb.frontends", name=suffix)
    assert callable(entry.load())


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output of a command that knows nothing of this checkout or its environment."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    result = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def build_wheel(directory: Path) -> Path:
    """The wheel, built from a copy: what earlier builds left in `build/` would get into it."""
    copy = directory / "copy"
    for part in PARTS:
        shutil.copytree(REPO / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", PROJECT["readme"], *PROJECT["license-files"]):
        shutil.copy(REPO / name, copy)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", directory, copy, cwd=directory)
    (wheel,) = directory.glob("*.whl")
    return wheel


def install(wheel: Path, environment: Path) -> Path:
    """The directory of the executables in an environment that holds the wheel, its dependencies and nothing else."""
    run(sys.executable, "-m", "venv", environment, cwd=wheel.parent)
    run(environment / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, cwd=wheel.parent)
    return environment / "bin"


# One test, because workers share no fixtures: as several, each worker would build and install a wheel of its own.
def test_the_wheel_works_without_the_checkout(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {f"ebb/{file.as_posix()}" for file in package_files()}
    assert any(name.endswith(".lark") for name in names)

    bin = install(wheel, tmp_path / "environment")
    for name in SCRIPTS:
        assert run(bin / name, "--version", cwd=tmp_path) == f"{name} {PROJECT['version']}\n"

    (tmp_path / "sb.ebb").write_text(STORE_BUFFERING)
    program = run(bin / "ebb-parse", "sb.ebb", cwd=tmp_path)
    (tmp_path / "sb.ir.json").write_text(program)
    (tmp_path / "shown.ebb").write_text(run(bin / "ebb-show", "sb.ir.json", cwd=tmp_path))
    assert run(bin / "ebb-parse", "shown.ebb", cwd=tmp_path) == program

    for model, states in (("sc", 3), ("tso", 4)):
        outcomes = json.loads(run(bin / "ebb-explore", "sb.ebb", "--model", model, "--json", cwd=tmp_path))
        assert len(outcomes["final"]) == states
