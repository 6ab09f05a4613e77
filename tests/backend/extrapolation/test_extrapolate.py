"""`ebb-extrapolate`: three methods, no solver where none is needed, and proofs of other programs."""

from pathlib import Path

import pytest

from ebb.backend import abstract, extrapolate
from ebb.backend.abstraction.smt import Solver
from ebb.backend.automata.build import build
from ebb.backend.checker import engines
from ebb.backend.checker.limits import Limits
from ebb.formats import ir_json
from ebb.formats.bp_check import read
from ebb.frontend.ebb_source import parse
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_tso import reduce_tso

EXAMPLES = Path(__file__).parents[3] / "examples/extrapolation"
METHODS = ("predicates", "cubes", "program")


def files(source: str, model: str, bound: int, folder: Path, name: str = "p") -> tuple[str, str]:
    """The SC abstraction and the reduced program."""
    path, proof, reduced = folder / f"{name}.ebb", folder / "p.sc.bp", folder / "p.ir.json"
    path.write_text(source)
    assert abstract.main([str(path), "-o", str(proof), "--quiet"]) == 0
    reduce = reduce_pso if model == "pso" else reduce_tso
    reduced.write_text(ir_json.dumps(reduce(parse(source, f"{name}.ebb"), bound)))
    return str(proof), str(reduced)


def verdict_of(path: Path) -> str:
    return engines.check_quickly(build(read(path.read_text())), "auto", Limits()).verdict


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("name", "model", "bound"), [("peterson", "pso", 2), ("bakery", "tso", 2), ("ticket", "pso", 1)]
)
def test_every_method_proves(name: str, model: str, bound: int, method: str, tmp_path: Path) -> None:
    proof, reduced = files((EXAMPLES / f"{name}_{model}.ebb").read_text(), model, bound, tmp_path)
    output = tmp_path / "out.bp"
    assert extrapolate.main(["--from", proof, "--method", method, reduced, "-o", str(output), "--quiet"]) == 0
    assert verdict_of(output) == "safe"


def test_a_program_is_carried_over_without_a_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proof, reduced = files((EXAMPLES / "bakery_pso.ebb").read_text(), "pso", 2, tmp_path)

    def refuse(*_: object) -> None:
        raise AssertionError("a solver was asked for")

    monkeypatch.setattr(Solver, "__init__", refuse)
    monkeypatch.setattr(Solver, "ask", refuse)
    output = tmp_path / "out.bp"
    assert extrapolate.main(["--from", proof, "--method", "program", reduced, "-o", str(output), "--quiet"]) == 0
    assert verdict_of(output) == "safe"


def test_without_cubes_about_buffers_the_result_is_coarser(tmp_path: Path) -> None:
    proof, reduced = files((EXAMPLES / "ticket_pso.ebb").read_text(), "pso", 1, tmp_path)
    output = tmp_path / "out.bp"
    arguments = ["--from", proof, "--method", "cubes", reduced, "-o", str(output), "--quiet"]
    assert extrapolate.main(arguments) == 0
    whole = output.read_text()
    assert extrapolate.main([*arguments, "--drop-buffered"]) == 0
    assert len(output.read_text()) < len(whole)


SOURCE = """shared X : 0..1 = 0;
process P { local r = 0; r = X; X = 1; }
process Q { X = 0; }
assert always (P.r >= 0 && P.r <= 1);
predicates { X == 0, P.r == 0, P.r == 1 }
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("process Q", "process R", "this is not an abstraction of p: it has no process R"),
        ("process Q { X = 0; }", "", "this is not an abstraction of p under SC: Q is no process of it"),
        ("X = 0; }", "X = 0; X = 1; }", "this is not an abstraction of p: Q has no statement with the label L1"),
        (" : 0..1", "", "the proof is about `X : 0..1`, which p does not declare so"),
        ("local r = 0", "local s = 0, r = 0", ""),
    ],
)
def test_proofs_of_other_programs(
    old: str, new: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof, _ = files(SOURCE, "pso", 1, tmp_path)
    reduced = tmp_path / "other.ir.json"
    reduced.write_text(ir_json.dumps(reduce_pso(parse(SOURCE.replace(old, new), "p.ebb"), 1)))
    capsys.readouterr()
    code = extrapolate.main(["--from", proof, "--method", "program", str(reduced), "--quiet"])
    assert code == (65 if message else 0)
    assert message in capsys.readouterr().err


def test_predicates_that_the_program_has_no_variables_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof, reduced = files(SOURCE, "pso", 1, tmp_path)
    text = Path(proof).read_text().replace("//@ predicate X == 0", "//@ predicate Z == 0")
    Path(proof).write_text(text)
    assert extrapolate.main(["--from", proof, reduced]) == 65
    assert "p.sc.bp:2:6: the predicate of b0: `Z` is not a variable of the program p" in capsys.readouterr().err


def test_a_program_that_was_not_reduced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof, _ = files(SOURCE, "pso", 1, tmp_path)
    assert extrapolate.main(["--from", proof, str(tmp_path / "p.ebb")]) == 65
    assert "this program was not reduced: ebb-reduce does that" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options", [["--method", "program", "--drop-buffered"], ["--method", "cubes", "--cube-size", "2"]]
)
def test_options_that_do_not_go_together(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert extrapolate.main(["--from", "x.bp", *options]) == 64
    assert capsys.readouterr().err.startswith("ebb-extrapolate: --")
