"""Boards on a PostgreSQL server, for teams and many machines: the same as in a file, in a schema of their own.

Writers take turns at a lock of the server, in the order in which they came, so that a transaction sees what it would
see in a file. What was stored is known after a lost connection too: each transaction leaves its number in `commits`.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, LiteralString, TypeVar, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import Int8Dumper

from motet.board.database import Asked, Dialect, Row, Work
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
_NOW = "SELECT '' AS name, extract(epoch FROM clock_timestamp())::text AS value"
"""Asked behind the turn at writing, for which others may have been waited."""
logging.getLogger("psycopg").addHandler(logging.NullHandler())  # it would write about lost connections on the screen
_ROWS = 32
"""Rows of one statement that inserts, at most; fewer are a power of two, so that few statements are ever planned."""
_PREPARED = 200
"""Statements that the server keeps the plans of for a connection."""


class PostgresTx:
    """See `Tx`. What `many` stores goes out with the next statement that has an answer: one way there and back."""

    dialect = Dialect.POSTGRES

    def __init__(self, connection: psycopg.Connection[Row], now: float) -> None:
        self._connection = connection
        self.now = now
        self._cursor = connection.cursor()
        self._waiting: list[tuple[str, list[Sequence[object]]]] = []

    def reckoned(self, what: str, until: float, span: float, now: float) -> float:
        """See `Tx`."""
        return now

    def run(self, sql: str, *values: object) -> int:
        """See `Tx`."""
        return self._done(sql, values).rowcount

    def all(self, sql: str, *values: object) -> list[Row]:
        """See `Tx`."""
        return self._done(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> Row | None:
        """See `Tx`."""
        return self._done(sql, values).fetchone()

    def several(self, asked: Sequence[Asked]) -> list[list[Row]]:
        """See `Tx`."""
        with self._connection.pipeline():
            self._send_waiting()
            cursors = [self._connection.execute(_translated(sql), values) for sql, values in asked]
        return [cursor.fetchall() for cursor in cursors]

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """See `Tx`."""
        if some := list(rows):
            self._waiting.append((sql, some))

    def send(self, *last: Asked) -> None:
        """Send what waits, and these statements behind it; none is done when one before it fails."""
        if self._waiting or last:
            with self._connection.pipeline():
                self._send_waiting()
                for sql, values in last:
                    self._connection.execute(_translated(sql), values)

    def _send_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for sql, rows in waiting:
            for statement, values in several_rows(sql, rows):
                self._connection.execute(statement, values)

    def _done(self, sql: str, values: Sequence[object]) -> psycopg.Cursor[Row]:
        self.send()
        return self._cursor.execute(_translated(sql), values)


def several_rows(sql: str, rows: Sequence[Sequence[object]]) -> Iterator[tuple[LiteralString, list[object]]]:
    """`sql` once for each of `rows`, as few statements: where it inserts, one stores up to `_ROWS` rows. The server reads
    and plans each of them once."""
    at, is_insert = 0, sql.startswith("INSERT ")
    while at < len(rows):
        size = min(_ROWS, 1 << ((len(rows) - at).bit_length() - 1)) if is_insert else 1
        yield (
            _repeated(sql, size) if size > 1 else _translated(sql),
            [value for row in rows[at : at + size] for value in row],
        )
        at += size


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
        if not durable:
            begin += "; SET LOCAL synchronous_commit = off"

        def step() -> list[object]:
            with self._transaction(begin) as (_, tx):
                if attempt.answers is not None and self._is_stored(tx, attempt):
                    return attempt.answers
                attempt.answers = None
                answers = [work(tx) for work in works]
                attempt.answers = answers
                try:
                    tx.send(*self._commit(attempt, tx.now))
                except psycopg.Error as error:
                    if not is_lost(error):
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
            about = _simply(connection, f"{begin}; {ABOUT} UNION ALL {_NOW}")
            if self._schema_in(about) != SCHEMA:
                raise BoardTooNew(f"{self.place}: another motet has changed these boards; start this one again")
            yield connection, PostgresTx(connection, _now_in(about))
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

    def _commit(self, attempt: _Attempt, now: float) -> tuple[Asked, ...]:
        number = (
            "INSERT INTO commits (writer, number, at) VALUES (?, ?, ?) "
            "ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at"
        )
        old: tuple[Asked, ...] = (("DELETE FROM commits WHERE at < ?", (now - _DAY,)),) if attempt.number == 1 else ()
        return (*old, (number, (self._writer, attempt.number, now)), ("COMMIT", ()))

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
                    self.close()  # the driver may not know it yet
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
            connection = psycopg.connect(autocommit=True, cursor_factory=psycopg.RawCursor, **settings)
            # Of one type, whatever its size: the same statement is planned once.
            connection.adapters.register_dumper(int, Int8Dumper)
            connection.prepared_max = _PREPARED
            return connection
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
            now = _simply(connection, f"BEGIN; SELECT pg_advisory_xact_lock({_TURN}, hashtext('{schema}')); {_NOW}")
            tx = PostgresTx(connection, _now_in(now))
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


@lru_cache(256)
def _repeated(sql: str, rows: int) -> LiteralString:
    """An insert of so many rows: what stands behind VALUES, once for each."""
    start = sql.index(" VALUES (") + len(" VALUES ")
    depth, end = 0, start
    for end in range(start, len(sql)):
        depth += {"(": 1, ")": -1}.get(sql[end], 0)
        if depth == 0:
            break
    return _translated(sql[:start] + ", ".join([sql[start : end + 1]] * rows) + sql[end + 1 :])


@lru_cache(1024)
def _translated(sql: str) -> LiteralString:
    """With the server's own marks for values: the driver need not look for its own."""
    first, *others = sql.split("?")
    return cast("LiteralString", first + "".join(f"${n}{part}" for n, part in enumerate(others, 1)))


def _now_in(rows: Iterable[Row]) -> float:
    """What was answered to `_NOW`."""
    return round(next(float(value) for name, value in rows if not name), 3)


def _simply(connection: psycopg.Connection[Row], sql: str) -> list[Row]:
    """Run statements without values, in one message; returns the rows of the last one."""
    cursor = connection.execute(cast("LiteralString", sql), prepare=False)
    while cursor.nextset():
        pass
    return cursor.fetchall() if cursor.description else []
