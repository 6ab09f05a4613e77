"""Whether abstractions of a program are right, going by the concrete explorer: it knows what the program really does.

`wrong_verdict` says which abstraction calls a program safe that is not. `lost_state` is sharper: whatever state the
program reaches, its abstraction must reach the one that the predicates (and places of control) make of it, so one
missing transition shows even where no property notices.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ebb.backend.abstraction.build import abstract
from ebb.backend.abstraction.options import Options
from ebb.backend.automata.build import build
from ebb.backend.automata.cone import cone
from ebb.backend.checker import bdd_engine
from ebb.backend.checker.impossible import without_impossible_outcomes
from ebb.backend.checker.limits import Limits
from ebb.backend.concrete import search
from ebb.backend.concrete.machine import Machine
from ebb.backend.concrete.models import model_named
from ebb.backend.concrete.report import explore
from ebb.backend.concrete.search import AfterViolation, Search
from ebb.backend.concrete.values import Fault
from ebb.backend.extrapolation.methods import METHODS, extrapolated
from ebb.backend.extrapolation.sc_proof import read_proof
from ebb.formats import bp
from ebb.formats.errors import Position
from ebb.formats.expressions import At, Binary, Expression, Integer
from ebb.formats.ir import Program, Property
from ebb.formats.predicates import predicate_in
from ebb.frontend.ebb_source import parse
from ebb.passes.reduce_pso import reduce_pso
from ebb.passes.reduce_tso import reduce_tso

MOST_STATES = 3_000  # of a concrete search; what has more counts as unknown
REDUCTIONS: dict[str, Callable[[Program, int], Program]] = {"tso": reduce_tso, "pso": reduce_pso}
SC_OPTIONS, RELAXED_OPTIONS = Options(cube_size=3), Options(cube_size=2)

Count = Counter[tuple[str, str]]  # by what is the case and what is said


def really(program: Program, model: str) -> str:
    bound = None if model == "sc" else 4
    found = explore(program, model, search.Limits(MOST_STATES, buffer_bound=bound))  # type: ignore[arg-type]
    return "unsafe" if found.violation else found.verdict


def said(boolean: bp.Program) -> str:
    """The verdict on a Boolean program; counterexamples are not looked at."""
    automata = cone(without_impossible_outcomes(build(boolean)))
    return bdd_engine.check(automata, Limits()).verdict


def abstracted(program: Program, options: Options = SC_OPTIONS) -> bp.Program:
    return abstract(program, [predicate.expression for predicate in program.predicates], options)[0]


def relaxed(sc: bp.Program, reduced: Program) -> Iterator[tuple[str, bp.Program]]:
    """The Boolean programs of a reduced program, by method."""
    proof = read_proof(sc, reduced)
    for method in METHODS:
        yield method, extrapolated(reduced, proof, method, RELAXED_OPTIONS)[0]


def wrong_verdict(text: str, models: Sequence[str], bounds: Sequence[int], count: Count | None = None) -> str | None:
    """Which abstraction says safe though the program is not under its memory model."""
    count = Counter() if count is None else count
    program = parse(text, "random.ebb")
    sc = abstracted(program)
    programs = [("sc", "abstraction", sc)]
    for model in models:
        for bound in bounds:
            reduced = REDUCTIONS[model](program, bound)
            programs += [(model, f"{method}, k = {bound}", each) for method, each in relaxed(sc, reduced)]
    real = {model: really(program, model) for model in ("sc", *models)}
    for model, what, boolean in programs:
        verdict = said(boolean)
        count[real[model], verdict] += 1
        if verdict == "safe" and real[model] == "unsafe":
            return f"{model}, {what}: safe, but it is not"
    return None


# ---- states


def lost_state(
    text: str, model: str, bound: int, rng: random.Random, samples: int, count: Count | None = None
) -> str | None:
    """A state that the program reaches and one of its abstractions does not."""
    program = _with_all_places(parse(text, "random.ebb"))
    sc = abstracted(program)
    programs = [("sc", sc)]
    subject = program
    if model != "sc":
        subject = REDUCTIONS[model](program, bound)
        programs = list(relaxed(sc, subject))
    machine = Machine(subject, model_named("sc"))
    explored = Search(machine, search.Limits(MOST_STATES, after_violation=AfterViolation.GO_ON))
    explored.run()
    states = list(explored.parent)
    for method, boolean in programs:
        for state in rng.sample(states, min(samples, len(states))):
            seen = list(_seen(boolean, subject, explored, state))
            verdict = said(_asking_for(boolean, seen))
            if count is not None:
                count[method, verdict] += 1
            if verdict == "safe":
                return f"{model}, {method}, k = {bound}: never {_shown(boolean, seen)}"
    return None


def _with_all_places(program: Program) -> Program:
    """The program with a property that is about every place of control and holds, instead of its own."""
    places: list[Expression] = [
        At(process.name, instruction.label) for process in program.processes for instruction in process.body
    ]
    nothing: Expression = Integer(0)
    for place in places:
        nothing = Binary("&&", nothing, place)
    at = Position(1, 1)
    return replace(program, properties=(Property("never", nothing, at), Property("final", Integer(1), at)))


def _seen(boolean: bp.Program, program: Program, explored: Search, state: search.State) -> Iterator[tuple[str, bool]]:
    """The variables of the Boolean program as the state makes them; those without a value are left out."""
    threads, _memory = explored.decode(state)
    numbers = {process.name: number for number, process in enumerate(program.processes)}
    for declaration in boolean.declarations:
        for name, text in zip(declaration.names, declaration.predicates, strict=True):
            if "@" in text:
                process, label = text.split("@")
                if label:
                    yield name, bool(explored.value(At(process, label), state))
                else:
                    number = numbers[process]
                    yield name, threads[number].pc == len(program.processes[number].body)
                continue
            try:
                expression = predicate_in(text, Position(1, 1), program).expression
                yield name, bool(explored.value(expression, state))
            except Fault:
                continue


def _asking_for(boolean: bp.Program, seen: list[tuple[str, bool]]) -> bp.Program:
    """The program with its assertions passed over, and one that fails where the variables are like that."""
    functions = []
    for function in boolean.functions:
        if function.name == "properties":
            continue
        body = [_passing(statement) for statement in function.body]
        if function.name == "main":
            body = [each for each in body if each.action != bp.StartThread("properties")]
            body.insert(-1, bp.Statement(bp.StartThread("seen")))
        functions.append(replace(function, body=tuple(body)))
    wrong = tuple(bp.Not(bp.Variable(name)) if holds else bp.Variable(name) for name, holds in seen)
    asked = bp.Function("seen", body=(bp.Statement(bp.Assert(bp.Operation("|", (*wrong, bp.FALSE)))),))
    return bp.Program(boolean.declarations, (*functions, asked))


def _passing(statement: bp.Statement) -> bp.Statement:
    """What it does where nothing fails. An overflow is no answer here: it only ends the run."""
    action = bp.Skip() if isinstance(statement.action, bp.Assert) else statement.action
    if statement.overflow:
        action = bp.Assume(bp.FALSE)
    return replace(statement, action=action, overflow=False)


def _shown(boolean: bp.Program, seen: list[tuple[str, bool]]) -> str:
    texts = {
        name: text
        for declaration in boolean.declarations
        for name, text in zip(declaration.names, declaration.predicates, strict=True)
    }
    return ", ".join(texts[name] if holds else f"!({texts[name]})" for name, holds in seen)
