"""Whether a Boolean program is safe, found out by walking through all its states: what every engine is tested against.

    brute_force(text)                    # Answer("unsafe", 7): a shortest violation executes seven statements
    brute_force(text, thread_bound=2)    # with pools of two threads

It follows the syntax tree and shares nothing with the engines, so it is slow: a dozen bits at the most.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, NamedTuple, TypeAlias, assert_never

from ebb.formats import bp
from ebb.formats.bp import Expression
from ebb.formats.bp_check import entries, read

Verdict = Literal["safe", "unsafe", "overflow"]
Values: TypeAlias = dict[str, bool]


class Answer(NamedTuple):
    verdict: Verdict
    length: int | None = None  # of a shortest violation, in statements executed


class TooLarge(Exception):
    """There are more states than somebody has time for."""


def brute_force(text: str, thread_bound: int = 5, most_states: int | None = None) -> Answer:
    overflow = False
    for length, level in enumerate(levels(text, thread_bound, most_states)):
        if "unsafe" in level:
            return Answer("unsafe", length)
        overflow |= "overflow" in level
    return Answer("overflow" if overflow else "safe")


def levels(text: str, thread_bound: int = 5, most_states: int | None = None) -> Iterator["set[Step]"]:
    """What is reached after no step, after one, and so on, each time without what was reached before."""
    machine = _Machine(read(text), thread_bound)
    seen: set[Step] = set()
    level: set[Step] = set(machine.initial())
    while level:
        yield level
        seen |= level
        if most_states is not None and len(seen) > most_states:
            raise TooLarge
        level = {after for state in level if isinstance(state, State) for after in machine.steps(state)} - seen


# ---- expressions


def values(expression: Expression, now: Values, later: Values) -> set[bool]:
    """The values that it can have; every choice in it is free."""
    match expression:
        case bp.Constant(value):
            return {value}
        case bp.Variable(name):
            return {now[name]}
        case bp.Next(name):
            return {later[name]}
        case bp.Nondet():
            return {False, True}
    parts = product(*(values(part, now, later) for part in bp.parts(expression)))
    return {value for part in parts for value in _value(expression, part)}


def _value(expression: Expression, parts: tuple[bool, ...]) -> set[bool]:
    match expression:
        case bp.Not():
            return {not parts[0]}
        case bp.Schoose():
            return {True} if parts[0] else {False} if parts[1] else {False, True}
        case bp.Conditional():
            return {parts[1] if parts[0] else parts[2]}
        case bp.Operation("&"):
            return {all(parts)}
        case bp.Operation("|"):
            return {any(parts)}
        case bp.Operation("^" | "!="):
            return {sum(parts) % 2 == 1}
        case bp.Operation("="):
            return {parts[0] == parts[1]}
        case bp.Operation("=>"):
            return {not parts[0] or parts[1]}
    raise AssertionError(expression)


def conjuncts(condition: Expression) -> list[Expression]:
    match condition:
        case bp.Operation("&", operands):
            return [part for operand in operands for part in conjuncts(operand)]
        case bp.Not(bp.Operation("|", operands)):
            return [part for operand in operands for part in conjuncts(bp.Not(operand))]
        case bp.Not(bp.Not(operand)):
            return conjuncts(operand)
    return [condition]


def names(expression: Expression) -> set[str]:
    inner = {name for part in bp.parts(expression) for name in names(part)}
    return inner | {expression.name} if isinstance(expression, bp.Variable) else inner


# ---- states


@dataclass(eq=False)
class Place:
    """A statement where it stands: what follows it, and the first statement of each block inside. None is the end."""

    statement: bp.Statement
    after: "Place | None"
    inside: "list[Place | None]" = field(default_factory=list)


class Frame(NamedTuple):
    """A function that a thread is in the middle of: where it goes on, and what receives its results."""

    function: str
    place: Place | None
    values: tuple[bool, ...]  # of its parameters and local variables
    targets: tuple[str, ...] = ()


Entry: TypeAlias = tuple[str, str | None]  # a function, and the label in it where a thread begins


class Thread(NamedTuple):
    """The last frame is the one that moves. A thread that has ended keeps its first one."""

    frames: tuple[Frame, ...]
    atomic: int = 0  # open blocks
    slot: tuple[Entry, int] | None = None  # its pool, and which thread of it this is

    @property
    def runs(self) -> bool:
        return len(self.frames) > 1 or self.frames[0].place is not None


class State(NamedTuple):
    values: tuple[bool, ...]  # of the global variables
    threads: tuple[Thread, ...]


_UNCHANGED: Values = {}
Step: TypeAlias = State | Literal["unsafe", "overflow"]


class _Code:
    """A function, ready to run."""

    def __init__(self, function: bp.Function) -> None:
        self.name = function.name
        self.variables = [*function.parameters, *(name for d in function.declarations for name in d.names)]
        self.labels: dict[str, Place] = {}
        self.first = self._placed(function.body, None)
        self.enforced = [part for enforce in function.enforce for part in conjuncts(enforce.condition)]

    def _placed(self, body: tuple[bp.Statement, ...], after: Place | None) -> Place | None:
        """The first statement of a block."""
        for statement in reversed(body):
            here = Place(statement, after)
            match statement.action:
                case bp.If(branches, otherwise):
                    here.inside = [self._placed(block, after) for block in [*(b for _, b in branches), otherwise or ()]]
                case bp.While(_, block):
                    here.inside = [self._placed(block, here)]
            self.labels |= dict.fromkeys(statement.labels, here)
            after = here
        return after

    def frames(self, arguments: tuple[bool, ...], targets: tuple[str, ...] = ()) -> Iterator[Frame]:
        """The ways to begin: parameters have the values of the arguments, other variables any."""
        for rest in product((False, True), repeat=len(self.variables) - len(arguments)):
            yield Frame(self.name, self.first, arguments + rest, targets)


class _Machine:
    def __init__(self, program: bp.Program, thread_bound: int) -> None:
        self._program = program
        self._bound = thread_bound
        self._variables = [name for declaration in program.declarations for name in declaration.names]
        self._functions = {function.name: _Code(function) for function in program.functions}
        self._pooled = _pooled(self._functions, [(function.name, None) for function in entries(program)])

    def initial(self) -> Iterator[State]:
        begin = [list(self._functions[function.name].frames(())) for function in entries(self._program)]
        for shared in product((False, True), repeat=len(self._variables)):
            for frames in product(*begin):
                state = State(shared, tuple(_settled((frame,)) for frame in frames))
                if self._exists(state):
                    yield state

    def steps(self, state: State) -> Iterator[Step]:
        """What one statement of one thread can lead to."""
        holders = [number for number, thread in enumerate(state.threads) if thread.atomic]
        for number in holders or range(len(state.threads)):
            for step in self._moves(state, number):
                if not isinstance(step, State) or self._exists(step):
                    yield step

    def _exists(self, state: State) -> bool:
        """Whether everything that is enforced holds: on local variables, in every frame that has them."""
        frames = [frame for thread in state.threads for frame in thread.frames]
        for code in self._functions.values():
            for condition in code.enforced:
                is_local = names(condition) & set(code.variables)
                for frame in [frame for frame in frames if frame.function == code.name] if is_local else [None]:
                    now = self._seen(state.values, frame)
                    if True not in values(condition, now, now):
                        return False
        return True

    def _seen(self, values: tuple[bool, ...], frame: Frame | None) -> Values:
        """The variables that a frame sees, or only the global ones; local ones hide those."""
        seen = dict(zip(self._variables, values, strict=True))
        return seen | dict(zip(self._functions[frame.function].variables, frame.values, strict=True)) if frame else seen

    def _moves(self, state: State, number: int) -> Iterator[Step]:
        """The steps of one thread, whatever is enforced."""
        (*callers, frame), atomic, slot = state.threads[number]
        code = self._functions[frame.function]
        now = self._seen(state.values, frame)

        def can_be(value: bool, condition: Expression) -> bool:
            return value in values(condition, now, now)

        def choices(expressions: Iterable[Expression]) -> Iterator[tuple[bool, ...]]:
            return product(*(values(expression, now, now) for expression in expressions))

        def become(*frames: Frame, later: Values = _UNCHANGED, deeper: int = 0) -> State:
            """The last frame has given its variables new values."""
            *below, last = frames
            own = self._functions[last.function].variables
            last = last._replace(values=tuple(later.get(n, v) for n, v in zip(own, last.values, strict=True)))
            known = dict(zip(self._variables, state.values, strict=True))
            shared = tuple(value if name in own else later.get(name, value) for name, value in known.items())
            thread = _settled((*below, last), atomic + deeper, slot)
            return State(shared, (*state.threads[:number], thread, *state.threads[number + 1 :]))

        def go(place: Place | None, later: Values = _UNCHANGED, deeper: int = 0) -> State:
            return become(*callers, frame._replace(place=place), later=later, deeper=deeper)

        def start(entry: Entry, beginnings: Iterable[Frame], after: Place | None) -> Iterator[Step]:
            """A thread of its own, or the first one of the pool that is not running, which forgets what it was."""
            slot = None
            if entry in self._pooled:
                running = [thread.slot for thread in state.threads if thread.runs]
                free = [(entry, place) for place in range(self._bound) if (entry, place) not in running]
                if not free:
                    yield "overflow"
                    return
                slot = free[0]
            values, threads = go(after)
            others = tuple(thread for thread in threads if slot is None or thread.slot != slot)
            for beginning in beginnings:
                yield State(values, (*others, _settled((beginning,), 0, slot)))

        def finish(results: tuple[Expression, ...]) -> Iterator[State]:
            """Back to the caller, who need not want the results; without one the thread ends."""
            for chosen in choices(results or [bp.Nondet()] * len(frame.targets)):
                results_ = dict(zip(frame.targets, chosen, strict=False))
                yield become(*callers, later=results_) if callers else become(frame._replace(place=None))

        here = frame.place
        if here is None:
            if callers:  # who wait for results that were not given
                yield from finish(())
            return
        if here.statement.overflow:
            yield "overflow"
            return
        match here.statement.action:
            case bp.Skip():
                yield go(here.after)
            case bp.Goto(targets):
                for target in targets:
                    yield go(code.labels[target])
            case bp.Assume(condition):
                if can_be(True, condition):
                    yield go(here.after)
            case bp.Assert(condition):
                if can_be(False, condition):
                    yield "unsafe"
                if can_be(True, condition):
                    yield go(here.after)
            case bp.Assign(targets, expressions, constrain):
                for chosen in choices(expressions):
                    later = dict(zip(targets, chosen, strict=True))
                    if constrain is None or True in values(constrain, now, now | later):
                        yield go(here.after, later)
            case bp.Dead(targets):
                for chosen in choices([bp.Nondet()] * len(targets)):
                    yield go(here.after, dict(zip(targets, chosen, strict=True)))
            case bp.If(branches):
                for (condition, _), first in zip(branches, here.inside, strict=False):
                    if can_be(True, condition):
                        yield go(first)
                    if not can_be(False, condition):
                        break
                else:
                    yield go(here.inside[-1])
            case bp.While(condition):
                if can_be(True, condition):
                    yield go(here.inside[0])
                if can_be(False, condition):
                    yield go(here.after)
            case bp.Call(targets, name, arguments):
                for chosen in choices(arguments):
                    for called in self._functions[name].frames(chosen, targets):
                        yield become(*callers, frame._replace(place=here.after), called)
            case bp.Return(expressions):
                yield from finish(expressions)
            case bp.StartThread(name, arguments):
                frames = (f for chosen in choices(arguments) for f in self._functions[name].frames(chosen))
                yield from start((name, None), frames, here.after)
            case bp.StartThreadAt(label):
                yield from start((code.name, label), [Frame(code.name, code.labels[label], frame.values)], here.after)
            case bp.EndThread():
                yield become((*callers, frame)[0]._replace(place=None))
            case bp.AtomicBegin():
                yield go(here.after, deeper=1)
            case bp.AtomicEnd():
                assert atomic, "atomic_end without atomic_begin"
                yield go(here.after, deeper=-1)
            case other:
                assert_never(other)


def _settled(frames: tuple[Frame, ...], atomic: int = 0, slot: tuple[Entry, int] | None = None) -> Thread:
    """Leave what has come to its end, as far as that takes no step. Who ends in an atomic block leaves it."""
    while len(frames) > 1 and frames[-1].place is None and not frames[-1].targets:
        frames = frames[:-1]
    ended = len(frames) == 1 and frames[-1].place is None
    return Thread(frames, 0 if ended else atomic, slot)


# ---- pools

Stack: TypeAlias = tuple[tuple[str, Place | None], ...]  # functions that call each other, each with where it goes on


def _pooled(functions: dict[str, _Code], first: list[Entry]) -> set[Entry]:
    """The entries of which there is no telling how many threads begin there: their threads come from pools."""
    starts: dict[Entry, set[Entry]] = {}
    again: set[Entry] = set()
    work = list(first)
    while work:
        entry = work.pop()
        if entry in starts:
            continue
        starts[entry] = set()
        function, label = entry
        code = functions[function]
        for stack in _after([((function, code.first if label is None else code.labels[label]),)], functions):
            started = _started(stack)
            if started is not None:
                starts[entry].add(started)
                if stack in _after(_next(stack, functions), functions):
                    again.add(started)
        work += starts[entry]

    def reached(entries: Iterable[Entry]) -> set[Entry]:
        found: set[Entry] = set()
        work = list(entries)
        while work:
            entry = work.pop()
            if entry not in found:
                found.add(entry)
                work += starts[entry]
        return found

    return reached(again | {entry for entry in starts if entry in reached(starts[entry])})


def _after(stacks: Iterable[Stack], functions: dict[str, _Code]) -> set[Stack]:
    """Where control can come from there, whatever the values of variables are."""
    found: set[Stack] = set()
    work = list(stacks)
    while work:
        stack = work.pop()
        if stack not in found:
            found.add(stack)
            work += _next(stack, functions)
    return found


def _started(stack: Stack) -> Entry | None:
    function, place = stack[-1] if stack else ("", None)
    match place.statement if place is not None else None:
        case bp.Statement(action=bp.StartThread(name), overflow=False):
            return name, None
        case bp.Statement(action=bp.StartThreadAt(label), overflow=False):
            return function, label
    return None


def _next(stack: Stack, functions: dict[str, _Code]) -> list[Stack]:
    if not stack:
        return []
    *callers, (function, place) = stack
    if place is None:  # results are wanted or not: either way the caller goes on
        return [tuple(callers)]
    if place.statement.overflow:
        return []

    def go(*places: Place | None) -> list[Stack]:
        return [(*callers, (function, place)) for place in places]

    match place.statement.action:
        case bp.Goto(targets):
            return go(*(functions[function].labels[target] for target in targets))
        case bp.Assume(condition) | bp.Assert(condition):
            return go(place.after) if True in _anyhow(condition) else []
        case bp.If(branches):
            ways: list[Place | None] = []
            for (condition, _), first in zip(branches, place.inside, strict=False):
                ways += [first] * (True in _anyhow(condition))
                if False not in _anyhow(condition):
                    break
            else:
                ways.append(place.inside[-1])
            return go(*ways)
        case bp.While(condition):
            can = _anyhow(condition)
            return go(*[place.inside[0]] * (True in can), *[place.after] * (False in can))
        case bp.Call(_, name):
            return [(*callers, (function, place.after), (name, functions[name].first))]
        case bp.Return():
            return [tuple(callers)]
        case bp.EndThread():
            return []
    return go(place.after)


def _anyhow(condition: Expression) -> set[bool]:
    """Its values where variables have any."""
    match condition:
        case bp.Constant(value):
            return {value}
        case bp.Variable() | bp.Next() | bp.Nondet():
            return {False, True}
    parts = product(*(_anyhow(part) for part in bp.parts(condition)))
    return {value for part in parts for value in _value(condition, part)}
