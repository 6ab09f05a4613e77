"""The Boolean program of a program and predicates, with the help of a solver."""

import time
from collections.abc import Sequence
from typing import Protocol

from ebb.backend.abstraction.boolean_program import Abstraction, boolean_program
from ebb.backend.abstraction.consistency import find_impossible
from ebb.backend.abstraction.control_flags import obligations
from ebb.backend.abstraction.cube_search import CubeSearch, GrowingSearch, Knowledge
from ebb.backend.abstraction.enumeration import EnumeratingSearch
from ebb.backend.abstraction.figures import Figures
from ebb.backend.abstraction.listed_cubes import ListedSearch
from ebb.backend.abstraction.options import Options
from ebb.backend.abstraction.scatter import scatter
from ebb.backend.abstraction.simplification import simplified
from ebb.backend.abstraction.smt import Solver
from ebb.backend.abstraction.solved import SolvedCubes
from ebb.backend.abstraction.subject import Subject, by_control, count_cubes
from ebb.backend.abstraction.substitution import with_values
from ebb.backend.abstraction.transformers import Implying, abstract_location, decided
from ebb.backend.abstraction.vocabulary import Cube, Vocabulary
from ebb.formats import bp
from ebb.formats.expressions import Binary, Element, Expression, Integer, Name
from ebb.formats.ir import Program, Variable


class KnowledgeCheck(Protocol):
    def __call__(self, knowledge: Knowledge) -> None:
        """Looks at what is known about the predicates before anything is built."""


def abstract(
    program: Program,
    predicates: Sequence[Expression],
    options: Options,
    *,
    listed: Sequence[Sequence[tuple[Expression, bool]]] | None = None,
    check: KnowledgeCheck | None = None,
) -> tuple[bp.Program, Figures]:
    """The abstraction. With `listed` cubes (each a list of predicates and whether they hold), no others are used."""
    begin = time.perf_counter()
    figures = Figures(len(predicates))
    subject = Subject(program, predicates)
    cubes = None if listed is None else _listed(subject.vocabulary, listed)
    knowledge = Knowledge(subject.vocabulary, Solver(subject.variables))
    initial = _initial(subject, knowledge)
    scatter(knowledge)
    find_impossible(knowledge)
    if check is not None:
        check(knowledge)
    implying = implying_by_search(knowledge, options, cubes)
    locations = [location for control in subject.controls for location in control.locations]
    if options.jobs > 1:
        from ebb.backend.abstraction.jobs import abstract_in_parallel

        found = abstract_in_parallel(locations, subject, knowledge, options, cubes, figures.smt)
    else:
        found = [abstract_location(location, subject.vocabulary, implying, subject.dead) for location in locations]
    obliged = [
        (each, decided(implying, (), simplified(each.condition))) for each in obligations(program, subject.controls)
    ]
    figures.smt.add(knowledge.solver.count)
    count_cubes(found, figures)
    abstraction = Abstraction(
        program.source,
        subject.variables,
        subject.predicates,
        subject.flags,
        initial,
        knowledge.consistency,
        by_control(subject.controls, found),
        obliged,
    )
    result = boolean_program(abstraction)
    figures.seconds = time.perf_counter() - begin
    return result, figures


def implying_by_search(knowledge: Knowledge, options: Options, listed: Sequence[Cube] | None) -> Implying:
    search: CubeSearch
    if listed is not None:
        search = ListedSearch(knowledge, listed)
    elif options.search == "enumerate":
        search = EnumeratingSearch(knowledge)
    else:
        search = GrowingSearch(knowledge)
    remember = options.search != "enumerate"  # the papers' search asks everything anew
    return SolvedCubes(knowledge, search, options.cube_size, remember=remember)


def _listed(vocabulary: Vocabulary, listed: Sequence[Sequence[tuple[Expression, bool]]]) -> list[Cube]:
    """The cubes whose predicates are all in the vocabulary."""
    numbers = {simplified(predicate): number for number, predicate in enumerate(vocabulary.predicates)}
    cubes: dict[Cube, None] = {}
    for each in listed:
        parts = [(numbers.get(simplified(predicate)), holds) for predicate, holds in each]
        if all(number is not None for number, _ in parts):
            cubes[sum(1 << 2 * (number or 0) + (not holds) for number, holds in parts)] = None
    return list(cubes)


def _initial(subject: Subject, knowledge: Knowledge) -> list[bool | None]:
    """The values at the beginning; one that depends on what is arbitrary then is unknown."""
    values = subject.initial_values()
    context = [
        Binary("==", _place(name, index, subject.variables[name]), Integer(value))
        for (name, index), value in values.items()
    ]
    found: list[bool | None] = []
    with knowledge.solver.supposing(context):
        for number, predicate in enumerate(subject.predicates):
            value = simplified(with_values(predicate, values))
            if isinstance(value, Integer):
                found.append(value.value != 0)
                continue
            possible = [
                knowledge.solver.ask([knowledge.switches[literal]]) is not None
                for literal in (2 * number, 2 * number + 1)
            ]
            found.append(None if all(possible) else possible[0])
    return found + [subject.at_first(flag) for flag in subject.flags]


def _place(name: str, index: int, variable: Variable) -> Expression:
    return Name(name) if variable.size is None else Element(name, Integer(index))
