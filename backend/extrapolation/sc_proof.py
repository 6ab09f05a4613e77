"""What a Boolean program says: its predicates, its cubes, and what each of its statements does to the predicates.

It is read from the file itself, so it does not matter who wrote it; what has another form than `ebb-abstract` prints is
taken to say nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ebb.backend.abstraction.boolean_program import ALWAYS_HOLDS, GIVEN, given_lines
from ebb.backend.abstraction.transitions import qualified_variables
from ebb.formats import bp
from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import Expression, Name
from ebb.formats.ir import Process, Program
from ebb.formats.predicates import predicate_in

Literal = tuple[Expression, bool]  # a predicate (or a flag) and whether it holds
Cube = tuple[Literal, ...]


@dataclass(slots=True)
class Way:
    """One transition: when it is impossible, and when each predicate is certainly true or false after it."""

    at: tuple[int, int | None]  # line and column of what it comes from
    impossible_if: list[Cube] = field(default_factory=list)
    updates: dict[Expression, tuple[list[Cube], list[Cube]]] = field(default_factory=dict)


@dataclass(slots=True)
class Place:
    """A location: its transitions and its checks, each under the text that describes it."""

    ways: dict[str, Way] = field(default_factory=dict)
    checks: dict[str, list[Cube]] = field(default_factory=dict)  # the cubes under which a check cannot fail


@dataclass(slots=True)
class Proof:
    predicates: list[Expression]
    places: dict[tuple[str, str], Place]  # by process and label
    properties: dict[str, list[Cube]]  # by their text
    impossible: list[Cube]
    cubes: list[Cube]  # all that it uses, of more than one literal


def read_proof(program: bp.Program, reduced: Program) -> Proof:
    """The proof in a Boolean program of the program that was reduced."""
    _check_belongs(program, reduced)
    return _Reader(program, reduced).proof()


def _check_belongs(program: bp.Program, reduced: Program) -> None:
    """Same processes, labels, source, and declarations: anything else is the proof of another program."""
    _check_ranges(program, reduced)
    functions = {function.process: function for function in program.functions if function.process}
    processes = {process.name: process for process in reduced.processes if not process.background}
    first = program.functions[0].at
    other = f"this is not an abstraction of {reduced.name}"
    for name in processes:
        if name not in functions:
            raise InputError(f"{other}: it has no process {name}", first)
    for name, function in functions.items():
        if name not in processes:
            raise InputError(f"{other} under SC: {name} is no process of it", function.at)
        _check_labels(function, processes[name], other)
        for statement in function.body:
            if statement.origin is not None and statement.origin.file != reduced.source:
                message = f"{other}: the statement comes from {statement.origin.file}, not from {reduced.source}"
                raise InputError(message, statement.at)


def _check_ranges(program: bp.Program, reduced: Program) -> None:
    """What the proof took for granted about variables is so: their ranges and the sizes of arrays."""
    known = {f"{GIVEN}{line}" for line in given_lines(qualified_variables(reduced))}
    for function in program.functions:
        for line in function.comments.above:
            if line.startswith(GIVEN) and line not in known:
                message = f"the proof is about `{line.removeprefix(GIVEN)}`, which {reduced.name} does not declare so"
                raise InputError(message, function.at)


def _check_labels(function: bp.Function, process: Process, other: str) -> None:
    labels = {label.rstrip("_") for statement in function.body for label in statement.labels}
    for instruction in process.body:
        if instruction.note not in ("drain", "complete") and instruction.label.rstrip("_") not in labels:
            message = f"{other}: {process.name} has no statement with the label {instruction.label}"
            raise InputError(message, function.at)


def _common(one: Way, other: Way) -> Way:
    """What holds for both of two ways that look alike: what is chosen may come from different ranges."""
    found = Way(one.at if one.at == other.at else (0, 0))
    found.impossible_if = [cube for cube in one.impossible_if if cube in other.impossible_if]
    for predicate, (true_if, false_if) in one.updates.items():
        if predicate in other.updates:
            others = other.updates[predicate]
            true_common = [cube for cube in true_if if cube in others[0]]
            found.updates[predicate] = true_common, [cube for cube in false_if if cube in others[1]]
    return found


class _Reader:
    def __init__(self, program: bp.Program, reduced: Program) -> None:
        self.program = program
        self.meaning: dict[str, Expression] = {}
        self.predicates: list[Expression] = []
        for declaration in program.declarations:
            for number, (name, text) in enumerate(zip(declaration.names, declaration.predicates, strict=False)):
                if "@" in text:
                    self.meaning[name] = Name(text)
                    continue
                at = declaration.names_at[number] if declaration.names_at else Position(1, 1)
                try:
                    predicate = predicate_in(text, at, reduced).expression
                except InputError as error:
                    raise InputError(f"the predicate of {name}: {error.message}", at) from None
                self.meaning[name] = predicate
                self.predicates.append(predicate)
        self.used: dict[Cube, None] = {}

    def proof(self) -> Proof:
        places: dict[tuple[str, str], Place] = {}
        properties: dict[str, list[Cube]] = {}
        impossible: list[Cube] = []
        for function in self.program.functions:
            for enforce in function.enforce:
                if isinstance(enforce.condition, bp.Not):
                    impossible += self.cubes(enforce.condition.operand) or []
            if function.process:
                self.places(function, places)
            else:
                for statement in function.body:
                    if isinstance(statement.action, bp.Assert) and statement.checks:
                        properties[statement.checks] = self.cubes(statement.action.condition) or []
        larger = [cube for cube in self.used if len(cube) > 1]
        return Proof(self.predicates, places, properties, impossible, larger)

    def places(self, function: bp.Function, places: dict[tuple[str, str], Place]) -> None:
        """A transition belongs to the label that stands last before it, or to the one that branches to it."""
        branching: dict[str, str] = {}
        label = ""
        for statement in function.body:
            for name in statement.labels:
                label = branching.get(name, name)
            place = places.setdefault((function.process, label), Place())
            for line in statement.comments.above:
                if line.startswith(ALWAYS_HOLDS):
                    place.checks[line.removeprefix(ALWAYS_HOLDS)] = [()]
            text = statement.comments.beside.removeprefix("// ")
            match statement.action:
                case bp.Goto(targets) if len(targets) > 1:
                    branching |= dict.fromkeys(targets, label)
                case bp.Assert(condition):
                    place.checks[text] = self.cubes(condition) or []
                case _ if statement.origin is not None:
                    self.way(statement.action, (statement.origin.line, statement.origin.column), text, place)

    def way(self, action: bp.Action, at: tuple[int, int | None], text: str, place: Place) -> None:
        way = Way(at)
        match action:
            case bp.Assume(condition):
                way.impossible_if = self.negated(condition)
            case bp.Assign(targets, values, constrain):
                way.impossible_if = [] if constrain is None else self.negated(constrain)
                for name, value in zip(targets, values, strict=True):
                    if (predicate := self.meaning.get(name)) is not None:
                        way.updates[predicate] = self.choice(value)
            case bp.Skip() | bp.Goto():
                pass
            case _:
                return
        other = place.ways.get(text)
        place.ways[text] = way if other is None else _common(way, other)

    def choice(self, value: bp.Expression) -> tuple[list[Cube], list[Cube]]:
        match value:
            case bp.Constant(holds):
                return ([()], []) if holds else ([], [()])
            case bp.Schoose(true_if, false_if):
                # Where both hold the first decides, so the second says nothing there; with sound cubes both never do.
                return self.cubes(true_if) or [], self.cubes(false_if) or []
            case _:
                return [], []

    def negated(self, condition: bp.Expression) -> list[Cube]:
        """The cubes under which the condition does not hold."""
        if isinstance(condition, bp.Not):
            return self.cubes(condition.operand) or []
        if isinstance(condition, bp.Variable) and condition.name in self.meaning:
            return [((self.meaning[condition.name], False),)]
        return []

    def cubes(self, expression: bp.Expression) -> list[Cube] | None:
        """A disjunction of cubes; None if it is something else."""
        match expression:
            case bp.Constant(holds):
                return [()] if holds else []
            case bp.Operation("|", parts):
                found = [self.cube(part) for part in parts]
            case _:
                found = [self.cube(expression)]
        cubes = [cube for cube in found if cube is not None]
        self.used |= dict.fromkeys(cubes)
        return None if len(cubes) < len(found) else cubes

    def cube(self, expression: bp.Expression) -> Cube | None:
        parts: Sequence[bp.Expression] = (expression,)
        if isinstance(expression, bp.Operation) and expression.operator == "&":
            parts = expression.operands
        found = list(self.literals(parts))
        return tuple(found) if len(found) == len(parts) else None

    def literals(self, parts: Sequence[bp.Expression]) -> Iterator[Literal]:
        for part in parts:
            holds = not isinstance(part, bp.Not)
            variable = part.operand if isinstance(part, bp.Not) else part
            if isinstance(variable, bp.Variable) and variable.name in self.meaning:
                yield self.meaning[variable.name], holds
