"""PSO to SC: a queue of stores for each process and variable, as CUPEX translates it (Fig. 5).

    shared X = 0;                       shared X = 0, X_1_P0 = 0, X_cnt_P0 = 0;
    process P0 {                        process P0 {
      X = r;                              atomic {                       // enqueue X
      s = X;                                if (X_cnt_P0 != 0) goto full;
      fence;                                X_1_P0 = r;
    }                                       X_cnt_P0 = 1;
                                            goto done;
                                      full: overflow;
                                      done: skip;
                                          }
                                          s = X_cnt_P0 == 0 ? X : X_1_P0;   // load X
                                          assume(X_cnt_P0 == 0);            // fence
                                          assume(X_cnt_P0 == 0);            // drain
                                        }
                                        process memory background {
                                    step: atomic {                       // flush
                                            assume(X_cnt_P0 != 0);
                                            X = X_1_P0;
                                            forget(X_1_P0);
                                            X_cnt_P0 = 0;
                                          }
                                          goto step;
                                        }

Slot i is alive while the count is at least i; a slot that a flush leaves behind is forgotten, so that nothing can come
to depend on what happened to stand in it. Of an array every element has its own queue: the slots are arrays too.
"""

from collections.abc import Mapping

from ebb.formats.buffer_notes import slot_count_note, slot_note
from ebb.formats.expressions import Binary, Conditional, Element, Expression, Integer, Name, Place, place_name
from ebb.formats.ir import Assign, Assume, Branch, Forget, Goto, Havoc, Overflow, Process, Program, Range, Variable
from ebb.passes.blocks import Part, equals, first_value, from_place, new_name, variable_names
from ebb.passes.store_buffers import StoreBuffer, first_store, reduce_buffered


def reduce_pso(program: Program, bound: int, bounds: Mapping[str, int] | None = None) -> Program:
    """The program under PSO as a program under SC, with `bound` entries a queue (`bounds`: for single variables)."""
    taken = variable_names(program)

    def buffer_of(process: Process, variables: list[Variable]) -> StoreBuffer:
        return _Queues(process, variables, {v.name: (bounds or {}).get(v.name, bound) for v in variables}, taken)

    return reduce_buffered(program, "pso", buffer_of)


class _Queues:
    """The queues of one process. CUPEX, Section 3: `x_i_t` are the entries, `x_cnt_t` how many there are."""

    def __init__(self, process: Process, variables: list[Variable], bounds: Mapping[str, int], taken: set[str]) -> None:
        self.process = process
        self.stored = {variable.name: variable for variable in variables}
        self.bounds = bounds
        self.slots: dict[str, list[str]] = {}
        self.counts: dict[str, str] = {}
        for name in self.stored:
            self.slots[name] = [new_name(f"{name}_{i}_{process.name}", taken) for i in range(1, bounds[name] + 1)]
            self.counts[name] = new_name(f"{name}_cnt_{process.name}", taken)

    def variables(self) -> list[Variable]:
        made = []
        for name, variable in self.stored.items():
            at = first_store(self.process, name)
            for number, slot in enumerate(self.slots[name], start=1):
                note = slot_note(number, name, self.process.name)
                made.append(Variable(slot, at, first_value(variable), variable.range, variable.size, note=note))
            note = slot_count_note(name, self.process.name)
            made.append(Variable(self.counts[name], at, 0, Range(0, self.bounds[name]), variable.size, note=note))
        return made

    def _slot(self, place: Place, number: int) -> Place:
        return _beside(place, self.slots[place_name(place)][number - 1])

    def _count(self, place: Place) -> Place:
        return _beside(place, self.counts[place_name(place)])

    def enqueue(self, target: Place, value: Expression | None) -> list[Part]:
        count = self._count(target)
        parts: list[Part] = []
        for number in range(1, self.bounds[place_name(target)] + 1):
            slot, otherwise = self._slot(target, number), f":not {number}"
            parts += [
                Branch(Binary("!=", count, Integer(number - 1)), otherwise),
                Havoc(slot) if value is None else Assign(slot, value),
                Assign(count, Integer(number)),
                Goto((":done",)),
                otherwise,
            ]
        return [*parts, Overflow(), ":done"]

    def view(self, place: Place) -> Expression:
        if place_name(place) not in self.stored:
            return place
        seen: Expression = self._slot(place, self.bounds[place_name(place)])
        for number in range(self.bounds[place_name(place)] - 1, 0, -1):
            seen = Conditional(equals(self._count(place), number), self._slot(place, number), seen)
        return Conditional(equals(self._count(place), 0), place, seen)

    def empty(self, variable: str | None) -> list[Expression]:
        names = list(self.stored) if variable is None else [variable] if variable in self.stored else []
        return [equals(self._count(place), 0) for name in names for place in _places(self.stored[name])]

    def flushes(self) -> list[list[Part]]:
        return [self._flush(place) for variable in self.stored.values() for place in _places(variable)]

    def _flush(self, place: Place) -> list[Part]:
        """The oldest entry goes to memory, the others move up, the last slot is dead."""
        count, bound = self._count(place), self.bounds[place_name(place)]
        what = f"flush {place_name(place)} of {self.process.name}"
        parts: list[Part] = [Assume(Binary("!=", count, Integer(0))), (Assign(place, self._slot(place, 1)), what)]
        for number in range(1, bound):
            parts += [
                Branch(equals(count, number), f":last {number}"),
                Assign(self._slot(place, number), self._slot(place, number + 1)),
            ]
        for number in range(bound, 0, -1):
            if number < bound:
                parts += [Goto((":flushed",)), f":last {number}"]
            parts += [Forget(self._slot(place, number)), Assign(count, Integer(number - 1))]
        return from_place([*parts, ":flushed"] if bound > 1 else parts, first_store(self.process, place_name(place)))


def _beside(place: Place, name: str) -> Place:
    """The variable of that name, or its element with the same index as the place."""
    return Name(name) if isinstance(place, Name) else Element(name, place.index)


def _places(variable: Variable) -> list[Place]:
    if variable.size is None:
        return [Name(variable.name)]
    return [Element(variable.name, Integer(index)) for index in range(variable.size)]
