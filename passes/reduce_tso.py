"""TSO to SC: one queue of stores for each process; an entry says where it goes (`lhs`) and what (`rhs`).

    shared X = 0, Y = 0;                shared X = 0, Y = 0, lhs_1_P0 = 0, rhs_1_P0 = 0, cnt_P0 = 0;
    process P0 {                        process P0 {
      X = r;                              atomic {                          // enqueue X
      s = X;                                if (cnt_P0 != 0) goto full;
      fence(X);                             lhs_1_P0 = 1;
    }                                       rhs_1_P0 = r;
                                            cnt_P0 = 1;
                                            …
                                          }
                                          s = cnt_P0 >= 1 && lhs_1_P0 == 1 ? rhs_1_P0 : X;   // load X
                                          assume(!(cnt_P0 >= 1 && lhs_1_P0 == 1));           // fence
                                          …

In `lhs` a variable is a number, from 1 in the order of declaration, and an element of an array the number of the first
element plus its index. A load takes the newest entry for its variable, not the first: later entries are asked first.
"""

from dataclasses import replace

from ebb.formats.buffer_notes import entry_count_note, entry_target_note, entry_value_note
from ebb.formats.expressions import (
    Binary,
    Conditional,
    Element,
    Expression,
    Integer,
    Name,
    Place,
    Unary,
    place_name,
)
from ebb.formats.ir import (
    Assert,
    Assign,
    Assume,
    Branch,
    Forget,
    Goto,
    Havoc,
    Overflow,
    Process,
    Program,
    Range,
    Variable,
)
from ebb.passes.blocks import Part, all_of, equals, first_value, from_place, new_name, variable_names
from ebb.passes.store_buffers import StoreBuffer, first_store, reduce_buffered


def reduce_tso(program: Program, bound: int) -> Program:
    """The program under TSO as a program under SC, with `bound` entries a process."""
    taken = variable_names(program)
    any_values: dict[str, list[Variable]] = {}

    def buffer_of(process: Process, variables: list[Variable]) -> StoreBuffer:
        queue = _Queue(process, variables, bound, taken)
        any_values[process.name] = list(queue.any_value.values())
        return queue

    reduced = reduce_buffered(program, "tso", buffer_of)
    processes = [
        replace(process, locals=(*process.locals, *any_values.get(process.name, ()))) for process in reduced.processes
    ]
    return replace(reduced, processes=tuple(processes))


class _Queue:
    """The queue of one process."""

    def __init__(self, process: Process, variables: list[Variable], bound: int, taken: set[str]) -> None:
        self.process = process
        self.stored = {variable.name: variable for variable in variables}
        self.bound = bound
        self.codes: dict[str, int] = {}
        code = 1
        for variable in variables:
            self.codes[variable.name] = code
            code += variable.size or 1
        self.last_code = code - 1
        self.lhs = [Name(new_name(f"lhs_{i}_{process.name}", taken)) for i in range(1, bound + 1)]
        self.rhs = [Name(new_name(f"rhs_{i}_{process.name}", taken)) for i in range(1, bound + 1)]
        self.count = Name(new_name(f"cnt_{process.name}", taken))
        self.any_value = {
            variable.name: Variable(
                new_name(f"_any_{variable.name}", taken), variable.at, first_value(variable), variable.range
            )
            for variable in variables
            if any(isinstance(i.action, Havoc) and place_name(i.action.target) == variable.name for i in process.body)
        }

    def variables(self) -> list[Variable]:
        name = self.process.name
        at = min(first_store(self.process, variable) for variable in self.stored)
        made = []
        for number, (lhs, rhs) in enumerate(zip(self.lhs, self.rhs, strict=True), start=1):
            targets = Range(0, self.last_code)
            made.append(Variable(lhs.name, at, 0, targets, note=entry_target_note(number, name, self.codes)))
            made.append(Variable(rhs.name, at, note=entry_value_note(number, name)))
        made.append(Variable(self.count.name, at, 0, Range(0, self.bound), note=entry_count_note(name)))
        return made

    def _code(self, place: Place) -> Expression:
        code = self.codes[place_name(place)]
        match place:
            case Element(_, Integer(index)):
                return Integer(code + index)
            case Element(_, index):
                return Binary("+", Integer(code), index)
            case _:
                return Integer(code)

    def enqueue(self, target: Place, value: Expression | None) -> list[Part]:
        variable = self.stored[place_name(target)]
        parts: list[Part] = []
        if isinstance(target, Element):
            parts.append(
                (Assert(_within(target.index, Range(0, (variable.size or 1) - 1))), f"{variable.name} in bounds")
            )
        if value is None:
            value = Name(self.any_value[variable.name].name)
            parts.append(Havoc(value))
        elif variable.range is not None:
            parts.append((Assert(_within(value, variable.range)), f"{variable.name} in range"))
        for number, (lhs, rhs) in enumerate(zip(self.lhs, self.rhs, strict=True), start=1):
            parts += [
                Branch(Binary("!=", self.count, Integer(number - 1)), f":not {number}"),
                Assign(lhs, self._code(target)),
                Assign(rhs, value),
                Assign(self.count, Integer(number)),
                Goto((":done",)),
                f":not {number}",
            ]
        return [*parts, Overflow(), ":done"]

    def _holds(self, number: int, condition: Expression) -> Expression:
        """Entry `number` exists and the condition holds."""
        return Binary("&&", Binary(">=", self.count, Integer(number)), condition)

    def view(self, place: Place) -> Expression:
        if place_name(place) not in self.stored:
            return place
        seen: Expression = place
        for number in range(1, self.bound + 1):
            mine = self._holds(number, Binary("==", self.lhs[number - 1], self._code(place)))
            seen = Conditional(mine, self.rhs[number - 1], seen)
        return seen

    def empty(self, variable: str | None) -> list[Expression]:
        if variable is None:
            return [equals(self.count, 0)]
        if variable not in self.stored:
            return []
        first = self.codes[variable]
        codes = Range(first, first + (self.stored[variable].size or 1) - 1)
        return [Unary("!", self._holds(number, _within(lhs, codes))) for number, lhs in enumerate(self.lhs, start=1)]

    def flushes(self) -> list[list[Part]]:
        parts: list[Part] = [Assume(Binary("!=", self.count, Integer(0)))]
        for name, variable in self.stored.items():
            lhs, rhs, first = self.lhs[0], self.rhs[0], self.codes[name]
            codes = Range(first, first + (variable.size or 1) - 1)
            target: Place = Name(name)
            if variable.size is not None:
                target = Element(name, Binary("-", lhs, Integer(first)))
            parts += [
                Branch(
                    Unary("!", _within(lhs, codes)) if variable.size else Binary("!=", lhs, Integer(first)),
                    f":not {name}",
                ),
                (Assign(target, rhs), f"flush {name} of {self.process.name}"),
                f":not {name}",
            ]
        for number in range(1, self.bound):
            parts += [
                Branch(equals(self.count, number), f":last {number}"),
                Assign(self.lhs[number - 1], self.lhs[number]),
                Assign(self.rhs[number - 1], self.rhs[number]),
            ]
        for number in range(self.bound, 0, -1):
            if number < self.bound:
                parts += [Goto((":flushed",)), f":last {number}"]
            parts += [
                Forget(self.lhs[number - 1]),
                Forget(self.rhs[number - 1]),
                Assign(self.count, Integer(number - 1)),
            ]
        if self.bound > 1:
            parts.append(":flushed")
        return [from_place(parts, min(first_store(self.process, name) for name in self.stored))]


def _within(value: Expression, values: Range) -> Expression:
    if values.low == values.high:
        return equals(value, values.low)
    return all_of([Binary(">=", value, Integer(values.low)), Binary("<=", value, Integer(values.high))])
