"""How an abstraction is to be built."""

from dataclasses import dataclass
from typing import Literal

SearchName = Literal["models", "enumerate"]


@dataclass(frozen=True, slots=True)
class Options:
    search: SearchName = "models"
    cube_size: int | None = None
    jobs: int = 1
