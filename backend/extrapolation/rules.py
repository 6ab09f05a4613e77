"""The rules by which predicates of an SC proof become predicates about store buffers (CUPEX, Section 5).

    F0 == 0  under PSO, P0 stores to F0, k = 1     F0 == 0, F0_1_P0 == 0, F0_cnt_P0 == 0, F0_cnt_P0 == 1
             under TSO                             F0 == 0, rhs_1_P0 == 0, lhs_1_P0 == 1, cnt_P0 == 0, cnt_P0 == 1

Where the paper says "V" and "T", a variable has a buffer in a process only if the reduction gave it one. The paper's
predicate `overflow = 0` has no counterpart: here an overflow is a place of control.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from ebb.backend.extrapolation.pending import Pending, pending
from ebb.formats.buffer_notes import Buffers, store_buffers
from ebb.formats.expressions import (
    Binary,
    Element,
    Expression,
    Integer,
    Name,
    Place,
    place_name,
    places,
    rebuilt,
)
from ebb.formats.ir import Program


@dataclass(frozen=True, slots=True)
class Copy:
    """A buffered copy of a shared variable: the slot (or entry) of a process that can hold a value of it."""

    process: str
    number: int  # 1 is the oldest entry
    name: str
    is_entry: bool  # of a TSO buffer: one value, whatever element of an array it is for


Lifting = Mapping[str, Copy]  # from shared variables; those that are missing stay in memory


@dataclass(frozen=True, slots=True)
class Copies:
    """What the rules need to know about a reduced program."""

    buffers: Buffers
    copies: Mapping[str, tuple[Copy, ...]]  # of each shared variable
    pending: Pending
    sizes: Mapping[str, int]  # of arrays


def copies_in(program: Program) -> Copies:
    buffers = store_buffers(program)
    found: dict[str, list[Copy]] = {}
    for queue in buffers.queues:
        slots = [Copy(queue.process, number, slot, False) for number, slot in enumerate(queue.slots, start=1)]
        found.setdefault(queue.variable, []).extend(slots)
    for buffer in buffers.buffers:
        for variable in buffer.codes:
            entries = enumerate(buffer.values, start=1)
            values = [Copy(buffer.process, number, value, True) for number, value in entries]
            found.setdefault(variable, []).extend(values)
    sizes = {variable.name: variable.size for variable in program.shared if variable.size is not None}
    return Copies(buffers, {name: tuple(each) for name, each in found.items()}, pending(program), sizes)


def extrapolate(predicates: Iterable[Expression], copies: Copies, *, relate_slots: bool = False) -> list[Expression]:
    """The predicates for the reduced program: rules 2 and 3 (with 5, 6 and 7), 1, and if wanted 4."""
    given = list(predicates)
    found = [*rule_2(given), *rule_3(given, copies), *rule_1(copies)]
    if relate_slots:
        found += rule_4(copies)
    return list(dict.fromkeys(found))


def rule_1(copies: Copies) -> list[Expression]:
    """How full each buffer is, from 0 to k (the paper's 1 to k is a slip); and under TSO, where each entry goes."""
    found: list[Expression] = []
    for queue in copies.buffers.queues:
        for count in _elements(queue.count, copies.sizes.get(queue.variable)):
            found += [_equal(count, number) for number in range(len(queue.slots) + 1)]
    for buffer in copies.buffers.buffers:
        found += [_equal(Name(buffer.count), number) for number in range(len(buffer.values) + 1)]
        for target in buffer.targets:
            for variable, code in buffer.codes.items():
                for index in range(copies.sizes.get(variable, 1)):
                    found.append(_equal(Name(target), code + index))
    return found


def rule_2(predicates: Sequence[Expression]) -> list[Expression]:
    """The predicates of the SC proof themselves."""
    return list(predicates)


def rule_3(predicates: Sequence[Expression], copies: Copies) -> list[Expression]:
    """Each predicate for buffered copies of the variables in it."""
    return [
        lifted(predicate, lifting) for predicate in predicates for lifting in liftings(shared_in(predicate), copies)
    ]


def rule_4(copies: Copies) -> list[Expression]:
    """That a buffered value is the one before it, and that it is the one in memory. Only for speed, says the paper;
    nothing here needs them to verify, so they are left out unless asked for."""
    found: list[Expression] = []
    for queue in copies.buffers.queues:
        size = copies.sizes.get(queue.variable)
        columns = [_elements(name, size) for name in (queue.variable, *queue.slots)]
        for memory, *slots in zip(*columns, strict=True):
            found += [Binary("==", older, newer) for older, newer in pairwise(slots)]
            found += [Binary("==", slot, memory) for slot in slots]
    for buffer in copies.buffers.buffers:
        values = [Name(value) for value in buffer.values]
        found += [Binary("==", older, newer) for older, newer in pairwise(values)]
        for variable in buffer.codes:
            for memory in _elements(variable, copies.sizes.get(variable)):
                found += [Binary("==", value, memory) for value in values]
    return found


def rule_5(variable: str, copies: Copies) -> tuple[Copy, ...]:
    """The copies of a variable: none in a process that never stores to it."""
    return copies.copies.get(variable, ())


def rule_6(expression: Expression, lifting: Lifting) -> Expression:
    """All occurrences of a shared variable become the same copy."""
    match expression:
        case Name(name) if name in lifting:
            return Name(lifting[name].name)
        case Element(array, index) if array in lifting:
            copy = lifting[array]
            return Name(copy.name) if copy.is_entry else Element(copy.name, rule_6(index, lifting))
        case _:
            return rebuilt(expression, lambda part: rule_6(part, lifting))


def rule_7(lifting: Lifting, copies: Copies) -> bool:
    """Whether the copies can matter together: not two at once if a fence stands between any two stores.

    The paper asks for fences in all processes and then allows one copy. This is finer: stores that a process can
    have under way at the same time may meet in a predicate, others may not.
    """
    if len(lifting) > 1 and copies.pending.fenced:
        return False
    chosen = list(lifting.items())
    for position, (variable, copy) in enumerate(chosen):
        for other, second in chosen[:position]:
            if copy.process != second.process:
                continue
            if copy.name == second.name or not copies.pending.together(copy.process, variable, other):
                return False
    return True


lifted = rule_6


def liftings(variables: Sequence[str], copies: Copies) -> Iterator[Lifting]:
    """The ways to choose buffered copies for some of the variables, at least one."""
    options: list[list[Copy | None]] = [[None, *rule_5(variable, copies)] for variable in variables]
    for chosen in product(*options):
        lifting = {variable: copy for variable, copy in zip(variables, chosen, strict=True) if copy is not None}
        if lifting and rule_7(lifting, copies):
            yield lifting


def shared_in(expression: Expression) -> list[str]:
    """The shared variables of a predicate, in the order in which they occur."""
    return [name for name in dict.fromkeys(place_name(place) for place in places(expression)) if "." not in name]


def _equal(place: Place, value: int) -> Expression:
    return Binary("==", place, Integer(value))


def _elements(name: str, size: int | None) -> list[Place]:
    return [Name(name)] if size is None else [Element(name, Integer(index)) for index in range(size)]
