"""Boards on a PostgreSQL server, for teams and many machines: the same as in a file, in a schema of their own.

Writers take turns at a lock of the server, in the order in which they came, so that a transaction sees what it would
see in a file. What was stored is known after a lost connection too: each transaction leaves its number in `commits`.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, LiteralString, TypeVar, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict

from motet.board.database import Dialect, Row, Work
from motet.board.errors import BoardError, BoardLost, BoardTooNew
from motet.board.schema import ABOUT, SCHEMA, migrate, schema_in
from motet.board.server_failures import explained, is_lost, is_worth_another_try, no_connection
from motet.board.server_url import ServerUrl

T = TypeVar("T")

OLDEST = 16
"""The oldest PostgreSQL that the tests have run on."""
PATIENCE = 10.0
"""Seconds that a write waits for other processes' writes, and for a server that went away to come back."""
_MOST_TRIES = 5
_TURN = 1_836_020_853
"""The class of the lock that writers take turns at; its second number is that of the schema's name."""
_KEEPING = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "connect_timeout": 10}
_DAY = 86_400


class PostgresTx:
    """See `Tx`. What `many` stores goes out with the next statement that has an answer: one way there and back."""

    dialect = Dialect.POSTGRES

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._waiting: list[tuple[str, list[Sequence[object]]]] = []

    def run(self, sql: str, *values: object) -> int:
        """See `Tx`."""
        return self._done(sql, values).rowcount

    def all(self, sql: str, *values: object) -> list[Row]:
        """See `Tx`."""
        return self._done(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> Row | None:
        """See `Tx`."""
        return self._done(sql, values).fetchone()

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """See `Tx`."""
        if some := list(rows):
            self._waiting.append((sql, some))

    def send(self) -> None:
        """Send what waits."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            with self._connection.pipeline():
                for sql, some in waiting:
                    self._connection.cursor().executemany(_translated(sql), cast("list[Sequence[Any]]", some))

    def _done(self, sql: str, values: Sequence[object]) -> psycopg.Cursor[Row]:
        self.send()
        return self._cursor.execute(_translated(sql), values)


@dataclass(slots=True)
class _Attempt:
    """One transaction that writes. `answers` are there from the moment on when its commit may have been made."""

    number: int
    answers: list[object] | None = field(default=None)


class PostgresDatabase:
    """See `Database`. `password` is asked when a connection is made; without it there are the URL, PGPASSWORD and
    ~/.pgpass. Raises `BoardError` when the URL is none, or its server is not one that boards can be on.
    `is_moving`: it is opened to move boards into it (`motet.board.moving`)."""

    def __init__(self, url: str, password: Callable[[], str] | None = None, *, is_moving: bool = False) -> None:
        self._is_moving = is_moving
        self._url = ServerUrl.of(url)
        self._password = password
        self._connection: psycopg.Connection[Row] | None = None
        self._was_open = False
        self._writer = secrets.token_hex(16)
        self._number = 0

    @property
    def place(self) -> str:
        """Where the boards are, without a password."""
        return self._url.place

    def read(self, work: Work[T]) -> T:
        """See `Database`."""

        def step() -> T:
            with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as (connection, tx):
                answer = work(tx)
                tx.send()
                _simply(connection, "COMMIT")
                return answer

        return self._persistently(step, None)

    def write(self, works: Sequence[Work[object]], *, durable: bool) -> list[object]:
        """See `Database`."""
        self._number += 1
        attempt = _Attempt(self._number)
        begin = f"BEGIN; SELECT pg_advisory_xact_lock({_TURN}, hashtext('{self._url.schema}'))"

        def step() -> list[object]:
            with self._transaction(begin) as (connection, tx):
                if attempt.answers is not None and self._is_stored(tx, attempt):
                    return attempt.answers
                attempt.answers = None
                answers = [work(tx) for work in works]
                tx.send()
                attempt.answers = answers
                try:
                    _simply(connection, self._commit(attempt))
                except psycopg.Error:
                    if not connection.closed:
                        attempt.answers = None  # the server said so itself: nothing was stored
                    raise
                return answers

        return self._persistently(step, attempt)

    def close(self) -> None:
        """See `Database`."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(psycopg.Error):
                connection.close()

    # --- one transaction -------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Generator[tuple[psycopg.Connection[Row], PostgresTx]]:
        connection = self._opened()
        try:
            if self._schema_in(_simply(connection, f"{begin}; {ABOUT}")) != SCHEMA:
                raise BoardTooNew(f"{self.place}: another motet has changed these boards; start this one again")
            yield connection, PostgresTx(connection)
        finally:
            self._end(connection)

    def _schema_in(self, about: list[Row]) -> int:
        return schema_in(about, self.place, is_moving=self._is_moving)

    def _end(self, connection: psycopg.Connection[Row]) -> None:
        """Nothing of a transaction is left open; a connection that was lost is let go of."""
        if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            with contextlib.suppress(psycopg.Error):
                _simply(connection, "ROLLBACK")
        if connection.closed:
            self.close()

    def _commit(self, attempt: _Attempt) -> str:
        old = f"DELETE FROM commits WHERE at < {time.time() - _DAY:.0f}; " if attempt.number == 1 else ""
        return (
            f"{old}INSERT INTO commits (writer, number, at) VALUES ('{self._writer}', {attempt.number}, {time.time():.3f}) "
            "ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at; COMMIT"
        )

    def _is_stored(self, tx: PostgresTx, attempt: _Attempt) -> bool:
        """Whether the commit was made whose answer got lost. Whoever asks has the turn: it is not under way any more."""
        row = tx.one("SELECT number FROM commits WHERE writer = ?", self._writer)
        return row is not None and int(row[0]) == attempt.number

    def _persistently(self, step: Callable[[], T], attempt: _Attempt | None) -> T:
        """Do it; again when others were in the way, or when the connection was lost and comes back in time."""
        deadline, tries = time.monotonic() + PATIENCE, 0
        while True:
            tries += 1
            was_open = self._was_open
            try:
                return step()
            except _NoConnection as error:
                if not was_open or time.monotonic() > deadline:
                    self._was_open = False
                    raise self._lost(error.told, attempt) from error.__cause__
            except psycopg.Error as error:
                if is_lost(error):
                    if time.monotonic() > deadline:
                        raise self._lost(no_connection(error, self.place), attempt) from error
                elif not is_worth_another_try(error) or tries >= _MOST_TRIES:
                    raise explained(error, self.place) from error
            except UnicodeEncodeError as error:
                raise explained(error, self.place) from error
            time.sleep(min(0.01 * 2**tries, 0.5))

    def _lost(self, why: BoardError, attempt: _Attempt | None) -> BoardError:
        if attempt is None or attempt.answers is None:
            return BoardLost(f"{why}; nothing was stored" if attempt else str(why))
        return BoardLost(f"{why}; what was being stored may be there: look before you write it again")

    # --- the connection --------------------------------------------------------------------------------------------

    def _opened(self) -> psycopg.Connection[Row]:
        if self._connection is None:
            connection = self._connect()
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection, self._was_open = connection, True
        return self._connection

    def _connect(self) -> psycopg.Connection[Row]:
        settings = settings_of(self._url, self._password)
        try:
            return psycopg.connect(autocommit=True, **settings)
        except psycopg.Error as error:
            secret = str(settings.get("password") or "")
            raise _NoConnection(no_connection(error, self.place, secret)) from error

    def _prepare(self, connection: psycopg.Connection[Row]) -> None:
        """The newest schema; settings of this connection. One process at a time."""
        version = connection.info.server_version
        if version < OLDEST * 10_000:
            raise BoardError(
                f"{self.place}: that is PostgreSQL {version // 10_000}; boards need {OLDEST} or newer: update the server"
            )
        ((encoding,),) = _simply(connection, "SHOW server_encoding")
        if encoding != "UTF8":
            raise BoardError(f"{self.place}: the database is in {encoding}; boards need one with ENCODING 'UTF8'")
        schema, milliseconds = self._url.schema, int(PATIENCE * 1000)
        _simply(
            connection,
            f"SET search_path TO {schema}; SET lock_timeout = {milliseconds}; "
            f"SET idle_in_transaction_session_timeout = {0 if self._is_moving else milliseconds}; "
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
        )
        try:
            _simply(connection, f"BEGIN; SELECT pg_advisory_xact_lock({_TURN}, hashtext('{schema}'))")
            tx = PostgresTx(connection)
            if tx.one("SELECT 1 FROM pg_namespace WHERE nspname = ?", schema) is None:
                tx.run(f"CREATE SCHEMA {schema}")
            there = tx.one("SELECT to_regclass(?)", f"{schema}.about") != (None,)
            found = self._schema_in(tx.all(ABOUT)) if there else 0
            if found < SCHEMA:
                migrate(tx, found)
                tx.send()
            _simply(connection, "COMMIT")
        finally:
            self._end(connection)


def settings_of(url: ServerUrl, password: Callable[[], str] | None) -> dict[str, Any]:
    """What the driver gets to connect. Raises `BoardError`."""
    try:
        settings: dict[str, Any] = {**_KEEPING, "application_name": "motet", **conninfo_to_dict(url.connect)}
    except psycopg.ProgrammingError:
        # The driver repeats what it cannot read.
        raise BoardError(f"{url.place}: board.url cannot be read; write special characters in it as %XX") from None
    if password is not None:
        settings["password"] = password()
    return settings | {"client_encoding": "utf8"}


class _NoConnection(Exception):
    """There is none, and none can be made now."""

    def __init__(self, told: BoardError) -> None:
        super().__init__(str(told))
        self.told = told


@lru_cache(1024)
def _translated(sql: str) -> LiteralString:
    """With the driver's marks for values."""
    return cast("LiteralString", sql.replace("?", "%s"))


def _simply(connection: psycopg.Connection[Row], sql: str) -> list[Row]:
    """Run statements without values, in one message; returns the rows of the last one."""
    cursor = connection.execute(cast("LiteralString", sql), prepare=False)
    while cursor.nextset():
        pass
    return cursor.fetchall() if cursor.description else []
