"""Orders in which what belongs together stands together."""

from ebb.backend.automata.build import build
from ebb.backend.automata.encode import encode
from ebb.backend.automata.order import by_thread, order
from ebb.backend.automata.runs import plan
from ebb.backend.bench.families import lock, register
from ebb.formats.bp_check import read


def test_every_bit_once_and_always_the_same_order() -> None:
    automata = build(read(lock(4).text))
    assert sorted(order(automata)) == sorted(bit.name for bit in automata.bits)
    assert order(automata) == order(automata)


def test_two_registers_that_shift_together_are_interleaved() -> None:
    place = {name: number for number, name in enumerate(order(build(read(register(16).text))))}
    assert all(abs(place[f"a{i}"] - place[f"b{i}"]) <= 6 for i in range(16))


def test_a_bit_belongs_to_the_thread_that_writes_it_most() -> None:
    automata = build(read(lock(3).text))
    names = [thread.name for thread in automata.threads]
    groups = by_thread(automata)
    assert groups[None] == ["m"]
    assert groups[names.index("P1")] == ["in1", "P1.got"]


def test_the_location_of_a_thread_stands_with_its_bits() -> None:
    automata = encode(plan(build(read(lock(3).text)))).automata
    names = [bit.name for bit in automata.bits]
    first = names.index("in1")
    number = [thread.name for thread in automata.threads].index("P1")
    assert names[first - 1].startswith(f"pc.{number}.")
