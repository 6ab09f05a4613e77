"""Verdict documents: the schema describes them, and `docs/formats/verdict.md` names all that is in them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ebb.backend.check import main
from ebb.formats import verdict as verdict_format
from ebb.formats.bp import Origin
from ebb.formats.errors import Position
from ebb.formats.verdict import Place, TraceStep, VariableReport, Verdict

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/formats/verdict.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
EXAMPLES = sorted((ROOT / "examples/boolean").glob("*.bp"))

PROGRAMS = {
    "nothing": "void main() begin end",
    "safe": "decl b; void main() begin b := T; assert(b); end",
    "unsafe": """
        decl {x == 0}, b; //@ predicate x == 0 | x > y
        bool f(p) begin decl q; q := !p; L: return q; end
        void main() begin //@ process Main
          b := f(T);      //@ at x.ebb:3
          M: N: assert(b); //@ at x.ebb:4:1 a note //@ checks b holds, “always”
        end
    """,
    "unsafe at once": "void main() begin assert(F); end",
    "overflow": "decl b; void main() begin if (b) then full: skip; //@ overflow\n fi; assert(b | !b); end",
    "threads": "decl b; void w(p) begin b := p; end void main() begin while (*) do start_thread w(*); od; end",
    "impossible": "void main() begin decl b; enforce b & !b; assert(F); end",
}


def document(text: str, tmp_path: Path, *options: str) -> dict[str, Any]:
    program, product = tmp_path / "p.bp", tmp_path / "p.verdict.json"
    program.write_text(text, encoding="utf-8")
    main([str(program), "--quiet", "-o", str(product), *options])
    found: dict[str, Any] = json.loads(product.read_text(encoding="utf-8"))
    return found


# ---- the schema


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("engine", ["auto", "bdd", "cubes"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_schema_describes_verdicts(name: str, engine: str, tmp_path: Path) -> None:
    for options in ((), ("--no-times",), ("--max-states", "1"), ("--timeout", "60")):
        VALIDATOR.validate(document(PROGRAMS[name], tmp_path, "--engine", engine, *options))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_schema_describes_the_verdicts_of_examples(file: Path, tmp_path: Path) -> None:
    VALIDATOR.validate(document(file.read_text(encoding="utf-8"), tmp_path))


def test_verdicts(tmp_path: Path) -> None:
    assert {name: document(text, tmp_path)["verdict"] for name, text in PROGRAMS.items()} == {
        "nothing": "safe",
        "safe": "safe",
        "unsafe": "unsafe",
        "unsafe at once": "unsafe",
        "overflow": "unknown",
        "threads": "unknown",
        "impossible": "safe",
    }


def spoilt(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield document | {"format": "ebb-outcomes"}
    yield document | {"version": 2}
    yield document | {"more": 1}
    yield {key: value for key, value in document.items() if key != "counts"}
    yield document | {"engine": "other"}
    yield document | {"verdict": "safe"}
    yield document | {"verdict": "unknown"}
    yield document | {"reason": "because"}
    yield document | {"violation": None}
    yield document | {"violation": document["violation"] | {"label": ""}}
    yield document | {"violation": document["violation"] | {"at": [0, 1]}}
    yield document | {"violation": document["violation"] | {"origin": {"file": "x.ebb", "line": 1}}}
    yield document | {"overflow": document["violation"]}
    yield document | {"threads": ["main", "main"]}
    yield document | {"variables": [{"name": "b"}]}
    yield document | {"trace": []}
    yield document | {"trace": document["trace"][1:]}
    yield document | {"trace": [document["trace"][0], document["trace"][0]]}
    yield document | {"trace": [document["trace"][0] | {"values": {"b": 1}}]}
    yield document | {"trace": [document["trace"][0] | {"changed": ["b"]}]}
    yield document | {"counts": {"states": -1}}
    yield document | {"counts": {"diagram nodes": 1}}
    yield document | {"seconds": {"read": 0.1}}
    yield document | {"seconds": None}


def test_the_schema_refuses_other_documents(tmp_path: Path) -> None:
    right = document(PROGRAMS["unsafe"], tmp_path)
    VALIDATOR.validate(right)
    for wrong in spoilt(right):
        assert not VALIDATOR.is_valid(wrong), wrong


def test_a_safe_verdict_has_no_overflow(tmp_path: Path) -> None:
    safe = document(PROGRAMS["safe"], tmp_path)
    place = document(PROGRAMS["overflow"], tmp_path)["overflow"]
    assert VALIDATOR.is_valid(safe)
    assert not VALIDATOR.is_valid(safe | {"overflow": place})


# ---- what is in a document


def test_what_a_counterexample_says(tmp_path: Path) -> None:
    found = document(PROGRAMS["unsafe"], tmp_path, "--no-times")
    assert "seconds" not in found
    assert found["program"] == "p.bp"
    assert found["threads"] == ["Main"]
    assert found["variables"] == [
        {"name": "{x == 0}", "predicate": "x == 0", "thread": None},
        {"name": "b", "predicate": "x > y", "thread": None},
        {"name": "Main.f.p", "predicate": None, "thread": "Main"},
        {"name": "Main.f.q", "predicate": None, "thread": "Main"},
    ]
    assert found["violation"] == {
        "thread": "Main",
        "function": "main",
        "label": "M",
        "statement": "assert(b);",
        "way": None,
        "at": [6, 17],
        "origin": {"file": "x.ebb", "line": 4, "column": 1, "note": "a note"},
        "checks": "b holds, “always”",
    }
    start, *steps = found["trace"]
    assert start.keys() == {"step", "changed", "values"}
    assert [(step["step"], step["function"], step["label"], step["statement"]) for step in steps] == [
        (1, "main", None, "b := f(T);"),
        (2, "f", None, "q := !p;"),
        (3, "f", "L", "return q;"),
    ]
    assert steps[0]["origin"] == {"file": "x.ebb", "line": 3, "column": None, "note": ""}
    before = start["values"]
    for step in steps:
        after = step["values"]
        assert step["changed"] == [name for name in after if after[name] != before[name]]
        before = after
    assert before["b"] is False


def test_a_violation_without_a_step(tmp_path: Path) -> None:
    found = document(PROGRAMS["unsafe at once"], tmp_path)
    assert found["trace"] == [{"step": 0, "changed": [], "values": {}}]
    assert found["violation"]["statement"] == "assert(F);"


def test_times_are_the_only_difference(tmp_path: Path) -> None:
    with_times = document(PROGRAMS["unsafe"], tmp_path)
    assert with_times.pop("seconds").keys() == {"read", "check"}
    assert with_times == document(PROGRAMS["unsafe"], tmp_path, "--no-times")


PLACE = Place("P", "f", "", "skip;", "", Position(1, 2), None, "")
VERDICT = Verdict(
    "p.bp",
    "bdd",
    "unsafe",
    "",
    PLACE,
    None,
    ("P", "Q"),
    (VariableReport("b", "", None), VariableReport("P.l", "x == “1”", "P")),
    (TraceStep(None, {"b": True, "P.l": False}, ()), TraceStep(PLACE, {"b": False, "P.l": False}, ("b",))),
    {"states": 3},
    {"read": 0.12345, "check": 1.0},
)


def test_layout() -> None:
    """One variable and one step a line; what is not ASCII stays as it is."""
    place = (
        '{"thread": "P", "function": "f", "label": null, "statement": "skip;", "way": null, "at": [1, 2], '
        '"origin": null, "checks": null'
    )
    text = verdict_format.dumps(VERDICT)
    assert text == (
        "{\n"
        '  "format": "ebb-verdict",\n'
        '  "version": 1,\n'
        '  "program": "p.bp",\n'
        '  "engine": "bdd",\n'
        '  "verdict": "unsafe",\n'
        '  "reason": null,\n'
        f'  "violation": {place}}},\n'
        '  "overflow": null,\n'
        '  "threads": ["P", "Q"],\n'
        '  "variables": [\n'
        '    {"name": "b", "predicate": null, "thread": null},\n'
        '    {"name": "P.l", "predicate": "x == “1”", "thread": "P"}\n'
        "  ],\n"
        '  "trace": [\n'
        '    {"step": 0, "changed": [], "values": {"b": true, "P.l": false}},\n'
        f'    {{"step": 1, {place[1:]}, "changed": ["b"], "values": {{"b": false, "P.l": false}}}}\n'
        "  ],\n"
        '  "counts": {"states": 3},\n'
        '  "seconds": {"read": 0.123, "check": 1.0}\n'
        "}\n"
    )
    VALIDATOR.validate(json.loads(text))


def test_an_origin_is_shown_whole() -> None:
    place = replace(PLACE, origin=Origin("x.ebb", 7, 3, "store X"), label="L", checks="that")
    found = json.loads(verdict_format.dumps(replace(VERDICT, violation=place)))
    VALIDATOR.validate(found)
    assert found["violation"]["origin"] == {"file": "x.ebb", "line": 7, "column": 3, "note": "store X"}
    assert (found["violation"]["label"], found["violation"]["checks"]) == ("L", "that")


# ---- the same bytes


@pytest.mark.parametrize("engine", ["auto", "bdd", "cubes"])
def test_the_same_program_gives_the_same_bytes(engine: str, tmp_path: Path) -> None:
    for file in EXAMPLES:
        products = []
        for run in range(2):
            product = tmp_path / f"{run}.json"
            main([str(file), "--quiet", "--no-times", "--engine", engine, "-o", str(product)])
            products.append(product.read_bytes())
        assert products[0] == products[1], file.name


# ---- the page


def test_the_page_explains_every_key(tmp_path: Path) -> None:
    page = (ROOT / "docs/formats/verdict.md").read_text(encoding="utf-8")
    keys: set[str] = set()
    for schema in (SCHEMA, *SCHEMA["$defs"].values()):
        keys |= schema.get("properties", {}).keys()
    for engine in ("cubes", "bdd"):
        keys |= document(PROGRAMS["threads"], tmp_path, "--engine", engine)["counts"].keys()
    explained = page.split("## The document")[1]
    assert sorted(key for key in keys if f"`{key}`" not in explained) == []
