"""What building an abstraction took, in a line."""

from ebb.backend.abstraction.build import Figures


def show_figures(figures: Figures) -> str:
    cubes = f"{_many(figures.cubes, 'cube')} of up to {figures.largest} literals"
    if not figures.cubes:
        cubes = "no cubes of several literals"
    return (
        f"{_many(figures.predicates, 'predicate')}, {_many(figures.smt.calls, 'SMT call')}, {cubes}, "
        f"{figures.seconds:.2f} s ({figures.smt.seconds:.2f} s in the solver)"
    )


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
