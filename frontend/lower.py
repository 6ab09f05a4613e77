"""From structured statements to flat instructions with at most one shared access a step.

    X = Y + 1;                       _Y = Y;            // the load goes to a local of its own
    if (A == B) { r = 1; }    →      X = _Y + 1;
                                     _A = A;
                                     if (_A != B) goto L5;
                                     r = 1;
                              L5:    …

Loads happen left to right, each variable once; the last one stays in the expression when the statement makes no other
shared access. A condition that waits loads again until it holds. Inside an atomic block, which is one step anyway,
expressions stay as they are. This keeps every behaviour that the language allows and adds none: the places where
other processes can step in are exactly those between two shared accesses.
"""

from dataclasses import dataclass, field
from typing import assert_never

from lark import Token

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import (
    Binary,
    Element,
    Expression,
    Integer,
    Name,
    Place,
    negation,
    place_name,
    show,
    variables,
)
from ebb.formats.ir import (
    Action,
    Add,
    Assert,
    Assign,
    Assume,
    Atomic,
    Branch,
    Choose,
    Collect,
    Fence,
    Flush,
    Forget,
    Get,
    Goto,
    Havoc,
    Instruction,
    Overflow,
    Put,
    Skip,
    Transaction,
)
from ebb.frontend import ebb_tree as tree
from ebb.frontend.drafts import Body, Mark, finish
from ebb.frontend.instruction_writer import InstructionWriter
from ebb.frontend.scope import at, did_you_mean
from ebb.frontend.synchronisation import Synchronisation

DEEPEST_BLOCK = 150
DEEPEST_ATOMIC = 50  # less than IR allows: some statements become atomic blocks themselves


@dataclass(slots=True)
class _Jump:
    """A goto to check once all labels are known: where it stands and which regions are open there."""

    target: Token
    regions: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class ProcessLowering(InstructionWriter):
    """Lowers one process; `instructions` is the whole of its interface."""

    synchronisation: Synchronisation = field(kw_only=True)
    labels: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    jumps: list[_Jump] = field(default_factory=list)

    def instructions(self, process: tree.ProcessTree) -> tuple[Instruction, ...]:
        here = tree.position(process.name)
        self.elements(process.elements, 0)
        for body, note in self.synchronisation.ending(self.process):
            self.atomic(body, here, note)
        self.body.close(self.body.drafts[-1].at if self.body.drafts else self.annotations.position(here))
        self.check_jumps()
        return finish(self.body)

    def visible_labels(self) -> set[str]:
        """The labels at which other processes can see this one stand."""
        return {label for label, regions in self.labels.items() if all(word != "atomic" for word, _ in regions)}

    # -- statements

    def elements(self, elements: tuple[tree.Label | tree.Statement, ...], depth: int) -> None:
        for element in elements:
            if isinstance(element, tree.Label):
                self.label(element.name)
            else:
                self.statement(element, depth)

    def label(self, name: Token) -> None:
        if name in self.labels:
            raise InputError(f"the label `{name}` stands twice in {self.process}", tree.position(name))
        self.labels[str(name)] = tuple(self.regions)
        self.body.labels.append((str(name), self.annotations.position(tree.position(name))))

    def statement(self, statement: tree.Statement, depth: int) -> None:
        self.temporaries.clear()
        self.loaded.clear()
        match statement:
            case tree.Block(elements, end):
                self.enter(end, depth)
                self.elements(elements, depth + 1)
            case tree.Assignment():
                self.assignment(statement)
            case tree.CollectStatement() | tree.ChooseStatement() | tree.Call():
                self.reduced_form(statement)
            case tree.Locked():
                self.locked(statement)
            case tree.RemotePut(here, target, process, source):
                put_to = self.remote(target, process, here)
                put_from = self.own(source, "put", here)
                self.emit(Put(put_to, self.scope.process_of(process), put_from), here)
            case tree.RemoteGet(here, target, source, process):
                get_to = self.own(target, "get", here)
                get_from = self.remote(source, process, here)
                self.emit(Get(get_to, get_from, self.scope.process_of(process)), here)
            case tree.RemoteFlush(here, process):
                self.emit(Flush(self.scope.process_of(process)), here)
            case tree.SkipStatement(here):
                self.emit(Skip(), here)
            case tree.Jump(here, targets):
                self.emit(Goto(tuple(self.target(target) for target in targets)), here)
            case tree.If():
                self.conditional(statement, depth)
            case tree.While():
                self.loop(statement, depth)
            case tree.Check(here, word, condition):
                self.check(here, word, self.names.expression(condition))
            case tree.Region():
                self.region(statement, depth)
            case tree.FenceStatement(here, variable):
                if variable is not None and not self.names.is_shared(self.names.variable(variable).name):
                    raise InputError(f"a fence is about a shared variable; `{variable}` is local", at(variable))
                self.emit(Fence(None if variable is None else str(variable)), here)
            case tree.Hold() | tree.Wait() | tree.Notify():
                self.synchronise(statement)
            case _:
                assert_never(statement)

    def enter(self, here: Position, depth: int) -> None:
        if depth >= DEEPEST_BLOCK:
            raise InputError(f"blocks are nested more than {DEEPEST_BLOCK} levels deep", here)

    def assignment(self, statement: tree.Assignment) -> None:
        here = statement.at
        target = self.names.place(statement.target)
        shared = self.names.is_shared(place_name(target))
        value = None if statement.value is None else self.names.expression(statement.value)
        if statement.word == "store" and not shared:
            raise InputError(f"a store is to a shared variable; `{place_name(target)}` is local", here)
        if statement.word == "load" and (
            shared or not isinstance(value, Name | Element) or not self.names.is_shared(place_name(value))
        ):
            raise InputError("a load is from a shared variable to a local: load r = X", here)
        target = self.load_index(target, here)
        if value is None:
            self.emit(Havoc(target), here)
        else:
            self.emit(Assign(target, (self.load_all if shared else self.load_but_last)(value, here)), here)

    def locked(self, statement: tree.Locked) -> None:
        here, word = statement.at, str(statement.word)
        location = self.names.place(statement.location)
        if not self.names.is_shared(place_name(location)):
            raise InputError(f"{word} works on a shared variable; `{place_name(location)}` is local", statement.at)
        result = None if statement.result is None else self.names.place(statement.result)
        if result is not None:
            result = self.load_index(result, here)
        location = self.load_index(location, here)
        arguments = [self.load_all(self.names.expression(argument), here) for argument in statement.arguments]
        note = f"{word} {show(location)}"
        stored: Place | None = None
        if result is not None and self.names.is_shared(place_name(result)) and not self.in_atomic:
            stored, result = result, Name(self.temporary(place_name(result), here))
        match word, arguments:
            case "cas", [old, new]:
                self.atomic(_compare_and_swap(result, location, old, new), here, note)
            case _, [operand]:
                value = operand if word == "xchg" else Binary("+", location, operand)
                if result is None:
                    self.atomic([Assign(location, value)], here, note)
                elif place_name(result) not in variables(value) | variables(location):
                    self.atomic([Assign(result, location), Assign(location, value)], here, note)
                else:
                    kept = Name(self.temporary(place_name(location), here))
                    self.atomic([Assign(kept, location), Assign(location, value), Assign(result, kept)], here, note)
        if stored is not None and result is not None:
            self.emit(Assign(stored, result), here)

    def remote(self, place: Place, process: Token, here: Position) -> Place:
        """The far end of a put or get: a shared variable that the named process owns, if anyone does."""
        found = self.names.place(place)
        variable = self.names.variable(place_name(place))
        owner = self.scope.process_of(process)
        if not self.names.is_shared(variable.name):
            raise InputError(f"`{variable.name}` is local; only shared variables can be reached", at(place_name(place)))
        if variable.owner not in (None, owner):
            message = f"`{variable.name}` lives in {variable.owner}, not in {owner}"
            raise InputError(message, at(place_name(place)))
        return self.copied(found, here)

    def own(self, place: Place, word: str, here: Position) -> Place:
        """The near end of a put or get: a shared variable of this process, if anyone owns it."""
        found = self.names.place(place)
        variable = self.names.variable(place_name(place))
        if not self.names.is_shared(variable.name):
            message = f"a {word} copies between shared variables; `{variable.name}` is local"
            raise InputError(message, at(place_name(place)))
        if variable.owner not in (None, self.process):
            message = f"`{variable.name}` lives in {variable.owner}, not in {self.process}"
            raise InputError(message, at(place_name(place)))
        return self.copied(found, here)

    def copied(self, place: Place, here: Position) -> Place:
        """A place that is copied remotely; where nothing is loaded before, its index has to do with locals."""
        loaded = self.load_index(place, here)
        if isinstance(loaded, Element) and self.shared_places(loaded.index):
            raise InputError("the index of what is copied remotely reads only locals here: load it before", here)
        return loaded

    # -- what only reduced programs have

    def reduced_form(self, statement: tree.CollectStatement | tree.ChooseStatement | tree.Call) -> None:
        here = statement.at if not isinstance(statement, tree.Call) else tree.position(statement.word)
        action: Action
        match statement:
            case tree.CollectStatement(_, Name(name), value):
                action = Collect(self.set_named(name), self.names.expression(value))
            case tree.CollectStatement(_, target, _):
                raise InputError(f"`{place_name(target)}` is not a set", here)
            case tree.ChooseStatement(_, target, "choose", name):
                action = Choose(self.names.place(target), self.set_named(name))
            case tree.Call("add", (Name(name), value)):
                action = Add(self.set_named(name), self.names.expression(value))
            case tree.Call("forget", (Name(name),)) if self.names.variable(name).type == "set":
                action = Forget(Name(str(name)))
            case tree.Call("forget", (Name() | Element() as place,)):
                action = Forget(self.names.place(place))
            case tree.Call("overflow", ()):
                action = Overflow()
            case tree.Call("add" | "forget" | "overflow" as word, _):
                usage = {"add": "add(SET, value);", "forget": "forget(X);", "overflow": "overflow;"}[word]
                raise InputError(f"{word} is used as {usage}", here)
            case tree.ChooseStatement(_, _, word, _) | tree.Call(word, _):
                raise InputError(f"there is no such statement as `{word}`", tree.position(word))
        if self.annotations.reduced is None:
            raise InputError("only a reduced program has such a statement", here)
        self.emit(action, here)

    def set_named(self, name: str) -> str:
        if self.names.variable(name).type != "set":
            raise InputError(f"`{name}` is not a set", at(name))
        return str(name)

    # -- control flow

    def target(self, name: Token) -> str:
        self.jumps.append(_Jump(name, tuple(self.regions)))
        return str(name)

    def check_jumps(self) -> None:
        for jump in self.jumps:
            if jump.target not in self.labels:
                message = f"{self.process} has no label `{jump.target}`{did_you_mean(jump.target, self.labels)}"
                raise InputError(message, tree.position(jump.target))
            regions = self.labels[str(jump.target)]
            if regions != jump.regions:
                crossed = set(regions) ^ set(jump.regions)
                word = "an atomic block" if any(word == "atomic" for word, _ in crossed) else "a transaction"
                raise InputError(f"this jump crosses the edge of {word}", tree.position(jump.target))

    def jump_if(self, condition: Expression | None, target: str, here: Position) -> None:
        """To the target if the condition holds (or, for `*`, perhaps); otherwise on."""
        if condition is None:
            on = self.mark()
            self.emit(Goto((target, on)), here)
            self.place_mark(on)
        else:
            self.emit(Branch(self.load_but_last(condition, here), target), here)

    def conditional(self, statement: tree.If, depth: int) -> None:
        here = statement.at
        self.enter(here, depth)
        condition = None if statement.condition is None else self.names.expression(statement.condition)
        if isinstance(statement.then, tree.Jump) and len(statement.then.targets) == 1:
            self.jump_if(condition, self.target(statement.then.targets[0]), here)
            if statement.otherwise is not None:
                self.statement(statement.otherwise, depth + 1)
            return
        otherwise, end = self.mark(), self.mark()
        self.jump_if(None if condition is None else negation(condition), otherwise, here)
        self.statement(statement.then, depth + 1)
        if statement.otherwise is None:
            self.place_mark(otherwise)
            return
        falls_through = self.body.falls_through()
        if falls_through:
            self.emit(Goto((end,)), here)
        self.place_mark(otherwise)
        self.statement(statement.otherwise, depth + 1)
        if falls_through:
            self.place_mark(end)

    def loop(self, statement: tree.While, depth: int) -> None:
        here = statement.at
        self.enter(here, depth)
        head, end = self.mark(), self.mark()
        self.place_mark(head)
        condition = None if statement.condition is None else self.names.expression(statement.condition)
        for_ever = isinstance(condition, Integer) and condition.value != 0
        if not for_ever:
            self.jump_if(None if condition is None else negation(condition), end, here)
        self.statement(statement.body, depth + 1)
        if self.body.falls_through():
            self.emit(Goto((head,)), here)
        if not for_ever:
            self.place_mark(end)

    def check(self, here: Position, word: str, condition: Expression) -> None:
        if word == "assert":
            self.emit(Assert(self.load_but_last(condition, here)), here)
        elif self.is_one_step or len(self.shared_places(condition)) <= 1:
            self.emit(Assume(self.load_but_last(condition, here)), here)
        else:
            again = self.mark()
            self.place_mark(again)
            self.emit(Branch(negation(self.load_but_last(condition, here)), again), here)

    def region(self, statement: tree.Region, depth: int) -> None:
        here, end = statement.at, statement.block.end
        self.enter(here, depth)
        if sum(word == statement.word for word, _ in self.regions) >= DEEPEST_ATOMIC:
            raise InputError(f"blocks are nested more than {DEEPEST_ATOMIC} levels deep", here)
        self.counted += 1
        self.regions.append((statement.word, self.counted))
        if statement.word == "atomic":
            outer, self.body = self.body, Body()
            self.elements(statement.block.elements, depth + 1)
            self.body.close(self.annotations.position(end))
            inner, self.body = self.body, outer
            self.body.emit(Atomic(()), self.annotations.position(here), self.annotations.note(here, ""), inner)
        else:
            self.emit(Transaction("begin"), here)
            self.elements(statement.block.elements, depth + 1)
            self.emit(Transaction("end"), end)
        self.regions.pop()

    # -- synchronisation

    def synchronise(self, statement: tree.Hold | tree.Wait | tree.Notify) -> None:
        here = statement.at
        match statement:
            case tree.Hold(_, word, place):
                self.atomic(
                    *self.synchronisation.hold(self.process, word, self.sync_place(place, here), show(place), here)
                )
            case tree.Wait(_, condition, lock):
                self.outside_atomic("wait", here)
                held, shown = (None, "") if lock is None else (self.sync_place(lock, here), show(lock))
                for part in self.synchronisation.wait(self.process, condition, held, shown, here):
                    self.atomic(*part)
            case tree.Notify(_, "start", name):
                self.atomic(*self.synchronisation.start(self.process, name, here))
            case tree.Notify(_, "join", name):
                self.emit(*self.synchronisation.join(self.process, name, here))
            case tree.Notify(_, "barrier", name):
                self.outside_atomic("barrier", here)
                for part in self.synchronisation.barrier(self.process, name, here):
                    self.atomic(*part)
            case tree.Notify(_, word, name):
                self.atomic(*self.synchronisation.notify(word, name, here))

    def sync_place(self, place: Place, here: Position) -> Place:
        """A lock or semaphore: a declared shared variable, or one that is declared by being used."""
        name = place_name(place)
        if isinstance(place, Name) and name not in self.scope.shared and name not in self.scope.locals[self.process]:
            return Name(self.synchronisation.implicit(name, self.annotations.position(here)))
        found = self.names.place(place)
        if not self.names.is_shared(place_name(found)):
            raise InputError(f"`{name}` is local; what processes synchronise on is shared", at(name))
        return self.load_index(found, here)

    def outside_atomic(self, word: str, here: Position) -> None:
        if self.in_atomic:
            raise InputError(f"{word} in an atomic block can never end: no other process moves meanwhile", here)


def _compare_and_swap(
    result: Place | None, location: Place, old: Expression, new: Expression
) -> list[Action | tuple[Action, str] | Mark]:
    differs, end = "differs", "end"
    if result is None:
        return [Branch(Binary("!=", location, old), end), Assign(location, new), end]
    return [
        Branch(Binary("!=", location, old), differs),
        Assign(location, new),
        Assign(result, Integer(1)),
        Goto((end,)),
        differs,
        Assign(result, Integer(0)),
        end,
    ]
