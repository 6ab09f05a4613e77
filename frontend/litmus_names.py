"""The names in a litmus test: registers under one spelling, locations in the order in which the text mentions them.

Registers are known by their 32-bit names in upper case, whatever width the text uses, because that is how outcomes are
compared: `rax`, `eax` and `EAX` are `EAX`, and `r8` is `R8D`.
"""

from dataclasses import dataclass, field
from enum import Enum

from ebb.formats.errors import InputError, Position
from ebb.frontend.litmus_tokens import Cursor, Token

_CLASSIC = ("AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP")
_X86_REGISTERS = {f"E{name}": f"E{name}" for name in _CLASSIC}
_X86_64_REGISTERS = (
    _X86_REGISTERS
    | {f"R{name}": f"E{name}" for name in _CLASSIC}
    | {f"R{number}{width}": f"R{number}D" for number in range(8, 16) for width in ("", "D")}
)


class Architecture(Enum):
    """The value is the first word of the file."""

    X86 = "X86"  # Intel order: the destination comes first
    X86_64 = "X86_64"  # AT&T order: the destination comes last

    @property
    def registers(self) -> dict[str, str]:
        """Every spelling of a register, in upper case, to its name."""
        return _X86_REGISTERS if self is Architecture.X86 else _X86_64_REGISTERS


@dataclass(slots=True)
class Names:
    """What names mean in this file, and which locations it has mentioned so far."""

    architecture: Architecture
    locations: dict[str, Position] = field(default_factory=dict)

    def register(self, token: Token) -> str:
        name = self.architecture.registers.get(token.text.upper())
        if name is None:
            raise InputError(f"unknown register {token}", token.at)
        return name

    def location(self, token: Token) -> str:
        """A location, from here on known to the program.

        An underscore would hide it from every outcome: in a program such names are bookkeeping.
        """
        if token.text.upper() in self.architecture.registers:
            raise InputError(f"{token} is a register, not a location", token.at)
        if token.text.startswith("_"):
            raise InputError(f"the location {token} begins with an underscore, which is reserved", token.at)
        self.locations.setdefault(token.text, token.at)
        return token.text

    def register_word(self, cursor: Cursor) -> str:
        """A register outside the code, where AT&T's `%` may be left out."""
        if self.architecture is Architecture.X86_64:
            cursor.accept("%")
        return self.register(cursor.word("a register"))
