"""Spin as an engine: it makes a verifier from the Promela model, gcc compiles that, and the verifier searches."""

import re

from ebb.backend.automata.automaton import Automata, Outcome
from ebb.backend.others.answer import Answer
from ebb.backend.others.promela import export
from ebb.backend.others.workplace import Finished, NoAnswer, Workplace, answer, megabytes, program

_COMPILE = ("-O2", "-w", "-DSAFETY", "-DNOFAIR", "-DVECTORSZ=8192")
_RUN = ("-E", "-n")
_DEPTH = 1_000_000  # steps; the verifier takes 54 bytes for each
_NO_DEPTH = 2_000_000_000  # breadth first, a limit takes no memory, so it can be out of reach
_TOO_DEEP = "max search depth too small"
_INCOMPLETE = ("Search not completed", "out of memory", "MEMLIM")


def check(automata: Automata, goal: Outcome, timeout: float | None) -> Answer:
    """Depth first; breadth first, which needs no limit on the depth, if that was not deep enough."""
    spin, gcc = program("spin", "spin"), program("gcc", "gcc")

    def work(place: Workplace) -> Answer:
        place.write("model.pml", export(automata, goal))
        made = place.run(spin, "-a", "model.pml")
        if made.code or not (place.directory / "pan.c").exists():
            raise NoAnswer(f"spin said {made.says}")
        searched = _search(place, gcc, _DEPTH)
        if _TOO_DEEP in searched.output and "errors: 0" in searched.output:
            searched = _search(place, gcc, _NO_DEPTH, "-DBFS")
        return _read(searched, place)

    return answer(timeout, work)


def _search(place: Workplace, gcc: str, depth: int, *options: str) -> Finished:
    compiled = place.run(gcc, *_COMPILE, f"-DMEMLIM={megabytes()}", *options, "-o", "pan", "pan.c")
    if compiled.code:
        raise NoAnswer(f"gcc said {compiled.says}")
    return place.run(str(place.directory / "pan"), *_RUN, f"-m{depth}")


def _read(searched: Finished, place: Workplace) -> Answer:
    errors = re.search(r"errors: (\d+)", searched.output)
    if errors is None:
        raise NoAnswer(f"the verifier that spin made said {searched.says}")
    if int(errors[1]):
        if "assertion violated" not in searched.output:
            raise NoAnswer(f"the verifier that spin made said {searched.says}")
        return Answer(True, _edges(place))
    if _TOO_DEEP in searched.output:
        raise NoAnswer("the search was cut off at its greatest depth")
    for sign in _INCOMPLETE:
        if sign in searched.output:
            raise NoAnswer(f"the search is not complete: {searched.says}")
    if searched.code or "Full statespace search" not in searched.output:
        raise NoAnswer(f"the verifier that spin made said {searched.says}")
    return Answer(False)


def _edges(place: Workplace) -> tuple[int, ...]:
    """The verifier can repeat the run that it found, and then prints what the model tells it to."""
    replayed = place.run(str(place.directory / "pan"), "-r", "-n")
    edges = tuple(int(number) for number in re.findall(r"^edge (\d+)$", replayed.output, re.MULTILINE))
    if not edges:
        raise NoAnswer(f"no run could be read: {replayed.says}")
    return edges
