"""Runs that need no interleaving, and bits that can be forgotten.

A step is private if it touches only what no other thread touches. Private steps commute with the steps of all other
threads, so a thread need take them only right before its next step that is not private: once it has begun, it goes on
alone. A thread that is never to do anything but private steps need not take them. So a run becomes one that is no
longer, with the same violation at its end: shortest counterexamples stay shortest.

    Q: l := !l;  m := l;  x := m;       two places to interleave, before the first and after the last assignment

A private bit is dead where it is not read before it is written again. What a dead bit holds does not matter.
"""

from collections import defaultdict
from dataclasses import dataclass

from ebb.backend.automata.automaton import ENDED, Automata, Constraint, Edge, Outcome, Thread
from ebb.backend.automata.expressions import support


@dataclass(frozen=True, slots=True)
class Move:
    """An edge, and what it means for a search."""

    edge: Edge
    index: int  # in `Automata.edges`
    goes_on: bool  # its thread goes on alone
    forgets: tuple[str, ...]  # bits that are dead from here on
    constraints: tuple[Constraint, ...]  # those that its targets or its new location can violate


@dataclass(frozen=True, slots=True)
class Plan:
    """The moves of each thread at each location."""

    automata: Automata
    moves: tuple[dict[int, tuple[Move, ...]], ...]

    def all_moves(self) -> list[Move]:
        """In the order of the edges."""
        found = (move for by_location in self.moves for moves in by_location.values() for move in moves)
        return sorted(found, key=lambda move: move.index)


def plan(automata: Automata) -> Plan:
    coupled = _Coupling(automata)
    relevant = [coupled.constraints(edge) for edge in automata.edges]
    touched = [
        _touched(edge, (*found, *coupled.left(edge))) for edge, found in zip(automata.edges, relevant, strict=True)
    ]
    users: dict[str, set[int]] = defaultdict(set)
    for edge, names in zip(automata.edges, touched, strict=True):
        given = {name for name in edge.targets if edge.starts is not None and _belongs(automata, name, edge.starts)}
        for name in names - given:
            users[name].add(edge.thread)
    pooled = _pooled(automata)
    moves: list[dict[int, tuple[Move, ...]]] = []
    index = 0
    for number, thread in enumerate(automata.threads):
        own = frozenset(name for name, threads in users.items() if threads == {number})
        forgettable = own - coupled.names
        if number in pooled:  # started again, it finds globals as it left them
            forgettable &= {bit.name for bit in automata.bits if bit.thread == number}
        live = _live(thread, forgettable)
        at: dict[int, list[Move]] = defaultdict(list)
        for edge in thread.edges:
            private = (
                touched[index] <= own
                and edge.starts is None
                and edge.source not in thread.atomic
                and not (edge.target == ENDED and number in pooled)
            )
            forgets = (live[edge.source] | forgettable.intersection(edge.targets)) - live[edge.target]
            goes_on = edge.outcome is Outcome.LOCATION and (private or edge.target in thread.atomic)
            at[edge.source].append(Move(edge, index, goes_on, tuple(sorted(forgets)), relevant[index]))
            index += 1
        moves.append({location: tuple(found) for location, found in at.items()})
    return Plan(automata, tuple(moves))


def plain_moves(automata: Automata) -> list[Move]:
    """The moves where threads interleave everywhere and nothing is forgotten."""
    coupled = _Coupling(automata)
    return [Move(edge, index, False, (), coupled.constraints(edge)) for index, edge in enumerate(automata.edges)]


class _Coupling:
    """Which constraints a step can violate."""

    def __init__(self, automata: Automata) -> None:
        self._all = automata.constraints
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._by_thread: dict[int, list[int]] = defaultdict(list)
        for number, constraint in enumerate(automata.constraints):
            for name in support(constraint.condition):
                self._by_name[name].append(number)
            if constraint.thread is not None:
                self._by_thread[constraint.thread].append(number)
        self.names = frozenset(self._by_name)

    def constraints(self, edge: Edge) -> tuple[Constraint, ...]:
        """Those about its targets, and those that begin to be in force."""
        found = {number for name in edge.targets for number in self._by_name.get(name, ())}
        for number in self._by_thread.get(edge.thread, ()):
            locations = self._all[number].locations
            if edge.target in locations and edge.source not in locations:
                found.add(number)
        if edge.starts is not None:
            found.update(self._by_thread.get(edge.starts, ()))
        return tuple(self._all[number] for number in sorted(found))

    def left(self, edge: Edge) -> tuple[Constraint, ...]:
        """Those that are no longer in force after it: others can then do what they forbade."""
        found = (self._all[number] for number in self._by_thread.get(edge.thread, ()))
        return tuple(c for c in found if edge.source in c.locations and edge.target not in c.locations)


def _belongs(automata: Automata, name: str, thread: int) -> bool:
    return name.startswith(f"{automata.threads[thread].name}.")


def _pooled(automata: Automata) -> frozenset[int]:
    """The threads of which it matters to others whether they have ended."""
    starters: dict[int, int] = defaultdict(int)
    for edge in automata.edges:
        if edge.starts is not None:
            starters[edge.starts] += 1
    watched = {thread for edge in automata.edges for thread in edge.busy}
    return frozenset(watched | {thread for thread, number in starters.items() if number > 1})


def _touched(edge: Edge, constraints: tuple[Constraint, ...]) -> frozenset[str]:
    constrain = (edge.constrain,) if edge.constrain is not None else ()
    conditions = (constraint.condition for constraint in constraints)
    return support(edge.guard, *edge.values, *constrain, *conditions) | frozenset(edge.targets)


def _live(thread: Thread, forgettable: frozenset[str]) -> dict[int, frozenset[str]]:
    """At each location the forgettable bits that may be read before they are written."""
    live: dict[int, frozenset[str]] = defaultdict(frozenset)
    reads = [
        forgettable & support(edge.guard, *edge.values, *((edge.constrain,) if edge.constrain is not None else ()))
        for edge in thread.edges
    ]
    changed = True
    while changed:
        changed = False
        for edge, read in zip(reversed(thread.edges), reversed(reads), strict=True):
            after = frozenset() if edge.outcome is not Outcome.LOCATION else live[edge.target]
            found = live[edge.source] | read | (after - frozenset(edge.targets))
            if found != live[edge.source]:
                live[edge.source] = found
                changed = True
    return live
