"""The cone of the property: automata without the threads and bits that no violation and no overflow depends on.

    P: assert(x);   Q: x := !y;   R: z := z ^ y;      becomes      P: assert(x);   Q: x := !y;

A thread matters if a violation or an overflow is in it, if it writes a bit that matters, or if a thread that matters
needs it to start or to be running. A bit matters if a thread that matters reads it where it decides something: in a
guard, in `constrain`, in the value of a bit that matters. A bit of an `enforce` always matters: it can forbid a step.

Verdicts stay: a thread that does not matter may as well stand still, and a bit that does not matter decides nothing.
"""

from dataclasses import dataclass, replace

from ebb.backend.automata.automaton import Automata, Edge, Outcome
from ebb.backend.automata.expressions import support


def cone(automata: Automata) -> Automata:
    """Threads keep their numbers; one that does not matter keeps its name and loses its edges."""
    if all(edge.outcome is Outcome.LOCATION for edge in automata.edges):
        idle = (replace(thread, edges=(), atomic=frozenset(), runs=False) for thread in automata.threads)
        return Automata((), tuple(idle), ())
    bits, threads = _what_matters(automata)
    kept = tuple(
        replace(thread, edges=tuple(_without(edge, bits) for edge in thread.edges))
        if number in threads
        else replace(thread, edges=(), atomic=frozenset(), runs=False)
        for number, thread in enumerate(automata.threads)
    )
    return Automata(tuple(bit for bit in automata.bits if bit.name in bits), kept, automata.constraints)


def _without(edge: Edge, bits: frozenset[str]) -> Edge:
    if bits.issuperset(edge.targets):
        return edge
    kept = [(target, value) for target, value in zip(edge.targets, edge.values, strict=True) if target in bits]
    return replace(edge, targets=tuple(target for target, _ in kept), values=tuple(value for _, value in kept))


@dataclass(frozen=True, slots=True)
class _Uses:
    """What an edge needs and what it gives."""

    edge: Edge
    decides: frozenset[str]
    values: dict[str, frozenset[str]]  # what the value of each target depends on


def _what_matters(automata: Automata) -> tuple[frozenset[str], frozenset[int]]:
    uses = [
        _Uses(
            edge,
            support(edge.guard, *((edge.constrain,) if edge.constrain is not None else ())),
            {target: support(value) for target, value in zip(edge.targets, edge.values, strict=True)},
        )
        for edge in automata.edges
    ]
    bits = {name for constraint in automata.constraints for name in support(constraint.condition)}
    threads = {use.edge.thread for use in uses if use.edge.outcome is not Outcome.LOCATION}
    threads |= {constraint.thread for constraint in automata.constraints if constraint.thread is not None}
    size = -1
    while size != len(bits) + len(threads):
        size = len(bits) + len(threads)
        for use in uses:
            edge = use.edge
            if edge.thread not in threads and (edge.starts in threads or not bits.isdisjoint(edge.targets)):
                threads.add(edge.thread)
            if edge.thread in threads:
                bits |= use.decides
                threads.update(edge.busy)
                for target in bits.intersection(edge.targets):
                    bits |= use.values[target]
    return frozenset(bits), frozenset(threads)
