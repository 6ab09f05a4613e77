"""The moves of a plan as operations on sets of valuations: what a set becomes, and where it came from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.expressions import support
from ebb.backend.automata.runs import Move, Plan
from ebb.backend.automata.steps import Control, initial_control
from ebb.backend.checker.bdd_kernel import Diagram, Kernel
from ebb.formats import bp
from ebb.formats.bp import Expression

_LARGE = 2_000  # nodes of a diagram that is not joined with another


@dataclass(frozen=True, slots=True)
class _InForce:
    """A constraint that is in force only at some locations of a thread."""

    thread: int
    locations: frozenset[int]
    diagram: Diagram


class Step:
    """One move.

    The image of a set: conjoin the guard, conjoin how new values depend on old ones, quantify old values away as soon
    as nothing needs them, conjoin the constraints that the move can violate. Where no new value depends on the old
    value of a target, new values take the variables of the old ones at once; else they have variables of their own
    until the old ones are gone.
    """

    def __init__(self, kernel: Kernel, move: Move) -> None:
        self._kernel = kernel
        self.move = move
        edge, dead = move.edge, frozenset(move.forgets)
        old, new = _mentioned(edge.constrain)
        assigned = [
            (target, value)
            for target, value in zip(edge.targets, edge.values, strict=True)
            if target not in dead or target in new
        ]
        targets = frozenset(target for target, _ in assigned)
        read = support(*(value for _, value in assigned)) | old | (new - frozenset(edge.targets))
        in_place = targets.isdisjoint(read)
        self.guard: Diagram = kernel.possible(edge.guard).true
        self._relation = _clustered(self._parts(assigned, kernel.before if in_place else kernel.after))
        gone = frozenset(edge.targets) | dead
        self._early = [kernel.before[name] for name in sorted(gone - read)]
        self._late = self._schedule([kernel.before[name] for name in sorted(gone & read)])
        self._rename = {} if in_place else {kernel.after[name]: kernel.before[name] for name in sorted(targets)}
        self._unwanted = [kernel.before[name] for name in sorted(dead & targets)]
        always = (c for c in move.constraints if c.thread is None)
        self._always = _clustered(kernel.possible(c.condition).true for c in always)
        self._in_force = [
            _InForce(c.thread, c.locations, kernel.possible(c.condition).true)
            for c in move.constraints
            if c.thread is not None
        ]
        self.is_identity = self.guard == kernel.true and not gone and not edge.constrain and not move.constraints

    def _parts(self, assigned: Sequence[tuple[str, Expression]], names: dict[str, str]) -> list[Diagram]:
        """How new values depend on old ones; a new value is called as `names` says."""
        kernel, parts = self._kernel, []
        for target, value in assigned:
            can = kernel.possible(value)
            new = kernel.variable(names[target])
            parts.append((new & can.true) | (~new & can.false))
        if self.move.edge.constrain is not None:
            targets = frozenset(target for target, _ in assigned)
            parts.append(kernel.possible(self.move.edge.constrain, {name: names[name] for name in targets}).true)
        return parts

    def _schedule(self, names: Sequence[str]) -> list[list[str]]:
        """With which part of the relation each of the names is quantified: the last one that depends on it."""
        last = dict.fromkeys(names, 0)
        for number, part in enumerate(self._relation):
            for name in part.support:
                if name in last:
                    last[name] = number
        return [[name for name in names if last[name] == number] for number in range(len(self._relation))]

    def image(self, states: Diagram, control: Control) -> Diagram:
        """The states after the move; `control` is that after it."""
        if self.is_identity:
            return states
        kernel = self._kernel
        found = kernel.product(states, self.guard, self._early)
        for part, names in zip(self._relation, self._late, strict=True):
            if found == kernel.false:
                return found
            found = kernel.product(found, part, names)
        if self._rename:
            found = kernel.renamed(found, self._rename)
        return self._consistent(kernel.exists(self._unwanted, found), control)

    def _consistent(self, states: Diagram, control: Control) -> Diagram:
        for constraint in self._always:
            states = states & constraint
        for constraint in self._in_force:
            if control[constraint.thread] in constraint.locations:
                states = states & constraint.diagram
        return states

    @cached_property
    def _full_relation(self) -> list[Diagram]:
        edge = self.move.edge
        return self._parts(list(zip(edge.targets, edge.values, strict=True)), self._kernel.after)

    def successors(self, states: Diagram, control: Control) -> Diagram:
        """The states after the move from some that satisfy the guard, over values before and after it."""
        kernel = self._kernel
        after = {kernel.before[name]: kernel.after[name] for name in self.move.edge.targets}
        found = kernel.renamed(self._consistent(states, control), after)
        for part in self._full_relation:
            found = found & part
        return found

    @cached_property
    def _substitution(self) -> tuple[list[str], dict[str, Diagram]] | None:
        """The targets that become anything and the values of the others, if no more than that is to be known."""
        kernel, anything, values = self._kernel, [], {}
        if self.move.edge.constrain is not None:
            return None
        for target, value in zip(self.move.edge.targets, self.move.edge.values, strict=True):
            can = kernel.possible(value)
            if can.true == can.false == kernel.true:
                anything.append(kernel.before[target])
            elif can.false == ~can.true:
                values[kernel.before[target]] = can.true
            else:
                return None
        return anything, values

    def preimage(self, states: Diagram, control: Control) -> Diagram:
        """The states that the move can take to one of `states`; `control` is that after it."""
        kernel = self._kernel
        if self._substitution is not None:
            anything, values = self._substitution
            return self.guard & kernel.replaced(kernel.exists(anything, self._consistent(states, control)), values)
        found = kernel.exists([kernel.after[name] for name in self.move.edge.targets], self.successors(states, control))
        return found & self.guard


def _mentioned(constrain: Expression | None) -> tuple[frozenset[str], frozenset[str]]:
    """The bits whose values before, and those whose values after the step a `constrain` is about."""
    before, after = set(), set()
    work = [constrain] if constrain is not None else []
    while work:
        expression = work.pop()
        if isinstance(expression, bp.Variable):
            before.add(expression.name)
        elif isinstance(expression, bp.Next):
            after.add(expression.name)
        work.extend(bp.parts(expression))
    return frozenset(before), frozenset(after)


def _clustered(parts: Iterable[Diagram]) -> list[Diagram]:
    """Parts joined as long as they stay small."""
    clusters: list[Diagram] = []
    for part in parts:
        if clusters and len(clusters[-1]) + len(part) < _LARGE:
            clusters[-1] = clusters[-1] & part
        else:
            clusters.append(part)
    return clusters


def steps(kernel: Kernel, plan: Plan) -> list[Step]:
    return [Step(kernel, move) for move in plan.all_moves()]


def initial_states(kernel: Kernel, automata: Automata) -> Diagram:
    control = initial_control(automata)
    states = kernel.possible(automata.initially).true
    for constraint in automata.constraints:
        if constraint.thread is None or control[constraint.thread] in constraint.locations:
            states = states & kernel.possible(constraint.condition).true
    return states
