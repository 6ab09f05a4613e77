"""A program with predicates, taken apart for abstraction; nothing here needs a solver."""

from collections.abc import Sequence

from ebb.backend.abstraction.cells import cells_of
from ebb.backend.abstraction.control_flags import Flag, flag_name, flag_variable, flags
from ebb.backend.abstraction.dead_slots import DeadSlots
from ebb.backend.abstraction.figures import Figures
from ebb.backend.abstraction.simplification import simplified
from ebb.backend.abstraction.transformers import AbstractLocation
from ebb.backend.abstraction.transitions import END, Control, controls, qualified_variables
from ebb.backend.abstraction.vocabulary import Cube, Vocabulary
from ebb.formats.expressions import Expression, Name
from ebb.formats.ir import Program


class Subject:
    """A program with predicates, taken apart."""

    def __init__(self, program: Program, predicates: Sequence[Expression]) -> None:
        self.program = program
        self.predicates = [simplified(predicate) for predicate in predicates]
        self.flags: list[Flag] = flags(program)
        self.controls = controls(program)
        self.dead = DeadSlots(program)
        self.variables = qualified_variables(program)
        self.variables |= {flag_name(flag): flag_variable(flag) for flag in self.flags}
        named = [Name(flag_name(flag)) for flag in self.flags]
        self.vocabulary = Vocabulary([*self.predicates, *named], self.variables)

    def at_first(self, flag: Flag) -> bool:
        """Whether a process begins there."""
        for control in self.controls:
            if control.process == flag[0]:
                return flag[1] == (control.locations[0].label if control.locations else END)
        return False

    def initial_values(self) -> dict[tuple[str, int], int]:
        """What is known of the variables at the beginning, by name and index."""
        return {
            (name, index): variable.initial
            for name, variable in self.variables.items()
            if variable.initial is not None and variable.type == "integer" and "@" not in name
            for index in range(cells_of(variable))
        }


def by_control(
    controls: Sequence[Control], locations: Sequence[AbstractLocation]
) -> list[tuple[Control, Sequence[AbstractLocation]]]:
    """The locations, which are in the order of the processes, with the process that each belongs to."""
    found: list[tuple[Control, Sequence[AbstractLocation]]] = []
    begin = 0
    for control in controls:
        end = begin + len(control.locations)
        found.append((control, locations[begin:end]))
        begin = end
    return found


def count_cubes(locations: Sequence[AbstractLocation], figures: Figures) -> None:
    """The cubes of more than one literal that the transformers use."""
    used: set[Cube] = set()
    for location in locations:
        for check in location.checks:
            used |= {*check.impossible_if, *check.holds_if}
        for way in location.transitions:
            used |= set(way.impossible_if)
            for update in way.updates:
                used |= {*update.true_if, *update.false_if}
    figures.cubes = sum(cube.bit_count() > 1 for cube in used)
    figures.largest = max((cube.bit_count() for cube in used), default=0)
