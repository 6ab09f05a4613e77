"""The parts of a state: a number for each variable, and for each element of an array."""

from ebb.formats.ir import Variable

Cell = tuple[str, int]  # a variable and an index: 0 where it is no array


def cells_of(variable: Variable) -> int:
    """One for a number; an array has one more than elements. That is what it is beyond its bounds: a predicate may ask
    for it, but no step writes there, so it must not be one of the elements."""
    return 1 if variable.size is None else variable.size + 1
