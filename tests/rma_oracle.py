"""Whether Boolean programs for RMA are right, going by the concrete explorer, which knows what a program really does.

`wrong_verdict` says which of them calls a program safe that is not. `wrong_step` is sharper. A state of the reduced
program is represented by one of the Boolean program if the predicates are what they really are and set predicates are
true only where they hold: of every element, or of none, of a set that has some. Wherever the reduced program steps from
one state to another, the Boolean program has to be able to step from whatever represents the one to something that
represents the other; and where an assertion fails, one has to fail there. So one transition too few, one bit too
certain, one check too easy shows, even where no property notices. `lost_state` is the same for whole runs, with the
checker in between.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from abstraction_oracle import Count, abstracted, really, said
from boolean_brute_force import values

from ebb.backend.abstraction.options import Options
from ebb.backend.concrete.machine import Machine, Outcome, Thread, Violation
from ebb.backend.concrete.models import Memory, model_named
from ebb.backend.concrete.search import AfterViolation, Limits, Search
from ebb.backend.concrete.values import evaluate
from ebb.backend.extrapolation.methods import extrapolated
from ebb.backend.extrapolation.sc_proof import read_proof
from ebb.formats import bp
from ebb.formats.errors import Position
from ebb.formats.expressions import At, Binary, Expression, Integer, Name, rebuilt, show, variables
from ebb.formats.ir import Program, Property
from ebb.formats.predicates import predicate_in
from ebb.frontend.ebb_source import parse
from ebb.passes.reduce_rma import reduce_rma

MOST_STATES = 300  # that steps are compared from
Variant = tuple[bool, bool]  # merged sets, predicates about pairs
VARIANTS: tuple[Variant, ...] = tuple(product((False, True), (False, True)))

State = tuple[tuple[Thread, ...], Memory]
Bits = dict[str, bool]
Key = tuple[bool, ...]


def relaxed(program: Program, variants: Sequence[Variant] = VARIANTS) -> Iterator[tuple[str, Program, bp.Program]]:
    """The Boolean programs for RMA, each with the reduced program that it is of."""
    sc = abstracted(program)
    for merged, pairs in variants:
        reduced = reduce_rma(program, merge_sets=merged)
        boolean, _ = extrapolated(reduced, read_proof(sc, reduced), "program", Options(), pairs=pairs)
        yield f"{'merged sets' if merged else 'sets'}{', pairs' if pairs else ''}", reduced, boolean


def wrong_verdict(text: str, count: Count | None = None) -> str | None:
    """Which Boolean program says safe though the program is not."""
    program = parse(text, "random.ebb")
    real = really(program, "rma")
    for what, _, boolean in relaxed(program):
        verdict = said(boolean)
        if count is not None:
            count[real, verdict] += 1
        if verdict == "safe" and real == "unsafe":
            return f"{what}: safe, but it is not"
    return None


def wrong_step(text: str, variants: Sequence[Variant] = VARIANTS, count: Counter[str] | None = None) -> str | None:
    """Something that the reduced program does, and one of its Boolean programs does not."""
    program = _with_all_places(parse(text, "random.ebb"))
    count = Counter() if count is None else count
    for what, reduced, boolean in relaxed(program, variants):
        if wrong := _Comparison(reduced, boolean, count).wrong():
            return f"{what}: {wrong}"
    return None


def lost_state(
    text: str, rng: random.Random, variants: Sequence[Variant] = VARIANTS, count: Count | None = None
) -> str | None:
    """A state that the reduced program reaches, while no run of a Boolean program comes to what represents it."""
    program = _with_all_places(replace(parse(text, "random.ebb"), properties=()))
    for what, reduced, boolean in relaxed(program, variants):
        meaning = _Meaning(reduced, boolean)
        states = _states(Machine(reduced, model_named("sc")))
        seen = meaning.seen(rng.choice(states))
        wanted = {name: holds for name, holds in seen.items() if not (name in meaning.about_sets and holds)}
        verdict = said(_asking_for(boolean, wanted))
        if count is not None:
            count[what, verdict] += 1
        if verdict == "safe":
            return f"{what}: never {meaning.shown(wanted)}"
    return None


def _with_all_places(program: Program) -> Program:
    """The program with one more property, which is about every place of control and holds."""
    nothing: Expression = Integer(0)
    for process in program.processes:
        for instruction in process.body:
            nothing = Binary("&&", nothing, At(process.name, instruction.label))
    at = Position(1, 1)
    more = (Property("never", nothing, at), Property("final", Integer(1), at))
    return replace(program, properties=(*program.properties, *more))


def _states(machine: Machine) -> list[State]:
    search = Search(machine, Limits(MOST_STATES, after_violation=AfterViolation.GO_ON))
    search.run()
    return [search.decode(state) for state in search.parent]


class _Meaning:
    """What the variables of a Boolean program say about states of the reduced program."""

    def __init__(self, program: Program, boolean: bp.Program) -> None:
        self.program = program
        self.machine = Machine(program, model_named("sc"))
        self.sets = {variable.name for variable in program.shared if variable.type == "set"}
        integers = tuple(replace(each, type="integer", initial=0) for each in program.shared)
        self.texts = {
            name: text
            for declaration in boolean.declarations
            for name, text in zip(declaration.names, declaration.predicates, strict=True)
        }
        self.about_sets = {name for name, text in self.texts.items() if text.startswith(("all(", "none("))}
        self.expressions = {
            name: predicate_in(
                text.partition("(")[2][:-1] if name in self.about_sets else text,
                Position(1, 1),
                replace(program, shared=integers),
            ).expression
            for name, text in self.texts.items()
            if "@" not in text
        }
        self._seen: dict[State, Bits] = {}

    def shown(self, bits: Mapping[str, bool]) -> str:
        return ", ".join(self.texts[name] if holds else f"!({self.texts[name]})" for name, holds in bits.items())

    def seen(self, state: State) -> Bits:
        """What represents the state; of set predicates everything that holds."""
        if state not in self._seen:
            self._seen[state] = {name: self._holds(name, state) for name in self.texts}
        return self._seen[state]

    def value(self, condition: Expression, state: State) -> int:
        threads, memory = state
        numbers = self.machine.numbers

        def read(name: str, index: int | None) -> int:
            process, dot, local = name.rpartition(".")
            number = numbers[process] if dot else 0
            layout, cells = (
                (self.machine.locals[number], threads[number].locals) if dot else (self.machine.shared, memory)
            )
            size = layout.variables[local].size
            # Outside of an array there is a value that never changes: for the solver it is any, here it is 0.
            return int(cells[layout.cell(local, index)]) if index is None or index in range(size or 0) else 0

        def stands_at(process: str, label: str) -> bool:
            number = numbers[process]
            body = self.program.processes[number].body
            pc = threads[number].pc
            return pc < len(body) and body[pc].label == label

        return evaluate(condition, read, stands_at)

    def _holds(self, name: str, state: State) -> bool:
        text = self.texts[name]
        if "@" in text:
            process, label = text.split("@")
            return self.has_ended(process, state) if not label else bool(self.value(At(process, label), state))
        expression = self.expressions[name]
        if name not in self.about_sets:
            return bool(self.value(expression, state))
        sets = sorted(variables(expression) & self.sets)
        elements = [state[1][self.machine.shared.first[each]] for each in sets]
        chosen = [dict(zip(sets, each, strict=True)) for each in product(*elements)]
        found = {bool(self.value(_with_elements(expression, each), state)) for each in chosen}
        return found == {text.startswith("all(")}

    def has_ended(self, process: str, state: State) -> bool:
        number = self.machine.numbers[process]
        return state[0][number].pc == len(self.program.processes[number].body)


def _with_elements(expression: Expression, chosen: Mapping[str, int]) -> Expression:
    if isinstance(expression, Name) and expression.name in chosen:
        return Integer(chosen[expression.name])
    return rebuilt(expression, lambda part: _with_elements(part, chosen))


# ---- steps


class _OtherBlock(Exception):
    """A block whose instructions are steps of their own in the Boolean program."""


@dataclass
class _Comparison:
    program: Program
    boolean: bp.Program
    count: Counter[str]
    compared: set[tuple[str, str, Key, Key]] = field(default_factory=set)
    consistent: dict[Key, bool] = field(default_factory=dict)

    @cached_property
    def meaning(self) -> _Meaning:
        return _Meaning(self.program, self.boolean)

    @cached_property
    def functions(self) -> dict[str, bp.Function]:
        return {function.process or function.name: function for function in self.boolean.functions}

    @cached_property
    def enforced(self) -> list[bp.Expression]:
        return [enforce.condition for function in self.boolean.functions for enforce in function.enforce]

    def wrong(self) -> str | None:
        machine = self.meaning.machine
        for threads, memory in machine.initial():
            if not self.begins((threads, memory)):
                return f"does not begin with {self.meaning.shown(self.meaning.seen((threads, memory)))}"
        for state in _states(machine):
            seen = self.meaning.seen(state)
            if not self.exists(seen):
                return f"there is no state {self.meaning.shown(seen)}"
            if missed := self.missed_property(state):
                return missed
            for number, process in enumerate(self.program.processes):
                for outcome in machine.outcomes(number, state[0][number], state[1]):
                    try:
                        missed = self.missed(number, process.body[state[0][number].pc].label, state, outcome)
                    except _OtherBlock:
                        self.count["blocks with loops"] += 1
                        continue
                    if missed:
                        return f"{process.name}, {missed}"
        return None

    def missed(self, number: int, label: str, state: State, outcome: Outcome) -> str | None:
        """What a process does, if the Boolean program cannot do it."""
        name, seen = self.program.processes[number].name, self.meaning.seen(state)
        if isinstance(outcome.ending, Violation):
            self.count["violations"] += 1
            possible = self.fails(name, label, seen)
            return None if possible else f"{label}: no failure ({outcome.ending}) from {self.meaning.shown(seen)}"
        self.count["steps"] += 1
        threads = (*state[0][:number], outcome.thread, *state[0][number + 1 :])
        wanted = self.meaning.seen((threads, outcome.memory))
        step = name, label, tuple(seen.values()), tuple(wanted.values())
        if step in self.compared or self.steps(name, label, seen, wanted):
            self.compared.add(step)
            return None
        return f"{label}: no step from\n  {self.meaning.shown(seen)}\nto\n  {self.meaning.shown(wanted)}"

    def begins(self, state: State) -> bool:
        wanted = self.meaning.seen(state)
        for statement in self.functions["main"].body:
            if isinstance(statement.action, bp.Assign):
                return self.assigned(statement.action, dict(wanted), wanted) == wanted
        return not wanted

    def exists(self, bits: Bits) -> bool:
        key = tuple(bits.values())
        if key not in self.consistent:
            self.consistent[key] = all(values(condition, bits, bits) == {True} for condition in self.enforced)
        return self.consistent[key]

    def missed_property(self, state: State) -> str | None:
        ended = all(self.meaning.has_ended(each.name, state) for each in self.program.processes if not each.background)
        for prop in self.program.properties:
            if prop.kind == "final" and not ended:
                continue
            if bool(self.meaning.value(prop.condition, state)) != (prop.kind == "never"):
                continue
            self.count["broken properties"] += 1
            text, seen = f"{prop.kind} ({show(prop.condition)})", self.meaning.seen(state)
            claims = [each.action for each in self.functions["properties"].body if each.checks == text]
            assert claims
            conditions = [each.condition for each in claims if isinstance(each, bp.Assert)]
            if not any(values(condition, seen, seen) == {False} for condition in conditions):
                return f"{text} holds for {self.meaning.shown(seen)}"
        return None

    def fails(self, process: str, label: str, now: Bits) -> bool:
        """Whether one of the assertions at the place fails."""
        function = self.functions[process]
        assert list(_ways(function, label))
        start = next(n for n, statement in enumerate(function.body) if label in statement.labels)
        for statement in function.body[start:]:
            if not isinstance(statement.action, bp.Assert):
                return False
            if False in values(statement.action.condition, now, now):
                return True
        return False

    def steps(self, process: str, label: str, now: Bits, wanted: Bits) -> bool:
        """Whether there is a step to what represents the wanted state."""
        for way in _ways(self.functions[process], label):
            after: Bits | None = dict(now)
            for action in way:
                assert after is not None
                if isinstance(action, bp.Assume):
                    after = after if values(action.condition, after, after) == {True} else None
                elif isinstance(action, bp.Assign):
                    after = self.assigned(action, after, wanted)
                if after is None or not self.exists(after):
                    break
            else:
                assert after is not None
                if all(_represents(name in self.meaning.about_sets, after[name], wanted[name]) for name in wanted):
                    return True
        return False

    def assigned(self, action: bp.Assign, now: Bits, wanted: Bits) -> Bits | None:
        """The bits after it, as wanted where there is a choice; None if that is not possible."""
        if action.constrain is not None and values(action.constrain, now, now) != {True}:
            return None
        after = dict(now)
        for name, value in zip(action.targets, action.values, strict=True):
            choices = values(value, now, now)
            if name in self.meaning.about_sets:
                (after[name],) = choices
            elif wanted[name] not in choices:
                return None
            else:
                after[name] = wanted[name]
        return after


def _represents(about_set: bool, said: bool, real: bool) -> bool:
    return said <= real if about_set else said == real


def _ways(function: bp.Function, label: str) -> Iterator[list[bp.Action]]:
    """The actions of each transition from a place."""
    at = {label: number for number, statement in enumerate(function.body) for label in statement.labels}
    todo: list[tuple[int, list[bp.Action]]] = [(at[label], [])]
    while todo:
        number, way = todo.pop()
        while True:
            action = function.body[number].action
            if isinstance(action, bp.Goto) and len(action.targets) > 1:
                todo += [(at[target], [*way]) for target in action.targets]
                break
            way = [*way, action]
            number += 1
            ended = number == len(function.body) or function.body[number].labels
            if ended or isinstance(action, bp.Goto | bp.Return):
                if way.count(bp.AtomicBegin()) != way.count(bp.AtomicEnd()):
                    raise _OtherBlock
                yield way
                break


# ---- runs


def _asking_for(boolean: bp.Program, wanted: Bits) -> bp.Program:
    """The program with its assertions passed over, and one that fails where the variables are like that."""
    functions: list[bp.Function] = []
    for function in boolean.functions:
        if function.name == "properties":
            continue
        body = [
            replace(each, action=bp.Skip()) if isinstance(each.action, bp.Assert) else each for each in function.body
        ]
        if function.name == "main":
            body = [each for each in body if each.action != bp.StartThread("properties")]
            body.insert(-1, bp.Statement(bp.StartThread("seen")))
        functions.append(replace(function, body=tuple(body)))
    others: Sequence[bp.Expression] = [
        bp.Not(bp.Variable(name)) if holds else bp.Variable(name) for name, holds in wanted.items()
    ]
    asked = bp.Function("seen", body=(bp.Statement(bp.Assert(bp.Operation("|", (*others, bp.FALSE)))),))
    return bp.Program(boolean.declarations, (*functions, asked))
