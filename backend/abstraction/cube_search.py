"""The minimal cubes that imply a condition, found without trying them all.

A cube implies the condition if it contradicts every state in which the condition fails. Of these states some are known;
only a cube that contradicts all of them is a candidate, the solver is asked about candidates only, and its answer is
either that the cube implies the condition or one more state in which it fails. So candidates are hitting sets: each
known failure must falsify one of their literals. They are grown literal by literal, by what they still need:

- A variable of which a literal (or the denied condition itself) could make itself true, whatever the rest is, has to
  occur in a second literal; otherwise the first would contribute nothing. A cube with such a loose end is extended
  only by literals that mention it.
- A cube without loose ends that a known failure satisfies is extended only by literals that the failure falsifies.
- A cube that says nothing new, since no state satisfies it, or only states that smaller cubes cover, is left.

Cubes are looked for by size, and the search ends with the size at which the cubes found say all that the condition
says: larger ones would only repeat it. What is kept does not depend on the order of discovery: by size and then in
order, each cube that covers a state which those before it do not.
"""

from dataclasses import replace
from functools import reduce
from typing import Any, Protocol

from ebb.backend.abstraction.questions import Question, all_of, any_of
from ebb.backend.abstraction.smt import Solver
from ebb.backend.abstraction.states import State, States
from ebb.backend.abstraction.vocabulary import Consistency, Cube, Family, Vocabulary, literals, loose_variables, rank
from ebb.formats.errors import Position
from ebb.formats.expressions import negation, variables
from ebb.formats.ir import Variable

# Among few predicates cubes of any size are looked for. Among more, large cubes would be most of the work, and none of
# the proofs that were tried uses one; a limit that is asked for applies either way.
_FEW = 8
_SIZE_AMONG_MANY = 4

_ANY = Variable("", Position(1, 1))


class CubeSearch(Protocol):
    def cubes(self, question: Question, most: int | None) -> list[Cube]:
        """The minimal cubes of at most that many literals, none of which contradicts the context."""


class Knowledge:
    """What is known about a vocabulary, and who can be asked."""

    def __init__(self, vocabulary: Vocabulary, solver: Solver) -> None:
        self.vocabulary = vocabulary
        self.solver = solver
        self.states = States(solver.cells, solver.variables)
        self.consistency = Consistency()
        self.switches = [solver.switch(condition) for condition in vocabulary.conditions]
        self.columns = [0] * len(vocabulary.conditions)  # for each literal the known states in which it holds
        self.rows: list[Cube] = []  # for each known state all literals that hold in it
        self._evaluate = [self.states.evaluator(predicate) for predicate in vocabulary.predicates]

    def add(self, state: State) -> int:
        """The number of the state, which is now known."""
        number = self.states.add(state)
        if number == len(self.rows):
            bit = 1 << number
            row = 0
            for predicate, evaluate in enumerate(self._evaluate):
                literal = 2 * predicate if evaluate(state) else 2 * predicate + 1
                self.columns[literal] |= bit
                row |= 1 << literal
            self.rows.append(row)
        return number

    def where(self, cube: Cube, within: int) -> int:
        """The known states, of those given, in which the cube holds."""
        for literal in literals(cube):
            within &= self.columns[literal]
        return within

    def relevant(self, question: Question) -> list[int]:
        """The cone of influence of a question: the predicates that may matter to it."""
        names = variables(question.goal)
        context = [variables(part) for part in question.context]
        while True:
            predicates = self.vocabulary.connected(names)
            reached = names.union(*(self.vocabulary.mentions[number] for number in predicates))
            for part in context:
                if part & reached:
                    reached = reached | part
            if reached == names:
                return predicates
            names = reached


class GrowingSearch:
    """The search without enumeration; see the module."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    def cubes(self, question: Question, most: int | None) -> list[Cube]:
        with self.knowledge.solver.supposing(question.context, question.fresh):
            run = SearchRun(self.knowledge, question)
            if run.fails_at_will():
                return []
            literal = run.goal_literal()
            if literal is not None:
                return [literal]
            if not run.successes and run.is_exact():
                return []  # nothing satisfies the goal
            limit = 0
            while limit <= run.largest(most) and not run.complete(limit):
                limit += 1
            return run.kept


class SearchRun:
    """The state of one search."""

    def __init__(self, knowledge: Knowledge, question: Question) -> None:
        self.knowledge = knowledge
        self.question = question
        self.vocabulary = knowledge.vocabulary
        self.relevant = knowledge.relevant(question)
        self.universe = sum(3 << 2 * number for number in self.relevant)
        self.kept: list[Cube] = []  # by size and in order
        self.found: list[Cube] = []  # of the size that is being looked for
        self.implying = Family()  # cubes that imply the goal: none that contains one is minimal
        self.settled = Family()  # cubes that contradict the context, or say nothing new
        self.cut = False
        denied = negation(question.goal)
        self.fails = knowledge.solver.switch(denied)
        self.news: Any = None  # the switch for: the goal holds, and no cube kept so far covers the state
        self.free = not question.fresh
        self.inside = self.successes = self.failures = self.uncovered = 0
        states = knowledge.states
        if self.free:
            self.inside = states.all
            for part in question.context:
                self.inside &= states.where(part)
            self.successes = self.uncovered = self.inside & states.where(question.goal)
            self.failures = self.inside & ~self.successes
        numbered = self.vocabulary.numbered
        self.context = numbered(set().union(*map(variables, question.context)))
        self.goal = numbered(variables(denied)), numbered(loose_variables(denied, self.vocabulary.known))

    # -- states

    def learn(self, state: State | None, *, fails: bool) -> bool:
        """A state of the context, and whether the goal fails there. False if nothing was learnt."""
        if state is None:
            return False
        bit = 1 << self.knowledge.add(state)
        self.inside |= bit
        if fails:
            new = not self.failures & bit
            self.failures |= bit
        else:
            new = not self.successes & bit
            self.successes |= bit
            if not any(self.knowledge.where(cube, bit) for cube in self.kept):
                self.uncovered |= bit
        return new

    def largest(self, most: int | None) -> int:
        """How many literals a cube may have: as many as asked for, or what is worth looking for."""
        count = len(self.relevant)
        return min(count, most or (count if count <= _FEW else _SIZE_AMONG_MANY))

    def goal_literal(self) -> Cube | None:
        """The literal that says exactly what the goal says, if there is one: no other cube is needed then."""
        literal = self.vocabulary.literal(self.question.goal)
        if literal is None or not self.is_possible(1 << literal):
            return None
        return 1 << literal

    def fails_at_will(self) -> bool:
        """Whether a value that is chosen anew can make the goal fail in every state."""
        denied = negation(self.question.goal)
        chosen = {name: replace(_ANY, range=values) for name, values in self.question.fresh}
        limited = set().union(*map(variables, self.question.context))
        return bool(loose_variables(denied, chosen) - limited)

    def switches(self, cube: Cube) -> list[Any]:
        return [self.knowledge.switches[literal] for literal in literals(cube)]

    def is_possible(self, cube: Cube) -> bool:
        """Whether some state of the context satisfies the cube."""
        if self.knowledge.where(cube, self.inside):
            return True
        answer = self.knowledge.solver.ask(self.switches(cube))
        if answer is not None and answer.state is not None and self.free:
            bit = 1 << self.knowledge.add(answer.state)
            self.learn(answer.state, fails=not self.knowledge.states.where(self.question.goal) & bit)
        return answer is not None

    def says_something(self, cube: Cube) -> bool:
        """Whether the cube covers a state in which the goal holds and that no cube kept so far covers."""
        if self.knowledge.where(cube, self.uncovered):
            return True
        if self.news is None:
            refuted = [any_of([self.vocabulary.conditions[each ^ 1] for each in literals(kept)]) for kept in self.kept]
            self.news = self.knowledge.solver.switch(all_of([self.question.goal, *refuted]))
        answer = self.knowledge.solver.ask([*self.switches(cube), self.news])
        if answer is not None:
            self.learn(answer.state, fails=False)
        return answer is not None

    def is_exact(self) -> bool:
        """Whether the cubes kept so far cover every state in which the goal holds."""
        return not self.says_something(0)

    # -- the search

    def complete(self, limit: int) -> bool:
        """Find and keep all cubes of that size; True if larger ones would say nothing new, or there are none."""
        if limit and self.is_exact():
            return True
        self.found = []
        self.cut = False
        occurring = self.context | self.goal[0], self.context, self.goal[1]
        self.grow(0, 0, occurring, self.failures, self.uncovered, self.universe, limit)
        self.keep()
        return not self.cut

    def keep(self) -> None:
        """Of the cubes found, in order, those that still say something new."""
        for cube in sorted(self.found, key=rank):
            if self.says_something(cube):
                self.kept.append(cube)
                self.uncovered &= ~self.knowledge.where(cube, self.uncovered)
                self.news = None

    def grow(
        self,
        cube: Cube,
        size: int,
        variables_: tuple[int, int, int],
        failing: int,
        news: int,
        allowed: Cube,
        limit: int,
    ) -> None:
        """Judge the cube, or extend it by what it needs; every extension is met once.

        The variables are those that occur, those that occur twice, and the loose ones; `failing` and `news` are known
        states that satisfy the cube: some in which the goal fails, some that no cube covers yet.
        """
        occurring, twice, loose = variables_
        loose_ends = loose & ~twice
        if not loose_ends and not failing:
            failing = self.judge(cube)
            if not failing:
                return
        choices = self.choices(loose_ends, failing, allowed)
        if size >= limit:
            self.cut |= choices != 0
            return
        last = size + 1 == limit
        if last and loose_ends:
            self.cut |= choices != 0
            choices = reduce(int.__and__, self.options(loose_ends, allowed))  # the last literal has to end them all
        columns, vocabulary = self.knowledge.columns, self.vocabulary
        while choices:
            bit = choices & -choices
            choices ^= bit
            allowed ^= bit
            literal = bit.bit_length() - 1
            column = columns[literal]
            names = vocabulary.occurring[literal]
            still_loose, now_twice = loose | vocabulary.loose[literal], twice | occurring & names
            if last and (failing & column or still_loose & ~now_twice):
                self.cut = True  # no candidate, and nothing can be added
                continue
            if not self.is_news(cube | bit, literal, news & column):
                continue
            self.grow(
                cube | bit,
                size + 1,
                (occurring | names, now_twice, still_loose),
                failing & column,
                news & column,
                allowed & ~(bit >> 1 if literal & 1 else bit << 1),
                limit,
            )

    def is_news(self, cube: Cube, newest: int, known: int) -> bool:
        """Whether the cube is possible and could say something new, with the known states that show it."""
        if self.implying.within(cube, newest):
            return False
        if known:
            return True
        if self.knowledge.consistency.within(cube, newest) or self.settled.within(cube, newest):
            return False
        if self.says_something(cube):
            return True
        self.settled.add(cube)
        return False

    def choices(self, loose_ends: int, failing: int, allowed: Cube) -> Cube:
        """The literals of which the cube needs one."""
        if loose_ends:
            return min(self.options(loose_ends, allowed), key=int.bit_count)
        return allowed & ~self.knowledge.rows[(failing & -failing).bit_length() - 1]

    def options(self, loose_ends: int, allowed: Cube) -> list[Cube]:
        """For each loose end the literals that mention it."""
        with_variable = self.vocabulary.with_variable
        return [with_variable.get(name, 0) & allowed for name in literals(loose_ends)]

    def judge(self, cube: Cube) -> int:
        """Settle a candidate; the known failures that satisfy it, if it does not imply the goal."""
        failing = self.knowledge.where(cube, self.failures)
        if failing:
            return failing
        answer = self.knowledge.solver.ask([*self.switches(cube), self.fails])
        if answer is not None and self.learn(answer.state, fails=True):
            return self.knowledge.where(cube, self.failures)
        if answer is None and self.is_possible(cube):
            self.found.append(cube)
            self.implying.add(cube)
        else:
            self.settled.add(cube)
        return 0
