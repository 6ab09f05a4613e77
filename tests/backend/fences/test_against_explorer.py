"""The minimal placements that the abstraction finds are those that a search with the concrete explorer finds.

The explorer needs no predicates. A placement is good if it says *safe*; *unknown*, as where buffers grow without bound,
is not good, and no other reason for it is accepted. The search is exhaustive but for what follows from monotony: a
placement that contains a good one is good, and one that is contained in a bad one is bad. Every bad placement is
enlarged as far as it stays bad, so a good placement has one of the points outside; when all smallest choices of such
points are good, they are the minimal placements.

`examples/fences/NAME.ebb` say which these are, by the line that a fence stands after or before:

    // fences tso: 20 before, 25 after | 16 after, 18 after, 25 after
    // fences pso: none                                        no fence is needed
    // fences pso: wrong                                       not even right under sc

`szymanski` is compared with fences after stores alone, as it takes half a minute with all points. Not finite:
`alternating_bit`, `queue_one`, `queue`, `ticket`, `bakery`. Random programs have all equalities of variables with
constants as predicates. They never copy one shared variable to another: a statement that does has a temporary, of which
no predicate can speak, and then the abstraction asks for more fences than are needed.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pytest
from random_programs import Body, RandomProgram, Statement

from ebb.backend.abstraction.options import Options
from ebb.backend.checker.limits import Limits as CheckerLimits
from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import Limits
from ebb.backend.driver import main
from ebb.backend.fences.finding import Placements, Request, find_placements
from ebb.backend.fences.hitting_sets import Points
from ebb.backend.fences.points import Point, points, with_fences
from ebb.backend.source_text import show_program_without_positions
from ebb.backend.verification.pipeline import Settings
from ebb.formats.ir import Program
from ebb.formats.outcomes import Outcomes
from ebb.formats.program_file import read_program
from ebb.frontend.ebb_source import parse
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_rma import reduce_rma
from ebb.passes.reduce_tso import reduce_tso

Model = Literal["tso", "pso"]
MODELS: tuple[Model, ...] = ("tso", "pso")
EXAMPLES = Path(__file__).parents[3] / "examples"
OWN = sorted((EXAMPLES / "fences").glob("*.ebb"))
FINITE = [*OWN, EXAMPLES / "extrapolation/peterson.ebb", EXAMPLES / "extrapolation/dekker.ebb"]
LIMITS = Limits(max_states=200_000)


def reduced(program: Program, model: str, bound: int) -> Program:
    if model == "rma":
        return reduce_rma(program)
    return reduce_pso(program, bound) if model == "pso" else reduce_tso(program, bound)


def placements(program: Program, model: Model, *, after_stores: bool = False) -> Placements:
    settings = Settings(model, "auto", None, 6, False, "auto", Options(), CheckerLimits(None, None, None))
    return find_placements(
        program, program.predicates, program.source, Request(settings, after_stores=after_stores, runs=False), reduced
    )


# -- the other search


def by_exploring(program: Program, model: Model, *, after_stores: bool = False) -> set[Points]:
    """All minimal good placements."""
    found = points(program, model, after_stores=after_stores)
    everything = frozenset(point.number for point in found)

    def good(placement: Points) -> bool:
        outcomes = explore(with_fences(program, found, placement), model, LIMITS)
        if outcomes.verdict == "unknown":
            assert "can grow without bound" in (outcomes.reason or ""), outcomes.reason
        return outcomes.verdict == "safe"

    clauses: list[Points] = []
    known: set[Points] = set()
    while unknown := smallest_choices(clauses) - known:
        placement = min(unknown, key=lambda each: (len(each), sorted(each)))
        if good(placement):
            known.add(placement)
            continue
        for point in sorted(everything - placement):
            if not good(placement | {point}):
                placement |= {point}
        clauses.append(everything - placement)
    return smallest_choices(clauses)


def smallest_choices(clauses: Iterable[Points]) -> set[Points]:
    """All sets with a point of every clause that do not contain another such set."""
    found: set[Points] = {frozenset()}
    for clause in clauses:
        hit = {each for each in found if each & clause}
        more = hit | {each | {point} for each in found - hit for point in clause}
        found = {each for each in more if not any(other < each for other in more)}
    return found


def test_smallest_choices() -> None:
    clauses = [frozenset({1, 2}), frozenset({2, 3})]
    assert smallest_choices(clauses) == {frozenset({2}), frozenset({1, 3})}
    assert smallest_choices([*clauses, frozenset()]) == set()


# -- examples


def said(path: Path, model: Model) -> str:
    line = re.search(rf"^// fences {model}: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    assert line is not None, f"{path.name} does not say which fences it needs under {model}"
    return line[1]


def shown(minimal: Iterable[Points], found: Iterable[Point]) -> str:
    by_number = {point.number: f"{point.at.line} {point.side}" for point in found}
    texts = [", ".join(by_number[number] for number in sorted(placement)) for placement in minimal]
    return " | ".join(text or "none" for text in texts)


@pytest.mark.parametrize("model", MODELS)
def test_szymanski_has_the_placements_that_exploring_finds(model: Model) -> None:
    program = read_program(str(EXAMPLES / "extrapolation/szymanski.ebb"))
    result = placements(program, model, after_stores=True)
    assert result.found is not None
    assert len(result.found.minimal) == 2
    assert set(result.found.minimal) == by_exploring(program, model, after_stores=True)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("path", FINITE, ids=lambda path: path.stem)
def test_an_example_has_the_placements_that_exploring_finds(path: Path, model: Model) -> None:
    program = read_program(str(path))
    result = placements(program, model)
    if path in OWN and said(path, model) == "wrong":
        assert result.found is None
        assert result.sc_violation is not None
        assert by_exploring(program, model) == set()
        return
    assert result.found is not None
    assert result.found.complete
    assert set(result.found.minimal) == by_exploring(program, model)
    assert len(set(result.found.minimal)) == len(result.found.minimal)
    if path in OWN:
        assert shown(result.found.minimal, result.points) == said(path, model)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_an_example_is_proved_with_all_fences(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = read_program(str(path))
    for model in MODELS:
        found = points(program, model)
        fenced = with_fences(program, found, {point.number for point in found})
        mended = tmp_path / "mended.ebb"
        mended.write_text(show_program_without_positions(fenced))
        wrong = said(path, model) == "wrong"
        assert main(["verify", str(mended), "--model", model, "--quiet"]) == (2 if wrong else 0)
    capsys.readouterr()


# -- random programs


@dataclass
class _Maker:
    """Programs in which there is something to reorder: most processes store to one variable and load another."""

    rng: random.Random
    shared: tuple[str, ...] = ("X", "Y", "Z")

    def program(self) -> RandomProgram:
        rng = self.rng
        count = rng.choice([2, 2, 2, 3])
        self.shared = self.shared[: rng.choice([2, 2, 3])]
        bodies = tuple(self.body(number, count) for number in range(count))
        heads = tuple(f"process P{number} {{ local r = 0, s = 0;" for number in range(count))
        declared = ", ".join(f"{name} = 0" for name in self.shared)
        values = "012" if "2" in str(bodies) else "01"
        used = [f"P{n}.{name}" for n in range(count) for name in "rs" if re.search(rf"\b{name}\b", str(bodies[n]))]
        predicates = ", ".join(f"{name} == {value}" for name in (*self.shared, *used) for value in values)
        return RandomProgram(f"shared {declared};", heads, bodies, (f"predicates {{ {predicates} }}",))

    def body(self, number: int, count: int) -> Body:
        rng = self.rng
        one, other = self.shared[number % len(self.shared)], self.shared[(number + 1) % len(self.shared)]
        between = [self.statement(0) for _ in range(rng.randint(0, 2 if count == 2 else 1))]
        kind = rng.random()
        if kind < 0.55:
            body: list[Statement] = [f"{one} = 1;", *between, f"r = {other};"]
        elif kind < 0.7:
            body = [f"{one} = 1;", *between, f"{other} = 1;"]
        elif kind < 0.85:
            body = [f"r = {other};", *between, f"s = {one};"]
        else:
            body = [self.statement(0) for _ in range(rng.randint(2, 4 if count == 2 else 3))]
        if count == 2 and rng.random() < 0.15:
            body = ["again:", *body, f"if ({rng.choice('rs')} == {rng.choice('01')}) goto again;"]
        return tuple(body)

    def statement(self, depth: int) -> Statement:
        rng = self.rng
        place, local = rng.choice(self.shared), rng.choice("rs")
        simple: list[tuple[int, Callable[[], Statement]]] = [
            (18, lambda: f"{place} = {rng.choice('112')};"),
            (18, lambda: f"{local} = {place};"),
            (3, lambda: f"{place} = {local};"),
            (2, lambda: rng.choice(["fence;", "fence(X);", "fence(Y);"])),
            (2, lambda: rng.choice([f"{local} = xchg({place}, 2);", f"{local} = cas({place}, 0, 1);"])),
            (1, lambda: ("atomic", (f"{place} = 1;", f"{local} = {rng.choice(self.shared)};"))),
        ]
        if depth == 0 and rng.random() < 0.12:
            condition = rng.choice([f"{local} == {rng.choice('01')}", f"{place} == {rng.choice('01')}", "*"])
            return f"if ({condition})", tuple(self.statement(1) for _ in range(rng.choice([1, 1, 2])))
        return rng.choices([make for _, make in simple], [weight for weight, _ in simple])[0]()


def random_case(seed: int) -> tuple[str, Model] | None:
    """A program whose property holds under sc, and a model in which it does not; None if the two do the same."""
    rng = random.Random(seed)
    made = _Maker(rng).program()
    model = rng.choice(MODELS)
    program = parse(made.text(), "random.ebb")
    strong, weak = explore(program, "sc", LIMITS), explore(program, model, LIMITS)
    new = sorted(set(final_locals(weak)) - set(final_locals(strong)))
    if not strong.complete or not new:
        return None
    if rng.random() < 0.5:
        new = [rng.choice(new)]
    known = made.properties[0]
    states = [" && ".join(f"{name} == {value}" for name, value in state if f" {name} " in known) for state in new]
    return f"{made.text()}assert final (!({' || '.join(f'({state})' for state in states)}));\n", model


def final_locals(outcomes: Outcomes) -> Iterator[tuple[tuple[str, int], ...]]:
    for state in outcomes.final:
        yield tuple((name, int(value)) for name, value in state.items() if "." in name)


def disagreement(text: str, model: Model) -> str | None:
    program = parse(text, "random.ebb")
    result = placements(program, model)
    assert result.found is not None
    wanted = by_exploring(program, model)
    if set(result.found.minimal) == wanted:
        return None
    return (
        f"{model}: {shown(result.found.minimal, result.points)}, but exploring {shown(wanted, result.points)}\n{text}"
    )


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_programs_have_the_placements_that_exploring_finds(first: int) -> None:
    cases = [case for seed in range(first, first + 20) if (case := random_case(seed)) is not None]
    assert len(cases) >= 4
    for text, model in cases:
        if wrong := disagreement(text, model):
            pytest.fail(wrong)


# -- a coarser abstraction asks for more fences, never for fewer


def test_where_predicates_do_not_say_everything_every_placement_is_still_good() -> None:
    proved = 0
    for seed in range(60, 120):
        if (case := random_case(seed)) is None:
            continue
        text, model = case
        program = parse(text, "random.ebb")
        rng = random.Random(seed)
        fewer = tuple(predicate for predicate in program.predicates if rng.random() < 0.8)
        result = placements(replace(program, predicates=fewer), model)
        if result.found is None:
            continue
        proved += 1
        wanted = by_exploring(program, model)
        for placement in result.found.minimal:
            assert any(each <= placement for each in wanted), (sorted(placement), model, text)
    assert proved >= 4
