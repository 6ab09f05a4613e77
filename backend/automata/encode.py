"""Control as data: the same behaviour with one location for each thread, where bits say how far it is.

    P0 at 3: x := y, on to 4         becomes         P0: [pc0 = 3]  x, pc0 := y, 4

A search with explicit control visits every combination of locations, and many threads have too many of them. Over
bits, combinations that differ only where it does not matter share one diagram. Which thread goes on alone is still
for the search to know.
"""

from collections.abc import Iterator
from dataclasses import replace

from ebb.backend.automata.automaton import ENDED, FIRST, IDLE, Automata, Bit, Constraint, Edge, Outcome, Thread
from ebb.backend.automata.expressions import conjunction, disjunction, negation
from ebb.backend.automata.order import by_thread
from ebb.backend.automata.runs import Move, Plan
from ebb.formats import bp
from ebb.formats.bp import Expression

_HERE = FIRST  # the one location


def encode(plan: Plan) -> Plan:
    """The bits of a location stand before the first bit that its thread alone writes."""
    return _Encoding(plan).plan()


class _Encoding:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._threads = plan.automata.threads
        self._pc = [_Number(f"pc.{number}", thread.locations) for number, thread in enumerate(self._threads)]

    def plan(self) -> Plan:
        moves = [self._move(move) for move in self._plan.all_moves()]
        by_number: list[list[Move]] = [[] for _ in self._threads]
        for move in moves:
            by_number[move.edge.thread].append(move)
        threads = tuple(
            Thread(thread.name, thread.function, _HERE, _HERE + 1, tuple(m.edge for m in own), frozenset(), {}, True)
            for thread, own in zip(self._threads, by_number, strict=True)
        )
        constraints = tuple(self._constraint(constraint) for constraint in self._plan.automata.constraints)
        initially = conjunction((self._plan.automata.initially, *self._start()))
        automata = Automata(tuple(self._bits()), threads, constraints, initially)
        return Plan(automata, tuple({_HERE: tuple(own)} if own else {} for own in by_number))

    def _bits(self) -> Iterator[Bit]:
        first = {
            names[0]: owner for owner, names in by_thread(self._plan.automata).items() if owner is not None and names
        }
        for number, pc in enumerate(self._pc):
            if number not in first.values():
                yield from (Bit(name, "", number) for name in pc.bits)
        for bit in self._plan.automata.bits:
            if bit.name in first:
                yield from (Bit(name, "", first[bit.name]) for name in self._pc[first[bit.name]].bits)
            yield bit

    def _start(self) -> Iterator[Expression]:
        for pc, thread in zip(self._pc, self._threads, strict=True):
            yield pc.equals(thread.entry if thread.runs else IDLE)

    def _move(self, move: Move) -> Move:
        edge = move.edge
        guards = [self._pc[edge.thread].equals(edge.source)]
        if edge.starts is not None:
            guards.append(self._not_running(edge.starts))
        guards += [negation(self._not_running(other)) for other in edge.busy]
        given = dict(zip(edge.targets, edge.values, strict=True))
        if edge.outcome is Outcome.LOCATION:
            given |= self._pc[edge.thread].becomes(edge.target)
            if edge.starts is not None:
                given |= self._pc[edge.starts].becomes(self._threads[edge.starts].entry)
        encoded = Edge(
            edge.thread,
            _HERE,
            _HERE,
            edge.statement,
            conjunction((*guards, edge.guard)),
            tuple(given),
            tuple(given.values()),
            edge.constrain,
            edge.outcome,
            reason=edge.reason,
            number=edge.number,
        )
        return replace(move, edge=encoded, constraints=tuple(map(self._constraint, move.constraints)))

    def _not_running(self, thread: int) -> Expression:
        return disjunction((self._pc[thread].equals(IDLE), self._pc[thread].equals(ENDED)))

    def _constraint(self, constraint: Constraint) -> Constraint:
        if constraint.thread is None:
            return constraint
        pc = self._pc[constraint.thread]
        elsewhere = conjunction(negation(pc.equals(location)) for location in sorted(constraint.locations))
        return Constraint(disjunction((elsewhere, constraint.condition)))


class _Number:
    """A number from 0 to below a limit, in bits."""

    def __init__(self, name: str, limit: int) -> None:
        self.bits = [f"{name}.{place}" for place in range(max(1, (limit - 1).bit_length()))]

    def equals(self, value: int) -> Expression:
        return conjunction(
            bp.Variable(name) if value >> place & 1 else bp.Not(bp.Variable(name))
            for place, name in enumerate(self.bits)
        )

    def becomes(self, value: int) -> dict[str, Expression]:
        return {name: bp.TRUE if value >> place & 1 else bp.FALSE for place, name in enumerate(self.bits)}
