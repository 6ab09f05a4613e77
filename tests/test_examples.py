"""Every program in `examples/` does what its own comments say, prints, and parses back.

What a comment can say, one statement a line (`(* expect: … *)` in a litmus test, where it is Ok or No):

    // expect: sc safe, tso unsafe, pso unsafe, rma safe   the verdict in each model that the program has a meaning in
    // unknown: there are infinitely many states           why a verdict is unknown
    // outcomes tso: P0.r=0 P1.r=0 | P0.r=0 P1.r=1         all final states, as far as these variables go
    // stuck: sc, tso                                      where some state is stuck; elsewhere none is
    // every fence is needed: tso, pso                     without any one of them (or a flush) it is unsafe
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import pytest

from ebb.backend.bench.litmus import litmus_verdict
from ebb.backend.concrete.models import MODELS, ModelName
from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import Limits
from ebb.backend.source_text import show_program
from ebb.formats.ir import Fence, Flush, Get, Program, Put, Skip, instructions
from ebb.formats.ir_check import check
from ebb.formats.outcomes import Outcomes, State
from ebb.formats.program_file import read_program
from ebb.frontend.ebb_source import parse

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
EBB = sorted(path.name for path in EXAMPLES.glob("*.ebb"))
LITMUS = sorted(path.name for path in EXAMPLES.glob("*.litmus"))

VERDICTS = ("safe", "unsafe", "unknown", "Ok", "No")
STATES_TO_GIVE_UP_AFTER = 5_000  # where the verdict is to be unknown anyway
STATES_TO_DECIDE = 200_000

STATEMENT = re.compile(
    r"(?://|\(\*)? *(expect|unknown|outcomes|stuck|every)(?: (sc|tso|pso|rma|fence is needed|flush is needed))?:"
    r" (.*?)(?: \*\))?$"
)

Valuation = frozenset[tuple[str, int]]


# -- what the comments say


@dataclass(frozen=True, slots=True)
class Expectation:
    verdicts: Mapping[ModelName, str]
    outcomes: Mapping[ModelName, frozenset[Valuation]] = field(default_factory=dict)
    stuck: tuple[ModelName, ...] = ()
    needed: Mapping[str, tuple[ModelName, ...]] = field(default_factory=dict)  # "fence" or "flush": in these models
    reason: str = ""


def model(word: str) -> ModelName:
    for known in MODELS:
        if word == known:
            return known
    raise ValueError(f"no model is called {word!r}")


def models(words: str) -> tuple[ModelName, ...]:
    return tuple(model(word) for word in words.split(", "))


def read_expectation(text: str) -> Expectation:
    """What the comments of an example state; a statement that is not understood is an error, not a remark."""
    expectation = Expectation({})
    for line in text.splitlines():
        if match := STATEMENT.match(line):
            expectation = stated(expectation, *match.groups(default=""))
        elif re.match(r"\W*(expect|outcomes|stuck|every \w+ is)\b", line):
            raise ValueError(f"not understood: {line}")
    return expectation


def stated(expectation: Expectation, word: str, about: str, says: str) -> Expectation:
    match word:
        case "expect":
            if expectation.verdicts:
                raise ValueError("there are two lines of verdicts")
            pairs = dict(part.split(" ") for part in says.split(", "))
            if wrong := set(pairs.values()) - set(VERDICTS):
                raise ValueError(f"no verdict is called {wrong}")
            return replace(expectation, verdicts={model(name): verdict for name, verdict in pairs.items()})
        case "unknown":
            return replace(expectation, reason=says)
        case "outcomes":
            states = frozenset(valuation(state) for state in says.split(" | "))
            return replace(expectation, outcomes={**expectation.outcomes, model(about): states})
        case "stuck":
            return replace(expectation, stuck=models(says))
        case _:
            return replace(expectation, needed={**expectation.needed, about.split(" ")[0]: models(says)})


def valuation(text: str) -> Valuation:
    pairs = (part.split("=") for part in text.split(" "))
    return frozenset((name, int(value)) for name, value in pairs)


# -- whether it is so


def disagreements(expectation: Expectation, explored: Mapping[ModelName, Outcomes]) -> Iterator[str]:
    """Every statement that exploration contradicts."""
    for name, outcomes in explored.items():
        said, found = expectation.verdicts.get(name), verdict(outcomes)
        if said != found:
            yield f"{name}: {found}, and not {said}"
        if outcomes.complete and (outcomes.stuck > 0) != (name in expectation.stuck):
            yield f"{name}: {outcomes.stuck} stuck states"
    for name, states in expectation.outcomes.items():
        outcomes = explored[name]
        if not outcomes.complete:
            yield f"{name}: not all final states are known"
        elif (all_states := projected(outcomes, states)) != states:
            yield f"{name}: the outcomes are {sorted(map(sorted, all_states))}"


def verdict(outcomes: Outcomes) -> str:
    return litmus_verdict(outcomes)[1] if outcomes.source.endswith(".litmus") else outcomes.verdict


def projected(outcomes: Outcomes, like: frozenset[Valuation]) -> frozenset[Valuation]:
    """The final states over the variables that the states to compare with mention."""
    (names,) = {tuple(sorted(name for name, _ in state)) for state in like}
    return frozenset(frozenset((name, value_of(name, state)) for name in names) for state in outcomes.final)


def value_of(name: str, state: State) -> int:
    """A shared variable or a local, which goes by its plain name where only one process has it."""
    if name in state:
        return int(state[name])
    (full,) = (known for known in state if known.endswith(f".{name}"))
    return int(state[full])


# -- the examples


@cache
def program_of(name: str) -> Program:
    return read_program(str(EXAMPLES / name))


def text_of(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


@cache
def expectation_of(name: str) -> Expectation:
    return read_expectation(text_of(name))


@cache
def explored(name: str) -> Mapping[ModelName, Outcomes]:
    verdicts = expectation_of(name).verdicts
    return {
        model_name: explore(
            program_of(name),
            model_name,
            Limits(STATES_TO_GIVE_UP_AFTER if verdicts.get(model_name) == "unknown" else STATES_TO_DECIDE),
        )
        for model_name in applicable(name)
    }


def applicable(name: str) -> tuple[ModelName, ...]:
    """The models in which a program means something: a litmus test is about processors, remote operations are not."""
    if name.endswith(".litmus"):
        return ("sc", "tso", "pso")
    actions = (each.action for process in program_of(name).processes for each in instructions(process.body))
    return ("sc", "rma") if any(isinstance(action, Put | Get | Flush) for action in actions) else MODELS


@pytest.mark.parametrize("name", [*EBB, *LITMUS])
def test_states_what_to_expect_in_each_model(name: str) -> None:
    assert tuple(expectation_of(name).verdicts) == applicable(name)


@pytest.mark.parametrize("name", [*EBB, *LITMUS])
def test_does_what_its_comments_say(name: str) -> None:
    assert list(disagreements(expectation_of(name), explored(name))) == []


@pytest.mark.parametrize("name", EBB)
def test_an_unknown_verdict_has_a_reason(name: str) -> None:
    expectation = expectation_of(name)
    assert ("unknown" in expectation.verdicts.values()) == bool(expectation.reason)


@pytest.mark.parametrize("name", [name for name in EBB if expectation_of(name).needed])
def test_every_fence_is_needed(name: str) -> None:
    program = program_of(name)
    for word, in_models in expectation_of(name).needed.items():
        weaker = list(without_one(program, {"fence": Fence, "flush": Flush}[word]))
        assert weaker
        for line, without in weaker:
            for model_name in in_models:
                outcomes = explore(without, model_name, Limits(STATES_TO_DECIDE))
                assert outcomes.verdict == "unsafe", f"{model_name}, without the {word} in line {line}"


def without_one(program: Program, kind: type[Fence] | type[Flush]) -> Iterator[tuple[int, Program]]:
    """For each fence: its line, and the program in which it does nothing."""
    for process in program.processes:
        for instruction in process.body:
            if isinstance(instruction.action, kind):
                nothing = replace(instruction, action=Skip())
                body = tuple(nothing if each is instruction else each for each in process.body)
                others = tuple(replace(each, body=body) if each is process else each for each in program.processes)
                yield instruction.at.line, replace(program, processes=others)


@pytest.mark.parametrize("name", [*EBB, *LITMUS])
def test_prints_and_parses_back(name: str) -> None:
    program = program_of(name)
    assert check(program) == []
    text = show_program(program)
    again = parse(text, program.source)
    assert again == program
    assert show_program(again) == text


# -- a wrong expectation is noticed


@pytest.mark.parametrize("name", [*EBB, *LITMUS])
def test_a_wrong_verdict_is_noticed(name: str) -> None:
    others = {"safe": "unsafe", "unsafe": "safe", "unknown": "safe", "Ok": "No", "No": "Ok"}
    text = text_of(name)
    for model_name, said in expectation_of(name).verdicts.items():
        (wrong, count) = re.subn(rf"(expect:.*\b{model_name}) {said}\b", rf"\1 {others[said]}", text)
        assert count == 1
        (disagreement,) = disagreements(read_expectation(wrong), explored(name))
        assert disagreement.startswith(f"{model_name}: {said}")


@pytest.mark.parametrize("name", EBB)
def test_a_wrong_outcome_is_noticed(name: str) -> None:
    expectation = expectation_of(name)
    for model_name, states in expectation.outcomes.items():
        some = next(iter(states))
        more = states | {frozenset((variable, value + 17) for variable, value in some)}
        for wrong in (more, more - {some}):
            changed = replace(expectation, outcomes={model_name: wrong})
            (disagreement,) = disagreements(changed, explored(name))
            assert disagreement.startswith(f"{model_name}: the outcomes are")


def test_a_wrong_word_about_stuck_states_is_noticed() -> None:
    for name in ("deadlock.ebb", "counter_lock.ebb"):
        expectation = expectation_of(name)
        wrong = replace(expectation, stuck=() if expectation.stuck else MODELS)
        assert len(list(disagreements(wrong, explored(name)))) == len(MODELS)


@pytest.mark.parametrize(
    "line",
    [
        "// expect sc safe",
        "// expect: sc fine",
        "// expect: rc11 safe",
        "// outcomes: r=0",
        "// outcomes tso: r",
        "// stuck: sc tso",
        "// every fence is needed",
    ],
)
def test_a_statement_that_is_not_understood_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_expectation(line)


# -- the index and the demonstration


def test_the_index_has_every_example_with_its_verdicts() -> None:
    rows = re.findall(r"^\| \[`([^`]+)`\]\(\1\) \|.*?\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", index(), re.M)
    said = {name: dict(zip(MODELS, cells, strict=True)) for name, *cells in rows}
    assert said == {
        name: {each: expectation_of(name).verdicts.get(each, "-") for each in MODELS} for name in (*EBB, *LITMUS)
    }


def index() -> str:
    return (EXAMPLES / "README.md").read_text(encoding="utf-8")


def demonstrate(path: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "examples/demo.sh"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_the_demonstration_runs() -> None:
    result = demonstrate(Path(sys.executable).parent)
    assert result.stderr == ""
    assert result.returncode == 0
    assert "  0     0     1  1     <- not under sc" in result.stdout
    assert "  1           0           1     1     <- not under tso" in result.stdout
    assert "$ ebb-explore examples/rma_fig2_flush.ebb --model rma" in result.stdout
    assert "violation (never)" in result.stdout


def test_the_demonstration_fails_where_a_tool_does(tmp_path: Path) -> None:
    broken = tmp_path / "ebb-explore"
    broken.write_text("#!/bin/sh\nexit 70\n")
    broken.chmod(0o755)
    result = demonstrate(tmp_path)
    assert result.returncode == 1
    assert "exit code 70 where 0 was expected" in result.stderr
