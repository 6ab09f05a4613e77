"""The engine `cubes`: explicit control and three-valued data, in Python alone.

Breadth-first, one step a layer. Cubes of a layer that differ in one bit are merged; a cube inside one that was there
before is not looked at again.
"""

from dataclasses import dataclass

from ebb.backend.automata.automaton import Automata, Edge, Outcome
from ebb.backend.automata.runs import plan
from ebb.backend.checker.answer import Answer, stopped, without_violation
from ebb.backend.checker.cube_steps import Bits, CubeStep
from ebb.backend.checker.cube_values import Cube
from ebb.backend.checker.limits import LimitReached, Limits, Meter, Progress, Splits, TooManySplits
from ebb.backend.checker.search_nodes import Node, Nodes

_SPLITS_A_STATE = 20  # that a limit on states allows


def check(automata: Automata, limits: Limits, progress: Progress | None = None) -> Answer:
    splits = None if limits.states is None else _SPLITS_A_STATE * limits.states
    search = _Search(automata, Meter(limits, progress), Splits(splits))
    try:
        return search.run()
    except TooManySplits:
        return stopped(f"more than {limits.states} states (--max-states)", search.overflow, search.counts())
    except LimitReached as limit:
        return stopped(limit.reason, search.overflow, search.counts())


@dataclass(frozen=True, slots=True)
class _Record:
    """A cube and where it comes from: a cube before and a step, or two cubes that were merged."""

    cube: Cube
    node: Node
    parent: "_Record | None" = None
    step: CubeStep | None = None
    merged: "tuple[_Record, _Record] | None" = None


class _Cover:
    """The cubes of one node, merged as far as they go."""

    __slots__ = ("_by_known",)

    def __init__(self) -> None:
        self._by_known: dict[int, dict[int, _Record]] = {}

    def covers(self, cube: Cube) -> bool:
        known, true = cube
        return any(not mask & ~known and true & mask in cubes for mask, cubes in self._by_known.items())

    def add(self, record: _Record) -> None:
        while True:
            known, true = record.cube
            cubes = self._by_known.setdefault(known, {})
            rest = known
            while rest:
                bit = rest & -rest
                rest ^= bit
                partner = cubes.pop(true ^ bit, None)
                if partner is not None:
                    cube = (known ^ bit, true & ~bit)
                    record = _Record(cube, record.node, merged=(record, partner))
                    break
            else:
                cubes[true] = record
                return

    def records(self) -> list[_Record]:
        return [record for cubes in self._by_known.values() for record in cubes.values()]


class _Search:
    def __init__(self, automata: Automata, meter: Meter, splits: Splits) -> None:
        self._meter = meter
        self._plan = plan(automata)
        self._nodes = Nodes(self._plan)
        self._bits = Bits(automata, splits)
        self._steps = [CubeStep(self._bits, move) for move in self._plan.all_moves()]
        self._reached: dict[Node, _Cover] = {}
        self._layers = 0
        self.overflow: Edge | None = None

    def counts(self) -> dict[str, int]:
        return {"states": self._meter.states, "nodes": len(self._reached), "layers": self._layers}

    def run(self) -> Answer:
        first = self._nodes.first()
        frontier = [_Record((0, 0), first)] if self._bits.some_state((0, 0), first[0]) is not None else []
        self._reached = {first: _Cover()}
        for record in frontier:
            self._reached[first].add(record)
        while frontier:
            self._layers += 1
            found: dict[Node, _Cover] = {}
            for record in frontier:
                violation = self._expand(record, found)
                if violation is not None:
                    return Answer("unsafe", edges=tuple(edge.number for edge in violation), counts=self.counts())
            frontier = []
            for node, cover in found.items():
                reached = self._reached.setdefault(node, _Cover())
                for record in cover.records():
                    if not reached.covers(record.cube):
                        self._meter.count(len(found))
                        reached.add(record)
                        frontier.append(record)
        return without_violation(self.overflow, self.counts())

    def _expand(self, record: _Record, found: dict[Node, _Cover]) -> tuple[Edge, ...] | None:
        """Add the successors to `found`; the edges to a violation if there is one."""
        node = record.node
        for move, after in self._nodes.moves(node):
            step = self._steps[move.index]
            if move.edge.outcome is not Outcome.LOCATION:
                state = self._bits.some_state(record.cube, node[0], (step.guard,))
                if state is None:
                    continue
                if move.edge.outcome is Outcome.VIOLATION:
                    return (*_edges_to(record, state), move.edge)
                self.overflow = self.overflow or move.edge
            elif not self._nodes.is_dead_end(after):
                for cube in step.successors(record.cube, node[0], after[0]):
                    known = self._reached.get(after)
                    if known is not None and known.covers(cube):
                        continue
                    cover = found.setdefault(after, _Cover())
                    if not cover.covers(cube):
                        cover.add(_Record(cube, after, record, step))
        return None


def _edges_to(record: _Record, state: int) -> list[Edge]:
    """The edges of a run that ends in the state, backwards through the records."""
    edges: list[Edge] = []
    while True:
        if record.merged is not None:
            record = next(part for part in record.merged if not (part.cube[1] ^ state) & part.cube[0])
        elif record.step is None or record.parent is None:
            return edges[::-1]
        else:
            earlier = record.step.predecessor(record.parent.cube, record.parent.node[0], state)
            assert earlier is not None, "a state without a predecessor in the cube it comes from"
            edges.append(record.step.move.edge)
            record, state = record.parent, earlier
