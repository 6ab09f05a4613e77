"""Writing the instructions of one process: positions, marks, and the loads that a statement needs before it."""

from dataclasses import dataclass, field

from ebb.formats.errors import Position
from ebb.formats.expressions import (
    Binary,
    Conditional,
    Element,
    Expression,
    Name,
    Place,
    Unary,
    place_name,
    places,
    show,
)
from ebb.formats.ir import Action, Assign, Atomic, Branch, Goto, Variable
from ebb.frontend.annotations import Annotations
from ebb.frontend.drafts import Body, Mark
from ebb.frontend.scope import ProcessNames, Scope


@dataclass(slots=True)
class InstructionWriter:
    """Where lowering stands in a process, and how it goes on by an instruction."""

    scope: Scope
    process: str
    annotations: Annotations
    body: Body = field(default_factory=Body)
    regions: list[tuple[str, int]] = field(default_factory=list)  # open atomic blocks and transactions
    temporaries: list[str] = field(default_factory=list)  # those the statement at hand already uses
    loaded: dict[Place, Name] = field(default_factory=dict)  # what it has loaded, and where to
    counted: int = 0

    @property
    def names(self) -> ProcessNames:
        return ProcessNames(self.scope, self.process)

    @property
    def in_atomic(self) -> bool:
        return any(word == "atomic" for word, _ in self.regions)

    @property
    def is_one_step(self) -> bool:
        """Whether a statement is one step whatever it reads: in atomic blocks, and in reduced programs."""
        return self.in_atomic or self.annotations.reduced is not None

    def emit(self, action: Action, here: Position, note: str = "") -> None:
        self.body.emit(action, self.annotations.position(here), self.annotations.note(here, note))

    def atomic(self, body: list[Action | tuple[Action, str] | Mark], here: Position, note: str) -> None:
        """An atomic block made of simple actions; a string among them marks the place of the next."""
        inner = Body()
        where = self.annotations.position(here)
        renamed: dict[Mark, Mark] = {part: self.mark() for part in body if isinstance(part, str)}
        for part in body:
            match part:
                case str():
                    inner.marks.append(renamed[part])
                case (action, inner_note):
                    inner.emit(_retarget(action, renamed), where, inner_note)
                case action:
                    inner.emit(_retarget(action, renamed), where)
        inner.close(where)
        self.body.emit(Atomic(()), where, self.annotations.note(here, note), inner)

    def mark(self) -> Mark:
        self.counted += 1
        return f"\0{self.counted}"

    def place_mark(self, mark: Mark) -> None:
        self.body.marks.append(mark)

    # -- shared accesses

    def shared_places(self, expression: Expression) -> list[Place]:
        """Distinct shared accesses in the order in which they happen."""
        return list(dict.fromkeys(p for p in places(expression) if self.names.is_shared(place_name(p))))

    def load_all(self, expression: Expression, here: Position) -> Expression:
        """The expression over locals only, every shared variable loaded before."""
        return self._load(expression, here, 0)

    def load_but_last(self, expression: Expression, here: Position) -> Expression:
        """The expression with one shared access left in it, the others loaded before."""
        return self._load(expression, here, 1)

    def _load(self, expression: Expression, here: Position, left: int) -> Expression:
        if self.is_one_step:
            return expression
        while (accesses := self.shared_places(expression)) and (len(accesses) > left or accesses[0] in self.loaded):
            first = accesses[0]
            if first not in self.loaded:
                self.loaded[first] = Name(self.temporary(place_name(first), here))
                self.emit(Assign(self.loaded[first], first), here, f"load {show(first)}")
            expression = _substitute(expression, first, self.loaded[first])
        return expression

    def load_index(self, place: Place, here: Position) -> Place:
        return place if isinstance(place, Name) else Element(place.array, self.load_all(place.index, here))

    def temporary(self, shared: str, here: Position) -> str:
        """A local for the value of a shared variable, different from those the statement already uses."""
        locals_ = self.scope.locals[self.process]
        declared = {declarator.name for declarator in self.scope.processes[self.process].locals}
        name, number = f"_{shared}", 2
        while name in self.temporaries or name in declared or name in self.scope.shared:
            name, number = f"_{shared}_{number}", number + 1
        self.temporaries.append(name)
        values = self.scope.shared[shared].range
        initial = values.low if values and 0 not in values else 0
        locals_.setdefault(name, Variable(name, self.annotations.position(here), initial, values))
        return name


def _retarget(action: Action, renamed: dict[Mark, Mark]) -> Action:
    match action:
        case Goto(targets):
            return Goto(tuple(renamed[target] for target in targets))
        case Branch(condition, target):
            return Branch(condition, renamed[target])
        case _:
            return action


def _substitute(expression: Expression, place: Place, by: Expression) -> Expression:
    """Every occurrence of the place, also in indices, replaced."""
    if expression == place:
        return by
    match expression:
        case Element(array, index):
            return Element(array, _substitute(index, place, by))
        case Unary(operator, operand):
            return Unary(operator, _substitute(operand, place, by))
        case Binary(operator, left, right):
            return Binary(operator, _substitute(left, place, by), _substitute(right, place, by))
        case Conditional(condition, then, otherwise):
            return Conditional(
                _substitute(condition, place, by), _substitute(then, place, by), _substitute(otherwise, place, by)
            )
        case _:
            return expression
