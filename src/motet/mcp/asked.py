"""What the command line asked for, as values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PATIENCE = 50.0
"""Seconds that `board_wait` lasts at most: many clients give a call up after a minute, whatever they are told
meanwhile."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`boards`: to join, the first is meant when none is named. `name`: of the agent, for the client's own. `socket` or
    `port` (0: any): serve there instead of on standard input and output."""

    boards: tuple[str, ...] = ()
    name: str = ""
    roles: tuple[str, ...] = ()
    model: str = ""
    patience: float = PATIENCE
    socket: Path | None = None
    port: int | None = None
