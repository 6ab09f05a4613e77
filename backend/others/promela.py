"""A program in Promela, the language of Spin: a process for each thread, a label for each location.

    L3:  if
         :: d_step { !held && v_x -> v_b = !v_y; printf("edge 7\\n") }; goto L4
         fi

A step is indivisible. If nothing is left to choose in it, it is a `d_step` that can be executed or not. Otherwise
choices are made one by one into `n0`, `n1` and so on, which are 0 between steps; where the result is forbidden, the
process goes back to where it was, and nothing has happened.

An atomic block of the program is an `atomic` sequence here, so that Spin does not store what is in the middle of it.
That alone would not do: Promela lets others run when the block cannot go on. `held` keeps them out. Locations at which
a loop inside the block begins are stored, because Spin would go round for ever otherwise.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ebb.backend.automata.automaton import ENDED, FIRST, Automata, Edge, Outcome, Thread
from ebb.backend.automata.expressions import support
from ebb.backend.others.explicit import Step, Steps, StepText, in_order
from ebb.backend.others.expression_text import Syntax
from ebb.backend.others.flags import held, running
from ebb.backend.others.names import bit_names, description, identifiers, meaning, plain_text

_SYNTAX = Syntax("true", "false", "&&", "||", "!=", ("->", ":"))


def export(automata: Automata, goal: Outcome) -> str:
    return "".join(f"{line}\n" for line in _Model(automata, goal).lines())


class _Model:
    def __init__(self, automata: Automata, goal: Outcome) -> None:
        self._automata = automata
        self._goal = goal
        self._bits = bit_names(automata)
        self._text = StepText(_SYNTAX, self._bits)
        names = identifiers((thread.name for thread in automata.threads), "t_")
        self._threads = tuple(names[thread.name] for thread in automata.threads)
        self._steps = Steps(automata, goal, self._threads)
        edges = [step.move.edge for step in self._steps.all]
        self._started = {edge.starts for edge in edges}
        watched = {thread for edge in edges for thread in (edge.starts, *edge.busy) if thread is not None}
        self._running = {thread: running(automata, thread, self._threads[thread]) for thread in sorted(watched)}
        self._held = held(automata)
        self._flags = [*([self._held] if self._held else []), *self._running.values(), *self._steps.regions]
        self._kept = 0  # values that have to be kept while others are assigned
        self._at: dict[tuple[int, int], list[Step]] = defaultdict(list)
        for step in self._steps.all:
            self._at[step.move.edge.thread, step.move.edge.source].append(step)

    def lines(self) -> Iterator[str]:
        bodies = [
            line for number, thread in enumerate(self._automata.threads) for line in self._proctype(number, thread)
        ]
        yield f"/* A Boolean program in Promela. Does it reach an edge with the outcome {self._goal.value}?"
        yield "   spin -a FILE; gcc -O2 -DSAFETY -o pan pan.c; ./pan -E; ./pan -r */"
        yield ""
        for bit in self._automata.bits:
            yield f"bit {self._bits[bit.name]};  /* {meaning(bit)} */"
        for flag in self._flags:
            where = ", ".join(self._automata.threads[thread].name for thread in flag.places)
            first = int(flag.initially(self._automata))
            yield f"bit {flag.name} = {first};  /* follows from where {plain_text(where)} is */"
        for number in range(self._steps.most_decided):
            yield f"bit n{number};  /* what is being decided */"
        for number in range(self._kept):
            yield f"hidden byte s{number};"
        yield from bodies
        yield from self._init()

    # -- threads

    def _proctype(self, number: int, thread: Thread) -> Iterator[str]:
        chained = _chained(thread, [step.move.edge for step in self._steps.all if step.move.edge.thread == number])
        rest = [place for place in range(FIRST, thread.locations) if place != thread.entry]
        yield ""
        yield f"proctype {self._threads[number]}()  /* {plain_text(thread.name)} */"
        yield "{"
        for place in [thread.entry, *rest] if thread.entry != ENDED else rest:
            yield f"L{place}:" + (f"  /* {plain_text(thread.labels[place])} */" if place in thread.labels else "")
            options = [line for step in self._at[number, place] for line in self._option(step, chained)]
            if not options:
                yield "  false;"
            elif place in chained:
                yield from ("  atomic {", "  if", *options, "  fi };")
            else:
                yield from ("  if", *options, "  fi;")
        yield "ended:"
        yield "  false;"
        yield "stuck:"
        yield "  false"
        yield "}"

    def _option(self, step: Step, chained: frozenset[int]) -> Iterator[str]:
        move, edge = step.move, step.move.edge
        yield f"  /* {description(self._automata, move.number, edge)} */"
        guard = " && ".join([*self._control(edge), *self._text.asked(step, 0), self._text.before(move.guard)])
        if edge.outcome is not Outcome.LOCATION:
            yield f'  :: d_step {{ {guard} -> printf("edge {move.number}\\n"); assert(false) }}; goto stuck'
            return
        leave = f"goto {self._label(edge)}"
        commit = "; ".join(self._commit(step))
        if not step.decided:
            text = f"d_step {{ {guard} -> {commit} }}; {leave}"
            yield (
                f"  :: atomic {{ {text} }}" if edge.target in chained and edge.source not in chained else f"  :: {text}"
            )
            return
        back = "goto stuck" if edge.source in chained else f"goto L{edge.source}"
        clear = "; ".join(f"n{number} = 0" for number in range(len(step.decided)))
        yield f"  :: {'' if edge.source in chained else 'atomic { '}{guard} ->"
        for number, update in enumerate(step.decided):
            if update.fixed:
                yield f"       n{number} = {self._text.before(update.true)};"
            else:
                can_be = self._text.before(update.true), self._text.before(update.false)
                yield f"       if :: {can_be[0]} -> n{number} = 1 :: {can_be[1]} -> n{number} = 0 fi;"
            if asked := " && ".join(self._text.asked(step, number + 1)):
                yield f"       if :: {asked} -> skip :: else -> d_step {{ {clear} }}; {back} fi;"
        yield f"       d_step {{ {commit}; {clear} }}; {leave}{'' if edge.source in chained else ' }'}"

    def _control(self, edge: Edge) -> Iterator[str]:
        """What has to be true of other threads."""
        thread = self._automata.threads[edge.thread]
        if self._held and edge.source not in thread.atomic:
            yield f"!{self._held.name}"
        if edge.thread in self._started and edge.source == thread.entry:
            yield self._running[edge.thread].name
        if edge.starts is not None:
            yield f"!{self._running[edge.starts].name}"
        for other in edge.busy:
            yield self._running[other].name

    def _label(self, edge: Edge) -> str:
        """A thread that may be started again waits where it begins."""
        if edge.target != ENDED:
            return f"L{edge.target}"
        entry = self._automata.threads[edge.thread].entry
        return f"L{entry}" if edge.thread in self._started else "ended"

    def _commit(self, step: Step) -> Iterator[str]:
        values = step.values()
        kept, order = in_order(values)
        self._kept = max(self._kept, len(kept))
        for number, bit in enumerate(kept):
            yield f"s{number} = {self._text.before(values[bit])}"
        for bit in order:
            yield f"{self._bits[bit]} = {self._text.before(values[bit])}"
        for number, bit in enumerate(kept):
            yield f"{self._bits[bit]} = s{number}"
        for number, update in enumerate(step.decided):
            yield f"{self._bits[update.bit]} = n{number}"
        for flag in self._flags:
            now = flag.after(self._automata, step.move.edge)
            if now is not None:
                yield f"{flag.name} = {int(now)}"
        yield f'printf("edge {step.move.number}\\n")'

    # -- the beginning

    def _init(self) -> Iterator[str]:
        yield ""
        yield "init"
        yield "{"
        yield "  atomic {"
        conditions = list(self._steps.initial.constraints)
        known = {bit.name for bit in self._automata.bits} - set(self._steps.initial.free)
        for bit in self._steps.initial.free:
            name = self._bits[bit]
            known.add(bit)
            yield f"    if :: {name} = 0 :: {name} = 1 fi;"
            for condition in [condition for condition in conditions if support(condition) <= known]:
                conditions.remove(condition)
                yield f"    {self._text.before(condition)};"
        for condition in conditions:
            yield f"    {self._text.before(condition)};"
        for number, name in enumerate(self._threads):
            if self._automata.threads[number].runs or number in self._started:
                yield f"    run {name}();"
        yield "    skip"
        yield "  }"
        yield "}"


def _chained(thread: Thread, edges: Iterable[Edge]) -> frozenset[int]:
    """The locations in atomic blocks that need not be stored: without the others there are no loops."""
    successors: dict[int, list[int]] = defaultdict(list)
    for edge in edges:
        if edge.outcome is Outcome.LOCATION and {edge.source, edge.target} <= thread.atomic:
            successors[edge.source].append(edge.target)
    entered, left, stored = set(), set(), set()
    for first in sorted(thread.atomic):
        work = [] if first in entered else [first]
        while work:
            place = work[-1]
            if place in entered:
                left.add(work.pop())
                continue
            entered.add(place)
            stored |= {after for after in successors[place] if after in entered and after not in left}
            work += [after for after in successors[place] if after not in entered]
    return thread.atomic - stored
