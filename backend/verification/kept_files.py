"""`--keep DIR`: every intermediate product of a verification as a file."""

from pathlib import Path

from ebb.backend.verification.pipeline import Keep
from ebb.formats import bp, files
from ebb.formats.errors import UsageError
from ebb.formats.ir import Program
from ebb.formats.verdict import Verdict


def kept_in(directory: str | None, source: str) -> Keep:
    """Writes products into the directory, named after the source; without a directory, nothing is kept."""
    if directory is None:
        return lambda _name, _product: None
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{directory}: cannot be made: {error.strerror or error}") from None
    stem = files.source_name(source).split(".")[0]

    def keep(name: str, product: Program | bp.Program | Verdict) -> None:
        files.write_text(str(folder / f"{stem}.{name}"), _text(product))

    return keep


def _text(product: Program | bp.Program | Verdict) -> str:
    match product:
        case Program():
            from ebb.formats import ir_json

            return ir_json.dumps(product)
        case Verdict():
            from ebb.formats import verdict

            return verdict.dumps(product)
        case _:
            from ebb.formats.bp_text import show_program

            return show_program(product)
