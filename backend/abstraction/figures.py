"""What building an abstraction took."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Count:
    """What the solver was asked, and how long it took: `seconds` is spent in the solver itself, its start included."""

    calls: int = 0
    seconds: float = 0.0

    def add(self, other: "Count") -> None:
        self.calls += other.calls
        self.seconds += other.seconds


@dataclass(slots=True)
class Figures:
    """What an abstraction took: counted as the CUPEX paper does."""

    predicates: int = 0
    smt: Count = field(default_factory=Count)
    seconds: float = 0.0
    cubes: int = 0  # different ones of more than one literal in the transformers
    largest: int = 0


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
