"""Slots of store buffers that hold nothing: what they were is of no meaning, so nothing may depend on it.

if X_cnt_P == 1:  X_2_P, X_3_P, … are dead
"""

from collections.abc import Sequence

from ebb.backend.abstraction.simplification import conjuncts
from ebb.backend.abstraction.vocabulary import Cube, Vocabulary
from ebb.formats.buffer_notes import store_buffers
from ebb.formats.expressions import Binary, Expression, Integer, Name
from ebb.formats.ir import Program


class DeadSlots:
    def __init__(self, program: Program) -> None:
        found = store_buffers(program)
        self._entries: dict[str, list[set[str]]] = {
            queue.count: [{slot} for slot in queue.slots] for queue in found.queues
        }
        for buffer in found.buffers:
            entries = zip(buffer.targets, buffer.values, strict=True)
            self._entries[buffer.count] = [{target, value} for target, value in entries]

    def where(self, guard: Sequence[Expression], vocabulary: Vocabulary) -> Cube:
        """The literals about slots that are dead where the guard holds, going by what it says of counts."""
        gone: set[str] = set()
        for condition in guard:
            for part in conjuncts(condition):
                match part:
                    case Binary("==", Name(count), Integer(number)) if count in self._entries:
                        gone = gone.union(*self._entries[count][number:])
                    case _:
                        pass
        return sum(3 << 2 * number for number, names in enumerate(vocabulary.mentions) if not names.isdisjoint(gone))
