"""How the notes of a reduced program's variables say which of them are flags of remote statements."""

from ebb.formats.ir import Program

_IS_PENDING = " is pending"


def pending_note(statement: str, *, repeats: bool) -> str:
    return f"{statement}{_IS_PENDING}{' (2: more than once)' if repeats else ''}"


def pending_flags(program: Program) -> list[str]:
    """The variables that say whether a put or get is pending, in a program that was reduced from RMA."""
    return [variable.name for variable in program.shared if _IS_PENDING in variable.note]
