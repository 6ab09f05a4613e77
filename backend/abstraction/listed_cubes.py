"""Cubes from a list: single literals and the cubes that were handed over, none of them searched for (CUPEX, Fig. 6b).

With cubes that extrapolation found this is the paper's "cube size 1": each listed cube counts as one predicate.
"""

from collections.abc import Sequence

from ebb.backend.abstraction.cube_search import Knowledge, SearchRun
from ebb.backend.abstraction.questions import Question
from ebb.backend.abstraction.vocabulary import Cube, Family, literals, rank


class ListedSearch:
    def __init__(self, knowledge: Knowledge, listed: Sequence[Cube]) -> None:
        self.knowledge = knowledge
        impossible = knowledge.consistency
        self.listed = sorted(
            (cube for cube in set(listed) if not any(impossible.within(cube, literal) for literal in literals(cube))),
            key=rank,
        )

    def cubes(self, question: Question, _: int | None) -> list[Cube]:
        with self.knowledge.solver.supposing(question.context, question.fresh):
            run = SearchRun(self.knowledge, question)
            if run.fails_at_will():
                return []
            literal = run.goal_literal()
            if literal is not None:
                return [literal]
            found = Family()
            for cube in self.candidates(run):
                if not any(found.within(cube, each) for each in literals(cube)) and 0 not in found.cubes:
                    run.found = []
                    run.judge(cube)
                    for each in run.found:
                        found.add(each)
            run.found = found.cubes
            run.keep()
            return run.kept

    def candidates(self, run: SearchRun) -> list[Cube]:
        """The empty cube, the literals, and those listed cubes that have nothing else in them than what matters."""
        single = [1 << literal for literal in literals(run.universe)]
        return [0, *single, *(cube for cube in self.listed if not cube & ~run.universe)]
