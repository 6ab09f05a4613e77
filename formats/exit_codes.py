"""The exit codes of every executable, in one table.

| code | meaning                                    |
|------|--------------------------------------------|
| 0    | done, or *safe*                            |
| 1    | *unsafe*                                   |
| 2    | *unknown*                                  |
| 64   | wrong usage                                |
| 65   | bad input                                  |
| 70   | internal error                             |
| 130  | interrupted                                |
"""

from enum import IntEnum


class ExitCode(IntEnum):
    DONE = 0
    SAFE = 0
    UNSAFE = 1
    UNKNOWN = 2
    USAGE = 64
    BAD_INPUT = 65
    INTERNAL = 70
    INTERRUPTED = 130
