"""From a Boolean program to its automata: which threads there are, and an automaton for each.

A `start_thread` that is executed at most once has a thread to itself. One in a loop, or in a thread of which there is
no telling how often it is started, takes the first thread of a pool that is not running; where the whole pool is
running, the step is an overflow: what happens with more threads is then unknown.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeVar

from ebb.backend.automata.automaton import (
    ENDED,
    FIRST,
    Automata,
    Bit,
    Constraint,
    Edge,
    Outcome,
    Thread,
)
from ebb.backend.automata.expressions import conjuncts, renamed, support
from ebb.backend.automata.inline import END, LOCAL, Arc, Flow, StartSite, flow, local_name, local_variables
from ebb.formats import bp
from ebb.formats.bp import Expression
from ebb.formats.bp_check import entries
from ebb.formats.errors import InputError

THREAD_BOUND = 5  # threads in a pool
MOST_THREADS = 100
_DEEPEST_ATOMIC = 16

_Entry = tuple[str, str | None]  # the function and the label at which a thread begins


def build(program: bp.Program, thread_bound: int = THREAD_BOUND) -> Automata:
    return _Build(program, thread_bound).automata()


@dataclass(slots=True)
class _Instance:
    """A thread that can come to be."""

    number: int
    entry: _Entry
    runs: bool
    name: str = ""


class _Build:
    def __init__(self, program: bp.Program, thread_bound: int) -> None:
        self._program = program
        self._bound = thread_bound
        self._functions = {function.name: function for function in program.functions}
        self._flows: dict[_Entry, Flow] = {}
        self._instances: list[_Instance] = []
        self._pools: dict[_Entry, tuple[int, ...]] = {}
        self._own: dict[tuple[int, int], int] = {}  # the thread that an arc of a thread starts, both by number

    def automata(self) -> Automata:
        repeated = self._repeated()
        for function in entries(self._program):
            self._add((function.name, None), True, repeated)
        self._name()
        numbers = count()
        threads = tuple(
            replace(thread, edges=tuple(replace(edge, number=next(numbers)) for edge in thread.edges))
            for thread in map(self._thread, self._instances)
        )
        bits = tuple(self._bits())
        return Automata(bits, threads, tuple(self._constraints()))

    # -- which threads there are

    def _flow(self, entry: _Entry) -> Flow:
        if entry not in self._flows:
            self._flows[entry] = flow(self._program, *entry)
        return self._flows[entry]

    def _repeated(self) -> frozenset[_Entry]:
        """The entries of which there is no telling how many threads begin there."""
        starts: dict[_Entry, set[_Entry]] = {}
        repeated: set[_Entry] = set()
        work: list[_Entry] = [(function.name, None) for function in entries(self._program)]
        while work:
            entry = work.pop()
            if entry in starts:
                continue
            starts[entry] = set()
            flow = self._flow(entry)
            in_cycle = _in_cycles(flow)
            for arc in flow.arcs:
                if arc.start is not None:
                    started = (arc.start.function, arc.start.label)
                    starts[entry].add(started)
                    if arc.source in in_cycle:
                        repeated.add(started)
            work.extend(starts[entry])
        repeated |= {entry for entry in starts if entry in _reachable(starts, starts[entry])}
        return frozenset(_reachable(starts, repeated))

    def _add(self, entry: _Entry, runs: bool, repeated: frozenset[_Entry]) -> int:
        instance = _Instance(len(self._instances), entry, runs)
        self._instances.append(instance)
        if len(self._instances) > MOST_THREADS:
            raise InputError(f"more than {MOST_THREADS} threads", self._functions[entry[0]].at)
        for number, arc in enumerate(self._flow(entry).arcs):
            if arc.start is None:
                continue
            started = (arc.start.function, arc.start.label)
            if started not in repeated:
                self._own[instance.number, number] = self._add(started, False, repeated)
            elif started not in self._pools:
                self._pools[started] = ()  # a thread of the pool may start others of it
                self._pools[started] = tuple(self._add(started, False, repeated) for _ in range(self._bound))
        return instance.number

    def _name(self) -> None:
        """After the process or the function; numbered where there are several, or where bits would be called alike."""
        names = [self._functions[i.entry[0]].process or i.entry[0] for i in self._instances]
        numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(1))
        taken: set[str] = set()
        for instance, name in zip(self._instances, names, strict=True):
            instance.name = name if names.count(name) == 1 else f"{name}#{next(numbers[name])}"
            while not taken.isdisjoint(prefixes := self._prefixes(instance).values()):
                instance.name = f"{name}#{next(numbers[name])}"
            taken.update(prefixes)

    def _prefixes(self, instance: _Instance) -> dict[str, str]:
        """How the bits begin that stand for the local variables of the functions that a thread runs."""
        running = {function for names in self._flow(instance.entry).functions.values() for function in names}
        return {
            function.name: f"{instance.name}{_shortened(instance, local_name(function.name, ''))}"
            for function in self._program.functions
            if function.name in running
        }

    # -- what they are made of

    def _thread(self, instance: _Instance) -> Thread:
        flow = self._flow(instance.entry)
        numbers, order = _with_atomic_depth(flow)
        edges: list[Edge] = []
        labels: dict[int, str] = {}
        arcs = defaultdict(list)
        for number, arc in enumerate(flow.arcs):
            arcs[arc.source].append((number, arc))
        for (node, depth), location in order:
            if node in flow.labels:
                labels[location] = flow.labels[node]
            for number, arc in arcs[node]:
                after = ENDED if arc.target in (END, None) else numbers[arc.target, depth + arc.depth]
                edges.extend(self._edges(instance, number, arc, location, after))
        atomic = frozenset(location for (_, depth), location in order if depth)
        return Thread(
            instance.name,
            instance.entry[0],
            numbers[flow.entry, 0] if flow.entry != END else ENDED,
            FIRST + len(order),
            tuple(edges),
            atomic,
            labels,
            instance.runs,
        )

    def _edges(self, instance: _Instance, number: int, arc: Arc, source: int, target: int) -> Iterator[Edge]:
        def name(name: str) -> str:
            return f"{instance.name}{_shortened(instance, name)}" if name.startswith(LOCAL) else name

        edge = Edge(
            instance.number,
            source,
            target,
            arc.statement,
            renamed(arc.guard, name),
            tuple(map(name, arc.targets)),
            tuple(renamed(value, name) for value in arc.values),
            None if arc.constrain is None else renamed(arc.constrain, name),
        )
        if arc.violation:
            yield replace(edge, outcome=Outcome.VIOLATION)
        elif arc.target is None:
            yield replace(edge, outcome=Outcome.OVERFLOW, reason="the program marks this place as an overflow")
        elif arc.start is None:
            yield edge
        elif (instance.number, number) in self._own:
            yield self._starting(edge, arc.start, self._own[instance.number, number], instance)
        else:
            pool = self._pools[arc.start.function, arc.start.label]
            for taken, free in enumerate(pool):
                if free != instance.number:
                    busy = tuple(other for other in pool[:taken] if other != instance.number)
                    yield replace(self._starting(edge, arc.start, free, instance), busy=busy)
            what = arc.start.function if arc.start.label is None else f"{arc.start.function} from {arc.start.label}"
            yield replace(
                edge,
                busy=tuple(other for other in pool if other != instance.number),
                outcome=Outcome.OVERFLOW,
                reason=f"more than {self._bound} threads run {what} at once",
            )

    def _starting(self, edge: Edge, site: StartSite, started: int, starter: _Instance) -> Edge:
        """The step that starts a thread gives its variables their values."""
        child = self._instances[started]

        def name(name: str) -> str:
            return f"{starter.name}{_shortened(starter, name)}" if name.startswith(LOCAL) else name

        targets = [f"{child.name}.{variable}" for variable in local_variables(self._functions[site.function])]
        values: list[Expression] = [renamed(argument, name) for argument in site.arguments]
        values += [bp.Variable(name(copied)) for copied in site.locals.values()]
        values += [bp.Nondet()] * (len(targets) - len(values))
        return replace(edge, targets=tuple(targets), values=tuple(values), starts=started)

    def _bits(self) -> Iterator[Bit]:
        yield from _declared(self._program.declarations, "", None)
        for instance in self._instances:
            for name, prefix in self._prefixes(instance).items():
                function = self._functions[name]
                for parameter in function.parameters:
                    yield Bit(f"{prefix}{parameter}", "", instance.number)
                yield from _declared(function.declarations, prefix, instance.number)

    def _constraints(self) -> Iterator[Constraint]:
        for function in self._program.functions:
            own = frozenset(local_variables(function))
            for enforce in function.enforce:
                for condition in conjuncts(enforce.condition):  # before simplification takes variables away
                    if not support(condition) & own:
                        yield Constraint(renamed(condition, str))
                    else:
                        yield from self._local_constraints(function, condition, own)

    def _local_constraints(
        self, function: bp.Function, condition: Expression, own: frozenset[str]
    ) -> Iterator[Constraint]:
        for instance in self._instances:
            flow = self._flow(instance.entry)
            _, order = _with_atomic_depth(flow)
            locations = {location for (node, _), location in order if function.name in flow.functions[node]}
            if function.name == instance.entry[0]:
                locations |= {ENDED}
            if locations:
                prefix = f"{instance.name}{_shortened(instance, local_name(function.name, ''))}"
                names = {name: f"{prefix}{name}" for name in own}
                named = renamed(condition, lambda name, names=names: names.get(name, name))  # type: ignore[misc]
                yield Constraint(named, instance.number, frozenset(locations))


def _declared(declarations: tuple[bp.Declaration, ...], prefix: str, thread: int | None) -> Iterator[Bit]:
    for declaration in declarations:
        predicates = declaration.predicates or ("",) * len(declaration.names)
        for name, predicate in zip(declaration.names, predicates, strict=True):
            yield Bit(f"{prefix}{name}", predicate, thread)


def _shortened(instance: _Instance, name: str) -> str:
    """`.f.l` as `.l` where f is the function that the thread runs."""
    own = local_name(instance.entry[0], "")
    return f".{name.removeprefix(own)}" if name.startswith(own) else name


def _with_atomic_depth(flow: Flow) -> tuple[dict[tuple[int, int], int], list[tuple[tuple[int, int], int]]]:
    """A number for each node that control reaches, together with how many atomic blocks are open there."""
    arcs = defaultdict(list)
    for arc in flow.arcs:
        arcs[arc.source].append(arc)
    numbers: dict[tuple[int, int], int] = {}
    fresh = count(FIRST)
    work = [(flow.entry, 0)] if flow.entry != END else []
    while work:
        node, depth = work.pop()
        if (node, depth) in numbers:
            continue
        numbers[node, depth] = next(fresh)
        for arc in reversed(arcs[node]):
            if depth + arc.depth < 0:
                raise InputError("atomic_end without atomic_begin before it", arc.statement.at)
            if depth + arc.depth > _DEEPEST_ATOMIC:
                raise InputError("atomic_begin again and again without atomic_end", arc.statement.at)
            if arc.target is not None and arc.target != END:
                work.append((arc.target, depth + arc.depth))
    return numbers, sorted(numbers.items(), key=lambda item: item[1])


def _in_cycles(flow: Flow) -> frozenset[int]:
    """The nodes that control can come back to."""
    successors: dict[int, set[int]] = defaultdict(set)
    for arc in flow.arcs:
        if arc.target is not None:
            successors[arc.source].add(arc.target)
    starts = [arc.source for arc in flow.arcs if arc.start is not None]
    return frozenset(node for node in starts if node in _reachable(successors, successors[node]))


_Node = TypeVar("_Node")


def _reachable(successors: Mapping[_Node, set[_Node]], first: Iterable[_Node]) -> set[_Node]:
    found: set[_Node] = set()
    work = list(first)
    while work:
        node = work.pop()
        if node not in found:
            found.add(node)
            work.extend(successors.get(node, ()))
    return found
