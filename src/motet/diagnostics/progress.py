"""What the service is doing, for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Doing(StrEnum):
    """What a server is being used for right now."""

    STARTING = "starting"
    WAITING = "waiting for its first answer"
    CHECKING = "checking"


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` files have been answered for by `server`."""

    server: str
    doing: Doing
    done: int = 0
    total: int = 0

    def __str__(self) -> str:
        if self.doing is not Doing.CHECKING:
            return f"{self.server}: {self.doing}"
        return f"{self.server}: checking {self.done} of {self.total} files"
