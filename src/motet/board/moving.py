"""Moving all boards from one store into another, checked, so that there is one truth at any moment.

The source is held while it is copied: nobody writes to it. All is copied in one transaction of the target, which stays
closed (`arriving`) until the source has been marked as `moved`. Broken off before that mark, the source goes on as if
nothing had been; after it, the target is the truth and the next `move` opens it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePath

from motet.board import finding
from motet.board.database import Database, Dialect, Row, Tx, marks
from motet.board.errors import BoardError, BoardMoved
from motet.board.schema import ABOUT

TABLES = {
    "boards": "id",
    "agents": "address",
    "members": "board, address",
    "chains": "id",
    "posts": "row",
    "versions": "post, version",
    "broadcasts": "board, seq",
    "deliveries": "id",
    "counters": "name",
    "file_leases": "project, glob",
    "used": "who, span",
    "notices": "id",
    "refusals": "id",
}
"""What is copied, in this order, and by which columns a row is known. The index of words is made anew."""
_AT_ONCE = 500
"""Rows that are held in memory."""
_WITH_PROJECT = frozenset({"boards", "file_leases"})
Progress = Callable[[str, int], None]
"""Hears, in the thread that moves, which table is being copied and how many of its rows have been."""


@dataclass(frozen=True, slots=True)
class MovedTable:
    """So many `rows` stand in both stores, with the same `digest` (of all rows, in any order)."""

    name: str
    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move did. `tables` is empty when only its end was left to do."""

    place: str
    tables: tuple[MovedTable, ...]


async def move(
    state: Path,
    url: str,
    *,
    password: Callable[[], str] | None = None,
    projects: Mapping[str, str] | None = None,
    told: Progress = lambda table, rows: None,
) -> Moved:
    """Move the boards in the directory `state` to the server `url`, which has none yet. It may be run again at any
    time, and ends what was broken off. `projects` are their names on the server, by those in the file; of a path that
    is not among them, its last part. Raises `BoardError`: then the boards are where they were, as they are when `told`
    raises something.
    """

    def work() -> Moved:
        try:
            from motet.board.postgres import PostgresDatabase
        except ImportError as error:
            raise BoardError(f"boards on a server need a driver ({error}): pip install 'motet[team]'") from error
        from motet.board.sqlite import SqliteDatabase

        if not (state / "boards.db").exists():
            raise BoardError(f"{state}: there are no boards to move")
        source, target = SqliteDatabase(state, is_moving=True), PostgresDatabase(url, password, is_moving=True)
        try:
            return move_between(source, target, target.place, _names(projects or {}), told)
        finally:
            source.close()
            target.close()

    return await asyncio.to_thread(work)


def move_between(
    source: Database, target: Database, place: str, named: Callable[[str], str], told: Progress
) -> Moved:
    """The same for two databases that were opened for it; `place` is what the source will name, `named` gives a
    project's name in the target."""
    (store,) = source.write([_identity], durable=True)

    def held(tx: Tx) -> tuple[MovedTable, ...]:
        moved = _about(tx).get("moved")
        if moved == place:
            return ()
        if moved is not None:
            raise BoardMoved(f"these boards were moved to {moved} before; they cannot be moved from here to {place}")
        (copied,) = target.write([lambda into: _copied(tx, into, str(store), place, named, told)], durable=True)
        assert isinstance(copied, tuple)
        _say(tx, "moved", place)
        return copied  # pyright: ignore[reportUnknownVariableType]

    (tables,) = source.write([held], durable=True)
    assert isinstance(tables, tuple)
    target.write([lambda tx: _opened(tx, str(store))], durable=True)
    return Moved(place, tables)  # pyright: ignore[reportUnknownArgumentType]


# --- the steps -------------------------------------------------------------------------------------------------


def _identity(tx: Tx) -> str:
    """Which store this is, for ever."""
    known = _about(tx).get("store")
    if known is None:
        known = secrets.token_hex(16)
        _say(tx, "store", known)
    return known


def _copied(
    source: Tx, target: Tx, store: str, place: str, named: Callable[[str], str], told: Progress
) -> tuple[MovedTable, ...]:
    """Fill the target, and look whether it then holds what the source does."""
    if (arriving := _about(target).get("arriving")) not in (None, store):
        raise BoardError(f"{place}: other boards are being moved there; take another schema (?schema=NAME)")
    if arriving is None and (target.one("SELECT 1 FROM agents") or target.one("SELECT 1 FROM boards")):
        raise BoardError(
            f"{place}: there are boards already, which stay as they are; take another schema (?schema=NAME)"
        )
    _check_names(source, named)
    _say(target, "arriving", store)
    for name in TABLES:
        target.run(f"DELETE FROM {name}")
    target.run("DELETE FROM found")
    tables: list[MovedTable] = []
    for name in TABLES:
        columns = _columns(source, name)
        if _columns(target, name) != columns:
            raise BoardError(f"{place}: its table {name} has other columns; update motet, and try again")
        sums = _Sums()
        for rows in _pages(source, name, columns):
            new = [_renamed(name, columns, row, named) for row in rows]
            target.many(f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({marks(columns)})", new)
            if name == "posts":
                at, body = columns.index("row"), columns.index("body")
                finding.add(target, [(int(row[at]), str(row[body])) for row in new])
            sums.add(new)
            told(name, sums.rows)
        found = _Sums()
        for rows in _pages(target, name, columns):
            found.add(rows)
        if (found.rows, found.digest) != (sums.rows, sums.digest):
            raise BoardError(f"{place}: the table {name} did not arrive as it was; nothing was moved: try again")
        tables.append(MovedTable(name, sums.rows, sums.digest))
    return tuple(tables)


def _opened(tx: Tx, store: str) -> None:
    """From now on the target is used."""
    tx.run("DELETE FROM about WHERE name = 'arriving' AND value = ?", store)


# --- rows ------------------------------------------------------------------------------------------------------


class _Sums:
    """How many rows there are, and a digest of them that does not depend on their order."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def add(self, rows: list[Row]) -> None:
        self.rows += len(rows)
        for row in rows:
            self._sum += int.from_bytes(blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=16).digest())

    @property
    def digest(self) -> str:
        return f"{self._sum % (1 << 128):032x}"


def _pages(tx: Tx, name: str, columns: tuple[str, ...]) -> Iterator[list[Row]]:
    """All rows of a table, some at a time."""
    key = TABLES[name]
    at = [columns.index(column) for column in key.split(", ")]
    where, last = "", ()
    while rows := tx.all(f"SELECT {', '.join(columns)} FROM {name} {where} ORDER BY {key} LIMIT {_AT_ONCE}", *last):
        yield rows
        last = tuple(rows[-1][each] for each in at)
        where = f"WHERE ({key}) > ({marks(last)})"


def _columns(tx: Tx, table: str) -> tuple[str, ...]:
    """The columns of a table, by name."""
    if tx.dialect is Dialect.SQLITE:
        found = tx.all("SELECT name FROM pragma_table_info(?)", table)
    else:
        found = tx.all(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?",
            table,
        )
    return tuple(sorted(str(row[0]) for row in found))


def _renamed(table: str, columns: tuple[str, ...], row: Row, named: Callable[[str], str]) -> Row:
    if table not in _WITH_PROJECT:
        return row
    at = columns.index("project")
    return (*row[:at], named(str(row[at])), *row[at + 1 :])


def _names(projects: Mapping[str, str]) -> Callable[[str], str]:
    """What projects are called where their paths mean nothing."""
    return lambda project: projects.get(project) or (PurePath(project).name if project.startswith("/") else project)


def _check_names(tx: Tx, named: Callable[[str], str]) -> None:
    """Raises `BoardError` when two projects would become one."""
    found: dict[str, str] = {}
    for (project,) in tx.all("SELECT DISTINCT project FROM boards ORDER BY project"):
        other = found.setdefault(named(str(project)), str(project))
        if other != project:
            raise BoardError(
                f"{other} and {project} would both be the project {named(other)!r} on the server; give one another name"
            )


def _about(tx: Tx) -> dict[str, str]:
    return {str(name): str(value) for name, value in tx.all(ABOUT)}


def _say(tx: Tx, name: str, value: str) -> None:
    tx.run(
        "INSERT INTO about (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        *(name, value),
    )
