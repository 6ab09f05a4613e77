"""Random small Boolean programs, as text; `boolean_brute_force.py` says what the answer is.

    text = random_program(random.Random(seed))

There are up to four threads and eight bits in them all together, so that every engine comes to an end. About half of
the programs have a violation, most of them several steps from the beginning. Threads are started by `main` or are
processes; no thread is started in a loop. Spellings vary as they do between the tools that write such files.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

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
        size = max(2, min(self._rng.randint(2, 6), self._room.bit_length() // 2))
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
        while self._chance(0.3):
            names = self._visible(function) if self._chance(0.6) else self._globals
            yield f"  enforce {self._enforced(names)};"
        for statement in function.body:
            yield from statement.lines("  ")
        yield "end"

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
