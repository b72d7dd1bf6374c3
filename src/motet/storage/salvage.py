"""A damaged database is set aside, whole, and what SQLite can still read of it goes into a new one, as far as it fits
the tables."""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from motet.errors import MotetError
from motet.storage.aside import name_beside
from motet.storage.failures import is_damage, is_environment
from motet.storage.places import make_private, sync_directory

Row = tuple[object, ...]
UNREADABLE = (sqlite3.Error, UnicodeError)
"""What reading a damaged file raises: what SQLite says of it may quote bytes that are no text."""

SMALLEST = 512
"""Bytes of the smallest page, so of the smallest file (SQLite documentation, "Database File Format", 1.3.2)."""
_PAGE = 4096
"""Bytes of a page of every file of ours."""
_HEADER, _LEAF = 100, 13
"""Bytes of the header before the first page's own; the first byte of a leaf page of a table."""
_LONG = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Bytes of the values of each kind in a record; there are no others below 12."""
_BESIDE = ("", "-wal", "-shm")
_MOST_ROWS = 2_000_000
"""Row numbers that are tried one by one where the file does not say how many there are."""
_LAST_SECOND = 253_402_214_400.0
"""The end of the year 9999: no calendar goes on."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its declared `kind` (TEXT, INTEGER, BIGINT, REAL, DOUBLE PRECISION), and whether it has to
    have a value. `is_key`: a row is nothing without it."""

    name: str
    kind: str
    is_needed: bool
    is_key: bool

    def fits(self, value: object) -> bool:
        """Whether such a value may stand there."""
        match value:
            case None:
                return not self.is_needed
            case str():
                return self.kind == "TEXT"
            case bytes():
                return self.kind == "TEXT" and _is_text(value)
            case int():
                return self.kind != "TEXT"
            case float():
                return self.kind in ("REAL", "DOUBLE PRECISION")
            case _:
                return False

    def mended(self, value: object) -> object:
        """The nearest value that fits."""
        if self.kind != "TEXT":
            if isinstance(value, float) and abs(value) < 2**62:
                return int(value)
            return 0 if self.is_needed else None
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        return "" if value is None else str(value)


def _is_text(value: bytes) -> bool:
    try:
        value.decode("utf-8", "surrogatepass")
    except UnicodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which texts a column takes, and what stands for one that it does not."""

    is_one: Callable[[str], bool]
    otherwise: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Salvage:
    """What a store has in its tables: `what` ("chats"), and how to `make` an empty file of the newest schema, whose number
    `version` asks for.

    `tables` are copied in this order, rows of `replaced` over those that an empty file has; `counted` are named in the
    report. `times` are columns (TABLE.COLUMN) in seconds since the epoch, `allowed` those that take not every text.
    Of `lasting` tables no row is ever removed: theirs are saved too from pages that no table leads to any more. `finish` mends what hangs together and makes the indexes of words, in the transaction of the copy."""

    what: str
    tables: Sequence[str]
    counted: Sequence[str]
    version: str
    make: Callable[[sqlite3.Connection], None]
    finish: Callable[[sqlite3.Connection], None]
    replaced: frozenset[str] = frozenset()
    lasting: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    allowed: Mapping[str, Allowed] = field(default_factory=dict[str, Allowed])

    # --- is it damaged? --------------------------------------------------------------------------------------------

    def explains(self, error: Exception, path: Path, connection: sqlite3.Connection | None) -> bool:
        """Whether damage of the file `path`, open as `connection`, is why a step ended in `error`: SQLite says so, or
        nobody expected that error and the file is not as it should be."""
        if is_damage(error):
            return True
        if isinstance(error, MotetError | OSError) or is_environment(error):
            return False
        if connection is not None:
            return not self.is_whole(connection)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as own:
            return not self.is_whole(own)

    def is_whole(self, connection: sqlite3.Connection) -> bool:
        """Whether all of the file can be read, and every value fits its column. Reads all of it. What the tables of a newer
        motet hold is not for this one to judge."""
        with contextlib.suppress(*UNREADABLE):
            connection.execute("ROLLBACK")
        try:
            with contextlib.closing(self._model()) as model:
                if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                    return False
                schema, newest = self._version(connection), self._version(model)
                if schema > newest:
                    return True
                is_alike = all(_columns(connection, table) == _columns(model, table) for table in self.tables)
                if 0 < schema < newest:
                    return not is_alike
                return (
                    is_alike and schema == newest and all(self._is_sound(connection, table) for table in self.tables)
                )
        except (sqlite3.Error, ValueError, TypeError):
            return False

    def _model(self) -> sqlite3.Connection:
        """An empty database as it should be."""
        model = sqlite3.connect(":memory:", isolation_level=None)
        self.make(model)
        return model

    def _version(self, connection: sqlite3.Connection) -> int:
        return int(connection.execute(self.version).fetchone()[0])

    def _is_sound(self, connection: sqlite3.Connection, table: str) -> bool:
        columns = _columns(connection, table)
        rows = connection.execute(f"SELECT {_names(columns)} FROM {table}")
        return all(self._may_be(table, one, value) for row in rows for one, value in zip(columns, row, strict=True))

    def _may_be(self, table: str, column: Column, value: object) -> bool:
        name = f"{table}.{column.name}"
        if name in self.times and value is not None and not is_time(value):
            return False
        if name in self.allowed and not (isinstance(value, str) and self.allowed[name].is_one(value)):
            return False
        return column.fits(value)

    # --- and then --------------------------------------------------------------------------------------------------

    def set_aside(self, path: Path) -> str:
        """Put the damaged file aside and a new one, with what can be read of it, in its place; returns a line about it.

        Nobody else has the file open. Raises `OSError` or `sqlite3.Error`, with everything as it was. Whoever is killed
        on the way leaves the damaged file where it was, or a new one that is whole and waits (`is_waiting`).
        """
        if not is_waiting(path):
            aside, fresh, copy = (
                name_beside(path),
                path.with_name(f"{path.name}.new"),
                path.with_name(f"{path.name}.copy"),
            )
            try:
                for ending in _BESIDE:
                    _second_name(Path(f"{path}{ending}"), Path(f"{aside}{ending}"))
                _remove(fresh)
                self._build(aside, copy, fresh)
            except BaseException:
                _remove(fresh)
                _remove(aside)
                raise
            finally:
                _remove(copy)
            fresh.replace(_waiting(path))
        for ending in _BESIDE[1:]:  # they belong to the damaged file and must not be taken for the new one's
            Path(f"{path}{ending}").unlink(missing_ok=True)
        _waiting(path).replace(path)
        with contextlib.suppress(OSError):
            sync_directory(path.parent)
        return self._report(path)

    def _report(self, path: Path) -> str:
        with contextlib.closing(sqlite3.connect(path)) as fresh:
            counts = [f"{fresh.execute(f'SELECT count(*) FROM {one}').fetchone()[0]} {one}" for one in self.counted]
        files = (file.name for file in path.parent.glob(f"{path.name}.damaged-*"))
        aside = max(name for name in files if not name.endswith(_BESIDE[1:]))
        return (
            f"{path}: the file of {self.what} was damaged; it is kept as {aside}; saved from it: {', '.join(counts)}"
        )

    def _build(self, damaged: Path, copy: Path, fresh: Path) -> None:
        make_private(fresh)
        target = sqlite3.connect(fresh, isolation_level=None)
        try:
            self.make(target)
            target.execute("PRAGMA synchronous = FULL")
            target.execute("BEGIN")
            source, broken = None, list(self.tables)
            with contextlib.suppress(*UNREADABLE):
                source = self._reader(damaged, copy, target)
            if source is not None:  # what the new file does not take ends this: nothing of it may be missing
                with contextlib.closing(source):
                    broken = [table for table in self.tables if not self._copy(source, target, table)]
            if broken:
                self._copy_from_pages(copy, target)
            self.finish(target)
            target.execute("COMMIT")
        finally:
            target.close()

    def _reader(self, damaged: Path, copy: Path, target: sqlite3.Connection) -> sqlite3.Connection:
        """A connection to a copy of the damaged file whose header and tables are described as they should be."""
        _remove(copy)
        for ending in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{damaged}{ending}", f"{copy}{ending}")
        if Path(f"{copy}-wal").exists():
            _mend_header(copy, in_wal=True)
            with contextlib.suppress(*UNREADABLE), contextlib.closing(sqlite3.connect(copy)) as written:
                written.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for ending in _BESIDE[1:]:
                Path(f"{copy}{ending}").unlink(missing_ok=True)
        _mend_header(copy, in_wal=False)
        for is_second in (False, True):
            source = sqlite3.connect(copy, isolation_level=None)
            source.text_factory = _text
            source.execute("PRAGMA writable_schema = ON")  # reads on where the file is shorter than it says
            if is_second:
                break
            with contextlib.suppress(*UNREADABLE), contextlib.closing(source):
                for table in self.tables:
                    (sql,) = target.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
                    source.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ? AND sql <> ?", (sql, table, sql))
        return source

    def _copy(self, source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> bool:
        """Returns whether all of the table could be read in one go."""
        columns, is_whole = _columns(target, table), True
        otherwise = "REPLACE" if table in self.replaced else "IGNORE"
        for row in _readable(source, table, _names(columns)):
            if row is None:
                is_whole = False
            elif (mended := self._mended(table, columns, row)) is not None:
                _insert(target, table, columns, mended, otherwise)
        return is_whole

    def _copy_from_pages(self, copy: Path, target: sqlite3.Connection) -> None:
        """What is not there yet of the rows of lasting tables on any page. It is theirs if it can be of no other table."""
        columns = {table: _columns(target, table) for table in self.tables}
        alike = {
            many: [table for table, found in columns.items() if len(found) == many]
            for many in map(len, columns.values())
        }
        for number, row in _on_pages(copy):
            fitting: list[tuple[str, Row]] = []
            for table in alike.get(len(row), ()):
                full = _with_number(columns[table], number, row)
                if all(self._may_be(table, one, value) for one, value in zip(columns[table], full, strict=True)):
                    fitting.append((table, full))
            if len(fitting) == 1 and fitting[0][0] in self.lasting:
                _insert(target, fitting[0][0], columns[fitting[0][0]], fitting[0][1], "IGNORE")

    def _mended(self, table: str, columns: Sequence[Column], row: Row) -> Row | None:
        """The row as it may be in its table; None when nothing says what it is of."""
        values: list[object] = []
        for column, value in zip(columns, row, strict=True):
            if not self._may_be(table, column, value):
                if column.is_key:
                    return None
                name = f"{table}.{column.name}"
                value = self.allowed[name].otherwise() if name in self.allowed else column.mended(value)
                if not self._may_be(table, column, value):
                    value = 0
            values.append(value)
        return tuple(values)


def is_time(value: object) -> bool:
    """Whether `value` can be a moment, in seconds since the epoch."""
    return isinstance(value, int | float) and 0 <= value <= _LAST_SECOND


def is_waiting(path: Path) -> bool:
    """Whether a new file is whole, and its place is still taken by the damaged one."""
    return _waiting(path).exists()


def _waiting(path: Path) -> Path:
    return path.with_name(f"{path.name}.saved")


def _second_name(file: Path, aside: Path) -> None:
    try:
        os.link(file, aside)
    except FileNotFoundError:
        pass
    except OSError:  # a file system without links
        shutil.copy2(file, aside)


def _remove(database: Path) -> None:
    for ending in (*_BESIDE, "-journal"):
        Path(f"{database}{ending}").unlink(missing_ok=True)


def _mend_header(path: Path, *, in_wal: bool) -> None:
    """Have the first 100 bytes say what they say in every file of ours (SQLite documentation, "Database File Format", 1.3);
    the size is then the file's."""
    with path.open("r+b") as file:
        header = bytearray(file.read(100))
        if len(header) < 100:
            return
        version = 2 if in_wal else 1
        header[:24] = struct.pack(">16sHBBBBBB", b"SQLite format 3\0", _PAGE, version, version, 0, 64, 32, 32)
        header[28:40] = bytes(12)
        header[44:48] = header[56:60] = bytes(4)
        header[47], header[59] = 4, 1
        header[52:56] = header[64:68] = bytes(4)
        file.seek(0)
        file.write(header)


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _columns(connection: sqlite3.Connection, table: str) -> list[Column]:
    rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return [Column(str(name), str(kind), bool(needed), bool(key)) for _, name, kind, needed, _, key in rows]


def _names(columns: Sequence[Column]) -> str:
    return ", ".join(column.name for column in columns)


def _insert(target: sqlite3.Connection, table: str, columns: Sequence[Column], row: Row, otherwise: str) -> None:
    marks = ", ".join("?" for _ in columns)
    with contextlib.suppress(sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError):
        target.execute(f"INSERT OR {otherwise} INTO {table} ({_names(columns)}) VALUES ({marks})", row)


def _readable(source: sqlite3.Connection, table: str, names: str) -> Iterator[Row | None]:
    """Each row that can be read: all in one go, and from where that fails, behind None, one by one."""
    last = 0
    with contextlib.suppress(*UNREADABLE):
        for number, *row in source.execute(f"SELECT rowid, {names} FROM {table} ORDER BY rowid"):
            if number <= last:
                break  # a page that is taken for its own child
            yield tuple(row)
            last = number
        else:
            return
    yield None
    for number in range(last + 1, _greatest(source, table, last) + 1):
        with contextlib.suppress(*UNREADABLE):
            yield from source.execute(f"SELECT {names} FROM {table} WHERE rowid = ?", (number,)).fetchall()


def _greatest(source: sqlite3.Connection, table: str, last: int) -> int:
    """The number of the last row that is looked for, where the one after `last` could not be read."""
    for question in (
        f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",
        f"SELECT max(rowid) FROM {table}",
    ):
        with contextlib.suppress(*UNREADABLE):
            found = source.execute(question).fetchone()
            if found and isinstance(found[0], int):
                return min(found[0], last + _MOST_ROWS)
    with contextlib.suppress(*UNREADABLE):
        source.execute(f"SELECT 1 FROM {table} LIMIT 0")
        return last + 10_000
    return 0  # the file no longer knows the table


# --- pages that no table leads to -----------------------------------------------------------------------------------


def _with_number(columns: Sequence[Column], number: int, row: Row) -> Row:
    """The row of a page with its number where the key is another name for that."""
    keys = [at for at, column in enumerate(columns) if column.is_key]
    if len(keys) == 1 and columns[keys[0]].kind == "INTEGER" and row[keys[0]] is None:
        return (*row[: keys[0]], number, *row[keys[0] + 1 :])
    return row


def _on_pages(path: Path) -> Iterator[tuple[int, Row]]:
    """Each row on a leaf page of any table, with its number (SQLite documentation, "Database File Format", 1.6)."""
    with (
        contextlib.suppress(OSError, ValueError),
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        for first in range(0, len(data) - _PAGE + 1, _PAGE):
            head = first or _HEADER
            if data[head] != _LEAF:
                continue
            (many,) = struct.unpack_from(">H", data, head + 3)
            for (at,) in struct.iter_unpack(">H", data[head + 8 : min(head + 8 + 2 * many, first + _PAGE)]):
                with contextlib.suppress(ValueError, LookupError, struct.error):
                    yield _cell(data, first + at)


def _cell(data: mmap.mmap, at: int) -> tuple[int, Row]:
    """The number and the values of a row. Raises `ValueError`, `LookupError`, `struct.error` where it is none, or not all
    of it is there."""
    size, at = _varint(data, at)
    number, at = _varint(data, at)
    if size > len(data):
        raise ValueError("longer than the file")
    least, most = (_PAGE - 12) * 32 // 255 - 23, _PAGE - 35
    here = least + (size - least) % (_PAGE - 4)
    here = size if size <= most else here if here <= most else least
    record, left = bytearray(data[at : at + here]), size - here
    at += here
    while left > 0:  # on pages of its own
        (page,) = struct.unpack_from(">I", data, at)
        at = (page - 1) * _PAGE
        if page < 2:
            raise ValueError("no page")
        record += data[at + 4 : at + 4 + min(left, _PAGE - 4)]
        left -= _PAGE - 4
    return number - (number >> 63 << 64), _values(bytes(record), size)


def _values(record: bytes, size: int) -> Row:
    """The values of a record of `size` bytes ("Record Format", 2.1)."""
    end, at = _varint(record, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(record, at)
        kinds.append(kind)
    values: list[object] = []
    for kind in kinds:
        long = (kind - 12) // 2 if kind >= 12 else _LONG[kind]
        value = record[at : at + long]
        at += long
        match kind:
            case 0:
                values.append(None)
            case 7:
                values.append(struct.unpack(">d", value)[0])
            case 8 | 9:
                values.append(kind - 8)
            case 1 | 2 | 3 | 4 | 5 | 6:
                values.append(int.from_bytes(value, "big", signed=True))
            case _:
                values.append(_text(value) if kind % 2 else value)
    if at != size or len(record) != size:
        raise ValueError("not a record")
    return tuple(values)


def _varint(data: bytes | mmap.mmap, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for byte in range(8):
        value = value << 7 | data[at + byte] & 0x7F
        if data[at + byte] < 0x80:
            return value, at + byte + 1
    return value << 8 | data[at + 8], at + 9
