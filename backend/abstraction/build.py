"""The Boolean program of a program and predicates."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ebb.backend.abstraction.boolean_program import Abstraction, boolean_program
from ebb.backend.abstraction.consistency import find_impossible
from ebb.backend.abstraction.control_flags import flag_name, flag_variable, flags, obligations
from ebb.backend.abstraction.cube_search import CubeSearch, GrowingSearch, Knowledge
from ebb.backend.abstraction.enumeration import EnumeratingSearch
from ebb.backend.abstraction.simplification import simplified
from ebb.backend.abstraction.smt import Count, Solver
from ebb.backend.abstraction.solved import SolvedCubes
from ebb.backend.abstraction.transformers import AbstractLocation, Implying, abstract_location, decided
from ebb.backend.abstraction.transitions import END, Control, controls, qualified_variables
from ebb.backend.abstraction.vocabulary import Cube, Vocabulary
from ebb.formats import bp
from ebb.formats.expressions import Binary, Element, Expression, Integer, Name
from ebb.formats.ir import Program, Variable

SearchName = Literal["models", "enumerate"]


@dataclass(frozen=True, slots=True)
class Options:
    search: SearchName = "models"
    cube_size: int | None = None
    jobs: int = 1


@dataclass(slots=True)
class Figures:
    """What an abstraction took: counted as the CUPEX paper does."""

    predicates: int = 0
    smt: Count = field(default_factory=Count)
    seconds: float = 0.0
    cubes: int = 0  # different ones of more than one literal in the transformers
    largest: int = 0


def abstract(program: Program, predicates: Sequence[Expression], options: Options) -> tuple[bp.Program, Figures]:
    begin = time.perf_counter()
    figures = Figures(len(predicates))
    built = _Build(program, predicates, options, figures)
    result = boolean_program(built.abstraction())
    figures.seconds = time.perf_counter() - begin
    return result, figures


class _Build:
    def __init__(
        self, program: Program, predicates: Sequence[Expression], options: Options, figures: Figures
    ) -> None:
        self.program = program
        self.options = options
        self.figures = figures
        self.predicates = [simplified(predicate) for predicate in predicates]
        self.flags = flags(program)
        self.controls = controls(program)
        self.variables = qualified_variables(program) | {
            flag_name(flag): flag_variable(flag) for flag in self.flags
        }
        named = [Name(flag_name(flag)) for flag in self.flags]
        self.vocabulary = Vocabulary([*self.predicates, *named], self.variables)

    def abstraction(self) -> Abstraction:
        solver = Solver(self.variables)
        knowledge = Knowledge(self.vocabulary, solver)
        initial = self.initial(knowledge)
        find_impossible(knowledge)
        implying = self.implying(knowledge)
        locations = [
            (control, [abstract_location(each, self.vocabulary, implying) for each in control.locations])
            for control in self.controls
        ]
        obliged = [
            (each, decided(implying, (), simplified(each.condition)))
            for each in obligations(self.program, self.controls)
        ]
        self.figures.smt.add(solver.count)
        self.count(locations)
        return Abstraction(
            self.program.source,
            self.predicates,
            self.flags,
            initial,
            knowledge.consistency,
            locations,
            obliged,
        )

    def implying(self, knowledge: Knowledge) -> Implying:
        search: CubeSearch = (
            EnumeratingSearch(knowledge) if self.options.search == "enumerate" else GrowingSearch(knowledge)
        )
        return SolvedCubes(knowledge, search, self.options.cube_size)

    def initial(self, knowledge: Knowledge) -> list[bool | None]:
        """The values at the beginning; one that depends on what is arbitrary then is unknown."""
        context = [
            Binary("==", place, Integer(variable.initial))
            for name, variable in self.variables.items()
            if variable.initial is not None and variable.type == "integer" and "@" not in name
            for place in _places(name, variable)
        ]
        starts = {(control.process, control.locations[0].label if control.locations else END) for control in self.controls}
        found: list[bool | None] = []
        with knowledge.solver.supposing(context):
            for number in range(len(self.predicates)):
                possible = [
                    knowledge.solver.ask([knowledge.switches[literal]]) is not None
                    for literal in (2 * number, 2 * number + 1)
                ]
                found.append(None if all(possible) else possible[0])
        found += [flag in starts for flag in self.flags]
        return found

    def count(self, locations: Sequence[tuple[Control, Sequence[AbstractLocation]]]) -> None:
        """The cubes of more than one literal that the transformers use."""
        used: set[Cube] = set()
        for _, each in locations:
            for location in each:
                for check in location.checks:
                    used |= {*check.impossible_if, *check.holds_if}
                for way in location.transitions:
                    used |= set(way.impossible_if)
                    for update in way.updates:
                        used |= {*update.true_if, *update.false_if}
        self.figures.cubes = sum(cube.bit_count() > 1 for cube in used)
        self.figures.largest = max((cube.bit_count() for cube in used), default=0)


def _places(name: str, variable: Variable) -> list[Expression]:
    if variable.size is None:
        return [Name(name)]
    return [Element(name, Integer(index)) for index in range(variable.size)]


