"""`examples/Makefile` and `ebb.mk` build every file on the way to a verdict, and none of them twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parent.parent
EXECUTABLES = Path(sys.executable).parent

PARTS = {"ir.json", "sc.bp", "sc.verdict.json"} | {
    f"{model}.{part}" for model in ("tso", "pso") for part in ("ir.json", "bp", "verdict.json")
}
# `make test` hands its own options down, and what it prints would begin with make[1]. Only this comes from outside:
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ} | {
    "LC_ALL": "C.UTF-8"
}

FLAGS = """
shared F0 = 0, F1 = 0;
process P0 { local r = 0; F0 = 1; fence; r = F1; if (r == 0) { cs: skip; } }
process P1 { local r = 0; F1 = 1; fence; r = F0; if (r == 0) { cs: skip; } }
assert never (P0@cs && P1@cs);
"""
PREDICATES = "predicates: [F0 == 0, F1 == 0, P0.r == 0, P1.r == 0]\n"


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", "-C", str(folder), f"EBB={EXECUTABLES}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=ENVIRONMENT)


def done(folder: Path, *arguments: str) -> str:
    """What make prints, when all goes well."""
    result = make(folder, *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def verdict(file: Path) -> str:
    return str(json.loads(file.read_text("utf-8"))["verdict"])


def test_the_examples_are_built_and_checked(tmp_path: Path) -> None:
    options = ("PROGRAMS=peterson_tso", f"OUT={tmp_path / 'out'}")
    done(REPO / "examples", *options)
    assert {file.name for file in (tmp_path / "out").iterdir()} == {f"peterson_tso.{part}" for part in PARTS}

    assert done(REPO / "examples", *options).strip() == "make: Nothing to be done for 'all'."
    assert done(REPO / "examples", *options, "table").splitlines() == [
        "program               model  verdict",
        "peterson_tso          sc     safe",
        "peterson_tso          tso    safe",
        "peterson_tso          pso    unknown",
    ]
    assert done(REPO / "examples", *options, "check").strip() == "3 of 3 verdicts are as expected"

    (tmp_path / "out" / "peterson_tso.sc.verdict.json").write_text('{\n  "verdict": "unsafe"\n}\n', "utf-8")
    result = make(REPO / "examples", *options, "check")
    assert result.returncode != 0
    assert result.stdout.splitlines()[0] == "peterson_tso under sc: unknown, not safe"

    done(REPO / "examples", *options, "clean")
    assert not (tmp_path / "out").exists()


def test_programs_over_remote_memory_are_mended_and_verified(tmp_path: Path) -> None:
    options = ("PROGRAMS=", "REMOTE=pgsql", f"OUT={tmp_path / 'out'}")
    assert done(REPO / "examples", *options, "check").splitlines()[-1] == "1 of 1 verdicts are as expected"
    made = tmp_path / "out" / "rma"
    assert {file.name for file in made.iterdir()} == {
        f"pgsql.rma.{part}" for part in ("mended.ebb", "fences.txt", "mended.verification.json")
    }
    assert (made / "pgsql.rma.mended.ebb").read_text("utf-8").count("flush(") == 2

    assert done(REPO / "examples", *options, "check").strip() == "1 of 1 verdicts are as expected"
    assert done(REPO / "examples", *options, "table").splitlines()[1:] == ["pgsql, mended         rma    safe"]

    (made / "pgsql.rma.mended.verification.json").write_text('{\n  "verdict": "unknown"\n}\n', "utf-8")
    result = make(REPO / "examples", *options, "check")
    assert result.returncode != 0
    assert result.stdout.splitlines()[0] == "pgsql with flushes under rma: unknown, not safe"

    done(REPO / "examples", *options, "clean")
    assert not (tmp_path / "out").exists()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A Makefile beside a program, in which everything is left as it is."""
    (tmp_path / "Makefile").write_text(f"all: flags.pso.verdict.json\ninclude {REPO / 'ebb.mk'}\n", "utf-8")
    (tmp_path / "flags.ebb").write_text(FLAGS, "utf-8")
    return tmp_path


def test_files_stand_beside_their_source(project: Path) -> None:
    # Without predicates there is no proof; that is a verdict and no error, and every file stays.
    done(project)
    made = {"flags.ir.json", "flags.sc.bp", "flags.pso.ir.json", "flags.pso.bp", "flags.pso.verdict.json"}
    assert {file.name for file in project.iterdir()} == {"Makefile", "flags.ebb"} | made
    assert verdict(project / "flags.pso.verdict.json") == "unsafe"
    result = make(project, "flags.pso.safe")
    assert result.returncode != 0
    assert "flags.pso.verdict.json: not safe" in result.stderr
    assert not (project / "flags.pso.safe").exists()

    # A file with predicates, once it is there, is used.
    (project / "flags.preds.yaml").write_text(PREDICATES, "utf-8")
    assert "--preds flags.preds.yaml" in done(project, "flags.pso.safe")
    assert verdict(project / "flags.pso.verdict.json") == "safe"
    assert (project / "flags.pso.safe").exists()


def test_variables_are_for_some_files_and_their_change_is_noticed(project: Path) -> None:
    assert " -k 1 " in done(project, "flags.tso.ir.json", "flags.pso.ir.json")
    with (project / "Makefile").open("a", encoding="utf-8") as makefile:
        makefile.write("flags.tso.%: K = 2\nflags.tso.%: METHOD = cubes\n")
    printed = done(project, "flags.tso.bp", "flags.pso.bp")
    assert "--model tso -k 2 " in printed
    assert "--model pso -k 1 " in printed
    assert "--method cubes -o flags.tso.bp" in printed
    assert "--method program -o flags.pso.bp" in printed
    assert "ebb-parse" not in printed


def test_fences_are_put_where_they_are_missing(project: Path) -> None:
    (project / "flags.ebb").write_text(FLAGS.replace("fence; ", ""), "utf-8")
    (project / "flags.preds.yaml").write_text(PREDICATES, "utf-8")
    assert "--predicates flags.preds.yaml" in done(project, "flags.tso.mended.verification.json")
    assert (project / "flags.tso.mended.ebb").read_text("utf-8").count("fence") == 2
    assert "+process P0" in (project / "flags.tso.fences.txt").read_text("utf-8")
    assert verdict(project / "flags.tso.mended.verification.json") == "safe"

    # Without predicates nothing is proved: an error, with the report, and no program that could be taken for mended.
    (project / "flags.preds.yaml").unlink()
    result = make(project, "flags.pso.mended.ebb")
    assert result.returncode != 0
    assert "unknown" in result.stderr
    assert not (project / "flags.pso.mended.ebb").exists()
    assert not (project / "flags.pso.fences.txt").exists()


def test_stages_of_remote_memory(project: Path) -> None:
    (project / "fig2.ebb").write_text((REPO / "examples" / "rma_fig2_flush.ebb").read_text("utf-8"), "utf-8")
    done(project, "fig2.rma.safe")
    assert verdict(project / "fig2.rma.verdict.json") == "safe"


def test_other_folders(project: Path) -> None:
    (project / "locks").mkdir()
    (project / "flags.ebb").rename(project / "locks" / "flags.ebb")
    done(project, "SRC=locks/", "OUT=made", "made/flags.tso.bp")
    made = {"flags.ir.json", "flags.sc.bp", "flags.tso.ir.json", "flags.tso.bp"}
    assert {file.name for file in (project / "made").iterdir()} == made
    assert {file.name for file in (project / "locks").iterdir()} == {"flags.ebb"}


def test_what_goes_wrong_is_an_error(project: Path) -> None:
    (project / "flags.sc.bp").write_text("decl b;\nvoid main() begin b := c; end\n", "utf-8")
    (project / "flags.sc.verdict.json").write_text("{}\n", "utf-8")
    result = make(project, "-B", "-o", "flags.sc.bp", "flags.sc.verdict.json")
    assert result.returncode != 0
    assert "flags.sc.bp:2:" in result.stderr
    assert not (project / "flags.sc.verdict.json").exists()

    # What cannot be started exits with 1, like an unsafe program, but there is no verdict.
    broken = project / "bin"
    broken.mkdir()
    (broken / "ebb-check").write_text("#!/bin/sh\nexit 1\n", "utf-8")
    (broken / "ebb-check").chmod(0o755)
    assert make(project, f"EBB={broken}", "-o", "flags.sc.bp", "flags.sc.verdict.json").returncode != 0
