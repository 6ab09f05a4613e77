"""What variables are worth after some assignments, in terms of the state before them."""

from collections.abc import Mapping
from itertools import dropwhile

from ebb.backend.abstraction.cells import Cell
from ebb.backend.abstraction.simplification import simplified
from ebb.formats.expressions import Binary, Conditional, Element, Expression, Integer, Name, Place, rebuilt


class Values:
    """What variables are worth in terms of an earlier state; those not mentioned have kept their value."""

    def __init__(self) -> None:
        self.names: dict[str, Expression] = {}
        self.writes: dict[str, list[tuple[Expression, Expression]]] = {}

    @classmethod
    def of(cls, updates: tuple[tuple[Place, Expression], ...]) -> "Values":
        values = cls()
        for place, value in updates:
            values.write(place, value)
        return values

    def copy(self) -> "Values":
        values = Values()
        values.names = dict(self.names)
        values.writes = {array: list(writes) for array, writes in self.writes.items()}
        return values

    def write(self, place: Place, value: Expression) -> None:
        if isinstance(place, Name):
            self.names[place.name] = value
            return
        writes = self.writes.setdefault(place.array, [])
        writes[:] = [(index, old) for index, old in writes if index != place.index]
        writes.append((place.index, value))

    def updates(self) -> tuple[tuple[Place, Expression], ...]:
        found: list[tuple[Place, Expression]] = []
        found += [(Name(name), value) for name, value in self.names.items() if Name(name) != value]
        for array, writes in self.writes.items():
            places = [(Element(array, index), value) for index, value in writes]
            # What was there may be written back over an earlier write to the same element: only a first says nothing.
            found += dropwhile(lambda write: write[0] == write[1], places)
        return tuple(found)


def substituted(expression: Expression, values: Values) -> Expression:
    """The expression over the earlier state."""
    match expression:
        case Name(name):
            return values.names.get(name, expression)
        case Element(array, index):
            index = substituted(index, values)
            read: Expression = Element(array, index)
            for written, value in values.writes.get(array, ()):
                read = simplified(Conditional(Binary("==", index, written), value, read))
            return read
        case _:
            return rebuilt(expression, lambda part: substituted(part, values))


def with_values(expression: Expression, values: Mapping[Cell, int]) -> Expression:
    """The expression with what is known of its variables put in."""
    match expression:
        case Name(name) if (name, 0) in values:
            return Integer(values[(name, 0)])
        case Element(array, index):
            index = simplified(with_values(index, values))
            if isinstance(index, Integer) and (array, index.value) in values:
                return Integer(values[(array, index.value)])
            return Element(array, index)
        case _:
            return rebuilt(expression, lambda part: with_values(part, values))
