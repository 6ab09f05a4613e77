"""The validator: everything that is wrong with a program, whoever made it.

Readers run it on what they read and tests run it after every pass, so a stage may rely on what it checks. A program
without findings can be written as a document and read back unchanged.
"""

from collections.abc import Iterable, Iterator

from ebb.formats.errors import Position
from ebb.formats.ir import PROPERTY_KINDS, REDUCED_MODELS, Process, Program, Variable
from ebb.formats.ir_check_code import check_code, check_position, is_note
from ebb.formats.ir_check_expressions import Finding, Scope, check_digits, check_expression, check_name
from ebb.formats.json_text import Path, quoted

__all__ = ["Finding", "check"]

_START = Position(1, 1)  # of the source: where a program stands that has no better place
_MODELS = ("any", "sc")
LARGEST_ARRAY = 65_536

Variables = dict[str, Variable]
Labels = dict[str, frozenset[str]]  # of each process, those at which control can be seen: outside atomic blocks


def check(program: Program) -> list[Finding]:
    """Everything that is wrong, declarations before what uses them; an empty list for a sound program."""
    return list(_check_program(program))


def _check_program(program: Program) -> Iterator[Finding]:
    for key, line in (("name", program.name), ("source", program.source)):
        if not line or not line.isprintable():
            yield Finding(f"the {key} is one line of printable characters", (key,), _START)
    if program.model not in _MODELS:
        yield Finding(f"unknown model {quoted(program.model)}", ("model",), _START)
    if program.reduced is not None and program.reduced not in REDUCED_MODELS:
        yield Finding(f"unknown model {quoted(program.reduced)}", ("reduced",), _START)
    if program.reduced is not None and program.model != "sc":
        yield Finding("a reduced program is run under sc", ("model",), _START)
    yield from _check_variables(program.shared, "shared variable", ("shared",))
    processes = {process.name for process in program.processes}
    for index, variable in enumerate(program.shared):
        if variable.owner is not None and variable.owner not in processes:
            message = f"the owner of {quoted(variable.name)}, {quoted(variable.owner)}, is not a process"
            yield Finding(message, ("shared", index, "owner"), variable.at)
    owners = [None, *(process.name for process in program.processes)]
    places = [owners.index(variable.owner) for variable in program.shared if variable.owner in owners]
    if places != sorted(places):
        yield Finding(
            "shared variables without an owner come first, then in the order of their owners", ("shared",), _START
        )
    if not program.processes:
        yield Finding("a program needs a process", ("processes",), _START)
    yield from _check_names(program.processes, "process", ("processes",))
    shared = {variable.name: variable for variable in program.shared}
    labels = _labels(program)
    for index, process in enumerate(program.processes):
        reduced = program.reduced is not None
        yield from _check_process(process, ("processes", index), shared, labels, reduced=reduced)
    if program.reduced is None:
        yield from _check_source_forms(program)
    yield from _check_conditions(program, shared, labels)


def _check_source_forms(program: Program) -> Iterator[Finding]:
    """What only reduced programs have."""
    for index, process in enumerate(program.processes):
        if process.background:
            yield Finding(
                "only a reduced program has background processes", ("processes", index, "background"), process.at
            )
    for index, variable in enumerate(program.shared):
        if variable.type == "set":
            yield Finding("only a reduced program has sets", ("shared", index, "type"), variable.at)


def _check_process(
    process: Process, path: Path, shared: Variables, labels: Labels, *, reduced: bool
) -> Iterator[Finding]:
    yield from check_position(process.at, path)
    if process.when is not None:
        starter = shared.get(process.when)
        if starter is None:
            message = f"{quoted(process.when)}, which starts the process, is not a shared variable"
            yield Finding(message, (*path, "when"), process.at)
        elif starter.size is not None:
            yield Finding(f"an array, {quoted(process.when)}, cannot start a process", (*path, "when"), process.at)
        elif starter.type == "set":
            yield Finding(f"a set, {quoted(process.when)}, cannot start a process", (*path, "when"), process.at)
    yield from _check_variables(process.locals, "local variable", (*path, "locals"))
    for index, variable in enumerate(process.locals):
        where = (*path, "locals", index)
        if variable.name in shared:
            yield Finding(f"{quoted(variable.name)} is both shared and local", (*where, "name"), variable.at)
        if variable.owner is not None:
            yield Finding("a local variable has no owner", (*where, "owner"), variable.at)
        if variable.type == "set":
            yield Finding("a local variable is not a set", (*where, "type"), variable.at)
    variables = {variable.name: variable for variable in process.locals} | shared
    scope = Scope("process", variables, frozenset(shared), labels)
    yield from check_code(process, path, scope, reduced=reduced)


def _check_conditions(program: Program, shared: Variables, labels: Labels) -> Iterator[Finding]:
    """Properties and predicates: shared variables by their names, locals as `Process.name`."""
    visible = dict(shared)
    for process in program.processes:
        visible |= {f"{process.name}.{variable.name}": variable for variable in process.locals}
    scope = Scope("property", visible, frozenset(shared), labels)
    for index, item in enumerate(program.properties):
        path: Path = ("properties", index)
        if item.kind not in PROPERTY_KINDS:
            yield Finding(f"unknown kind of property {quoted(item.kind)}", (*path, "kind"), item.at)
        yield from check_expression(item.condition, (*path, "condition"), item.at, scope)
        yield from check_position(item.at, path)
    scope = Scope("predicate", visible, frozenset(shared), labels)
    for index, predicate in enumerate(program.predicates):
        path = ("predicates", index)
        yield from check_expression(predicate.expression, (*path, "expression"), predicate.at, scope)
        yield from check_position(predicate.at, path)


def _labels(program: Program) -> Labels:
    return {process.name: frozenset(step.label for step in process.body) for process in program.processes}


def _check_names(declared: Iterable[Process | Variable], what: str, path: Path) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, item in enumerate(declared):
        where = (*path, index, "name")
        yield from check_name(item.name, what, where, item.at)
        if item.name in seen:
            yield Finding(f"there is another {what} {quoted(item.name)}", where, item.at)
        seen.add(item.name)


def _check_variables(variables: tuple[Variable, ...], what: str, path: Path) -> Iterator[Finding]:
    yield from _check_names(variables, what, path)
    for index, variable in enumerate(variables):
        yield from _check_variable(variable, (*path, index))


def _check_variable(variable: Variable, path: Path) -> Iterator[Finding]:
    at, name, values = variable.at, quoted(variable.name), variable.range
    if variable.initial is not None:
        yield from check_digits(variable.initial, (*path, "initial"), at)
    if values is not None:
        yield from check_digits(values.low, (*path, "range", 0), at)
        yield from check_digits(values.high, (*path, "range", 1), at)
        if values.low > values.high:
            yield Finding(f"the range of {name} is empty", (*path, "range"), at)
        elif variable.initial is not None and variable.initial not in values:
            yield Finding(f"the initial value of {name} is not in its range", (*path, "initial"), at)
    if variable.size is not None:
        yield from check_digits(variable.size, (*path, "size"), at)
        if variable.size < 1:
            yield Finding(f"the array {name} has no element", (*path, "size"), at)
        if variable.size > LARGEST_ARRAY:
            yield Finding(f"the array {name} has more than {LARGEST_ARRAY} elements", (*path, "size"), at)
    if variable.type not in ("integer", "set"):
        yield Finding(f"unknown type {quoted(variable.type)}", (*path, "type"), at)
    if variable.type == "set" and (variable.initial != 0 or values is not None or variable.size is not None):
        yield Finding(f"the set {name} has an initial value, a range or a size", path, at)
    if not is_note(variable.note):
        yield Finding("a note is one line of printable characters", (*path, "note"), at)
    yield from check_position(at, path)
