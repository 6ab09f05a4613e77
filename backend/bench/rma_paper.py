"""What the RMA analyzer's paper reports in its Table 3: figures of an Intel Xeon at 2.13 GHz."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reported:
    sc_predicates: int
    build_seconds: int
    sc_lines: int
    predicates: int
    lines: int
    check_seconds: int
    flushes: int
    points: int


REPORTED: dict[str, Reported] = {
    "dekker": Reported(11, 1, 498, 29, 2068, 876, 4, 12),
    "peterson": Reported(10, 1, 356, 21, 1045, 4, 4, 7),
    "alternating_bit": Reported(16, 1, 485, 20, 662, 1, 1, 2),
    "pc1": Reported(18, 2, 658, 35, 3797, 126, 2, 7),
    "pgsql": Reported(12, 1, 418, 18, 1549, 1, 2, 4),
    "qw": Reported(13, 2, 487, 29, 1544, 1345, 4, 5),
    "sober": Reported(23, 8, 831, 48, 8466, 10, 0, 9),
    "kessel": Reported(18, 3, 534, 36, 1621, 16, 5, 10),
    "loop2_tlm": Reported(29, 165, 1068, 43, 1986, 3960, 4, 4),
    "szymanski": Reported(34, 228, 1182, 64, 7081, 316, 7, 14),
    "queue": Reported(13, 24, 572, 22, 1104, 13, 1, 2),
    "ticket": Reported(17, 114, 640, 43, 3615, 4320, 5, 6),
    "bakery": Reported(19, 330, 828, 41, 2947, 288, 6, 10),
    "rma_lock": Reported(24, 50, 763, 60, 5932, 65679, 9, 18),
}
