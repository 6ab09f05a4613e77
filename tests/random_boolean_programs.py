"""Random small Boolean programs, as text; `boolean_brute_force.py` says what the answer is.

    text = random_program(random.Random(seed))

There are up to four threads and eight bits in them all together, so that every engine comes to an end. About half of
the programs have a violation, most of them several steps from the beginning. Threads are started by `main` or are
processes; no thread is started in a loop. Spellings vary as they do between the tools that write such files.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

MOST_BITS = 8
MOST_THREADS = 4
_LARGEST = 2**14  # locations times valuations, roughly


def random_program(rng: random.Random) -> str:
    return "".join(f"{line}\n" for line in _Writer(rng).program())


@dataclass
class _Statement:
    text: str  # `{}` is where labels of the same function go
    depth: int = 0  # atomic blocks that are open before it
    blocks: list[tuple[list["_Statement"], str]] = field(default_factory=list)  # each with the line below it
    labels: list[str] = field(default_factory=list)
    forwards: bool = False  # what it jumps to stands below it
    overflow: bool = False

    def all(self) -> Iterator["_Statement"]:
        yield self
        for block, _ in self.blocks:
            for statement in block:
                yield from statement.all()

    def lines(self, indent: str) -> Iterator[str]:
        labels = "".join(f"{label}: " for label in self.labels)
        yield f"{indent}{labels}{self.text}{'  //@ overflow' if self.overflow else ''}"
        for block, below in self.blocks:
            for statement in block:
                yield from statement.lines(f"{indent}  ")
            yield f"{indent}{below}"


@dataclass
class _Function:
    name: str
    process: str = ""
    parameters: list[str] = field(default_factory=list)
    results: int = 0
    locals: list[str] = field(default_factory=list)
    body: list[_Statement] = field(default_factory=list)
    calls: list["_Function"] = field(default_factory=list)  # what it may call
    starts: bool = False  # other threads

    def all(self) -> list[_Statement]:
        return [inner for statement in self.body for inner in statement.all()]


def _starts(statement: _Statement) -> bool:
    return any("start_thread" in inner.text for inner in statement.all())


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._bits = rng.randint(1, MOST_BITS)  # not yet given to a variable
        self._globals = list("abcd"[: min(rng.choice((1, 2, 2, 3, 3, 4)), self._bits)])
        self._bits -= len(self._globals)
        self._room = _LARGEST >> (len(self._globals) + self._bits)

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability

    # ---- the whole program

    def program(self) -> Iterator[str]:
        rng = self._rng
        count = rng.choice((1, 2, 2, 2, 3, 3, MOST_THREADS))
        procedures = [self._procedure(number, count) for number in range(rng.choice((0, 0, 0, 1, 1, 2)))]
        threads, starts = self._threads(count, not procedures)
        for number, procedure in enumerate(procedures):
            procedure.calls = procedures[:number]
            self._write_procedure(procedure)
        start = {name: rng.randint(0, 1) for name in self._globals}
        for function in threads:
            function.calls = procedures
            self._write_thread(function, start)
            self._add_starts(function, starts if function.starts else [])
        self._add_assertions(threads, procedures)
        if self._chance(0.12):
            rng.choice(rng.choice(threads).all()).overflow = True
        functions = [*procedures, *threads]
        for function in functions:
            self._add_jumps(function)
        rng.shuffle(functions)
        yield f"decl {', '.join(self._globals)};"
        for function in functions:
            yield from self._text(function)

    def _procedure(self, number: int, threads: int) -> _Function:
        procedure = _Function(f"p{number}", results=self._rng.choice((0, 1, 1, 2)))
        for name in ("x", "y", "z"):  # one bit for each thread
            if self._bits >= threads and self._chance(0.6):
                self._bits -= threads
                (procedure.locals if self._chance(0.3) else procedure.parameters).append(name)
        return procedure

    def _threads(self, threads: int, alone: bool) -> tuple[list[_Function], list[str]]:
        """The functions that threads run, and the statements that start those that do not run from the beginning."""
        rng = self._rng
        if threads == 1:
            return [self._thread_function("only" if alone and self._chance(0.5) else "main", 1)], []
        if self._chance(0.5):
            return [self._thread_function(f"f{number}", 1, f"P{number}") for number in range(threads)], []
        functions: list[_Function] = []
        starts: list[str] = []
        left = threads - 1
        continued = rng.choice((0, 0, 1)) if left > 1 else rng.choice((0, 0, 0, 1))
        while left > continued:
            copies = min(left - continued, rng.choice((1, 1, 1, 2)))
            worker = self._thread_function(f"w{len(functions)}", copies)
            if worker.locals and self._chance(0.5):
                worker.parameters.append(worker.locals.pop(0))
            functions.append(worker)
            left -= copies
            starts += [worker.name] * copies
        main = self._thread_function("main", 1 + continued)
        main.starts = True
        return [main, *functions], [*(self._start(main, functions, name) for name in starts), *["goto {}"] * continued]

    def _start(self, main: _Function, workers: list[_Function], name: str) -> str:
        worker = next(worker for worker in workers if worker.name == name)
        arguments = [self._value(self._visible(main)) for _ in worker.parameters]
        return f"{name}({', '.join(arguments)})"

    def _thread_function(self, name: str, copies: int, process: str = "") -> _Function:
        function = _Function(name, process)
        for local in ("l", "m"):
            if self._bits >= copies and self._chance(0.6):
                self._bits -= copies
                hides = self._chance(0.1) and self._globals[0] not in function.locals
                function.locals.append(self._globals[0] if hides else local)
        return function

    def _visible(self, function: _Function) -> list[str]:
        own = [*function.parameters, *function.locals]
        return [*own, *(name for name in self._globals if name not in own)]

    # ---- bodies

    def _write_procedure(self, procedure: _Function) -> None:
        procedure.body = self._block(procedure, self._rng.randint(1, 3), 0)
        if procedure.results and self._chance(0.8):
            values = ", ".join(self._value(self._visible(procedure)) for _ in range(procedure.results))
            procedure.body.append(_Statement(f"return {values};" if self._chance(0.9) else "return;"))

    def _write_thread(self, function: _Function, start: dict[str, int]) -> None:
        """Most threads begin with known values: those that all processes wait for, or that they assign themselves."""
        size = self._size()
        self._room //= size
        function.body = self._block(function, size, 0)
        own = {*function.locals, *function.parameters}
        if function.process:
            first = f"assume({self._is(start)});"
        else:
            if not function.starts and self._chance(0.7):
                start = {name: self._rng.randint(0, 1) for name in function.locals}
            elif own & set(start):
                start = {name: value for name, value in start.items() if name not in own}
            first = f"{', '.join(start)} := {', '.join(map(str, start.values()))};"
        if start and self._chance(0.75):
            function.body.insert(0, _Statement(first))

    def _size(self) -> int:
        return max(2, min(self._rng.randint(2, 6), self._room.bit_length() // 2))

    def _add_starts(self, function: _Function, starts: list[str]) -> None:
        """What starts threads stands outside loops; `start_thread goto` goes on below all the others."""
        body, lowest = function.body, 1
        for what in starts:
            if "{}" in what:
                body.append(_Statement(self._assignment(self._visible(function))))
                lowest = 1 + max((at for at, other in enumerate(body) if _starts(other)), default=0)
            here = self._rng.randint(lowest, max(lowest, len(body) - 1))
            depth = body[here].depth if here < len(body) else 0
            statement = _Statement(f"start_thread {what};", depth, forwards=True)
            if self._chance(0.2):
                statement = _Statement(f"if {self._condition(function)} then", depth, [([statement], "fi;")])
            body.insert(here, statement)

    def _is(self, start: dict[str, int]) -> str:
        literals = [f"{'' if value else '!'}{name}" for name, value in start.items()]
        return literals[0] if len(literals) == 1 else f"({' & '.join(literals)})"

    def _block(self, function: _Function, size: int, depth: int) -> list[_Statement]:
        block: list[_Statement] = []
        while size > 0:
            used, statements = self._some(function, size, depth)
            block += statements
            size -= used
        return block

    def _some(self, function: _Function, room: int, depth: int) -> tuple[int, list[_Statement]]:
        """How many statements of the room are used, and they."""
        rng = self._rng
        names = self._visible(function)
        kinds = ["assign"] * 8 + ["assume", "assume", "goto", "dead", "skip"] + ["call"] * 3 * bool(function.calls)
        if room > 1:
            kinds += ["if", "if", "while", "atomic", "atomic"]
        if not depth:
            kinds += ["leave"] * (room < 2)
        text = "skip;"
        match rng.choice(kinds):
            case "assign":
                text = self._assignment(names)
            case "assume":
                text = f"assume({self._expression(names, 1)});"
            case "goto":
                text = "goto {};"
            case "dead":
                text = f"dead {rng.choice(names)};" if self._chance(0.8) else "dead;"
            case "call":
                text = self._call(rng.choice(function.calls), names)
            case "leave":
                text = rng.choice(("return;", "end_thread;", "assume(F);"))
            case "if":
                return self._if(function, room, depth)
            case "while":
                inside = rng.randint(0, min(2, room - 1))
                block = self._block(function, inside, depth)
                end = "od;" if self._chance(0.7) else "od"
                return inside + 1, [_Statement(f"while {self._condition(function)} do", depth, [(block, end)])]
            case "atomic":
                inside = rng.randint(1, min(3, room - 1))
                block = self._block(function, inside, depth + 1)
                return inside + 1, [_Statement("atomic_begin;", depth), *block, _Statement("atomic_end;", depth + 1)]
        return 1, [_Statement(text, depth, forwards=function.starts)]

    def _if(self, function: _Function, room: int, depth: int) -> tuple[int, list[_Statement]]:
        """With branches; sometimes each of them leaves an atomic block."""
        rng = self._rng
        words = ["then", *rng.choice(([], [], ["else"], ["elsif", "else"], ["elsif"]))]
        ends_atomic = "else" in words and self._chance(0.3)
        inside, used = depth + ends_atomic, 1
        whole = _Statement(f"if {self._condition(function)} then", inside)
        for number in range(len(words)):
            size = rng.randint(0, min(2, max(0, room - used)))
            used += size
            block = self._block(function, size, inside)
            if ends_atomic:
                block.append(_Statement("atomic_end;", inside))
            below = [*words[1:], "fi;" if self._chance(0.7) else "fi"][number]
            whole.blocks.append((block, f"elsif {self._condition(function)} then" if below == "elsif" else below))
        return used, [_Statement("atomic_begin;", depth), whole] if ends_atomic else [whole]

    def _assignment(self, names: list[str]) -> str:
        targets = self._rng.sample(names, min(len(names), self._rng.choice((1, 1, 1, 2, 2, 3))))
        values = [self._value(names) for _ in targets]
        text = f"{', '.join(targets)} := {', '.join(values)}"
        if self._chance(0.15):
            text += f" constrain {self._clause([*(chr(39) + name for name in targets), *names])}"
        return f"{text};"

    def _call(self, callee: _Function, names: list[str]) -> str:
        call = f"{callee.name}({', '.join(self._value(names) for _ in callee.parameters)});"
        if not callee.results or len(names) < callee.results or self._chance(0.2):
            return call
        targets = [name if self._chance(0.85) else "_" for name in self._rng.sample(names, callee.results)]
        return f"{', '.join(targets)} := {call}"

    # ---- what is added to bodies

    def _add_assertions(self, begin: list[_Function], procedures: list[_Function]) -> None:
        """Mostly towards the end of a thread, where something has happened."""
        rng = self._rng
        for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3))):
            function = rng.choice(procedures if procedures and self._chance(0.15) else begin)
            names = self._visible(function)
            text = self._clause(names) if self._chance(0.7) else self._expression(names, 2)
            whole = _Statement(f"assert({text});")
            body = function.body
            places = [at for at, below in enumerate(body) if not below.depth]  # not in atomic blocks
            if not body[-1].text.startswith("return"):
                places.append(len(body))
            body.insert(rng.choice(places[-2:]), whole)

    def _add_jumps(self, function: _Function) -> None:
        """Labels where somebody jumps, which is never across the edge of an atomic block."""
        rng = self._rng
        statements = function.all()
        numeric = self._chance(0.4)
        fresh = iter(rng.sample(range(1, 100), len(statements)))
        for number, statement in enumerate(statements):
            if "{}" not in statement.text:
                continue
            depth = 0 if "start_thread" in statement.text else statement.depth
            below = statements[number + 1 :] if statement.forwards else statements
            targets = [other for other in below if other.depth == depth]
            if not targets:
                statement.text = "skip;"
                continue
            several = 1 if "start_thread" in statement.text else rng.choice((1, 1, 2, 3))
            chosen = rng.sample(targets, min(len(targets), several))
            for target in chosen:
                if not target.labels:
                    target.labels.append(f"{next(fresh)}" if numeric else f"L{next(fresh)}")
            statement.text = statement.text.format(", ".join(target.labels[0] for target in chosen))

    def _text(self, function: _Function) -> Iterator[str]:
        result = {0: "void", 1: "bool"}.get(function.results, f"bool<{function.results}>")
        process = f"  //@ process {function.process}" if function.process else ""
        yield f"{result} {function.name}({', '.join(function.parameters)}) begin{process}"
        if function.locals:
            yield f"  decl {', '.join(function.locals)};"
        for condition in self._enforces(function):
            yield f"  enforce {condition};"
        for statement in function.body:
            yield from statement.lines("  ")
        yield "end"

    def _enforces(self, function: _Function) -> Iterator[str]:
        while self._chance(0.3):
            yield self._enforced(self._visible(function) if self._chance(0.6) else self._globals)

    # ---- expressions

    def _enforced(self, names: list[str]) -> str:
        """Something that leaves most states alone."""
        clauses = [self._clause(names) for _ in range(self._rng.choice((1, 1, 2)))]
        text = clauses[0] if len(clauses) == 1 else f"({' & '.join(clauses)})"
        if len(names) > 2 and self._chance(0.1):
            text = f"!({' | '.join(f'!{clause}' for clause in clauses)})"
        return text if text.startswith("(") else f"({text})"

    def _clause(self, names: Sequence[str]) -> str:
        """A disjunction of literals, in one way or another."""
        chosen = self._rng.sample(names, min(len(names), self._rng.choice((2, 2, 2, 3))))
        literals = [self._literal(name) for name in chosen]
        if len(literals) == 1:
            return literals[0]
        match self._rng.randrange(4):
            case 0:
                return f"!({self._operator('&').join(literals)})"
            case 1 if len(literals) == 2:
                return f"({self._operator('=>').join(literals)})"
        return f"({self._operator('|').join(literals)})"

    def _condition(self, function: _Function) -> str:
        text = "*" if self._chance(0.2) else self._expression(self._visible(function), 1)
        return text if self._chance(0.3) else f"({text})"

    def _value(self, names: Sequence[str]) -> str:
        kind = self._rng.random()
        if kind < 0.4:
            return self._rng.choice(("0", "1", "T", "F"))
        if kind < 0.65:
            return self._literal(self._rng.choice(names))
        if kind < 0.75:
            return "*"
        if kind < 0.85:
            word = "schoose" if self._chance(0.8) else "choose"
            return f"{word}[{self._expression(names, 1)}, {self._expression(names, 1)}]"
        return self._expression(names, 2)

    def _literal(self, name: str) -> str:
        return f"{self._rng.choice('!!!~')}{name}" if self._chance(0.4) else name

    def _operator(self, operator: str) -> str:
        others = {"&": "&&", "|": "||", "=": "==", "!=": "<>", "=>": "->"}
        return f" {others.get(operator, operator) if self._chance(0.2) else operator} "

    def _expression(self, names: Sequence[str], depth: int) -> str:
        kind = self._rng.random()
        if depth == 0 or kind < 0.4:
            return self._rng.choice("01TF*") if self._chance(0.08) else self._literal(self._rng.choice(names))
        if kind < 0.45:
            return f"!{self._expression(names, depth - 1)}"
        if kind < 0.5:
            condition, *parts = (self._expression(names, depth - 1) for _ in range(3))
            return f"({condition} ? {' : '.join(parts)})"
        if kind < 0.55:
            return f"schoose[{self._expression(names, depth - 1)}, {self._expression(names, depth - 1)}]"
        operator = self._rng.choice(("&", "&", "|", "|", "^", "=", "!=", "=>"))
        count = self._rng.choice((2, 2, 2, 3)) if operator in "&|^" else 2
        return f"({self._operator(operator).join(self._expression(names, depth - 1) for _ in range(count))})"


# ---- programs that are hard to reduce


class Pooled(NamedTuple):
    text: str
    thread_bound: int


def random_hard_program(rng: random.Random) -> Pooled:
    """A program in which it takes care to leave something out, and the number of threads in a pool.

    Threads start each other, also in loops, from inside atomic blocks and from procedures; they end anywhere. Some
    global variables belong to a few functions. What is enforced ties variables of different threads together, comes
    and goes with procedures, or can never hold.
    """
    while True:
        writer = _HardWriter(rng)
        lines = list(writer.program())
        if writer.fits():
            return Pooled("".join(f"{line}\n" for line in lines), writer.thread_bound)


class _HardWriter(_Writer):
    _MOST_STARTS = 3

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self._plain = self._chance(0.6)  # few and simple statements, so that what happens depends on little
        if self._plain:
            self._globals = self._globals[:2]
        self.thread_bound = rng.choice((1, 1, 2, 2, 2, 3))
        self._sees: dict[str, list[str]] = {}
        self._startable: list[_Function] = []
        self._starting = 0
        self._functions: list[_Function] = []

    def fits(self) -> bool:
        """Whether there are not too many bits, by an estimate that may be too high."""
        return (
            self._starting <= self._MOST_STARTS
            and self._threads_at_most() <= 7
            and self._bits_at_most() <= MOST_BITS + 1
        )

    def _instances(self) -> dict[str, int]:
        """How many threads there can be of each function, by how often and from where it is started."""
        texts = {function.name: [s.text for s in function.all()] for function in self._functions}
        count = {f.name: int(f.name == "main" or bool(f.process)) for f in self._functions}
        for texts_ in texts.values():
            for text in texts_:
                if text.startswith("start_thread goto"):
                    name = next(name for name, own in texts.items() if own is texts_)
                    count[name] += max(1, self.thread_bound)
                elif text.startswith("start_thread"):
                    count[text.split()[1].split("(")[0]] += max(1, self.thread_bound)
        return count

    def _threads_at_most(self) -> int:
        return sum(self._instances().values())

    def _bits_at_most(self) -> int:
        called = sum(len(f.parameters) + len(f.locals) for f in self._functions if f.name.startswith("p"))
        count = self._instances()
        own = {f.name: len(f.parameters) + len(f.locals) + (called if f.calls else 0) for f in self._functions}
        return len(self._globals) + sum(
            count[name] * bits for name, bits in own.items() if name[0] != "p" or count[name]
        )

    # ---- the whole program

    def program(self) -> Iterator[str]:
        rng = self._rng
        procedures = [self._small(f"p{number}", 0.6) for number in range(rng.choice((0, 1, 1, 2)))]
        for procedure in procedures:
            procedure.results = rng.choice((0, 0, 1))
        if self._chance(0.3):
            threads = [self._small(f"f{number}", 0.5) for number in range(rng.choice((1, 2, 2)))]
            for number, function in enumerate(threads):
                function.parameters, function.process = [], f"P{number}"
            workers = [self._small("w0", 0.4)] if self._chance(0.4) else []
        else:
            threads = [self._small("main", 0.3)]
            threads[0].parameters = []
            workers = [self._small(f"w{number}", 0.5) for number in range(rng.choice((1, 1, 1, 2)))]
        self._startable = workers
        if len(threads) == 1 and self._chance(0.1):
            self._startable = [*workers, threads[0]]
        self._functions = [*procedures, *threads, *workers]
        for number, procedure in enumerate(procedures):
            procedure.calls = procedures[:number]
            self._write_procedure(procedure)
        start = {name: rng.randint(0, 1) for name in self._globals}
        for function in [*threads, *workers]:
            function.calls = procedures if self._chance(0.8) else []
            seen = self._visible(function)
            self._write_thread(function, {name: value for name, value in start.items() if name in seen})
        begin = threads[0]
        for worker in workers:
            if not any(f"start_thread {worker.name}(" in s.text for f in self._functions for s in f.all()):
                whole = _Statement(self._start_text(begin, worker))
                self._starting += 1
                if self._chance(0.6):
                    whole = _Statement(f"while {self._condition(begin)} do", 0, [([whole], "od;")])
                begin.body.insert(rng.choice([at for at, s in enumerate(begin.body) if not s.depth] or [0]), whole)
        for function in [*threads, *workers]:
            own = [*function.parameters, *function.locals]
            if own and self._chance(0.3):  # an end that is nobody's business
                function.body.append(_Statement(self._assignment(own)))
        self._add_assertions([*threads, *workers], procedures)
        if self._chance(0.05):
            rng.choice(rng.choice(threads).all()).overflow = True
        for function in self._functions:
            self._add_jumps(function)
        functions = list(self._functions)
        rng.shuffle(functions)
        yield f"decl {', '.join(self._globals)};"
        for function in functions:
            yield from self._text(function)

    def _small(self, name: str, chance: float) -> _Function:
        function = _Function(name)
        for variable in ("l", "m"):
            if self._chance(chance):
                (function.locals if self._chance(0.6) else function.parameters).append(variable)
            chance /= 3
        self._sees[name] = self._rng.sample(self._globals, self._rng.randint(1, len(self._globals)))
        return function

    def _visible(self, function: _Function) -> list[str]:
        own = [*function.parameters, *function.locals]
        return [*own, *(name for name in self._sees[function.name] if name not in own)]

    def _start_text(self, function: _Function, worker: _Function) -> str:
        arguments = [self._value(self._visible(function)) for _ in worker.parameters]
        return f"start_thread {worker.name}({', '.join(arguments)});"

    def _some(self, function: _Function, room: int, depth: int) -> tuple[int, list[_Statement]]:
        names = self._visible(function)
        own = [*function.parameters, *function.locals]
        kind = self._rng.random()
        if self._plain and kind > 0.05:
            return self._simple(function, room, depth)
        if kind < 0.05 and self._startable and self._starting < self._MOST_STARTS:
            self._starting += 1
            return 1, [_Statement(self._start_text(function, self._rng.choice(self._startable)), depth)]
        if kind < 0.07 and self._starting < self._MOST_STARTS:
            self._starting += 1
            return 1, [_Statement("start_thread goto {};", depth)]
        if kind < 0.2 and function.calls:
            return 1, [_Statement(self._call(self._rng.choice(function.calls), names), depth)]
        if kind < 0.3 and own:
            return 1, [_Statement(self._assignment(own), depth)]
        if kind < 0.36:
            return 1, [_Statement(self._constrained(names), depth)]
        if kind < 0.39:
            is_thread = not function.name.startswith("p")
            leave = _Statement(self._rng.choice(("return;", "end_thread;")) if is_thread else "end_thread;", depth)
            return 2, [_Statement(f"if {self._condition(function)} then", depth, [([leave], "fi;")])]
        return super()._some(function, room, depth)

    def _simple(self, function: _Function, room: int, depth: int) -> tuple[int, list[_Statement]]:
        """With little that can be true or false, most of what a program says can be seen in its verdict."""
        names = self._visible(function)
        own = [*function.parameters, *function.locals]
        name = self._rng.choice(own if own and self._chance(0.4) else names)
        kind = self._rng.random()
        text = (
            f"{name} := {self._rng.choice(('0', '1', '1', '*', f'!{name}', self._literal(self._rng.choice(names))))};"
        )
        if kind < 0.25 and function.calls:
            text = self._call(self._rng.choice(function.calls), names)
        elif kind < 0.4:
            text = f"assume({self._literal(self._rng.choice(names))});"
        elif kind < 0.5 and room > 1:
            block = self._block(function, self._rng.randint(1, 2), depth + 1)
            return len(block) + 1, [_Statement("atomic_begin;", depth), *block, _Statement("atomic_end;", depth + 1)]
        elif kind < 0.55:
            text = "goto {};"
        elif kind < 0.6 and room > 1:
            block = self._block(function, 1, depth)
            return 2, [_Statement(f"while ({self._literal(name)}) do", depth, [(block, "od;")])]
        elif kind < 0.63:
            text = "end_thread;"
        return 1, [_Statement(text, depth)]

    def _add_assertions(self, begin: list[_Function], procedures: list[_Function]) -> None:
        """Often just whether control comes to a place with some values."""
        if not self._plain:
            super()._add_assertions(begin, procedures)
            super()._add_assertions(begin, procedures)
            return
        function = self._rng.choice(begin)
        names = self._visible(function)
        for name in self._rng.sample(names, min(len(names), self._rng.choice((0, 1, 1, 2)))):
            function.body.append(_Statement(f"assume({self._literal(name)});"))
        condition = self._literal(self._rng.choice(names)) if self._chance(0.5) else "F"
        function.body.append(_Statement(f"assert({condition});"))

    def _constrained(self, names: list[str]) -> str:
        """About several targets at once, and others."""
        targets = self._rng.sample(names, min(len(names), self._rng.choice((1, 2, 2, 3))))
        values = [self._rng.choice(("*", "*", self._value(names))) for _ in targets]
        literals = [*(f"'{name}" for name in targets), *(f"'{name}" for name in names[:1]), *names]
        clauses = [self._tie(literals) for _ in range(self._rng.choice((1, 1, 2)))]
        condition = clauses[0] if len(clauses) == 1 else f"({' & '.join(clauses)})"
        return f"{', '.join(targets)} := {', '.join(values)} constrain {condition};"

    def _size(self) -> int:
        return self._rng.randint(1, 4)

    def _enforces(self, function: _Function) -> Iterator[str]:
        """Mostly about a variable of its own and a global one."""
        own = [*function.parameters, *function.locals]
        if own and self._chance(0.6):
            yield self._enforced([self._rng.choice(own), self._rng.choice(self._visible(function))])
        if self._chance(0.15):
            yield self._enforced(self._visible(function) if self._chance(0.5) else self._globals)

    def _tie(self, names: Sequence[str]) -> str:
        chosen = self._rng.sample(sorted(set(names)), min(len(set(names)), 2))
        if len(chosen) == 1:
            return chosen[0]
        return f"({self._operator(self._rng.choice(('=', '=', '!=', '=>', '^'))).join(chosen)})"

    def _enforced(self, names: list[str]) -> str:
        kind = self._rng.random()
        if self._plain and self._chance(0.3):
            return f"({self._literal(self._rng.choice(names))})"
        if kind < 0.03:
            return self._rng.choice(("(F)", f"({names[0]} & !{names[0]})", f"(({names[0]} | T) => {names[-1]})"))
        if kind < 0.06:
            return f"(({names[0]} | T) => {self._literal(self._rng.choice(names))})"
        if kind < 0.6:
            text = self._tie(names)
            return text if text.startswith("(") else f"({text})"
        return super()._enforced(names)
