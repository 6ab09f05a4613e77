"""Which of the front end's temporaries no longer matter at each instruction of a process."""

from ebb.formats.expressions import Element, Expression, Name, variables
from ebb.formats.ir import (
    Add,
    Assert,
    Assign,
    Assume,
    Branch,
    Choose,
    Collect,
    Forget,
    Get,
    Goto,
    Havoc,
    Instruction,
    Process,
    Program,
    Put,
    instructions,
)


def dead_temporaries(program: Program, process: Process) -> list[tuple[int, ...]]:
    """For each instruction number (and the end): the cells of temporaries whose value nobody will read again.

    A temporary is a local whose name begins with an underscore and that no property mentions.
    """
    cells: dict[str, range] = {}
    for variable in process.locals:
        start = sum(other.size or 1 for other in process.locals[: process.locals.index(variable)])
        cells[variable.name] = range(start, start + (variable.size or 1))
    mentioned = {name for prop in program.properties for name in variables(prop.condition)}
    temporaries = {
        variable.name
        for variable in process.locals
        if variable.name.startswith("_") and f"{process.name}.{variable.name}" not in mentioned
    }
    if not temporaries:
        return [()] * (len(process.body) + 1)
    live = _live(process.body, temporaries)
    return [tuple(cell for name in sorted(temporaries - names) for cell in cells[name]) for names in live]


def _live(body: tuple[Instruction, ...], temporaries: set[str]) -> list[set[str]]:
    """The temporaries that may be read from each instruction on, by iteration to a fixed point."""
    number = {instruction.label: index for index, instruction in enumerate(body)}
    live: list[set[str]] = [set() for _ in range(len(body) + 1)]
    changed = True
    while changed:
        changed = False
        for index in range(len(body) - 1, -1, -1):
            action = body[index].action
            following = {index + 1}
            if isinstance(action, Goto):
                following = {number[target] for target in action.targets}
            elif isinstance(action, Branch):
                following.add(number[action.target])
            after = set[str]().union(*(live[target] for target in following))
            now = (after - _written(body[index])) | (_read(body[index]) & temporaries)
            if now != live[index]:
                live[index], changed = now, True
    return live


def _written(instruction: Instruction) -> set[str]:
    match instruction.action:
        case Assign(Name(name), _) | Havoc(Name(name)):
            return {name}
        case _:
            return set()


def _read(instruction: Instruction) -> set[str]:
    found: set[str] = set()
    for inner in instructions((instruction,)):
        for expression in _expressions(inner):
            found |= variables(expression)
    return found


def _expressions(instruction: Instruction) -> list[Expression]:
    match instruction.action:
        case Assign(target, value):
            return [value, *_indices(target)]
        case Havoc(target):
            return _indices(target)
        case Assume(condition) | Assert(condition) | Branch(condition, _):
            return [condition]
        case Put(target, _, source) | Get(target, source, _):
            return [*_indices(target), *_indices(source)]
        case Collect(_, value) | Add(_, value):
            return [value]
        case Choose(target, _) | Forget(target):
            return _indices(target)
        case _:
            return []


def _indices(place: Expression) -> list[Expression]:
    return [place.index] if isinstance(place, Element) else []
