"""What a step does to the predicates: for each one, when it is certainly true afterwards and when certainly false.

    b_p := schoose[F(wp(p)), F(wp(!p))]       CUPEX, Section 4.1

with F the weakest disjunction of cubes that implies its argument. The guard of the step is known when it is taken, so F
is asked for cubes that imply their argument *where the guard holds*; and the step is possible unless a cube that
excludes the guard holds: `assume(!F(!guard))`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ebb.backend.abstraction.dead_slots import DeadSlots
from ebb.backend.abstraction.questions import Question, any_of
from ebb.backend.abstraction.simplification import simplified
from ebb.backend.abstraction.transitions import Check, Location, Transition
from ebb.backend.abstraction.vocabulary import Cube, Vocabulary
from ebb.formats.expressions import Expression, Integer, negation, place_name
from ebb.formats.ir import Range

Fresh = tuple[tuple[str, Range | None], ...]
Implying = Callable[[Question], Sequence[Cube]]

ALWAYS: tuple[Cube, ...] = (0,)  # the empty cube: nothing need hold
NEVER: tuple[Cube, ...] = ()


@dataclass(frozen=True, slots=True)
class Update:
    """When a predicate is certainly true after a step, and when certainly false."""

    predicate: int
    true_if: tuple[Cube, ...]
    false_if: tuple[Cube, ...]
    else_false: bool = False  # where neither is certain; otherwise it may be both


@dataclass(frozen=True, slots=True)
class AbstractCheck:
    check: Check
    impossible_if: tuple[Cube, ...]  # the check is not come to
    holds_if: tuple[Cube, ...]


@dataclass(frozen=True, slots=True)
class AbstractTransition:
    transition: Transition
    impossible_if: tuple[Cube, ...]
    updates: tuple[Update, ...]
    then: tuple[Update, ...] = ()  # in the same step, depending on what the predicates are after the updates


@dataclass(frozen=True, slots=True)
class AbstractLocation:
    location: Location
    checks: tuple[AbstractCheck, ...]
    assured: tuple[Check, ...]  # checks that cannot fail, whatever the predicates say
    transitions: tuple[AbstractTransition, ...]


def abstract_location(
    location: Location, vocabulary: Vocabulary, implying: Implying, dead: DeadSlots
) -> AbstractLocation:
    checks: list[AbstractCheck] = []
    assured: list[Check] = []
    for check in location.checks:
        holds = decided(implying, check.guard, check.condition, check.fresh, dead.where(check.guard, vocabulary))
        if holds == ALWAYS:
            assured.append(check)
        else:
            checks.append(AbstractCheck(check, excluded(implying, check.guard, check.fresh), holds))
    return AbstractLocation(
        location,
        tuple(checks),
        tuple(assured),
        tuple(abstract_transition(transition, vocabulary, implying, dead) for transition in location.transitions),
    )


def abstract_transition(
    transition: Transition, vocabulary: Vocabulary, implying: Implying, dead: DeadSlots
) -> AbstractTransition:
    impossible = excluded(implying, transition.guard, transition.fresh)
    updates: list[Update] = []
    if impossible != ALWAYS and not transition.overflow:
        written = {place_name(place) for place, _ in transition.updates}
        context = (*transition.guard, *transition.given)
        gone = dead.where(transition.guard, vocabulary)
        for number, predicate in enumerate(vocabulary.predicates):
            if vocabulary.mentions[number].isdisjoint(written):
                continue
            after = transition.after(predicate)
            if after == simplified(predicate):
                continue
            true_if = decided(implying, context, after, transition.fresh, gone)
            false_if = NEVER
            if true_if != ALWAYS:
                false_if = decided(implying, context, simplified(negation(after)), transition.fresh, gone)
            updates.append(Update(number, true_if, false_if))
    return AbstractTransition(transition, impossible, tuple(updates))


def excluded(implying: Implying, guard: Sequence[Expression], fresh: Fresh) -> tuple[Cube, ...]:
    """The cubes that exclude a guard."""
    return decided(implying, (), simplified(any_of([negation(part) for part in guard])), fresh)


def decided(
    implying: Implying,
    context: tuple[Expression, ...],
    goal: Expression,
    fresh: Fresh = (),
    dead: Cube = 0,
) -> tuple[Cube, ...]:
    """The cubes that imply the goal in the context, without those that have dead literals; what needs no search gets
    none."""
    if isinstance(goal, Integer):
        return ALWAYS if goal.value else NEVER
    if goal in context:
        return ALWAYS
    return tuple(cube for cube in implying(Question(context, goal, fresh)) if not cube & dead)
