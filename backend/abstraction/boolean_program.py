"""An abstraction as a Boolean program.

    decl b0, b1;                        //@ predicate X == 0 | P0.r == 0
    decl at0;                           //@ predicate P0@cs
    void main() begin                   initial values, then one thread a process, and one that watches the properties
    void P0() begin                     //@ process P0
      L3: b1 := schoose[b0, !b0];       // P0.r = X //@ at p.ebb:8:3
      L4: goto L4_1, L4_2;
      L4_1: assume(b1);                 // [P0.r == 0] //@ at p.ebb:9:3
      …
    void properties() begin
      …: assert(!at0 | !at1);           //@ checks never (P0@cs && P1@cs)

A location keeps its label; where there are several ways on, each has a label after that. One transition is one
statement: a guarded one that assigns says its guard in `constrain`. The comment beside it is the transition itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ebb.backend.abstraction.control_flags import Flag, Obligation, flag_name
from ebb.backend.abstraction.transformers import ALWAYS, AbstractLocation, AbstractTransition, Update
from ebb.backend.abstraction.transitions import END, Check, Control, SetStep, Transition
from ebb.backend.abstraction.vocabulary import Consistency, Cube, literals
from ebb.formats import bp
from ebb.formats.errors import Position
from ebb.formats.expressions import Expression, Name, show
from ebb.formats.ir import Variable


@dataclass(frozen=True, slots=True)
class Abstraction:
    """Everything that goes into the Boolean program."""

    source: str  # the file that positions are about
    variables: Mapping[str, Variable]
    predicates: Sequence[Expression]  # those of the vocabulary that are not flags
    flags: Sequence[Flag]
    initial: Sequence[bool | None]  # of predicates and flags; None is either
    consistency: Consistency
    controls: Sequence[tuple[Control, Sequence[AbstractLocation]]]
    obligations: Sequence[tuple[Obligation, Sequence[Cube]]]


def boolean_program(abstraction: Abstraction) -> bp.Program:
    return _Layout(abstraction).program()


def concrete_text(transition: Transition) -> str:
    """The transition as source text: `[guard] x = e, y = f`."""
    guard = " && ".join(show(part, 3) for part in transition.guard)
    values = {name: "*" for name, _ in transition.fresh}
    values |= {
        step.value.name: f"choose({step.set})"
        for step in transition.sets
        if isinstance(step.value, Name) and step.what == "choose"
    }
    updates = [f"{show(place)} = {_value(value, values)}" for place, value in transition.updates]
    values |= {value.name: show(place) for place, value in transition.updates if isinstance(value, Name)}
    updates += [_set_text(step, values) for step in transition.sets if step.what != "choose"]
    return " ".join(filter(None, [f"[{guard}]" if guard else "", ", ".join(updates)]))


def _set_text(step: SetStep, values: Mapping[str, str]) -> str:
    value = _value(step.value, values)
    match step.what:
        case "collect":
            return f"{step.set} = {{{value}}}"
        case "add":
            return f"add({step.set}, {value})"
        case _:
            return f"forget({step.set})"


GIVEN = "// given "  # before a declaration that the abstraction relies on


def given_lines(variables: Mapping[str, Variable]) -> list[str]:
    """The variables that are known to be in a range, and the arrays, as they are declared."""
    return [
        f"{name}{'' if variable.size is None else f'[{variable.size}]'}"
        f"{'' if variable.range is None else f' : {variable.range.low}..{variable.range.high}'}"
        for name, variable in variables.items()
        if "@" not in name and (variable.size is not None or variable.range is not None)
    ]


ALWAYS_HOLDS = "// always holds: "  # before the text of a check that needs no assertion


def check_text(check: Check) -> str:
    """What has to hold, and where: `[guard] condition`."""
    guard = " && ".join(show(part, 3) for part in check.guard)
    return " ".join(filter(None, [f"[{guard}]" if guard else "", show(check.condition)]))


def _value(value: Expression, fresh: Mapping[str, str]) -> str:
    return fresh[value.name] if isinstance(value, Name) and value.name in fresh else show(value)


class _Layout:
    def __init__(self, abstraction: Abstraction) -> None:
        self.abstraction = abstraction
        count = len(abstraction.predicates)
        self.names = [f"b{number}" for number in range(count)]
        self.names += [f"at{number}" for number in range(len(abstraction.flags))]
        self.flag_names = {flag: f"at{number}" for number, flag in enumerate(abstraction.flags)}
        self.function_names = _distinct(
            ["main", *(control.process for control, _ in abstraction.controls), "properties"]
        )

    def program(self) -> bp.Program:
        functions = [self.main()]
        for (control, locations), name in zip(self.abstraction.controls, self.function_names[1:-1], strict=True):
            functions.append(self.process(control, locations, name))
        if self.abstraction.obligations:
            functions.append(self.watcher())
        return bp.Program(tuple(self.declarations()), tuple(functions))

    # -- what there is

    def declarations(self) -> list[bp.Declaration]:
        texts = [show(predicate) for predicate in self.abstraction.predicates]
        texts += [flag_name(flag) for flag in self.abstraction.flags]
        found = []
        for name, text in zip(self.names, texts, strict=True):
            comments = bp.Comments(beside=f"// {text[:-1]} has ended" if text.endswith("@") else "")
            found.append(bp.Declaration((name,), (text,), comments))
        if found:
            first = bp.Comments((bp.HEADING,), found[0].comments.beside)
            found[0] = bp.Declaration(found[0].names, found[0].predicates, first)
        return found

    def main(self) -> bp.Function:
        """The initial values, and everybody starts."""
        statements = [bp.Statement(bp.AtomicBegin())]
        if self.names:
            values = tuple(_initial(value) for value in self.abstraction.initial)
            statements.append(bp.Statement(bp.Assign(tuple(self.names), values)))
        started = list(self.function_names[1:])
        if not self.abstraction.obligations:
            started.pop()
        statements += [bp.Statement(bp.StartThread(name)) for name in started]
        statements.append(bp.Statement(bp.AtomicEnd()))
        enforce = tuple(bp.Enforce(bp.Not(self.cube(cube))) for cube in self.abstraction.consistency.cubes)
        given = tuple(f"{GIVEN}{line}" for line in given_lines(self.abstraction.variables))
        above = ("", *given) if self.names else (bp.HEADING, "", *given)
        return bp.Function("main", enforce=enforce, body=tuple(statements), comments=bp.Comments(above))

    # -- processes

    def process(self, control: Control, locations: Sequence[AbstractLocation], name: str) -> bp.Function:
        labels = _Labels(location.location.label for location in locations)
        statements: list[bp.Statement] = []
        inside = {each.location.label for each in locations if each.location.inside}
        for number, location in enumerate(locations):
            following = locations[number + 1].location.label if number + 1 < len(locations) else END
            statements += self.location(location, following, labels, inside)
        return bp.Function(name, body=tuple(statements), process=control.process, comments=bp.Comments(("",)))

    def location(
        self, location: AbstractLocation, following: str, labels: "_Labels", inside: set[str]
    ) -> list[bp.Statement]:
        label = location.location.label
        found: list[bp.Statement] = []
        for check in location.checks:
            condition = self.cubes((*check.impossible_if, *check.holds_if))
            origin = self.origin(check.check.at, location.location.note)
            comments = bp.Comments(beside=f"// {check_text(check.check)}")
            statement = bp.Statement(bp.Assert(condition), origin=origin, checks=check.check.what, comments=comments)
            found.append(statement)
        ways = [way for way in location.transitions if way.impossible_if != ALWAYS]
        origin = self.origin(location.location.at, location.location.note)
        if not ways:
            found.append(bp.Statement(bp.Assume(bp.FALSE), origin=origin))
        elif len(ways) == 1:
            found += self.way(ways[0], following, labels, inside)
        else:
            names = [labels.new(f"{label}_{number}") for number in range(1, len(ways) + 1)]
            found.append(bp.Statement(bp.Goto(tuple(names)), origin=origin))
            for number, (way, name) in enumerate(zip(ways, names, strict=True)):
                last = number + 1 == len(ways)
                found += _labelled(self.way(way, following if last else None, labels, inside), name)
        above = tuple(f"{ALWAYS_HOLDS}{check_text(check)}" for check in location.assured)
        found[0] = replace(found[0], comments=replace(found[0].comments, above=above))
        return _labelled(found, labels.shown(label))

    def way(
        self, way: AbstractTransition, following: str | None, labels: "_Labels", inside: set[str]
    ) -> list[bp.Statement]:
        """The statements of a transition; `following` is where control comes without a jump."""
        transition = way.transition
        origin = self.origin(transition.at, transition.note)
        comments = bp.Comments(beside=f"// {text}" if (text := concrete_text(transition)) else "")
        condition = _negated(self.cubes(way.impossible_if)) if way.impossible_if else None
        assignments = {self.names[update.predicate]: self.choice(update) for update in way.updates}
        if not transition.overflow:
            assignments |= self.moved(transition)
        actions: list[bp.Action] = []
        begins, ends = transition.source not in inside, transition.target not in inside
        if begins and (way.then or not ends):
            actions.append(bp.AtomicBegin())
        if assignments:
            actions.append(bp.Assign(tuple(assignments), tuple(assignments.values()), condition))
        elif condition is not None:
            actions.append(bp.Assume(condition))
        if way.then:
            values = {self.names[update.predicate]: self.choice(update) for update in way.then}
            actions.append(bp.Assign(tuple(values), tuple(values.values())))
        if ends and (way.then or not begins):
            actions.append(bp.AtomicEnd())
        if transition.target != following and not transition.overflow:
            jump = labels.shown(transition.target)
            actions.append(bp.Return() if transition.target == END else bp.Goto((jump,)))
        if not actions and not transition.overflow:
            actions.append(bp.Skip())
        found = [bp.Statement(action, origin=origin, comments=comments) for action in actions[:1]]
        found += [bp.Statement(action) for action in actions[1:]]
        if transition.overflow:
            found.append(bp.Statement(bp.Skip(), origin=origin, overflow=True))
        return found

    def moved(self, transition: Transition) -> dict[str, bp.Expression]:
        """The flags of the places that the transition leaves and comes to."""
        if transition.source == transition.target:
            return {}
        found: dict[str, bp.Expression] = {}
        for label, value in ((transition.source, bp.FALSE), (transition.target, bp.TRUE)):
            if (name := self.flag_names.get((transition.process, label))) is not None:
                found[name] = value
        return found

    def watcher(self) -> bp.Function:
        """Whenever it moves, one of the properties is looked at."""
        statements: list[bp.Statement] = []
        for obligation, cubes in self.abstraction.obligations:
            statements.append(
                bp.Statement(
                    bp.Assert(self.cubes(cubes)),
                    origin=self.origin(obligation.at, ""),
                    checks=obligation.what,
                )
            )
        statements.append(bp.Statement(bp.Goto(("watch",))))
        name = self.function_names[-1]
        return bp.Function(name, body=tuple(_labelled(statements, "watch")), comments=bp.Comments(("",)))

    # -- expressions

    def choice(self, update: Update) -> bp.Expression:
        true_if, false_if = update.true_if, update.false_if
        if true_if == ALWAYS:
            return bp.TRUE
        if false_if == ALWAYS:
            return bp.FALSE
        if update.else_false:
            return self.cubes(true_if)
        if not true_if and not false_if:
            return bp.Nondet()
        return bp.Schoose(self.cubes(true_if), self.cubes(false_if))

    def cubes(self, cubes: Sequence[Cube]) -> bp.Expression:
        parts = tuple(self.cube(cube) for cube in dict.fromkeys(cubes))
        if bp.TRUE in parts:
            return bp.TRUE
        return _joined("|", parts, bp.FALSE)

    def cube(self, cube: Cube) -> bp.Expression:
        return _joined("&", tuple(self.literal(literal) for literal in literals(cube)), bp.TRUE)

    def literal(self, literal: int) -> bp.Expression:
        variable = bp.Variable(self.names[literal // 2])
        return bp.Not(variable) if literal & 1 else variable

    def origin(self, at: Position, note: str) -> bp.Origin:
        return bp.Origin(self.abstraction.source, at.line, at.column, note)


class _Labels:
    """Labels of a function, new ones apart from those there are."""

    def __init__(self, labels: Iterable[str]) -> None:
        self.names = dict(zip(labels := list(labels), _distinct(labels), strict=True))
        self.taken = set(self.names.values())

    def shown(self, label: str) -> str:
        """The label, or one like it where it is a word of the language."""
        return self.names.get(label, label)

    def new(self, label: str) -> str:
        while label in self.taken:
            label += "_"
        self.taken.add(label)
        return label


def _joined(operator: bp.Operator, parts: tuple[bp.Expression, ...], nothing: bp.Expression) -> bp.Expression:
    if not parts:
        return nothing
    return parts[0] if len(parts) == 1 else bp.Operation(operator, parts)


def _negated(condition: bp.Expression) -> bp.Expression:
    return condition.operand if isinstance(condition, bp.Not) else bp.Not(condition)


def _initial(value: bool | None) -> bp.Expression:
    return bp.Nondet() if value is None else bp.TRUE if value else bp.FALSE


def _labelled(statements: list[bp.Statement], label: str) -> list[bp.Statement]:
    first = statements[0]
    return [replace(first, labels=(label, *first.labels)), *statements[1:]]


def _distinct(names: list[str]) -> list[str]:
    """The names, changed where one is taken or is a word of the language; the first stays."""
    found: list[str] = []
    for name in names:
        while name in found or name in bp.KEYWORDS:
            name += "_"
        found.append(name)
    return found
