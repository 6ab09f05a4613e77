"""Dependencies point one way: `formats` ← `frontend`, `passes`, `backend`; only the driver knows all of them."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

REPO = Path(__file__).parent.parent
PARTS = ("backend", "formats", "frontend", "passes")
DRIVER = Path("backend/driver.py")
# Modules that cannot do anything without z3; all others import it where they use it, or not at all.
NEED_Z3 = frozenset({"backend/abstraction/smt.py"})


def modules(root: Path) -> list[Path]:
    """Every module of the project and of its tests, relative to the root."""
    return sorted(path.relative_to(root) for part in (*PARTS, "tests") for path in (root / part).rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every import, with a leading dot if it is relative."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(level=level, module=module, names=names) if level:
                yield node.lineno, "." * level + (module or names[0].name)
            case ast.ImportFrom(module="ebb", names=names):
                yield from ((node.lineno, f"ebb.{alias.name}") for alias in names)
            case ast.ImportFrom(module=str(module)):
                yield node.lineno, module
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield node.lineno, module


def permitted(module: Path) -> tuple[str, ...]:
    """The parts that a module may import from."""
    part = module.parts[0]
    return PARTS if part == "tests" or module == DRIVER else tuple({"formats", part})


def violations(root: Path) -> list[str]:
    found = []
    for module in modules(root):
        for line, name in imported(ast.parse((root / module).read_text(encoding="utf-8"))):
            first, *rest = name.split(".")
            if first == "":
                found.append(f"{module}:{line}: {name} is relative")
            elif first in PARTS:
                found.append(f"{module}:{line}: {name} is imported as ebb.{name}")
            elif first == "ebb" and (not rest or rest[0] not in permitted(module)):
                found.append(f"{module}:{line}: {name} is out of bounds here")
    return found


def test_dependencies_point_one_way() -> None:
    assert violations(REPO) == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("formats/ir.py", "from ebb.frontend.parse import main"),
        ("formats/ir.py", "import ebb.backend.show"),
        ("frontend/parse.py", "from ebb.backend import show"),
        ("frontend/parse.py", "from ebb import passes"),
        ("passes/reduce.py", "def later():\n    from ebb.frontend import parse"),
        ("passes/reduce.py", "import importlib\nimportlib.import_module('ebb.backend.show')"),
        ("backend/show.py", "if True:\n    import ebb.passes.reduce"),
        ("backend/concrete/driver.py", "import ebb.passes.reduce"),
        ("backend/show.py", "import ebb"),
        ("backend/show.py", "from formats.ir import Program"),
        ("backend/show.py", "import formats"),
        ("backend/driver.py", "from . import show"),
        ("tests/test_ir.py", "from formats import ir"),
    ],
)
def test_a_planted_violation_is_found(tmp_path: Path, module: str, text: str) -> None:
    (tmp_path / module).parent.mkdir(parents=True)
    (tmp_path / module).write_text(text + "\n")
    (found,) = violations(tmp_path)
    assert found.startswith(f"{module}:{len(text.splitlines())}: ")


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("formats/ir.py", "import ast\nfrom ebb.formats.errors import Position"),
        ("frontend/parse.py", "from ebb.formats import ir\nfrom ebb.frontend import ebb_source"),
        ("backend/driver.py", "import ebb.frontend.parse\nimport ebb.passes.reduce\nimport ebb.backend.show"),
        ("tests/test_ir.py", "import ebb.backend.show"),
    ],
)
def test_what_is_permitted_is_not_a_violation(tmp_path: Path, module: str, text: str) -> None:
    (tmp_path / module).parent.mkdir(parents=True)
    (tmp_path / module).write_text(text + "\n")
    assert violations(tmp_path) == []


def test_ebb_is_a_namespace_package() -> None:
    assert not (REPO / "__init__.py").exists()
    spec = find_spec("ebb")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    assert not spec.has_location  # no __init__.py


def at_module_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


def imports_z3(text: str) -> bool:
    names = (
        name
        for node in at_module_level(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for _, name in imported(node)
    )
    return any(name.split(".")[0] == "z3" for name in names)


def test_z3_is_imported_at_module_level_only_where_nothing_goes_without_it() -> None:
    importing = {
        str(module)
        for module in modules(REPO)
        if module.parts[0] != "tests" and imports_z3((REPO / module).read_text(encoding="utf-8"))
    }
    assert importing == NEED_Z3


def test_a_late_import_of_z3_is_told_from_an_early_one() -> None:
    assert imports_z3("import z3")
    assert imports_z3("try:\n    from z3 import Solver\nexcept ImportError:\n    pass")
    assert not imports_z3("def solve():\n    import z3")


def loaded(*arguments: str) -> set[str]:
    """The top-level names of all modules that a run of `ebb-parse` loads."""
    command = [sys.executable, "-X", "importtime", "-m", "ebb.frontend.parse", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout
    names = re.findall(r"^import time: +\d+ \| +\d+ \| *([\w.]+)$", result.stderr, re.MULTILINE)
    assert "ebb.formats.command_line" in names
    return {name.split(".")[0] for name in names}


def test_help_loads_nothing_heavy() -> None:
    assert loaded("--help").isdisjoint({"z3", "lark", "rich"})


def test_parsing_does_not_load_z3(tmp_path: Path) -> None:
    file = tmp_path / "small.ebb"
    file.write_text("shared X = 0;\nprocess P { X = 1; }\n")
    names = loaded(str(file))
    assert "lark" in names
    assert "z3" not in names
