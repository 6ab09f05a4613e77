"""Cubes found without enumeration are those that enumeration finds, and it does not matter how many processes look."""

import random

import pytest
from abstraction_oracle import REDUCTIONS, abstracted
from random_abstractable_programs import random_abstractable_program

from ebb.backend.abstraction.options import Options
from ebb.formats.bp_text import show_program
from ebb.frontend.ebb_source import parse

PROGRAMS, PART = 120, 30


@pytest.mark.parametrize("first", range(0, PROGRAMS, PART))
def test_the_same_program_comes_out(first: int) -> None:
    for seed in range(first, first + PART):
        text = random_abstractable_program(random.Random(seed)).text()
        program = parse(text, "random.ebb")
        if seed % 3 == 0:
            program = REDUCTIONS["pso" if seed % 2 else "tso"](program, 1)
        size = 2 + seed % 2
        wanted = show_program(abstracted(program, Options("enumerate", size)))
        assert show_program(abstracted(program, Options("models", size))) == wanted, f"seed {seed}\n{text}"
        if seed % 10 == 0:
            for jobs in (2, 3):
                found = show_program(abstracted(program, Options("models", size, jobs)))
                assert found == wanted, f"{jobs} jobs\n{text}"
