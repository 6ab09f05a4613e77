"""Rumur as an engine: it makes a verifier from the Murphi model, gcc compiles that, and the verifier searches."""

import platform
import re

from ebb.backend.automata.automaton import Automata, Outcome
from ebb.backend.others.answer import Answer
from ebb.backend.others.murphi import export
from ebb.backend.others.workplace import Finished, NoAnswer, Workplace, answer, program

_MAKE = ("--quiet", "--output-format", "machine-readable", "--deadlock-detection", "off", "--output", "model.c")
_COMPILE = ("-std=c11", "-O3", "-w", "-march=native", "-fwhole-program")


def check(automata: Automata, goal: Outcome, timeout: float | None) -> Answer:
    rumur, gcc = program("rumur", "rumur"), program("gcc", "gcc")

    def work(place: Workplace) -> Answer:
        place.write("model.m", export(automata, goal))
        made = place.run(rumur, *_MAKE, "model.m")
        if made.code or not (place.directory / "model.c").exists():
            raise NoAnswer(f"rumur said {made.says}")
        wide = ("-mcx16",) if platform.machine() == "x86_64" else ()
        compiled = place.run(gcc, *_COMPILE, *wide, "-o", "model", "model.c", "-lpthread")
        if compiled.code:
            raise NoAnswer(f"gcc said {compiled.says}")
        return _read(place.run(str(place.directory / "model")))

    return answer(timeout, work)


def _read(searched: Finished) -> Answer:
    summary = re.search(r'<summary states="\d+" rules_fired="\d+" errors="(\d+)"', searched.output)
    if summary is None or searched.code < 0:
        raise NoAnswer(f"the verifier that rumur made said {searched.says}")
    edges = tuple(int(number) for number in re.findall(r"<transition>Rule &quot;edge (\d+)&quot;", searched.output))
    if searched.code == 0 and summary[1] == "0":
        return Answer(False)
    if f"<message>edge {edges[-1]}</message>" not in searched.output if edges else True:
        raise NoAnswer(f"the verifier that rumur made said {searched.says}")
    return Answer(True, edges)
