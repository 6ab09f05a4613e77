"""The outcomes of a reduced program in terms of the original."""

from ebb.formats.ir import Program
from ebb.formats.outcomes import Outcomes


def projected(found: Outcomes, original: Program) -> set[tuple[tuple[str, int], ...]]:
    """The final states, over the locals and the shared variables that the original program has."""
    shared = {variable.name for variable in original.shared}
    return {
        tuple(sorted((name, value) for name, value in state.items() if "." in name or name.split("[")[0] in shared))
        for state in found.final
    }
