"""`--method program` for RMA: the transformers of an SC proof carried over to sets, with no solver call.

    SC                                        RMA
    put(Y, P1, X)   b[Y == 0] := b[X == 0]    issued    all[S == 0], none[S == 0] := b[X == 0], !b[X == 0]
                                              happens   b[Y == 0] := schoose[all[S == 0], none[S == 0]]
    X = r           b[X == 0] := T(…)         the same, and then, if the put is pending
                                              all[S == 0], none[S == 0] := all & b[X == 0], none & !b[X == 0]

S is the set of what the put may have read. What the SC proof says of `Y = X` is a valid formula about every value of X,
so also about every element of S: where all elements satisfy a cube, whichever is chosen does. A set predicate that
relates an element to a variable changes with the variable, as the proof says of the predicate that it comes from.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ebb.backend.abstraction.boolean_program import check_text
from ebb.backend.abstraction.figures import Figures
from ebb.backend.abstraction.simplification import simplified
from ebb.backend.abstraction.subject import Subject
from ebb.backend.abstraction.transformers import ALWAYS, NEVER, AbstractTransition, Update
from ebb.backend.abstraction.transitions import Check, Transition
from ebb.backend.abstraction.vocabulary import Consistency, Cube, literals, rank
from ebb.backend.extrapolation import sc_proof
from ebb.backend.extrapolation.carried import Carrier, Counterpart, Effect, unless_always
from ebb.backend.extrapolation.pending import Pending
from ebb.backend.extrapolation.rules import Copies
from ebb.backend.extrapolation.sc_proof import Proof, Way
from ebb.backend.extrapolation.set_predicates import SetPredicate, lifted, set_predicates, sources
from ebb.formats import bp
from ebb.formats.buffer_notes import Buffers
from ebb.formats.expressions import (
    Binary,
    Element,
    Expression,
    Integer,
    Name,
    Place,
    negation,
    place_name,
    rebuilt,
    show,
    variables,
)
from ebb.formats.ir import Choose, Program, instructions
from ebb.formats.remote_notes import pending_flags

_UNKNOWN: Effect = (NEVER, NEVER)


def carry_over_to_sets(program: Program, proof: Proof, *, pairs: bool) -> tuple[bp.Program, Figures]:
    """The Boolean program of a program that was reduced from RMA."""
    begin = time.perf_counter()
    return _SetCarrier(program, proof, pairs=pairs).boolean_program(begin)


@dataclass(slots=True)
class _Change:
    """What a step does to a set: whether it keeps its elements, and what it gets."""

    kept: bool = True
    added: tuple[Expression, ...] = ()


class _SetCarrier(Carrier):
    def __init__(self, program: Program, proof: Proof, *, pairs: bool) -> None:
        self.sets = sources(program)
        found = set_predicates(proof.predicates, self.sets, pairs=pairs)
        simple = [replace(each, expression=simplified(each.expression)) for each in found]
        self.lifts = list({each.expression: each for each in simple}.values())
        flags = pending_flags(program)
        bits = [bit for each in self.lifts for bit in (each.all, each.none)]
        predicates = [*proof.predicates, *_about_flags(program, flags), *bits]
        copies = Copies(Buffers("pso"), {}, Pending(True, {}), {})
        super().__init__(Subject(program, predicates), proof, copies, set(flags))
        self.all = {each.expression: self.numbers[each.all] for each in self.lifts}
        self.none = {each.expression: self.numbers[each.none] for each in self.lifts}
        self.sets_of = {
            number: set(each.lifting.values())
            for each in self.lifts
            for number in (self.all[each.expression], self.none[each.expression])
        }
        self.forms: dict[Expression, Effect] = {}
        for each in self.lifts:
            holds, fails = (1 << 2 * self.all[each.expression],), (1 << 2 * self.none[each.expression],)
            for form in (negation(each.expression), simplified(negation(each.expression))):
                self.forms.setdefault(form, (fails, holds))
            self.forms[each.expression] = holds, fails
        self.chosen_at = {
            (step.at.line, step.at.column): step.action.set
            for process in program.processes
            for step in instructions(process.body)
            if isinstance(step.action, Choose)
        }
        self.copied_at = {(way.at, text): way for place in proof.places.values() for text, way in place.ways.items()}

    # -- what is known of elements

    def initial(self) -> list[bool | None]:
        values = super().initial()
        for number in (*self.all.values(), *self.none.values()):
            values[number] = False
        return values

    def consistency(self) -> Consistency:
        """What no value of a variable can be, no element can, so not all of a set that has one."""
        found = dict.fromkeys(super().consistency().cubes)
        for impossible in self.proof.impossible:
            mentioned = {name for predicate, _ in impossible for name in variables(predicate)}
            for name, place in self.sets.items():
                if place_name(place) in mentioned:
                    found |= dict.fromkeys(self.cubes_about([impossible], {place: name}))
        for each in self.lifts:
            found[1 << 2 * self.all[each.expression] | 1 << 2 * self.none[each.expression]] = None
        consistency = Consistency()
        for cube in sorted(found, key=rank):
            if not any(consistency.within(cube, literal) for literal in literals(cube)):
                consistency.add(cube)
        return consistency

    def truth(self, expression: Expression) -> Effect | None:
        found = super().truth(expression)
        return self.forms.get(expression) if found is None else found

    def cubes_about(self, cubes: Sequence[sc_proof.Cube], lifting: Mapping[Place, str]) -> list[Cube]:
        """Cubes of the proof about elements; those that speak of predicates nobody has are dropped."""
        found: dict[Cube, None] = {}
        for cube in cubes:
            whole: Cube | None = 0
            for predicate, holds in cube:
                about = lifted(predicate, lifting)
                known = None if about is None else self.truth(simplified(about))
                part = NEVER if known is None else known[0 if holds else 1]
                whole = None if whole is None or not part else whole | part[0]
            if whole is not None:
                found[whole] = None
        return list(found)

    def effect_about(self, predicate: Expression, way: Way, lifting: Mapping[Place, str]) -> Effect:
        """What the proof says of a predicate after a step, for elements."""
        true_if: dict[Cube, None] = {}
        false_if: dict[Cube, None] = {}
        for original, _ in self.lifted_from.get(predicate, []):
            true_cubes, false_cubes = way.updates.get(original, ([], []))
            true_if |= dict.fromkeys(self.cubes_about(true_cubes, lifting))
            false_if |= dict.fromkeys(self.cubes_about(false_cubes, lifting))
        return unless_always(true_if), unless_always(false_if)

    # -- steps

    def counterpart(
        self,
        guard: Sequence[Expression],
        updates: Sequence[tuple[Expression, Expression]],
        given: Sequence[Expression] = (),
    ) -> Counterpart | None:
        """None also where something remote is issued: under SC it happens there, and what follows relies on that."""
        written = {place_name(place) for place, _ in updates if isinstance(place, Name | Element)}
        return None if written & self.small.names else super().counterpart(guard, updates, given)

    def transition(self, transition: Transition, place: sc_proof.Place) -> AbstractTransition:
        found = super().transition(transition, place)
        if found.impossible_if == ALWAYS or transition.overflow:
            return found
        now = {update.predicate: update for update in found.updates}
        then: list[Update] = []
        for each, effect in self.changed(transition):
            bits = (self.all[each.expression], self.none[each.expression])
            early = None if bits[0] in now else [self.before(cubes, now) for cubes in effect]
            for bit, cubes, settled in zip(bits, effect, early or (None, None), strict=True):
                if early is None or None in early:
                    then.append(Update(bit, cubes, NEVER, else_false=True))
                else:
                    assert settled is not None
                    now[bit] = Update(bit, settled, NEVER, else_false=True)
        return replace(found, updates=tuple(now.values()), then=tuple(then))

    def updates(self, transition: Transition, counterpart: Counterpart | None, way: Way | None) -> Iterator[Update]:
        yield from super().updates(transition, counterpart, way)
        written = {place_name(place) for place, _ in transition.updates}
        for each in self.lifts:
            after = transition.after(each.expression)
            if variables(each.expression).isdisjoint(written) or after == each.expression:
                continue
            true_if, false_if = self.related(each, after, transition, counterpart, way)
            yield Update(self.all[each.expression], true_if, NEVER, else_false=True)
            yield Update(self.none[each.expression], false_if, NEVER, else_false=True)

    def effect(
        self,
        predicate: Expression,
        after: Expression,
        transition: Transition,
        counterpart: Counterpart | None,
        way: Way | None,
    ) -> Effect:
        if not (drawn := _drawn(transition)):
            return super().effect(predicate, after, transition, counterpart, way)
        found = self.truth(simplified(_about_drawn(after, drawn)))
        return self.chosen(predicate, transition, drawn, {}) if found is None else found

    def related(
        self,
        each: SetPredicate,
        after: Expression,
        transition: Transition,
        counterpart: Counterpart | None,
        way: Way | None,
    ) -> Effect:
        """What becomes of a set predicate when another variable in it changes."""
        drawn = _drawn(transition)
        if set(drawn.values()) & set(each.lifting.values()):
            return _UNKNOWN  # what is chosen is one element, the predicate is about all
        found = self.truth(simplified(_about_drawn(after, drawn)))
        if found is None and drawn:
            found = self.chosen(simplified(each.original), transition, drawn, each.lifting)
        elif found is None and counterpart is not None and way is not None:
            about_now = {*counterpart.fixed, *counterpart.stored} & {place_name(place) for place in each.lifting}
            found = _UNKNOWN if about_now else self.effect_about(simplified(each.original), way, each.lifting)
        true_if, false_if = found or _UNKNOWN
        sets = set(each.lifting.values())
        return self.about_all(true_if, sets), self.about_all(false_if, sets)

    def about_all(self, cubes: Sequence[Cube], sets: set[str]) -> tuple[Cube, ...]:
        """The cubes that say something of each of the sets: nothing is to be known of one that has no element."""
        return tuple(
            cube
            for cube in cubes
            if sets <= {name for literal in literals(cube) for name in self.sets_of.get(literal // 2, ())}
        )

    def chosen(
        self, predicate: Expression, transition: Transition, drawn: Mapping[str, str], lifting: Mapping[Place, str]
    ) -> Effect:
        """A remote statement happens: as `target = source` under SC, with an element for the source."""
        if len(drawn) != 1:
            return _UNKNOWN
        ((name, values),) = drawn.items()
        source = self.sets.get(values)
        targets = [place for place, value in transition.updates if value == Name(name)]
        if source is None or len(targets) != 1:
            return _UNKNOWN
        if {place_name(source), place_name(targets[0])} & {place_name(place) for place in lifting}:
            return _UNKNOWN
        if place_name(source) in variables(predicate):
            return _UNKNOWN  # under SC the target is what the source is now; an element may be what it was
        at = transition.at.line, transition.at.column
        way = self.copied_at.get((at, f"{show(targets[0])} = {show(source)}"))
        return _UNKNOWN if way is None else self.effect_about(predicate, way, {**lifting, source: values})

    def check(self, check: Check, place: sc_proof.Place) -> tuple[Cube, ...]:
        values = self.chosen_at.get((check.at.line, check.at.column))
        if values is None or not check.fresh:
            return super().check(check, place)
        source, chosen = self.sets[values], Name(check.fresh[-1][0])
        condition = simplified(_put(source, chosen, check.condition))
        if self.is_given(condition, source):
            return ALWAYS
        text = check_text(replace(check, guard=(), condition=condition))
        cubes = [cube for each in self.proof.places.values() for cube in each.checks.get(text, [])]
        return unless_always(dict.fromkeys(self.cubes_about(cubes, {source: values})))

    def is_given(self, condition: Expression, source: Place) -> bool:
        """Whether a condition on a value is so by the declared range of where the value comes from."""
        values = self.subject.variables[place_name(source)].range
        match condition:
            case Binary("&&", Binary("<=", Integer(low), one), Binary("<=", other, Integer(high))):
                return values is not None and one == other == source and low <= values.low and values.high <= high
            case _:
                return False

    # -- sets

    def changed(self, transition: Transition) -> Iterator[tuple[SetPredicate, Effect]]:
        """The set predicates that change with their sets, and how, in terms of the state after the other updates."""
        changes = _changes(transition)
        for each in self.lifts:
            touched = [(place, changes[name]) for place, name in each.lifting.items() if name in changes]
            if len(touched) == 1:
                yield each, self.grown(each, touched[0][0], touched[0][1], transition)
            elif touched:
                yield each, _UNKNOWN

    def grown(self, each: SetPredicate, place: Place, change: _Change, transition: Transition) -> Effect:
        """What is added is what the variable is after the step; of anything else nothing is known."""
        if not change.added or any(value != transition.after(place) for value in change.added):
            return _UNKNOWN
        about = lifted(each.original, {other: name for other, name in each.lifting.items() if other != place})
        element = None if about is None else self.truth(simplified(about))
        if element is None or not change.kept:
            return element or _UNKNOWN
        old = 1 << 2 * self.all[each.expression], 1 << 2 * self.none[each.expression]
        true_if, false_if = (tuple(cube | bit for cube in cubes) for cubes, bit in zip(element, old, strict=True))
        return true_if, false_if

    def before(self, cubes: tuple[Cube, ...], now: Mapping[int, Update]) -> tuple[Cube, ...] | None:
        """Cubes about the state after the updates as cubes about the state before them; None if there are none."""
        found: list[Cube] = []
        for cube in cubes:
            whole: Cube | None = 0
            for literal in literals(cube):
                part = _before(literal, now.get(literal // 2))
                if part is None:
                    return None
                whole = None if whole is None or not part else whole | part[0]
            if whole is not None:
                found.append(whole)
        return tuple(found)


def _before(literal: int, update: Update | None) -> tuple[Cube, ...] | None:
    """When a literal holds after an update, if that is certain either way."""
    if update is None:
        return (1 << literal,)
    cubes = update.true_if, update.false_if
    if cubes in ((ALWAYS, NEVER), (NEVER, ALWAYS)):
        return cubes[literal & 1]
    certain = len(cubes[0]) == len(cubes[1]) == 1 and _opposite(cubes[0][0], cubes[1][0])
    return cubes[literal & 1] if certain else None


def _opposite(one: Cube, other: Cube) -> bool:
    """Whether two cubes are a literal and its negation."""
    return one.bit_count() == other.bit_count() == 1 and (one.bit_length() - 1) ^ 1 == other.bit_length() - 1


def _about_flags(program: Program, flags: Sequence[str]) -> list[Expression]:
    """Whether a statement is pending, and if it can be more than once, whether it is."""
    ranges = {variable.name: variable.range for variable in program.shared}
    found: list[Expression] = []
    for flag in flags:
        values = ranges[flag]
        often = [2] if values is not None and values.high == 2 else []
        found += [Binary("==", Name(flag), Integer(number)) for number in (0, *often)]
    return found


def _drawn(transition: Transition) -> dict[str, str]:
    """The names for what the step chooses, with the sets, as these are before the step."""
    touched: set[str] = set()
    found: dict[str, str] = {}
    for step in transition.sets:
        if step.what == "choose" and step.set not in touched and isinstance(step.value, Name):
            found[step.value.name] = step.set
        touched.add(step.set)
    return found


def _about_drawn(expression: Expression, drawn: Mapping[str, str]) -> Expression:
    """The expression with the set in the place of the element; one set has one element here."""
    if isinstance(expression, Name) and expression.name in drawn:
        return Name(drawn[expression.name])
    return rebuilt(expression, lambda part: _about_drawn(part, drawn))


def _put(place: Place, name: Name, expression: Expression) -> Expression:
    return place if expression == name else rebuilt(expression, lambda part: _put(place, name, part))


def _changes(transition: Transition) -> dict[str, _Change]:
    found: dict[str, _Change] = {}
    for step in transition.sets:
        change = found.get(step.set, _Change())
        match step.what:
            case "collect":
                found[step.set] = _Change(False, (step.value,))
            case "add":
                found[step.set] = _Change(change.kept, (*change.added, step.value))
            case "forget":
                found[step.set] = _Change(False)
            case "choose":
                pass
    return found
