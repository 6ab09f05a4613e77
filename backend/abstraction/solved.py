"""Cubes by asking the solver, each question once."""

from ebb.backend.abstraction.cube_search import CubeSearch, Knowledge
from ebb.backend.abstraction.questions import Question
from ebb.backend.abstraction.vocabulary import Cube
from ebb.formats.expressions import variables


class SolvedCubes:
    """Answers questions for cubes with a search; what was asked before, or comes to the same, is remembered."""

    def __init__(self, knowledge: Knowledge, search: CubeSearch, most: int | None, *, remember: bool = True) -> None:
        self.knowledge = knowledge
        self.search = search
        self.most = most
        self.remember = remember
        self._answers: dict[Question, list[Cube]] = {}

    def __call__(self, question: Question) -> list[Cube]:
        question = self._essential(question)
        if not self.remember:
            return self.search.cubes(question, self.most)
        answer = self._answers.get(question)
        if answer is None:
            answer = self._answers[question] = self.search.cubes(question, self.most)
        return answer

    def _essential(self, question: Question) -> Question:
        """Without the parts of the context that have nothing to do with the goal."""
        reached = variables(question.goal)
        for number in self.knowledge.relevant(question):
            reached |= self.knowledge.vocabulary.mentions[number]
        left = list(question.context)
        while touching := [part for part in left if variables(part) & reached]:
            left = [part for part in left if part not in touching]
            reached |= set().union(*map(variables, touching))
        context = tuple(part for part in question.context if part not in left)
        fresh = tuple((name, values) for name, values in question.fresh if name in reached)
        return Question(context, question.goal, fresh)
