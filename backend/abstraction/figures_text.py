"""What building an abstraction took, in a line."""

from ebb.backend.abstraction.build import Figures


def show_figures(figures: Figures) -> str:
    cubes = f"{figures.cubes} cubes of up to {figures.largest} literals" if figures.cubes else "no larger cubes"
    return (
        f"{figures.predicates} predicates, {figures.smt.calls} SMT calls, {cubes}, "
        f"{figures.seconds:.2f} s ({figures.smt.seconds:.2f} s in the solver)"
    )
