"""NuSMV as an engine: from the path, or the one that comes inside the wheel pyboolnet."""

import importlib.util
import re
import shutil
from pathlib import Path

from ebb.backend.automata.automaton import Automata, Outcome
from ebb.backend.others.answer import Answer
from ebb.backend.others.smv import export
from ebb.backend.others.workplace import Finished, NoAnswer, Workplace, answer
from ebb.formats.errors import UsageError

_IN_WHEEL = Path("binaries/linux64/NuSMV-a/NuSMVa_linux64")
_RUN = ("-coi", "-dynamic", "-iwls95", "5000")


def check(automata: Automata, goal: Outcome, timeout: float | None) -> Answer:
    nusmv = _program()

    def work(place: Workplace) -> Answer:
        place.write("model.smv", export(automata, goal))
        # The one in the wheel has a library beside it, and may have lost the right to be executed.
        copy = place.directory / "nusmv"
        shutil.copy(nusmv, copy)
        copy.chmod(0o700)
        done = place.run(str(copy), *_RUN, "model.smv", environment={"LD_LIBRARY_PATH": str(nusmv.parent)})
        return _read(done, len(automata.edges))

    return answer(timeout, work)


def _program() -> Path:
    for name in ("NuSMV", "nusmv"):
        if path := shutil.which(name):
            return Path(path)
    wheel = importlib.util.find_spec("pyboolnet")
    for folder in (wheel.submodule_search_locations or []) if wheel is not None else []:
        if (Path(folder) / _IN_WHEEL).exists():
            return Path(folder) / _IN_WHEEL
    raise UsageError(
        "NuSMV is not installed: put it on the path, or pip install --no-deps pyboolnet, in which it comes, and the "
        "Debian packages libtinfo5 and libxml2"
    )


def _read(done: Finished, nothing: int) -> Answer:
    verdict = re.search(r"^-- invariant .* is (true|false)$", done.output, re.MULTILINE)
    if verdict is None or done.code:
        raise NoAnswer(f"NuSMV said {done.says}")
    if verdict[1] == "true":
        return Answer(False)
    return Answer(True, tuple(_edges(done.output, nothing)))


def _edges(output: str, nothing: int) -> list[int]:
    """The inputs of the trace; one that is not printed again has stayed as it was."""
    edges: list[int] = []
    for part in output.split("-> Input:")[1:]:
        said = re.search(r"^\s+edge = (\d+)$", part.split("-> State:")[0], re.MULTILINE)
        edges.append(int(said[1]) if said else edges[-1])
    return [edge for edge in edges if edge != nothing]
