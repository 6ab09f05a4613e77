"""`--method program`: the transformers of an SC proof carried over to the buffered program, with no solver call.

    X = r           b[X == 0] := T(…)        a store into a slot     b[X_1_P == 0] := T(…)
    r = X           b[r == 0] := b[X == 0]   a load from a slot      b[r == 0] := b[X_1_P == 0]
                                             a flush                 b[X == 0] := b[X_1_P == 0]

What a proof says of a step is a valid formula: *this cube and the guard imply that the predicate holds afterwards*. A
valid formula stays valid when variables are replaced. So where a step of the buffered program is a step of the SC
program with memory replaced by slots, everything that was proved about it is carried over with the same replacement,
applied to the predicate and to the cube; cubes that then speak of predicates nobody has are dropped. Replaced are only
variables that the step itself does not fix: those in its guard and its values are what they are.

What has no SC counterpart needs no proof either: a flush copies, so its weakest preconditions are predicates as they
stand; counts and targets range over a few numbers, which are tried.

Under TSO an entry has no range, as it may hold a value for any variable. Formulas about a variable with a range are
therefore not carried over to entries.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ebb.backend.abstraction.boolean_program import Abstraction, boolean_program, check_text, concrete_text
from ebb.backend.abstraction.control_flags import obligations
from ebb.backend.abstraction.figures import Figures
from ebb.backend.abstraction.simplification import simplified
from ebb.backend.abstraction.subject import Subject, by_control, count_cubes
from ebb.backend.abstraction.substitution import with_values
from ebb.backend.abstraction.transformers import (
    ALWAYS,
    NEVER,
    AbstractCheck,
    AbstractLocation,
    AbstractTransition,
    Update,
)
from ebb.backend.abstraction.transitions import Check, Location, Transition
from ebb.backend.abstraction.vocabulary import Consistency, Cube, literals, rank
from ebb.backend.extrapolation import sc_proof
from ebb.backend.extrapolation.rules import Copies, Copy, Lifting, lifted, liftings, shared_in
from ebb.backend.extrapolation.sc_proof import Place, Proof, Way
from ebb.backend.extrapolation.small_variables import SmallVariables
from ebb.formats import bp
from ebb.formats.errors import Position
from ebb.formats.expressions import (
    Binary,
    Element,
    Expression,
    Integer,
    Name,
    negation,
    place_name,
    places,
)
from ebb.formats.ir import Program


def carry_over(
    program: Program, predicates: Sequence[Expression], proof: Proof, copies: Copies
) -> tuple[bp.Program, Figures]:
    """The Boolean program of the reduced program over the predicates."""
    begin = time.perf_counter()
    carrier = Carrier(Subject(program, predicates), proof, copies, copies.buffers.bookkeeping())
    return carrier.boolean_program(begin)


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A step of the buffered program as one of the SC program: what it stands for, and which copies it fixes."""

    text: str
    fixed: Mapping[str, Copy | None]  # of shared variables in guard and values; None is memory
    stored: Mapping[str, Copy | None]  # of those that are assigned


Effect = tuple[tuple[Cube, ...], tuple[Cube, ...]]  # when a predicate is certainly true, and when certainly false


class Carrier:
    def __init__(self, subject: Subject, proof: Proof, copies: Copies, bookkeeping: set[str]) -> None:
        self.subject = subject
        self.proof = proof
        self.copies = copies
        self.vocabulary = subject.vocabulary
        self.numbers = {simplified(predicate): number for number, predicate in enumerate(self.vocabulary.predicates)}
        self.small = SmallVariables(bookkeeping, subject)
        self.queue_of = {
            slot: (queue.variable, Copy(queue.process, number, slot, False))
            for queue in copies.buffers.queues
            for number, slot in enumerate(queue.slots, start=1)
        }
        self.entries = {
            value: (buffer, Copy(buffer.process, number, value, True))
            for buffer in copies.buffers.buffers
            for number, value in enumerate(buffer.values, start=1)
        }
        self.lifted_from = self._origins()

    def boolean_program(self, begin: float) -> tuple[bp.Program, Figures]:
        """The whole; what it took is counted from the beginning."""
        subject, figures = self.subject, Figures(len(self.subject.predicates))
        found = [self.location(location) for control in subject.controls for location in control.locations]
        obliged = [
            (each, self.cubes(self.proof.properties.get(each.what, []), {}))
            for each in obligations(subject.program, subject.controls)
        ]
        count_cubes(found, figures)
        abstraction = Abstraction(
            subject.program.source,
            subject.variables,
            subject.predicates,
            subject.flags,
            self.initial(),
            self.consistency(),
            by_control(subject.controls, found),
            obliged,
        )
        result = boolean_program(abstraction)
        figures.seconds = time.perf_counter() - begin
        return result, figures

    def _origins(self) -> dict[Expression, list[tuple[Expression, Lifting]]]:
        """For each predicate of the vocabulary the predicates of the proof that it is a copy of, and how."""
        found: dict[Expression, list[tuple[Expression, Lifting]]] = {}
        for predicate in self.proof.predicates:
            ways: list[Lifting] = [{}, *liftings(shared_in(predicate), self.copies)]
            for lifting in ways:
                if self.may_lift(lifting):
                    found.setdefault(simplified(lifted(predicate, lifting)), []).append((predicate, lifting))
        return found

    def may_lift(self, lifting: Lifting) -> bool:
        known = self.subject.variables
        return all(known[name].range is None or not copy.is_entry for name, copy in lifting.items())

    # -- the beginning, and what is never so

    def initial(self) -> list[bool | None]:
        values = self.subject.initial_values()
        found: list[bool | None] = []
        for predicate in self.subject.predicates:
            value = simplified(with_values(predicate, values))
            found.append(bool(value.value) if isinstance(value, Integer) else None)
        return found + [self.subject.at_first(flag) for flag in self.subject.flags]

    def consistency(self) -> Consistency:
        found: dict[Cube, None] = {}
        for impossible in self.proof.impossible:
            names = list(dict.fromkeys(name for predicate, _ in impossible for name in shared_in(predicate)))
            ways: list[Lifting] = [{}, *liftings(names, self.copies)]
            for lifting in ways:
                if self.may_lift(lifting):
                    found |= dict.fromkeys(self.cubes([impossible], lifting))
        for name in sorted(self.small.names):
            found |= dict.fromkeys(self.small.cubes(Integer(0), {name}))
        consistency = Consistency()
        for cube in sorted(found, key=rank):
            if not any(consistency.within(cube, literal) for literal in literals(cube)):
                consistency.add(cube)
        return consistency

    # -- steps

    def location(self, location: Location) -> AbstractLocation:
        process = location.transitions[0].process if location.transitions else ""
        place = self.proof.places.get((process, location.label), Place())
        checks: list[AbstractCheck] = []
        assured: list[Check] = []
        for check in location.checks:
            holds = self.check(check, place)
            if holds == ALWAYS:
                assured.append(check)
            else:
                checks.append(AbstractCheck(check, tuple(self.small.excluding(check.guard)), holds))
        ways = tuple(self.transition(transition, place) for transition in location.transitions)
        return AbstractLocation(location, tuple(checks), tuple(assured), ways)

    def check(self, check: Check, place: Place) -> tuple[Cube, ...]:
        """When a check cannot fail: as in the proof, if the proof has it with the same variables."""
        counterpart = self.counterpart(check.guard, ((Name("?"), check.condition),))
        if counterpart is None:
            return NEVER
        guard = tuple(self.unbuffered(part, check.guard) for part in check.guard if not self.small.speaks(part))
        if any(part is None for part in guard):
            return NEVER
        condition = self.unbuffered(check.condition, check.guard)
        if condition is None:
            return NEVER
        text = check_text(replace(check, guard=tuple(part for part in guard if part is not None), condition=condition))
        return tuple(self.cubes(place.checks.get(text, []), counterpart.fixed))

    def transition(self, transition: Transition, place: Place) -> AbstractTransition:
        impossible = list(self.small.excluding(transition.guard))
        counterpart = self.counterpart(transition.guard, transition.updates, transition.given)
        way = None if counterpart is None else place.ways.get(counterpart.text)
        if way is not None and way.at != (transition.at.line, transition.at.column):
            way = None  # of another instruction: it may rely on other checks
        if counterpart is not None and way is not None:
            impossible += self.cubes(way.impossible_if, counterpart.fixed)
        else:
            impossible += self.plain_guard(transition.guard)
        excluded = tuple(dict.fromkeys(impossible))
        if 0 in excluded:
            excluded = ALWAYS
        if transition.overflow or excluded == ALWAYS:
            return AbstractTransition(transition, excluded, ())
        return AbstractTransition(transition, excluded, tuple(self.updates(transition, counterpart, way)))

    def updates(self, transition: Transition, counterpart: Counterpart | None, way: Way | None) -> Iterator[Update]:
        written = {place_name(place) for place, _ in transition.updates}
        for number, predicate in enumerate(self.vocabulary.predicates):
            if self.vocabulary.mentions[number].isdisjoint(written):
                continue
            after = transition.after(predicate)
            if after == predicate:
                continue
            true_if, false_if = self.effect(predicate, after, transition, counterpart, way)
            yield Update(number, true_if, false_if)

    def effect(
        self,
        predicate: Expression,
        after: Expression,
        transition: Transition,
        counterpart: Counterpart | None,
        way: Way | None,
    ) -> Effect:
        """When the predicate is certainly true after the step, and when false; `after` says so of the state before."""
        if (found := self.truth(after)) is not None:
            return found
        if counterpart is not None and way is not None:
            return self.carried(predicate, counterpart, way)
        return NEVER, NEVER

    def truth(self, expression: Expression) -> Effect | None:
        """When an expression is certainly true and when false, if it is a predicate or a number."""
        if isinstance(expression, Integer):
            return (ALWAYS, NEVER) if expression.value else (NEVER, ALWAYS)
        literal = self.vocabulary.literal(expression)
        return None if literal is None else ((1 << literal,), (1 << (literal ^ 1),))

    def carried(self, predicate: Expression, counterpart: Counterpart, way: Way) -> Effect:
        """What the proof says of the predicates that this one is a copy of."""
        true_if: dict[Cube, None] = {}
        false_if: dict[Cube, None] = {}
        for original, lifting in self.lifted_from.get(predicate, []):
            if original not in way.updates or not self.agrees(original, lifting, counterpart):
                continue
            before: dict[str, Copy | None] = {
                name: copy for name, copy in lifting.items() if name not in counterpart.stored or self.is_array(name)
            }
            before |= counterpart.fixed
            true_cubes, false_cubes = way.updates[original]
            true_if |= dict.fromkeys(self.cubes(true_cubes, before))
            false_if |= dict.fromkeys(self.cubes(false_cubes, before))
        return unless_always(true_if), unless_always(false_if)

    def is_array(self, name: str) -> bool:
        """Whether a step that assigns it leaves parts of it as they were, so that it is the same copy before."""
        return self.subject.variables[name].size is not None

    def agrees(self, original: Expression, lifting: Lifting, counterpart: Counterpart) -> bool:
        """Whether the copies chosen for a predicate are those that the step assigns, or reads."""
        assigned = [copy for copy in counterpart.stored.values() if copy is not None]
        if any(copy in assigned and name not in counterpart.stored for name, copy in lifting.items()):
            return False
        for name in shared_in(original):
            if name in counterpart.stored:
                if lifting.get(name) != counterpart.stored[name]:
                    return False
                if self.is_array(name) and counterpart.fixed.get(name, lifting.get(name)) != lifting.get(name):
                    return False
            elif name in counterpart.fixed and lifting.get(name) != counterpart.fixed[name]:
                return False
        return True

    # -- counterparts

    def counterpart(
        self,
        guard: Sequence[Expression],
        updates: Sequence[tuple[Expression, Expression]],
        given: Sequence[Expression] = (),
    ) -> Counterpart | None:
        """The step with slots named after their variables; None if it is not a step of the SC program."""
        fixed: dict[str, Copy | None] = {}
        stored: dict[str, Copy | None] = {}
        shown: list[tuple[Name | Element, Expression]] = []
        parts: list[Expression] = []
        for part in guard:
            if not self.small.speaks(part):
                plain = self.unbuffered(part, guard)
                if plain is None or not self.fix(part, guard, fixed):
                    return None
                parts.append(plain)
        if not all(self.fix(part, guard, fixed) for part in given):
            return None
        targets = dict(updates)
        for place, value in updates:
            assert isinstance(place, Name | Element)
            if place_name(place) in self.small.names:
                continue
            target = self.unbuffered(place, guard, targets)
            plain = self.unbuffered(value, guard)
            if target is None or plain is None or not self.fix(value, guard, fixed):
                return None
            assert isinstance(target, Name | Element)
            if isinstance(place, Element) and not self.fix(place.index, guard, fixed):
                return None
            name = place_name(target)
            if "." not in name and name != "?":
                if name in stored:
                    return None
                stored[name] = self.copy_of(place_name(place))
            shown.append((target, plain))
        text = concrete_text(replace(_NO_STEP, guard=tuple(parts), updates=tuple(shown), fresh=_fresh(shown)))
        return Counterpart(text, fixed, stored)

    def fix(self, expression: Expression, guard: Sequence[Expression], fixed: dict[str, Copy | None]) -> bool:
        """Note which copies the expression reads; False if it reads two of one variable."""
        for place in places(expression):
            name = place_name(place)
            if "." in name or name.startswith("?") or name in self.small.names:
                continue
            variable = self.variable_of(name, guard, {})
            if variable is None:
                return False
            copy = self.copy_of(name)
            if fixed.setdefault(variable, copy) != copy:
                return False
            if copy is not None and not self.may_lift({variable: copy}):
                return False
        return True

    def copy_of(self, name: str) -> Copy | None:
        if name in self.queue_of:
            return self.queue_of[name][1]
        return self.entries[name][1] if name in self.entries else None

    def variable_of(
        self, name: str, guard: Sequence[Expression], updates: Mapping[Expression, Expression]
    ) -> str | None:
        """The shared variable that a slot is of; of an entry, the one that its target says."""
        if name in self.queue_of:
            return self.queue_of[name][0]
        if name not in self.entries:
            return name
        buffer, copy = self.entries[name]
        target = Name(buffer.targets[copy.number - 1])
        code = updates.get(target)
        if code is None:
            codes = {right for part in guard for left, right in _equalities(part) if left == target}
            code = codes.pop() if len(codes) == 1 else None
        if not isinstance(code, Integer):
            return None
        found = [variable for variable, number in buffer.codes.items() if number == code.value]
        return found[0] if found and self.subject.variables[found[0]].size is None else None

    def unbuffered(
        self,
        expression: Expression,
        guard: Sequence[Expression],
        updates: Mapping[Expression, Expression] | None = None,
    ) -> Expression | None:
        """The expression with each slot under the name of its variable."""
        names: dict[str, Copy] = {}
        for place in places(expression):
            name = place_name(place)
            variable = self.variable_of(name, guard, updates or {})
            if variable is None:
                return None
            if variable != name:
                names[name] = Copy("", 0, variable, False)
        return lifted(expression, names)

    def plain_guard(self, guard: Sequence[Expression]) -> list[Cube]:
        """Where there is no counterpart: parts of a guard that are predicates."""
        found = [self.vocabulary.literal(negation(part)) for part in guard if not self.small.speaks(part)]
        return [1 << literal for literal in found if literal is not None]

    # -- cubes

    def cubes(self, cubes: Sequence[sc_proof.Cube], lifting: Mapping[str, Copy | None]) -> list[Cube]:
        """Cubes of the proof with variables replaced; those that speak of predicates nobody has are dropped."""
        chosen = {name: copy for name, copy in lifting.items() if copy is not None}
        found: list[Cube] = []
        for cube in cubes:
            numbers = [(self.numbers.get(simplified(lifted(predicate, chosen))), holds) for predicate, holds in cube]
            if all(number is not None for number, _ in numbers):
                found.append(_cube([(number or 0, holds) for number, holds in numbers]))
        return list(dict.fromkeys(found))


_NO_STEP = Transition("", "", "", (), (), (), (), False, Position(1, 1), "")


def _fresh(updates: Sequence[tuple[Expression, Expression]]) -> tuple[tuple[str, None], ...]:
    return tuple((value.name, None) for _, value in updates if isinstance(value, Name) and value.name.startswith("?"))


def _cube(parts: Sequence[tuple[int, bool]]) -> Cube:
    found = 0
    for number, holds in parts:
        found |= 1 << 2 * number + (not holds)
    return found


def unless_always(cubes: Mapping[Cube, None]) -> tuple[Cube, ...]:
    return ALWAYS if 0 in cubes else tuple(sorted(cubes, key=rank))


def _equalities(condition: Expression) -> Iterator[tuple[Expression, Expression]]:
    """The equations that a conjunction states."""
    match condition:
        case Binary("==", left, right):
            yield left, right
        case Binary("&&", left, right):
            yield from _equalities(left)
            yield from _equalities(right)
