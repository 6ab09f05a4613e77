"""ABC as an engine: property directed reachability on the circuit of the program."""

import re
from collections import defaultdict

from ebb.backend.automata.automaton import Automata, Outcome
from ebb.backend.automata.steps import may_move, possible
from ebb.backend.others.aiger import Model
from ebb.backend.others.answer import Answer
from ebb.backend.others.workplace import Finished, NoAnswer, Workplace, answer, program

_SCRIPT = "read_aiger model.aig; pdr; write_cex -n -f model.cex"
_NOTHING_FIRST = 1  # cycles in which latches only take their first values


def check(automata: Automata, goal: Outcome, timeout: float | None) -> Answer:
    abc = program("berkeley-abc", "berkeley-abc")

    def work(place: Workplace) -> Answer:
        model = Model(automata, goal)
        place.write("model.aig", model.binary())
        done = place.run(abc, "-q", _SCRIPT)
        if re.search(r"^Property proved\.", done.output, re.MULTILINE):
            return Answer(False)
        if not re.search(r"^Output \d+ of miter .* was asserted in frame \d+\.", done.output, re.MULTILINE):
            raise NoAnswer(f"abc said {done.says}")
        trace = place.directory / "model.cex"
        if not trace.exists():
            raise NoAnswer(f"abc gave no counterexample: {_last(done)}")
        return Answer(True, _edges(trace.read_text(), model, automata, goal))

    return answer(timeout, work)


def _last(done: Finished) -> str:
    return done.output.strip().splitlines()[-1]


def _edges(trace: str, model: Model, automata: Automata, goal: Outcome) -> tuple[int, ...]:
    """The edges that happened: those that changed something, and at the end one to the outcome."""
    frames: dict[int, dict[str, bool]] = defaultdict(dict)
    for name, frame, value in re.findall(r"(\S+)@(\d+)=([01])", trace):
        frames[int(frame)][name] = value == "1"
    edges = []
    for frame in range(_NOTHING_FIRST, len(frames) - 1):
        if _latches(frames[frame], model) != _latches(frames[frame + 1], model):
            edges.append(model.numbers[_number("edge", frames[frame])])
    bits, control = _latches(frames[len(frames) - 1], model)
    for number, edge in enumerate(automata.edges):
        if edge.outcome is goal and may_move(automata, control, edge) and True in possible(edge.guard, bits, bits):
            return (*edges, number)
    raise NoAnswer("abc gave a counterexample that does not reach the outcome")


def _latches(frame: dict[str, bool], model: Model) -> tuple[dict[str, bool], tuple[int, ...]]:
    bits = {bit: frame[name] for name, bit in model.bit_names.items()}
    return bits, tuple(_number(name, frame) for name in model.location_names)


def _number(name: str, frame: dict[str, bool]) -> int:
    """From the bits `NAME_0`, `NAME_1` and so on."""
    value = place = 0
    while f"{name}_{place}" in frame:
        value |= frame[f"{name}_{place}"] << place
        place += 1
    return value
