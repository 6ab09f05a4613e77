"""The papers' search for cubes, to compare with: all cubes by increasing size, one question each (CUPEX, Fig. 6a).

Cubes are over all predicates, whatever the question is about; flags of control, which the paper does not have, only
where they matter. A cube that contains one already found is not asked about, nor is one that is known to be impossible.
"""

from itertools import combinations, product

from ebb.backend.abstraction.cube_search import Knowledge, SearchRun
from ebb.backend.abstraction.questions import Question
from ebb.backend.abstraction.vocabulary import Cube, is_flag


class EnumeratingSearch:
    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    def cubes(self, question: Question, most: int | None) -> list[Cube]:
        with self.knowledge.solver.supposing(question.context, question.fresh):
            run = SearchRun(self.knowledge, question)
            predicates_ = self.knowledge.vocabulary.predicates
            everything = [n for n, each in enumerate(predicates_) if n in run.relevant or not is_flag(each)]
            done = False
            for size in range(run.largest(most) + 1):
                done = done or run.is_exact()
                run.found = []
                for predicates in combinations(everything, size):
                    for signs in product((0, 1), repeat=size):
                        cube = sum(1 << 2 * number + sign for number, sign in zip(predicates, signs, strict=True))
                        if not any(not other & ~cube for other in run.settled.cubes):
                            self.ask(run, cube)
                if not done:
                    run.keep()
            literal = run.goal_literal()
            return run.kept if literal is None else [literal]

    def ask(self, run: SearchRun, cube: Cube) -> None:
        if any(not combination & ~cube for combination in self.knowledge.consistency.cubes):
            return
        switches = run.switches(cube)
        if self.knowledge.solver.ask([*switches, run.fails]) is None:
            run.settled.add(cube)
            if self.knowledge.solver.ask(switches) is not None:
                run.found.append(cube)
