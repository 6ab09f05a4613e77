"""The automata of a Boolean program: threads with locations and edges, over named bits.

Procedures are inlined, structured statements are edges, and every thread that can ever run has an automaton of its
own. Control of a thread is a number: `IDLE` before it was started, `ENDED` after its last statement, and a location
from `FIRST` on. Data are bits with unique names: `b` for a global variable, `P0.l` for a local one, `P0.f.l` for one
of the procedure `f` that `P0` calls.

One edge is one step. It is possible if the guard can hold and a valuation of its targets exists that their values and
`constrain` admit; nothing else changes. Every `*` and undecided `schoose` is a free choice of its own. A state that
violates a constraint in force does not exist.
"""

from dataclasses import dataclass
from enum import Enum

from ebb.formats import bp
from ebb.formats.bp import Expression
from ebb.formats.errors import Position

IDLE, ENDED, FIRST = 0, 1, 2


class Outcome(Enum):
    """What an edge leads to."""

    LOCATION = "location"
    VIOLATION = "violation"
    OVERFLOW = "overflow"


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement that an edge comes from."""

    function: str
    labels: tuple[str, ...]
    text: str
    at: Position
    origin: bp.Origin | None
    checks: str
    way: str = ""  # which of several ways on is meant: `then`, `else`, `do`, `od`, a label


@dataclass(frozen=True, slots=True)
class Edge:
    thread: int
    source: int
    target: int  # where it leads, if that is a location
    statement: Statement
    guard: Expression = bp.TRUE
    targets: tuple[str, ...] = ()
    values: tuple[Expression, ...] = ()
    constrain: Expression | None = None
    outcome: Outcome = Outcome.LOCATION
    starts: int | None = None  # the thread that it starts
    busy: tuple[int, ...] = ()  # the threads that have to be running for it
    reason: str = ""  # of an overflow
    number: int = 0  # among all edges that the program has


@dataclass(frozen=True, slots=True)
class Thread:
    name: str
    function: str
    entry: int
    locations: int  # numbers below this
    edges: tuple[Edge, ...]
    atomic: frozenset[int]  # locations at which no other thread moves
    labels: dict[int, str]  # what to call a location
    runs: bool  # from the beginning


@dataclass(frozen=True, slots=True)
class Bit:
    name: str
    predicate: str
    thread: int | None  # whose local variable it is


@dataclass(frozen=True, slots=True)
class Constraint:
    """A conjunct of an `enforce`. It is in force always, or while a thread is at one of some locations."""

    condition: Expression
    thread: int | None = None
    locations: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Automata:
    bits: tuple[Bit, ...]
    threads: tuple[Thread, ...]
    constraints: tuple[Constraint, ...]
    initially: Expression = bp.TRUE  # what holds at the beginning, besides the constraints

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(edge for thread in self.threads for edge in thread.edges)
