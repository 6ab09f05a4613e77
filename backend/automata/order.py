"""An order of the bits in which diagrams stay small: what belongs together stands together.

First come the bits that several threads write, then those of each thread, that is, which it writes more often than all
others together. From there FORCE (Aloul, Markov and Sakallah, 2003) moves every bit to the centre of gravity of the
statements it occurs in, again and again, as long as the distances within statements shrink.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.expressions import support

_ROUNDS = 30


def by_thread(automata: Automata) -> dict[int | None, list[str]]:
    """The bits that several threads write (None), and those of each thread."""
    writes: dict[str, Counter[int]] = defaultdict(Counter)
    for edge in automata.edges:
        for target in edge.targets:
            writes[target][edge.thread] += 1
    groups: dict[int | None, list[str]] = {None: []}
    groups |= {number: [] for number in range(len(automata.threads))}
    for bit in automata.bits:
        owner = bit.thread
        if owner is None and writes[bit.name]:
            thread, number = writes[bit.name].most_common(1)[0]
            owner = thread if 2 * number > writes[bit.name].total() else None
        groups[owner].append(bit.name)
    return groups


def order(automata: Automata) -> list[str]:
    names = [name for group in by_thread(automata).values() for name in group]
    return _force(names, _statements(automata))


def _statements(automata: Automata) -> list[frozenset[str]]:
    groups = [support(constraint.condition) for constraint in automata.constraints]
    for edge in automata.edges:
        constrain = (edge.constrain,) if edge.constrain is not None else ()
        for target, value in zip(edge.targets, edge.values, strict=True):
            groups.append(support(value) | {target})
        groups.append(support(edge.guard, *constrain))
    known = {bit.name for bit in automata.bits}
    return [group & known for group in groups if len(group & known) > 1]


def _force(names: Sequence[str], groups: Iterable[frozenset[str]]) -> list[str]:
    """The names in an order in which the members of each group are near each other."""
    wanted = [sorted(group) for group in sorted(set(groups), key=sorted)]
    order = list(names)
    best, best_span = order, _span(order, wanted)
    for _ in range(_ROUNDS):
        place = {name: float(number) for number, name in enumerate(order)}
        pull: dict[str, list[float]] = {name: [] for name in order}
        for group in wanted:
            centre = sum(place[name] for name in group) / len(group)
            for name in group:
                pull[name].append(centre)
        order = sorted(order, key=lambda name: sum(pull[name]) / len(pull[name]) if pull[name] else place[name])
        span = _span(order, wanted)
        if span >= best_span:
            break
        best, best_span = order, span
    return best


def _span(order: Sequence[str], groups: Sequence[Sequence[str]]) -> int:
    place = {name: number for number, name in enumerate(order)}
    return sum(max(place[name] for name in group) - min(place[name] for name in group) for group in groups)
