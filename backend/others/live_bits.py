"""Which bits may be read before they are written, so that other bits need not have every value they could have.

A search that goes from state to state pays for each value of each bit. A bit that only one thread reads is dead where
that thread does not read it before it is written again; there it may as well be false:

    l := *;  x := l;  skip;       becomes       l := *;  x, l := l, F;  skip;
"""

from collections import defaultdict
from dataclasses import dataclass, replace

from ebb.backend.automata.automaton import ENDED, IDLE, Automata, Constraint, Outcome
from ebb.backend.automata.expressions import support
from ebb.backend.automata.steps import initial_control
from ebb.backend.others.moves import Move, forget
from ebb.formats import bp
from ebb.formats.bp import Expression


@dataclass(frozen=True, slots=True)
class Initial:
    """The bits that begin with any value, the others with false, and what holds of them."""

    free: tuple[str, ...]
    constraints: tuple[Expression, ...]


class LiveBits:
    def __init__(self, automata: Automata, moves: tuple[Move, ...]) -> None:
        self._automata = automata
        self._moves = moves
        self._started = {move.edge.starts for move in moves}
        self._owned = self._owners()
        self._live: list[dict[int, frozenset[str]]] = [defaultdict(frozenset) for _ in automata.threads]
        self._find()

    def _owners(self) -> dict[int, frozenset[str]]:
        """For each thread the bits that nobody else reads. Bits that nobody reads are everybody's."""
        readers: dict[str, set[int | None]] = {bit.name: set() for bit in self._automata.bits}
        for move in self._moves:
            for name in _reads(move) | _asked(move):
                readers[name].add(move.edge.thread)
        for constraint in self._automata.constraints:
            for name in support(constraint.condition):
                readers[name].add(constraint.thread)
        return {
            number: frozenset(name for name, threads in readers.items() if threads <= {number})
            for number in range(len(self._automata.threads))
        }

    def _find(self) -> None:
        """What may be read from a location on, by the thread there or by one that it starts, before that is written."""
        for constraint in self._automata.constraints:
            if constraint.thread is not None:
                for location in constraint.locations:
                    self._live[constraint.thread][location] |= support(constraint.condition)
        changed = True
        while changed:
            changed = False
            for move in reversed(self._moves):
                live, source = self._live[move.edge.thread], move.edge.source
                found = live[source] | _reads(move) | (self._after(move) - {update.bit for update in move.updates})
                changed |= found != live[source]
                live[source] = found
            for number, thread in enumerate(self._automata.threads):
                live = self._live[number]
                for resting in (IDLE, ENDED) if number in self._started else ():
                    changed |= not live[thread.entry] <= live[resting]
                    live[resting] |= live[thread.entry]

    def _after(self, move: Move) -> frozenset[str]:
        edge = move.edge
        if edge.outcome is not Outcome.LOCATION:
            return frozenset()
        found = self._live[edge.thread][edge.target]
        return found if edge.starts is None else found | self._live[edge.starts][self._entry(edge.starts)]

    def _entry(self, thread: int) -> int:
        return self._automata.threads[thread].entry

    def forgetting(self) -> tuple[Move, ...]:
        """The moves, where bits that are dead afterwards become false."""
        return tuple(self._forgetting(move) for move in self._moves)

    def _forgetting(self, move: Move) -> Move:
        edge = move.edge
        if edge.outcome is not Outcome.LOCATION:
            return move
        written = {update.bit for update in move.updates}
        dead = (written | self._live[edge.thread][edge.source]) & self._owned[edge.thread]
        dead -= self._live[edge.thread][edge.target]
        if edge.starts is not None:
            dead |= (written & self._owned[edge.starts]) - self._live[edge.starts][self._entry(edge.starts)]
        dead -= _asked(move)
        kept = [forget(update.bit) if update.bit in dead else update for update in move.updates]
        reset = [forget(bit.name) for bit in self._automata.bits if bit.name in dead - written]
        return replace(move, updates=(*kept, *reset))

    def initial(self) -> Initial:
        automata, control = self._automata, initial_control(self._automata)
        in_force = [
            constraint
            for constraint in automata.constraints
            if constraint.thread is None or control[constraint.thread] in constraint.locations
        ]
        live = {name for number, location in enumerate(control) for name in self._live[number][location]}
        live |= support(*(constraint.condition for constraint in in_force))
        settled = self._settled_at_once(control, in_force)
        return Initial(
            tuple(bit.name for bit in automata.bits if bit.name in live - settled),
            tuple(c.condition for c in in_force if settled.isdisjoint(support(c.condition))),
        )

    def _settled_at_once(self, control: tuple[int, ...], in_force: list[Constraint]) -> frozenset[str]:
        """The bits that every first step writes and none reads.

        If all that is now asked of such a bit is asked after the step as well, of the same bits or of bits that the
        step leaves alone, then there is a state before the step: the bit has the value that it has afterwards.
        """
        first = [move for move in self._moves if control[move.edge.thread] == move.edge.source]
        if not first:
            return frozenset()
        written = [frozenset(update.bit for update in move.updates) for move in first]
        settled = frozenset.intersection(*written) - frozenset().union(*map(_reads, first))
        while True:
            asked = {
                name
                for constraint in in_force
                for move, bits in zip(first, written, strict=True)
                if not (support(constraint.condition) & bits <= settled and self._still_in_force(constraint, move))
                for name in support(constraint.condition)
            }
            if settled.isdisjoint(asked):
                return settled
            settled -= asked

    def _still_in_force(self, constraint: Constraint, move: Move) -> bool:
        edge = move.edge
        return constraint.thread != edge.thread or edge.target in constraint.locations


def _reads(move: Move) -> frozenset[str]:
    """The bits whose values before the step matter to it."""
    values = (expression for update in move.updates for expression in (update.true, update.false))
    before, later = _mentioned(move.constrain)
    return support(move.guard, *values) | before | (later - {update.bit for update in move.updates})


def _asked(move: Move) -> frozenset[str]:
    """The bits whose values after the step matter to it."""
    return _mentioned(move.constrain)[1]


def _mentioned(constrain: Expression) -> tuple[frozenset[str], frozenset[str]]:
    """Bits before and after the step."""
    before, later = set(), set()
    work = [constrain]
    while work:
        match work.pop():
            case bp.Variable(name):
                before.add(name)
            case bp.Next(name):
                later.add(name)
            case other:
                work.extend(bp.parts(other))
    return frozenset(before), frozenset(later)
