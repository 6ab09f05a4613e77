"""An order of the bits in which diagrams stay small: what belongs together stands together.

Bits belong together if a condition or a value depends on them, if one of them is assigned under a condition on the
others, and most of all if a constraint ties them; the fewer they are, the more. There are three orders to begin with:
that of the declarations; first the bits that several threads write, then those of each thread, that is, which it writes
more often than all others together; and the order of Cuthill and McKee (1969), in which the neighbours of a bit follow
it, the least connected first. From each of them FORCE (Aloul, Markov and Sakallah, 2003) moves every bit to the centre
of gravity of the groups it belongs to, again and again. Of all orders on the way the one is taken in which groups are
the least spread out.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence

from ebb.backend.automata.automaton import Automata
from ebb.backend.automata.expressions import support

_PATIENCE = 8  # rounds without success
_CONSTRAINT = 4  # a constraint ties its bits in every state, and not at one statement

_Groups = dict[tuple[str, ...], float]


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
    groups = _groups(automata)
    declared = [bit.name for bit in automata.bits]
    threads = [name for group in by_thread(automata).values() for name in group]
    beginnings = (declared, threads, _cuthill_mckee(declared, groups))
    return min((_force(names, groups) for names in beginnings), key=lambda names: _spread(names, groups))


def _groups(automata: Automata) -> _Groups:
    """The bits that belong together, and how much."""
    weights: dict[tuple[str, ...], float] = defaultdict(float)
    known = {bit.name for bit in automata.bits}

    def add(names: frozenset[str], weight: int) -> None:
        group = tuple(sorted(names & known))
        if len(group) > 1:
            weights[group] += weight / (len(group) - 1)

    for constraint in automata.constraints:
        add(support(constraint.condition), _CONSTRAINT)
    for edge in automata.edges:
        condition = support(edge.guard)
        add(condition | support(*((edge.constrain,) if edge.constrain is not None else ())), 1)
        for target, value in zip(edge.targets, edge.values, strict=True):
            add(support(value) | {target}, 1)
            add(condition | {target}, 1)
    return dict(sorted(weights.items()))


def _cuthill_mckee(names: Sequence[str], groups: _Groups) -> list[str]:
    neighbours: dict[str, set[str]] = {name: set() for name in names}
    for group in groups:
        for name in group:
            neighbours[name].update(group)
    found: dict[str, None] = {}
    for start in sorted(names, key=lambda name: len(neighbours[name])):
        waiting = deque([start] if start not in found else [])
        while waiting:
            name = waiting.popleft()
            if name not in found:
                found[name] = None
                waiting.extend(
                    sorted(neighbours[name] - found.keys(), key=lambda other: (len(neighbours[other]), other))
                )
    return list(found)


def _force(names: Sequence[str], groups: _Groups) -> list[str]:
    order = list(names)
    best, best_spread = order, _spread(order, groups)
    failures = 0
    while failures < _PATIENCE:
        place = {name: number for number, name in enumerate(order)}
        pull, weights = dict.fromkeys(order, 0.0), dict.fromkeys(order, 0.0)
        for group, weight in groups.items():
            centre = sum(place[name] for name in group) / len(group)
            for name in group:
                pull[name] += weight * centre
                weights[name] += weight
        centres = {name: pull[name] / weights[name] if weights[name] else place[name] for name in order}
        order = sorted(order, key=centres.__getitem__)
        spread = _spread(order, groups)
        failures += 1
        if spread < best_spread:
            best, best_spread, failures = order, spread, 0
    return best


def _spread(order: Sequence[str], groups: _Groups) -> float:
    place = {name: number for number, name in enumerate(order)}
    return sum(
        weight * (max(place[name] for name in group) - min(place[name] for name in group))
        for group, weight in groups.items()
    )
