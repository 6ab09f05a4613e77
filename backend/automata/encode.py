"""Control as data: the same behaviour as automata with one location, where bits say where each thread is.

    P0 at 3: x := y, on to 4      becomes      [pc0 = 3 & nobody else is alone]   x, pc0, alone := y, 4, nobody

A search with explicit control visits every combination of locations; many threads have too many of them. Over bits,
combinations that differ only where it does not matter share one diagram.
"""

from collections.abc import Iterator

from ebb.backend.automata.automaton import ENDED, FIRST, IDLE, Automata, Bit, Constraint, Edge, Outcome, Thread
from ebb.backend.automata.expressions import conjunction, disjunction, negation
from ebb.backend.automata.runs import Move, Plan
from ebb.formats import bp
from ebb.formats.bp import Expression

_HERE = FIRST  # the one location


class Encoding:
    """`automata` has an edge for each move of the plan, in the same order."""

    def __init__(self, plan: Plan) -> None:
        threads = plan.automata.threads
        self._pc = [_Number(f"pc.{number}", thread.locations) for number, thread in enumerate(threads)]
        self._alone = _Number("alone", len(threads) + 1)  # nobody is 0
        self._plan = plan
        bits = tuple(Bit(name, "", None) for number in (*self._pc, self._alone) for name in number.bits)
        edges = tuple(self._edge(move) for move in plan.all_moves())
        start = tuple(self._start())
        constraints = tuple(self._constraint(constraint) for constraint in plan.automata.constraints)
        thread = Thread("all", "", _HERE, _HERE + 1, (*edges,), frozenset(), {}, True)
        self.automata = Automata((*bits, *plan.automata.bits), (thread,), constraints)
        self.initially = conjunction(start)

    def _start(self) -> Iterator[Expression]:
        for pc, thread in zip(self._pc, self._plan.automata.threads, strict=True):
            yield pc.equals(thread.entry if thread.runs else IDLE)
        yield self._alone.equals(0)

    def _edge(self, move: Move) -> Edge:
        edge = move.edge
        guards = [self._pc[edge.thread].equals(edge.source), self._may_move(edge.thread)]
        if edge.starts is not None:
            guards.append(self._not_running(edge.starts))
        guards += [negation(self._not_running(other)) for other in edge.busy]
        given = dict(zip(edge.targets, edge.values, strict=True))
        if edge.outcome is Outcome.LOCATION:
            given |= dict.fromkeys(move.forgets, bp.Nondet())
            given |= self._pc[edge.thread].becomes(edge.target)
            given |= self._alone.becomes(edge.thread + 1 if move.goes_on else 0)
            if edge.starts is not None:
                given |= self._pc[edge.starts].becomes(self._plan.automata.threads[edge.starts].entry)
        return Edge(
            0,
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

    def _may_move(self, thread: int) -> Expression:
        return disjunction((self._alone.equals(0), self._alone.equals(thread + 1)))

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
