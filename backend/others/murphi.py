"""A program in the language of Murphi, which Rumur reads: rules over global variables, one for each edge.

    Rule "edge 7"
      at_P0 = 3 & !held & v_x ==>
    Begin
      v_b := !v_y; at_P0 := 4;
    End;

Where there is much to choose, rules named `choose` first decide the bits one by one into `n0`, `n1` and so on, at
locations behind those of the program and with `held` true, so that no other thread moves in between. Where the result
is forbidden, nothing follows. So are the bits chosen that begin with any value; all threads are idle until then.
"""

from collections.abc import Iterable, Iterator
from itertools import count

from ebb.backend.automata.automaton import FIRST, IDLE, Automata, Edge, Outcome
from ebb.backend.automata.expressions import support
from ebb.backend.automata.steps import initial_control
from ebb.backend.others.explicit import Step, Steps, StepText, in_order
from ebb.backend.others.expression_text import Syntax
from ebb.backend.others.flags import Flag, held
from ebb.backend.others.names import bit_names, description, identifiers, meaning, plain_text
from ebb.formats.bp import Expression

_SYNTAX = Syntax("true", "false", "&", "|", "!=", ("?", ":"))


def export(automata: Automata, goal: Outcome) -> str:
    return "".join(f"{line}\n" for line in _Model(automata, goal).lines())


class _Model:
    def __init__(self, automata: Automata, goal: Outcome) -> None:
        self._automata = automata
        self._goal = goal
        self._bits = bit_names(automata)
        self._text = StepText(_SYNTAX, self._bits)
        names = identifiers((thread.name for thread in automata.threads), "at_")
        self._at = tuple(names[thread.name] for thread in automata.threads)
        self._steps = Steps(automata, goal, tuple(name.removeprefix("at_") for name in self._at))
        self._held = held(automata)
        if self._held is None and self._steps.most_decided:
            self._held = Flag("held", {})
        self._flags = [*([self._held] if self._held else []), *self._steps.regions]
        self._fresh = [count(thread.locations) for thread in automata.threads]  # locations at which bits are decided
        self._initially = self._steps.initial

    def lines(self) -> Iterator[str]:
        rules = [line for step in self._steps.all for line in self._rules(step)]
        yield f"-- A Boolean program for Murphi. Does it reach an edge with the outcome {self._goal.value}?"
        yield "-- rumur --deadlock-detection off -o FILE.c FILE; gcc -O3 -mcx16 FILE.c -lpthread; ./a.out"
        yield ""
        yield "Var"
        for bit in self._automata.bits:
            yield f"  {self._bits[bit.name]}: boolean;  -- {meaning(bit)}"
        for thread, name, fresh in zip(self._automata.threads, self._at, self._fresh, strict=True):
            yield f"  {name}: {IDLE}..{next(fresh) - 1};  -- where {plain_text(thread.name)} is"
        for flag in self._flags:
            where = ", ".join(self._automata.threads[thread].name for thread in flag.places)
            yield f"  {flag.name}: boolean;" + (f"  -- follows from where {plain_text(where)} is" if where else "")
        for number in range(self._steps.most_decided):
            yield f"  n{number}: boolean;  -- what is being decided"
        yield from self._start()
        yield from rules

    # -- the beginning

    def _start(self) -> Iterator[str]:
        free, conditions = self._initially.free, list(self._initially.constraints)
        if free or conditions:
            yield f"  chosen: 0..{len(free)};  -- bits that have their first value"
        names = [*self._bits.values(), *(f"n{number}" for number in range(self._steps.most_decided))]
        yield ""
        yield 'Startstate "start"'
        yield "Begin"
        yield from (f"  {name} := false;" for name in names)
        yield from (f"  {flag.name} := {self._constant(flag.initially(self._automata))};" for flag in self._flags)
        if not free and not conditions:
            yield from self._entries()
            yield "End;"
            return
        yield from (f"  {name} := {IDLE};" for name in self._at)
        yield "  chosen := 0;"
        yield "End;"
        known = {bit.name for bit in self._automata.bits} - set(free)
        for number, bit in enumerate(free):
            asked = list(self._settled(conditions, known))
            for value in ("false", "true"):
                change = f"{self._bits[bit]} := {value}; chosen := {number + 1};"
                yield from _rule("begin", [f"chosen = {number}", f"{self._idle()}", *asked], [change])
            known.add(bit)
        asked = list(self._settled(conditions, known))
        yield from _rule("begin", [f"chosen = {len(free)}", f"{self._idle()}", *asked], self._entries())

    def _settled(self, conditions: list[Expression], known: set[str]) -> Iterator[str]:
        for condition in [condition for condition in conditions if support(condition) <= known]:
            conditions.remove(condition)
            yield self._text.before(condition)

    def _entries(self) -> Iterator[str]:
        for name, place in zip(self._at, initial_control(self._automata), strict=True):
            yield f"  {name} := {place};"

    # -- steps

    def _rules(self, step: Step) -> Iterator[str]:
        edge, at = step.move.edge, self._at[step.move.edge.thread]
        yield ""
        yield f"-- {description(self._automata, step.move.number, edge)}"
        guard = [
            f"{at} = {edge.source}",
            *self._control(edge),
            self._text.before(step.move.guard),
            *self._text.asked(step, 0),
        ]
        name = f"edge {step.move.number}"
        if edge.outcome is not Outcome.LOCATION:
            yield from _rule(name, guard, [f'error "{name}";'])
            return
        for number, update in enumerate(step.decided):
            there = next(self._fresh[edge.thread])
            go = f"{at} := {there}; held := true;"
            if update.fixed:
                yield from _rule("choose", guard, [f"n{number} := {self._text.before(update.true)}; {go}"])
            else:
                yield from _rule("choose", [*guard, self._text.before(update.true)], [f"n{number} := true; {go}"])
                yield from _rule("choose", [*guard, self._text.before(update.false)], [f"n{number} := false; {go}"])
            guard = [f"{at} = {there}", *self._text.asked(step, number + 1)]
        kept, changes = self._changes(step)
        yield from _rule(name, guard, changes, kept)

    def _changes(self, step: Step) -> tuple[list[str], list[str]]:
        """Values that have to be kept meanwhile, and all changes one after the other."""
        edge, values = step.move.edge, step.values()
        kept, order = in_order(values)
        changes = [f"s{number} := {self._text.before(values[bit])};" for number, bit in enumerate(kept)]
        changes += [f"{self._bits[bit]} := {self._text.before(values[bit])};" for bit in order]
        changes += [f"{self._bits[bit]} := s{number};" for number, bit in enumerate(kept)]
        for number, update in enumerate(step.decided):
            changes.append(f"{self._bits[update.bit]} := n{number}; n{number} := false;")
        changes.append(f"{self._at[edge.thread]} := {edge.target};")
        if edge.starts is not None:
            changes.append(f"{self._at[edge.starts]} := {self._automata.threads[edge.starts].entry};")
        for flag in self._flags:
            now = flag.after(self._automata, edge)
            if flag is self._held and step.decided:
                now = edge.target in flag.places.get(edge.thread, ())
            if now is not None:
                changes.append(f"{flag.name} := {self._constant(now)};")
        return [f"s{number}" for number in range(len(kept))], changes

    def _control(self, edge: Edge) -> Iterator[str]:
        """What has to be true of other threads."""
        if self._held and edge.source not in self._automata.threads[edge.thread].atomic:
            yield f"!{self._held.name}"
        if edge.starts is not None:
            yield f"{self._at[edge.starts]} < {FIRST}"
        for other in edge.busy:
            yield f"{self._at[other]} >= {FIRST}"

    def _constant(self, value: bool) -> str:
        return _SYNTAX.true if value else _SYNTAX.false

    def _idle(self) -> str:
        return " & ".join(f"{name} = {IDLE}" for name in self._at)


def _rule(name: str, guard: Iterable[str], changes: Iterable[str], kept: Iterable[str] = ()) -> Iterator[str]:
    variables = "".join(f" {variable}: boolean;" for variable in kept)
    yield f'Rule "{name}"'
    yield f"  {' & '.join(guard)} ==>{' Var' if variables else ''}{variables}"
    yield "Begin"
    yield from (f"  {change.strip()}" for change in changes)
    yield "End;"
