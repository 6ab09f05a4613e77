"""What locks, semaphores, condition variables, barriers, start and join mean: atomic blocks over shared integers.

    lock(m)       m is 0 when free and the number of its holder (from 1) when held
    acquire(s)    s counts what is left; waits while it is 0
    wait(c, m)    two steps: give up m and wait; then, once woken and m is free, go on with m
                  `_c_P` is 0, 1 while P waits, 2 once it is woken
    signal(c)     wakes one process that waits, any one, or none if none waits; broadcast(c) wakes all
    barrier(b)    two steps: arrive; then leave, once every process whose text has `barrier(b)` has arrived
    start(P)      sets `_P_started`, for which P waits before its first step (`when`); join(P) waits for `_P_ended`,
                  which P sets in its last step

A lock, semaphore, condition variable or barrier that is not declared is declared by its use, under a name with an
underscore, so that outcomes do not mention it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lark import Token

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import Binary, Expression, Integer, Name, Place
from ebb.formats.ir import Action, Assert, Assign, Assume, Branch, Goto, Skip, Variable
from ebb.frontend import ebb_tree as tree
from ebb.frontend.drafts import Mark
from ebb.frontend.scope import Scope, at

Part = Action | tuple[Action, str] | Mark
Step = tuple[list[Part], Position, str]  # the body of an atomic block, where it comes from, what it models


def _equals(place: Place, value: int) -> Expression:
    return Binary("==", place, Integer(value))


@dataclass(slots=True)
class Synchronisation:
    """What the whole program says about synchronisation, and the steps each statement becomes."""

    scope: Scope
    parties: dict[str, set[str]] = field(default_factory=dict)  # barrier: processes that use it
    waiters: dict[str, list[str]] = field(default_factory=dict)  # condition variable: processes that wait on it
    started: dict[str, str] = field(default_factory=dict)  # process that some start names: its flag
    joined: dict[str, str] = field(default_factory=dict)  # process that some join names: its flag
    objects: dict[str, str] = field(default_factory=dict)  # undeclared lock or semaphore: its variable

    def survey(self, file: tree.FileTree) -> None:
        """Look at the whole program once: what a step means can depend on all processes."""
        for process in file.processes:
            for statement in _statements(process.elements):
                match statement:
                    case tree.Wait(condition=condition):
                        waiting = self.waiters.setdefault(str(condition), [])
                        if process.name not in waiting:
                            waiting.append(str(process.name))
                    case tree.Notify(_, "barrier", name):
                        self.parties.setdefault(str(name), set()).add(str(process.name))
                    case tree.Notify(_, "start" | "join" as word, name):
                        if self.scope.process_of(name) == process.name:
                            raise InputError(f"a process cannot {word} itself", at(name))
                        flags, flag = (self.started, "started") if word == "start" else (self.joined, "ended")
                        if name not in flags:
                            flags[str(name)] = self._shared(f"_{name}_{flag}", at(name))
                    case _:
                        pass

    def _shared(self, name: str, where: Position | None) -> str:
        name = self.scope.unused_shared(name)
        self.scope.declare_shared(Variable(name, where or Position(1, 1)))
        return name

    def implicit(self, name: str, where: Position) -> str:
        """The variable of a lock or semaphore that nothing declares."""
        if name not in self.objects:
            self.objects[str(name)] = self._shared(f"_{name}", where)
        return self.objects[name]

    def _flag(self, key: str, name: str, where: Position) -> Name:
        if key not in self.objects:
            self.objects[key] = self._shared(name, where)
        return Name(self.objects[key])

    def _number(self, process: str) -> Integer:
        return Integer(list(self.scope.processes).index(process) + 1)

    # -- locks and semaphores

    def hold(self, process: str, word: str, place: Place, shown: str, here: Position) -> Step:
        me, body = self._number(process), list[Part]()
        match word:
            case "lock":
                body = [Assume(_equals(place, 0)), Assign(place, me)]
            case "unlock":
                held = Assert(Binary("==", place, me)), f"{process} holds {shown}"
                body = [held, Assign(place, Integer(0))]
            case "acquire":
                body = [Assume(Binary(">", place, Integer(0))), Assign(place, Binary("-", place, Integer(1)))]
            case "release":
                body = [Assign(place, Binary("+", place, Integer(1)))]
        return body, here, f"{word} {shown}"

    # -- condition variables

    def _waiting(self, condition: str, process: str, here: Position) -> Name:
        return self._flag(f"{condition} {process}", f"_{condition}_{process}", here)

    def wait(self, process: str, condition: Token, lock: Place | None, shown: str, here: Position) -> list[Step]:
        flag, me = self._waiting(condition, process, here), self._number(process)
        words = f"{condition}" if lock is None else f"{condition} {shown}"
        if lock is None:
            begin: list[Part] = [Assign(flag, Integer(1))]
            end: list[Part] = [Assume(_equals(flag, 2)), Assign(flag, Integer(0))]
        else:
            held = Assert(Binary("==", lock, me)), f"{process} holds {shown}"
            begin = [held, Assign(lock, Integer(0)), Assign(flag, Integer(1))]
            free = Binary("&&", _equals(flag, 2), _equals(lock, 0))
            end = [Assume(free), Assign(flag, Integer(0)), Assign(lock, me)]
        return [(begin, here, f"wait {words}"), (end, here, f"wake {words}")]

    def notify(self, word: str, condition: Token, here: Position) -> Step:
        flags = [self._waiting(condition, process, here) for process in self.waiters.get(condition, [])]
        note, end = f"{word} {condition}", "end"
        if not flags:
            return [Skip()], here, note
        body: list[Part] = []
        if word == "broadcast":
            for number, flag in enumerate(flags):
                next_one = f"next {number}"
                body += [Branch(Binary("!=", flag, Integer(1)), next_one), Assign(flag, Integer(2)), next_one]
            return body, here, note
        choices = [f"wake {number}" for number in range(len(flags))]
        body.append(Goto((*choices, "none")))
        for choice, flag in zip(choices, flags, strict=True):
            body += [choice, Assume(_equals(flag, 1)), Assign(flag, Integer(2)), Goto((end,))]
        nobody: Expression = Binary("!=", flags[0], Integer(1))
        for flag in flags[1:]:
            nobody = Binary("&&", nobody, Binary("!=", flag, Integer(1)))
        return [*body, "none", Assume(nobody), end], here, note

    # -- barriers

    def barrier(self, process: str, name: Token, here: Position) -> list[Step]:
        count = self._flag(f"{name} count", f"_{name}_count", here)
        phase = self._flag(f"{name} phase", f"_{name}_phase", here)
        # A process cannot arrive twice in one phase, so one bit tells the phases apart.
        locals_ = self.scope.locals[process]
        key = f"{name} seen {process}"
        if key not in self.objects:
            self.objects[key] = self.scope.unused_local(f"_{name}_seen", process)
            locals_[self.objects[key]] = Variable(self.objects[key], here)
        seen = Name(self.objects[key])
        arrive: list[Part] = [
            Assign(seen, phase),
            Assign(count, Binary("+", count, Integer(1))),
            Branch(Binary("<", count, Integer(len(self.parties[str(name)]))), "end"),
            Assign(count, Integer(0)),
            Assign(phase, Binary("-", Integer(1), phase)),
            "end",
        ]
        leave: list[Part] = [Assume(Binary("!=", phase, seen)), Assign(seen, Integer(0))]
        return [(arrive, here, f"arrive {name}"), (leave, here, f"leave {name}")]

    # -- start and join

    def ending(self, process: str) -> Iterator[tuple[list[Part], str]]:
        if process in self.joined:
            yield [Assign(Name(self.joined[process]), Integer(1))], f"end {process}"

    def start(self, _: str, name: Token, here: Position) -> Step:
        flag = Name(self.started[str(name)])
        once = Assert(_equals(flag, 0)), f"{name} is started once"
        return [once, Assign(flag, Integer(1))], here, f"start {name}"

    def join(self, _: str, name: Token, here: Position) -> tuple[Action, Position, str]:
        return Assume(Binary("!=", Name(self.joined[str(name)]), Integer(0))), here, f"join {name}"


def _statements(elements: tuple[tree.Label | tree.Statement, ...]) -> Iterator[tree.Statement]:
    """Every statement, also those inside others."""
    stack = list(reversed(elements))
    while stack:
        element = stack.pop()
        match element:
            case tree.Label():
                continue
            case tree.Block(inner, _) | tree.Region(block=tree.Block(inner, _)):
                stack.extend(reversed(inner))
            case tree.If(then=then, otherwise=otherwise):
                stack.extend(part for part in (otherwise, then) if part is not None)
            case tree.While(body=body):
                stack.append(body)
            case _:
                pass
        yield element
