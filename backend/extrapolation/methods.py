"""The three ways from an SC proof to a Boolean program of the reduced program."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, assert_never

from ebb.backend.abstraction.figures import Figures
from ebb.backend.abstraction.options import Options
from ebb.backend.extrapolation.rules import Copies, copies_in, extrapolate, lifted, liftings, shared_in
from ebb.backend.extrapolation.sc_proof import Cube, Proof
from ebb.formats import bp
from ebb.formats.expressions import Binary, Integer, Name, variables
from ebb.formats.ir import Program

if TYPE_CHECKING:
    from ebb.backend.abstraction.build import KnowledgeCheck

Method = Literal["predicates", "cubes", "program"]
METHODS: tuple[Method, ...] = ("predicates", "cubes", "program")


def extrapolated(
    program: Program,
    proof: Proof,
    method: Method,
    options: Options,
    *,
    relate_slots: bool = False,
    drop_buffered: bool = False,
    pairs: bool = False,
    check: "KnowledgeCheck | None" = None,
) -> tuple[bp.Program, Figures]:
    """The Boolean program of a reduced program; of one that was reduced from RMA by the method `program` alone.

    A check looks at what is known about the predicates, those of the proof first, where a solver is asked.
    """
    if program.reduced == "rma":
        from ebb.backend.extrapolation.carried_sets import carry_over_to_sets

        assert method == "program"
        return carry_over_to_sets(program, proof, pairs=pairs)
    copies = copies_in(program)
    predicates = extrapolate(proof.predicates, copies, relate_slots=relate_slots)
    match method:
        case "predicates":
            from ebb.backend.abstraction.build import abstract

            return abstract(program, predicates, options, check=check)
        case "cubes":
            from ebb.backend.abstraction.build import abstract

            listed = extrapolate_cubes(proof.cubes, copies)
            if drop_buffered:
                listed = without_buffered(listed, copies)
            return abstract(program, predicates, options, listed=listed, check=check)
        case "program":
            from ebb.backend.extrapolation.carried import carry_over

            return carry_over(program, predicates, proof, copies)
        case _:
            assert_never(method)


def extrapolate_cubes(cubes: Sequence[Cube], copies: Copies) -> list[Cube]:
    """The cubes of the proof, and each of them for buffered copies of its variables (CUPEX, Section 4.3); and cubes
    that say where an entry goes that there is."""
    found: dict[Cube, None] = dict.fromkeys(generic_cubes(copies))
    for cube in cubes:
        found[cube] = None
        names = list(dict.fromkeys(name for predicate, _ in cube for name in shared_in(predicate)))
        for lifting in liftings(names, copies):
            found[tuple((lifted(predicate, lifting), holds) for predicate, holds in cube)] = None
    return list(found)


def generic_cubes(copies: Copies) -> Iterator[Cube]:
    """What rule 1 is for predicates: no SC proof has such cubes, and every load and flush under TSO needs them."""
    for buffer in copies.buffers.buffers:
        for alive in range(1, len(buffer.targets) + 1):
            there = Binary("==", Name(buffer.count), Integer(alive))
            for target in buffer.targets[:alive]:
                for variable, code in buffer.codes.items():
                    for index in range(copies.sizes.get(variable, 1)):
                        goes = Binary("==", Name(target), Integer(code + index))
                        yield (there, True), (goes, True)
                        yield (there, True), (goes, False)


def without_buffered(cubes: Sequence[Cube], copies: Copies) -> list[Cube]:
    """Only the cubes that say nothing about buffered values: the extra pass that the paper used for Ticket.

    The paper takes predicates about buffered values out of the cubes. What is left of a cube need not imply what the
    cube did, so here such cubes go as a whole; that buffered values are copied to memory stays.
    """
    names = {copy.name for each in copies.copies.values() for copy in each}
    return [cube for cube in cubes if not any(variables(predicate) & names for predicate, _ in cube)]
