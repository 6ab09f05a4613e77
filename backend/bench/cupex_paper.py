"""What the CUPEX paper reports in its Tables 1 and 2: figures of an Intel Xeon at 2.13 GHz, from 2011.

SMT calls and states are in thousands there; here they are plain numbers. None is a build that did not end in ten hours.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reported:
    predicates: int
    smt_calls: int | None
    build_seconds: float | None
    cubes: int | None
    largest: int
    states: int | None
    megabytes: int | None
    check_seconds: float | None


Row = tuple[str, str, str]  # algorithm, model, method


def _row(predicates: int, largest: int, *rest: float | None) -> Reported:
    calls, build, cubes, states, megabytes, check = rest
    return Reported(
        predicates,
        None if calls is None else round(1000 * calls),
        build,
        None if cubes is None else int(cubes),
        largest,
        None if states is None else round(1000 * states),
        None if megabytes is None else int(megabytes),
        check,
    )


_NOTHING = (None,) * 6

REPORTED: dict[Row, Reported] = {
    ("dekker", "sc", "predicates"): _row(7, 1, 0.7, 0.1, 0, 14, 6, 1),
    ("dekker", "pso", "predicates"): _row(20, 1, 26, 6, 0, 80, 31, 5),
    ("dekker", "tso", "predicates"): _row(18, 1, 22, 5, 0, 45, 20, 3),
    ("peterson", "sc", "predicates"): _row(7, 2, 0.6, 0.1, 2, 7, 3, 1),
    ("peterson", "pso", "predicates"): _row(20, 2, 15, 3, 2, 31, 13, 3),
    ("peterson", "tso", "predicates"): _row(18, 2, 13, 3, 2, 25, 11, 2),
    ("alternating_bit", "sc", "predicates"): _row(8, 2, 2, 0.5, 5, 0.6, 1, 0.6),
    ("alternating_bit", "pso", "predicates"): _row(15, 2, 20, 4, 5, 2, 3, 1),
    ("alternating_bit", "tso", "predicates"): _row(17, 2, 23, 5, 5, 2, 3, 1),
    ("szymanski", "sc", "predicates"): _row(20, 2, 16, 3.3, 1, 12, 6, 2),
    ("szymanski", "pso", "predicates"): _row(35, 2, 152, 33, 1, 61, 30, 4),
    ("szymanski", "tso", "predicates"): _row(37, 2, 165, 35, 1, 61, 31, 5),
    ("queue", "sc", "predicates"): _row(7, 4, 20, 5, 50, 1, 2, 1),
    ("queue", "pso", "predicates"): _row(15, 4, 5747, 1475, 412, 1, 4, 1),
    ("queue", "pso", "cubes"): _row(15, 4, 98, 17, 99, 11, 6, 2),
    ("queue", "tso", "predicates"): _row(16, 4, 11133, 2778, 412, 12, 4, 1),
    ("queue", "tso", "cubes"): _row(16, 4, 163, 31, 99, 12, 7, 2),
    ("bakery", "sc", "predicates"): _row(15, 4, 1552, 355, 161, 20, 8, 2),
    ("bakery", "pso", "predicates"): _row(38, 4, *_NOTHING),
    ("bakery", "pso", "cubes"): _row(38, 4, 9018, 1773, 381, 979, 375, 104),
    ("bakery", "tso", "predicates"): _row(36, 4, *_NOTHING),
    ("bakery", "tso", "cubes"): _row(36, 4, 7048, 1386, 383, 730, 285, 121),
    ("ticket", "sc", "predicates"): _row(11, 4, 218, 51, 134, 2, 2, 1),
    ("ticket", "pso", "predicates"): _row(56, 4, *_NOTHING),
    ("ticket", "pso", "cubes"): _row(56, 4, 15644, 2163, 380, 193, 123, 40),
    ("ticket", "tso", "predicates"): _row(48, 4, *_NOTHING),
    ("ticket", "tso", "cubes"): _row(48, 4, 6941, 1518, 582, 71, 67, 545),
}

ALGORITHMS = ("dekker", "peterson", "alternating_bit", "szymanski", "queue", "bakery", "ticket")
