"""How much of a project a snapshot keeps, and what it has left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from motet.workspace.failures import shown

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """`files`: how many entries of directories. `bytes`: of all contents together; `file_bytes`: of one file."""

    files: int = 100_000
    bytes: int = 512 * 2**20
    file_bytes: int = 64 * 2**20


DEFAULT_LIMITS = Limits()


@dataclass(slots=True)
class LeftOut:
    """What a snapshot does not hold: paths by the reason. A path that ends with `/` is a directory with all in it."""

    by_reason: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, reason: str, *paths: str) -> None:
        """Note `paths`."""
        self.by_reason.setdefault(reason, []).extend(paths)

    @property
    def paths(self) -> frozenset[str]:
        """All of them, directories without their `/`."""
        return frozenset(path.rstrip("/") for paths in self.by_reason.values() for path in paths)

    def __str__(self) -> str:
        """In one line, reason by reason; empty when nothing was left out."""
        return "; ".join(f"{reason}: {_some(sorted(paths))}" for reason, paths in sorted(self.by_reason.items()))


def _some(paths: Iterable[str]) -> str:
    names = [shown(path) for path in paths]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
