"""Which combinations of predicates no state satisfies: the minimal ones of up to four literals.

Without them an abstract state can claim `x == 0` and `x == 1` at once. Pairs are not enough: that `x < y`, `y < z` and
`z < x` exclude each other takes three.

A combination is asked about only if no known state satisfies it, and only if it hangs together: the literals of a
minimal impossible combination share variables, and a variable that could make its literal true whatever the others are
must occur in a second literal. So the search grows connected sets of literals and closes them like cycles.
"""

from functools import reduce

from ebb.backend.abstraction.cube_search import Knowledge
from ebb.backend.abstraction.vocabulary import Cube, literals

LARGEST = 4  # literals in a combination


def find_impossible(knowledge: Knowledge, largest: int = LARGEST) -> None:
    """Tell the consistency of the vocabulary all minimal impossible combinations of at most that many literals."""
    _Search(knowledge).run(largest)


class _Search:
    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.vocabulary = knowledge.vocabulary
        self.count = len(self.vocabulary.conditions)
        self.neighbours = [
            reduce(int.__or__, (self.vocabulary.with_variable[name] for name in literals(names)), 0)
            for names in self.vocabulary.occurring
        ]

    def run(self, largest: int) -> None:
        """Small combinations first, so that none that contains another is ever asked about."""
        for size in range(1, largest + 1):
            for literal in range(self.count):
                self.grow(1 << literal, literal, self.later(literal), size)

    def later(self, literal: int) -> Cube:
        """Literals of other predicates that come after: a combination is grown from its first literal."""
        after = (literal | 1) + 1
        return ((1 << self.count) - 1) >> after << after

    def grow(self, cube: Cube, newest: int, allowed: Cube, size: int) -> None:
        """All connected supersets of that size within the allowed literals, each once."""
        knowledge = self.knowledge
        if cube.bit_count() > 1 and knowledge.consistency.within(cube, newest):
            return
        missing = size - cube.bit_count()
        dangling = self.dangling(cube)
        if not missing:
            if not dangling:
                self.judge(cube)
            return
        if missing == 1 and dangling:
            with_variable = self.vocabulary.with_variable
            choices = reduce(int.__and__, (with_variable[name] for name in literals(dangling))) & allowed
        else:
            choices = reduce(int.__or__, (self.neighbours[literal] for literal in literals(cube))) & allowed
        for literal in literals(choices):
            allowed &= ~(1 << literal)
            self.grow(cube | 1 << literal, literal, allowed & ~(1 << (literal ^ 1)), size)

    def dangling(self, cube: Cube) -> int:
        """Variables that must occur once more: only one literal mentions them, and they alone could make it true."""
        once = twice = loose = 0
        for literal in literals(cube):
            occurring = self.vocabulary.occurring[literal]
            twice |= once & occurring
            once |= occurring
            loose |= self.vocabulary.loose[literal]
        return loose & ~twice

    def judge(self, cube: Cube) -> None:
        knowledge = self.knowledge
        if knowledge.where(cube, knowledge.states.all):
            return
        answer = knowledge.solver.ask([knowledge.switches[literal] for literal in literals(cube)])
        if answer is None:
            knowledge.consistency.add(cube)
        elif answer.state is not None:
            knowledge.add(answer.state)
