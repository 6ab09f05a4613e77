"""A program in the language of NuSMV: an input says which edge happens, and every variable says what it then becomes.

    next(v_b) := case edge = 7 : !v_y;  edge = 9 : {TRUE, FALSE};  TRUE : v_b;  esac;
    TRANS edge = 7 -> at_P0 = 3 & v_x;

The last value of `edge` is that nothing happens, so every state has a successor. An edge to the outcome in question
makes `reached` true.
"""

from collections import defaultdict
from collections.abc import Iterator

from ebb.backend.automata.automaton import FIRST, IDLE, Automata, Edge, Outcome
from ebb.backend.automata.order import by_thread
from ebb.backend.automata.steps import initial_control
from ebb.backend.others.expression_text import Syntax, show
from ebb.backend.others.moves import Move, Update, after, checks, moves
from ebb.backend.others.names import bit_names, description, identifiers, meaning, plain_text
from ebb.formats import bp
from ebb.formats.bp import Expression

_SYNTAX = Syntax("TRUE", "FALSE", "&", "|", "xor", ("?", ":"))


def export(automata: Automata, goal: Outcome) -> str:
    return "".join(f"{line}\n" for line in _Model(automata, goal).lines())


class _Model:
    def __init__(self, automata: Automata, goal: Outcome) -> None:
        self._automata = automata
        self._goal = goal
        self._moves = moves(automata, goal)
        self._bits = bit_names(automata)
        names = identifiers((thread.name for thread in automata.threads), "at_")
        self._at = tuple(names[thread.name] for thread in automata.threads)
        self._nothing = len(automata.edges)

    def lines(self) -> Iterator[str]:
        yield f"-- A Boolean program for NuSMV. Does it reach an edge with the outcome {self._goal.value}?"
        yield "MODULE main"
        yield "IVAR"
        yield f"  edge : 0..{self._nothing};  -- {self._nothing}: nothing happens"
        yield "VAR"
        yield from self._variables()
        yield "  reached : boolean;"
        yield "DEFINE"
        for number, thread in enumerate(self._automata.threads):
            yield f"  alone_{number} := {_among(self._at[number], thread.atomic)};  -- in an atomic block"
        yield from self._initially()
        yield from self._changes()
        for move in self._moves:
            yield f"-- {description(self._automata, move.number, move.edge)}"
            yield f"TRANS edge = {move.number} -> {' & '.join(self._conditions(move))};"
        for number in sorted({*range(self._nothing)} - {move.number for move in self._moves}):
            yield f"TRANS edge != {number};"
        yield "INVARSPEC !reached;"

    def _variables(self) -> Iterator[str]:
        """Those of a thread beside each other, which makes for small diagrams."""
        bits = {bit.name: bit for bit in self._automata.bits}
        for owner, names in by_thread(self._automata).items():
            if owner is not None:
                thread = self._automata.threads[owner]
                yield f"  {self._at[owner]} : {IDLE}..{thread.locations - 1};  -- where {plain_text(thread.name)} is"
            for name in names:
                yield f"  {self._bits[name]} : boolean;  -- {meaning(bits[name])}"

    def _initially(self) -> Iterator[str]:
        control = initial_control(self._automata)
        for name, place in zip(self._at, control, strict=True):
            yield f"INIT {name} = {place};"
        yield "INIT !reached;"
        for constraint in self._automata.constraints:
            if constraint.thread is None or control[constraint.thread] in constraint.locations:
                yield f"INIT {self._text(constraint.condition)};"

    def _changes(self) -> Iterator[str]:
        """What becomes of each variable, by the edge."""
        cases: dict[str, list[str]] = defaultdict(list)
        for move in self._moves:
            edge, when = move.edge, f"edge = {move.number}"
            if edge.outcome is not Outcome.LOCATION:
                cases["reached"].append(f"{when} : TRUE;")
                continue
            cases[self._at[edge.thread]].append(f"{when} : {edge.target};")
            if edge.starts is not None:
                cases[self._at[edge.starts]].append(f"{when} : {self._automata.threads[edge.starts].entry};")
            for update in move.updates:
                cases[self._bits[update.bit]].append(f"{when} : {self._value(update)};")
        yield "ASSIGN"
        for name in (*self._at, *self._bits.values(), "reached"):
            if cases[name]:
                yield f"  next({name}) := case"
                yield from (f"    {case}" for case in cases[name])
                yield f"    TRUE : {name};"
                yield "  esac;"
            else:
                yield f"  next({name}) := {name};"

    def _value(self, update: Update) -> str:
        if update.fixed:
            return self._text(update.true)
        can_be, cannot = self._text(update.true), self._text(update.false)
        if update.true == update.false == bp.TRUE:
            return "{TRUE, FALSE}"
        return f"case !{cannot} : TRUE; !{can_be} : FALSE; TRUE : {{TRUE, FALSE}}; esac"

    def _conditions(self, move: Move) -> Iterator[str]:
        edge = move.edge
        yield f"{self._at[edge.thread]} = {edge.source}"
        yield from self._control(edge)
        if move.guard != bp.TRUE:
            yield self._text(move.guard)
        if move.constrain != bp.TRUE:
            yield self._text(move.constrain)
        for constraint in checks(self._automata, move):
            condition = self._text(after(constraint.condition))
            if constraint.thread is None:
                yield condition
            else:
                yield f"({_among(f'next({self._at[constraint.thread]})', constraint.locations)} -> {condition})"

    def _control(self, edge: Edge) -> Iterator[str]:
        """What has to be true of other threads."""
        for number, thread in enumerate(self._automata.threads):
            if number != edge.thread and thread.atomic:
                yield f"!alone_{number}"
        if edge.starts is not None:
            yield f"{self._at[edge.starts]} < {FIRST}"
        for other in edge.busy:
            yield f"{self._at[other]} >= {FIRST}"

    def _text(self, expression: Expression) -> str:
        return show(expression, _SYNTAX, self._bits.__getitem__, lambda bit: f"next({self._bits[bit]})")


def _among(name: str, places: frozenset[int]) -> str:
    return f"({name} in {{{', '.join(map(str, sorted(places)))}}})" if places else "FALSE"
