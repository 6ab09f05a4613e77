"""x86 instructions of litmus tests: read from a cell, then lowered into the instructions of a process.

    XCHG [x],EAX   →   L0: atomic { L1: _x = x;  L2: x = EAX;  L3: EAX = _x; }     // xchg x
    INC [x]        →   L4: _x = x;                                                 // load x
                       L5: x = _x + 1;

Reading comes first for the whole file because a register that no instruction of its process writes is a constant, and
only the last cell tells. Operands are kept destination first, whatever order the file has. Integers do not wrap around:
no litmus test comes near 2^31. Nothing here but locked instructions (and XCHG with a location, which locks by itself)
becomes an atomic block, since a block drains the store buffer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never, get_args

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import Binary, Expression, Integer, Name
from ebb.formats.ir import Action, Assign, Atomic, Branch, Fence, Instruction, Process, Skip, Variable, default_label
from ebb.frontend.litmus_names import Architecture, Names
from ebb.frontend.litmus_tokens import Cursor, Token


@dataclass(frozen=True, slots=True)
class Register:
    name: str
    at: Position


@dataclass(frozen=True, slots=True)
class Location:
    name: str


@dataclass(frozen=True, slots=True)
class Number:
    value: int


Operand = Register | Location | Number
Mnemonic = Literal["MOV", "XCHG", "INC", "DEC", "ADD", "SUB", "XADD", "CMPXCHG", "MFENCE", "LFENCE", "NOP"]
Shape = tuple[type[Operand], ...]

_ANY_TWO: tuple[Shape, ...] = (
    (Location, Number), (Location, Register), (Register, Location), (Register, Number), (Register, Register),
)  # fmt: skip
_SHAPES: dict[Mnemonic, tuple[Shape, ...]] = {
    "MOV": _ANY_TWO,
    "XCHG": ((Location, Register), (Register, Location), (Register, Register)),
    "INC": ((Location,), (Register,)),
    "DEC": ((Location,), (Register,)),
    "ADD": _ANY_TWO,
    "SUB": _ANY_TWO,
    "XADD": ((Location, Register),),
    "CMPXCHG": ((Location, Register),),
    "MFENCE": ((),),
    "LFENCE": ((),),
    "NOP": ((),),
}
_LOCKABLE = ("XCHG", "INC", "DEC", "ADD", "SUB", "XADD", "CMPXCHG")
_ONLY_LOCKED = ("XADD", "CMPXCHG")
_SUFFIXES = ("L", "Q")


@dataclass(frozen=True, slots=True)
class Operation:
    """What one cell says; the destination is the first operand."""

    mnemonic: Mnemonic
    locked: bool
    operands: tuple[Operand, ...]
    at: Position


def _spellings(suffixes: Sequence[str]) -> dict[str, Mnemonic]:
    mnemonics: tuple[Mnemonic, ...] = get_args(Mnemonic)
    return {f"{name}{suffix}": name for name in mnemonics for suffix in ("", *(suffixes if any(_SHAPES[name]) else ()))}


_SPELLINGS = {Architecture.X86: _spellings(()), Architecture.X86_64: _spellings(_SUFFIXES)}


def read_operation(cursor: Cursor, names: Names) -> Operation:
    """The instruction at the cursor, up to the end of its cell."""
    start = cursor.word("an instruction")
    if cursor.token.text == ":":
        raise InputError("labels are not supported", start.at)
    locked = start.text.upper() == "LOCK"
    word = _after_lock(cursor) if locked else start
    mnemonic = _SPELLINGS[names.architecture].get(word.text.upper())
    if mnemonic is None:
        raise InputError(f"unknown instruction {word}", word.at)
    operands: list[Operand] = []
    if not ends_cell(cursor.token):
        operands.append(_operand(cursor, names))
        while cursor.accept(","):
            operands.append(_operand(cursor, names))
    if names.architecture is Architecture.X86_64:
        operands.reverse()
    operation = Operation(mnemonic, locked, tuple(operands), start.at)
    _check_operands(operation, word, names.architecture)
    return operation


def _after_lock(cursor: Cursor) -> Token:
    """The locked instruction; assemblers also take `lock; incl (x)`, whose semicolon ends no row."""
    if cursor.token.text == ";" and cursor.following.kind == "word":
        cursor.take()
    return cursor.word("an instruction after LOCK")


def ends_cell(token: Token) -> bool:
    return token.text in ("|", ";") or token.kind in ("newline", "end")


def _operand(cursor: Cursor, names: Names) -> Operand:
    intel = names.architecture is Architecture.X86
    if cursor.accept("$"):
        return Number(cursor.integer("a number after `$`"))
    if cursor.token.kind == "number":
        return Number(cursor.integer())
    if cursor.accept("[" if intel else "("):
        return _location(cursor, names)
    at = cursor.token.at
    if intel and cursor.token.kind == "word":
        return Register(names.register(cursor.take()), at)
    if not intel and cursor.accept("%"):
        return Register(names.register(cursor.word("a register after `%`")), at)
    raise cursor.unexpected("`EAX`, `[x]` or `$1`" if intel else "`%eax`, `(x)` or `$1`")


def _location(cursor: Cursor, names: Names) -> Location:
    word = cursor.token.text.upper()
    if cursor.token.text == "%" or word in names.architecture.registers:
        raise InputError("an address in a register is not supported", cursor.token.at)
    location = Location(names.location(cursor.word("a location")))
    cursor.expect("]" if names.architecture is Architecture.X86 else ")")
    return location


def _check_operands(operation: Operation, word: Token, architecture: Architecture) -> None:
    mnemonic, shape = operation.mnemonic, tuple(type(operand) for operand in operation.operands)
    shapes = _SHAPES[mnemonic]
    if operation.locked:
        if mnemonic not in _LOCKABLE:
            raise InputError(f"LOCK cannot stand before {word}", operation.at)
        shapes = tuple(
            allowed for allowed in shapes if allowed[0] is Location or (mnemonic == "XCHG" and Location in allowed)
        )
    elif mnemonic in _ONLY_LOCKED:
        raise InputError(f"{word} is supported only with LOCK", word.at)
    if shape not in shapes:
        allowed = " or ".join(_show_shape(shape, architecture) for shape in shapes)
        prefix = "LOCK " if operation.locked else ""
        raise InputError(f"{prefix}{word} takes {allowed}, not {_show_shape(shape, architecture)}", operation.at)


def _show_shape(shape: Shape, architecture: Architecture) -> str:
    """In the order of the file: `location,number` in Intel's, `number,location` in AT&T's."""
    ordered = shape if architecture is Architecture.X86 else shape[::-1]
    return ",".join(kind.__name__.lower() for kind in ordered) or "no operands"


def _written(operation: Operation) -> Iterator[Register]:
    """The registers that an operation writes, operands as well as implied ones."""
    match operation.mnemonic:
        case "XCHG" | "XADD":
            candidates = operation.operands
        case "CMPXCHG":
            candidates = (Register("EAX", operation.at),)
        case _:
            candidates = operation.operands[:1]
    yield from (operand for operand in candidates if isinstance(operand, Register))


def lower_process(name: str, at: Position, operations: Sequence[Operation], initial: Mapping[str, int]) -> Process:
    """The process that runs the operations; `initial` holds its registers' values where they are not 0."""
    written: dict[str, Position] = {}
    for operation in operations:
        for register in _written(operation):
            written.setdefault(register.name, register.at)
    lowering = _Lowering({register: initial.get(register, 0) for register in _registers(operations) - written.keys()})
    for operation in operations:
        lowering.lower(operation)
    registers = (Variable(register, place, initial.get(register, 0)) for register, place in written.items())
    temporaries = (Variable(temporary, place) for temporary, place in lowering.temporaries.items())
    return Process(name, at, (*registers, *temporaries), tuple(lowering.body))


def _registers(operations: Sequence[Operation]) -> set[str]:
    return {operand.name for each in operations for operand in each.operands if isinstance(operand, Register)}


class _Lowering:
    """The body of a process as it grows."""

    def __init__(self, constants: Mapping[str, int]) -> None:
        self.body: list[Instruction] = []
        self.temporaries: dict[str, Position] = {}
        self._constants = constants

    def lower(self, operation: Operation) -> None:
        at, operands = operation.at, operation.operands
        match operation.mnemonic:
            case "MFENCE":
                self._step(Fence(None), at)
            case "LFENCE" | "NOP":  # loads happen in order anyway
                self._step(Skip(), at)
            case "MOV":
                self._step(Assign(self._place(operands[0]), self._value(operands[1])), at)
            case "INC" | "DEC" | "ADD" | "SUB":
                self._add(operation)
            case "XCHG":
                # A location goes first, so that the temporary is called after it and loads it.
                left, right = operands if isinstance(operands[0], Location) else operands[::-1]
                first, second = self._place(left), self._place(right)
                old = self._temporary(first, at)
                swap = (Assign(old, first), Assign(first, second), Assign(second, old))
                if isinstance(left, Location):
                    self._atomic(f"xchg {first.name}", at, *swap)
                else:
                    for move in swap:
                        self._step(move, at)
            case "XADD":
                target, register = self._place(operands[0]), self._place(operands[1])
                old = self._temporary(target, at)
                add = Assign(target, Binary("+", old, register))
                self._atomic(f"faa {target.name}", at, Assign(old, target), add, Assign(register, old))
            case "CMPXCHG":
                target, accumulator = self._place(operands[0]), Name("EAX")
                old = self._temporary(target, at)
                # Where the values are equal, the last move changes nothing: one exit for both cases.
                differ = Branch(Binary("!=", accumulator, old), default_label(self._label(), 3))
                store = Assign(target, self._value(operands[1]))
                self._atomic(f"cas {target.name}", at, Assign(old, target), differ, store, Assign(accumulator, old))
            case _:
                assert_never(operation.mnemonic)

    def _add(self, operation: Operation) -> None:
        target = self._place(operation.operands[0])
        sign = "+" if operation.mnemonic in ("INC", "ADD") else "-"
        amount = self._value(operation.operands[1]) if len(operation.operands) == 2 else Integer(1)
        at = operation.at
        if operation.locked:
            self._atomic(f"faa {target.name}", at, Assign(target, Binary(sign, target, amount)))
        elif isinstance(operation.operands[0], Location):
            old = self._temporary(target, at)
            self._step(Assign(old, target), at, f"load {target.name}")
            self._step(Assign(target, Binary(sign, old, amount)), at)
        else:
            self._step(Assign(target, Binary(sign, target, amount)), at)

    def _place(self, operand: Operand) -> Name:
        assert not isinstance(operand, Number)  # the shapes of operands exclude it
        return Name(operand.name)

    def _value(self, operand: Operand) -> Expression:
        match operand:
            case Number(value):
                return Integer(value)
            case Register(name) if name in self._constants:
                return Integer(self._constants[name])
            case Register(name) | Location(name):
                return Name(name)
            case _:
                assert_never(operand)

    def _temporary(self, place: Name, at: Position) -> Name:
        name = f"_{place.name}"
        self.temporaries.setdefault(name, at)
        return Name(name)

    def _label(self) -> str:
        return default_label(None, len(self.body))

    def _step(self, action: Action, at: Position, note: str = "") -> None:
        self.body.append(Instruction(self._label(), action, at, note))

    def _atomic(self, note: str, at: Position, *actions: Action) -> None:
        label = self._label()
        inner = (Instruction(default_label(label, number), action, at) for number, action in enumerate(actions))
        self.body.append(Instruction(label, Atomic(tuple(inner)), at, note))
