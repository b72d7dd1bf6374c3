"""What the rooms of a board need of a database: one transaction at a time, in one thread, in portable SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Dialect(StrEnum):
    """Which SQL is spoken. All statements are the same but the few that ask for it."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


Row = tuple[Any, ...]
Asked = tuple[str, Sequence[object]]
"""A statement that has an answer, and its values."""


class Tx(Protocol):
    """One open transaction. Values stand in statements as `?`; a statement has no other `?` and no `%`."""

    @property
    def dialect(self) -> Dialect:
        """The database's."""
        ...

    @property
    def now(self) -> float:
        """When it began, in seconds since 1970: by the clock of the server, where there is one."""
        ...

    def reckoned(self, what: str, until: float, span: float, now: float) -> float:
        """What time it is for `what`, to which a process gave `span` seconds, up to `until`. A server says so; in a file a
        process trusts what it has itself seen pass, not the clocks of others (`motet.board.clock.Ages`)."""
        ...

    def run(self, sql: str, *values: object) -> int:
        """Run a statement; returns how many rows it changed."""
        ...

    def all(self, sql: str, *values: object) -> list[Row]:
        """All rows of an answer."""
        ...

    def one(self, sql: str, *values: object) -> Row | None:
        """The first row of an answer, if there is one."""
        ...

    def several(self, asked: Sequence[Asked]) -> list[list[Row]]:
        """All rows of each of some answers that do not depend on each other: one way there and back."""
        ...

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement once for each of `rows`; before the next statement, or the end, at the latest."""
        ...


Work = Callable[[Tx], T]
"""A step. It may be run again after a rollback, so it changes nothing but the database."""


class Database(Protocol):
    """An opened database, used by one thread (`motet.storage.worker.Store`). Failures are `BoardError`."""

    def read(self, work: Work[T]) -> T:
        """What `work` answers; it sees one state of the database."""
        ...

    def write(self, works: Sequence[Work[object]], *, durable: bool) -> list[object]:
        """Run `works` in one transaction, on the disk on return; one that fails makes all fail."""
        ...

    def close(self) -> None:
        """Let go of it; it is opened again when it is needed."""
        ...


def marks(values: Sequence[object]) -> str:
    """As many `?` as there are values, for `IN (…)`."""
    return ",".join("?" * len(values))
