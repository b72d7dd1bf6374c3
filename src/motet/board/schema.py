"""The schema of the boards, as numbered steps in SQL that both engines read: new ones come at the end, none changes.

`about.schema` is how many have run. They run in one transaction: a database is of one schema or of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import motet
from motet.board.database import Dialect, Row, Tx
from motet.board.errors import BoardMoved, BoardTooNew

ABOUT = "SELECT name, value FROM about"
"""What a database says of itself: its `schema`, the `motet` that wrote it, and whether it was moved (`motet.board.moving`)."""
ROW = 1 << 32
"""A post's row is its board's number times this, and its own number: the same on every engine."""


def _boards_and_posts(tx: Tx) -> None:
    """Boards with the number of their newest post; posts, their earlier texts, and posts to everyone, which become
    deliveries when a member looks. Lists are JSON."""
    for statement in (
        """CREATE TABLE boards (
            id TEXT PRIMARY KEY, number BIGINT NOT NULL UNIQUE, project TEXT NOT NULL, name TEXT NOT NULL,
            name_key TEXT NOT NULL, created DOUBLE PRECISION NOT NULL, last BIGINT NOT NULL, paused INTEGER NOT NULL,
            rights TEXT NOT NULL, UNIQUE (project, name_key))""",
        """CREATE TABLE posts (
            row BIGINT PRIMARY KEY, id TEXT NOT NULL UNIQUE, board TEXT NOT NULL, seq BIGINT NOT NULL,
            at DOUBLE PRECISION NOT NULL, author TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
            reply_to TEXT NOT NULL, chain TEXT NOT NULL, hops BIGINT NOT NULL, tokens BIGINT NOT NULL,
            cost DOUBLE PRECISION NOT NULL, until DOUBLE PRECISION NOT NULL, version INTEGER NOT NULL,
            retracted INTEGER NOT NULL, deadline DOUBLE PRECISION, send_key TEXT NOT NULL, UNIQUE (board, seq))""",
        "CREATE UNIQUE INDEX posts_sent ON posts (author, send_key) WHERE send_key <> ''",
        "CREATE INDEX posts_by_author ON posts (author, at)",
        "CREATE INDEX posts_by_time ON posts (board, at)",
        "CREATE INDEX posts_due ON posts (deadline) WHERE deadline IS NOT NULL",
        """CREATE TABLE versions (
            post TEXT NOT NULL, version INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL, body TEXT NOT NULL,
            PRIMARY KEY (post, version))""",
        """CREATE TABLE broadcasts (
            board TEXT NOT NULL, seq BIGINT NOT NULL, high INTEGER NOT NULL, among BIGINT NOT NULL,
            PRIMARY KEY (board, seq))""",
        """CREATE TABLE chains (
            id TEXT PRIMARY KEY, board TEXT NOT NULL, began DOUBLE PRECISION NOT NULL, state TEXT NOT NULL,
            tokens BIGINT NOT NULL, cost DOUBLE PRECISION NOT NULL, most_tokens BIGINT NOT NULL,
            most_cost DOUBLE PRECISION NOT NULL)""",
    ):
        tx.run(statement)


def _agents_and_deliveries(tx: Tx) -> None:
    """Agents, for ever; who is on which board; deliveries. A role call is a delivery without a recipient until a
    member of that role claims it."""
    for statement in (
        """CREATE TABLE agents (
            address TEXT PRIMARY KEY, address_key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, kind TEXT NOT NULL,
            identity TEXT NOT NULL, roles TEXT NOT NULL, model TEXT NOT NULL, workspace TEXT NOT NULL,
            policy TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL, paused INTEGER NOT NULL,
            created DOUBLE PRECISION NOT NULL, seen DOUBLE PRECISION NOT NULL, session TEXT NOT NULL,
            UNIQUE (kind, identity))""",
        """CREATE TABLE members (
            board TEXT NOT NULL, address TEXT NOT NULL, joined BIGINT NOT NULL, expanded BIGINT NOT NULL,
            read_to BIGINT NOT NULL, PRIMARY KEY (board, address))""",
        "CREATE INDEX members_by_address ON members (address)",
        """CREATE TABLE deliveries (
            id TEXT PRIMARY KEY, post TEXT NOT NULL, board TEXT NOT NULL, seq BIGINT NOT NULL, author TEXT NOT NULL,
            recipient TEXT NOT NULL, role TEXT NOT NULL, state TEXT NOT NULL, high INTEGER NOT NULL,
            mentioned INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL, changed DOUBLE PRECISION NOT NULL,
            hops BIGINT NOT NULL, tokens BIGINT NOT NULL, money DOUBLE PRECISION NOT NULL,
            until DOUBLE PRECISION NOT NULL, leased_until DOUBLE PRECISION NOT NULL, turn TEXT NOT NULL,
            rule TEXT NOT NULL, reason TEXT NOT NULL, cost DOUBLE PRECISION NOT NULL, answer TEXT NOT NULL,
            attempts INTEGER NOT NULL, UNIQUE (post, recipient, role))""",
        "CREATE INDEX deliveries_waiting ON deliveries (recipient, state)",
        "CREATE INDEX deliveries_of_board ON deliveries (board, seq)",
        "CREATE INDEX deliveries_between ON deliveries (author, recipient, at)",
        "CREATE INDEX deliveries_of_roles ON deliveries (role, board) WHERE role <> '' AND recipient = ''",
    ):
        tx.run(statement)


def _order(tx: Tx) -> None:
    """Leases of files; posts in a minute and what was used in a day, by agent, pair and board; what humans are told,
    what was refused; numbers that only grow."""
    for statement in (
        "CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
        """CREATE TABLE file_leases (
            project TEXT NOT NULL, glob TEXT NOT NULL, owner TEXT NOT NULL, token BIGINT NOT NULL,
            until DOUBLE PRECISION NOT NULL, task TEXT NOT NULL, PRIMARY KEY (project, glob))""",
        """CREATE TABLE used (
            who TEXT NOT NULL, span BIGINT NOT NULL, posts BIGINT NOT NULL, tokens BIGINT NOT NULL,
            cost DOUBLE PRECISION NOT NULL, PRIMARY KEY (who, span))""",
        """CREATE TABLE notices (
            id BIGINT PRIMARY KEY, at DOUBLE PRECISION NOT NULL, board TEXT NOT NULL, kind TEXT NOT NULL,
            text TEXT NOT NULL, about TEXT NOT NULL, settled TEXT NOT NULL)""",
        """CREATE TABLE refusals (
            id BIGINT PRIMARY KEY, at DOUBLE PRECISION NOT NULL, actor TEXT NOT NULL, board TEXT NOT NULL,
            what TEXT NOT NULL, why TEXT NOT NULL)""",
        "INSERT INTO counters (name, value) VALUES ('registry', 0), ('boards', 0), ('leases', 0), ('lines', 0)",
    ):
        tx.run(statement)


def _search(tx: Tx) -> None:
    """The index of posts: terms of our own (`motet.text.terms`), by a post's row."""
    if tx.dialect is Dialect.SQLITE:
        tx.run(
            "CREATE VIRTUAL TABLE found USING fts5"
            """(words, whole, content='', columnsize=0, detail='none', tokenize="ascii tokenchars '_'")"""
        )
    else:
        tx.run("CREATE TABLE found (row BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)")
        tx.run("CREATE INDEX found_words ON found USING GIN (words)")


def _commits(tx: Tx) -> None:
    """On a server: the newest transaction of each process, which tells it after a lost connection what was stored."""
    if tx.dialect is Dialect.POSTGRES:
        tx.run("CREATE TABLE commits (writer TEXT PRIMARY KEY, number BIGINT NOT NULL, at DOUBLE PRECISION NOT NULL)")


def _what_is_asked_often(tx: Tx) -> None:
    """Each post and each look asks what was given to an agent lately and whose lease has run out: neither may cost more
    where much was delivered long ago. A search for the newest posts of somebody, or of a kind, sorts none."""
    tx.run("DROP INDEX deliveries_waiting")
    tx.run("CREATE INDEX deliveries_waiting ON deliveries (recipient, state, changed)")
    tx.run("CREATE INDEX deliveries_leased ON deliveries (leased_until) WHERE state = 'leased'")
    tx.run("CREATE INDEX posts_newest_of ON posts (author, row)")
    tx.run("CREATE INDEX posts_newest_kind ON posts (kind, row)")


def _newest_to(tx: Tx) -> None:
    """A search for the newest posts that somebody was given sorts none either."""
    tx.run("CREATE INDEX deliveries_newest_to ON deliveries (recipient, board, seq)")


def _short_pending_list(tx: Tx) -> None:
    """On a server: what waits to be sorted into the index of terms is read by each search, and sorted in by some post; it
    stays short (KiB; 4,096 otherwise)."""
    if tx.dialect is Dialect.POSTGRES:
        tx.run("ALTER INDEX found_words SET (gin_pending_list_limit = 256)")
        tx.one("SELECT gin_clean_pending_list('found_words')")


MIGRATIONS: tuple[Callable[[Tx], None], ...] = (
    _boards_and_posts,
    _agents_and_deliveries,
    _order,
    _search,
    _commits,
    _what_is_asked_often,
    _newest_to,
    _short_pending_list,
)
SCHEMA = len(MIGRATIONS)


def migrate(tx: Tx, schema: int) -> None:
    """Bring a database of `schema` (0: an empty one) to the newest, within the transaction of the caller."""
    if schema == 0:
        tx.run("CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    for step in MIGRATIONS[schema:]:
        step(tx)
    for name, value in (("schema", str(SCHEMA)), ("motet", motet.__version__)):
        tx.run(
            "INSERT INTO about (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            name,
            value,
        )


def schema_of(tx: Tx, where: str, *, is_moving: bool = False) -> int:
    """How many steps have run in a database that has the table `about`. Raises as `schema_in`."""
    return schema_in(tx.all(ABOUT), where, is_moving=is_moving)


def schema_in(rows: Sequence[Row], where: str, *, is_moving: bool = False) -> int:
    """The same, of what `ABOUT` answered. Raises `BoardTooNew`, and `BoardMoved` when the boards are elsewhere, or not
    all here, but to who is moving them."""
    about = {str(name): str(value) for name, value in rows}
    if "moved" in about and not is_moving:
        raise BoardMoved(f"{where}: these boards were moved to {about['moved']}; set board.url to it")
    if "arriving" in about and not is_moving:
        raise BoardMoved(
            f"{where}: boards are being moved here; if that was broken off, run `motet board migrate` again where it was"
        )
    schema = int(about.get("schema", "0"))
    if schema > SCHEMA:
        raise BoardTooNew(
            f"{where}: these boards were written by a newer motet (schema {schema}; motet {motet.__version__} knows "
            f"{SCHEMA}); update to motet {about.get('motet', '')} or later"
        )
    return schema


def next_number(tx: Tx, name: str) -> int:
    """The next number of a counter; nobody else gets it."""
    row = tx.one("UPDATE counters SET value = value + 1 WHERE name = ? RETURNING value", name)
    assert row is not None
    return int(row[0])
