"""The open database: it is the one that others have, whatever is opened and closed beside it."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from motet.errors import MotetError
from motet.storage.aside import set_aside
from motet.storage.database_file import DatabaseFile, transaction
from motet.storage.failures import Words
from motet.storage.places import make_private
from motet.storage.salvage import Salvage

OTHER = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit(); c.close()"
"""A process that writes, and is the last one to leave as far as it knows."""


def file(path: Path) -> DatabaseFile:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("CREATE TABLE IF NOT EXISTS words (word TEXT)")
        return connection

    def make(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE words (word TEXT)")

    salvage = Salvage("words", ("words",), ("words",), "PRAGMA user_version", make, lambda _: None)
    return DatabaseFile(Words(path, "words", MotetError), path.with_suffix(".lock"), connect, salvage)


def words(path: DatabaseFile) -> list[str]:
    return [word for (word,) in path.opened().execute("SELECT word FROM words")]


def test_a_second_one_of_the_same_process_takes_no_lock_of_the_first_away(tmp_path: Path) -> None:
    path = tmp_path / "state" / "one.db"
    first, second = file(path), file(path)
    assert (words(first), words(second)) == ([], [])
    for number in ("1", "2"):
        insert = f"INSERT INTO words VALUES ('{number}')"
        subprocess.run([sys.executable, "-c", OTHER, str(path), insert], check=True)
    assert words(first) == ["1", "2"]
    with transaction(first.opened()):
        first.opened().execute("INSERT INTO words VALUES ('3')")
    assert words(second) == words(file(path)) == ["1", "2", "3"]


def test_another_file_at_its_place_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    one = file(path)
    one.opened().execute("INSERT INTO words VALUES ('old')")
    path.rename(tmp_path / "old.db")
    assert words(one) == []
    assert one.identity == one.there() != (0, 0)
    one.close()
    assert not one.is_open


def test_who_opens_an_empty_file_beside_another_shares_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    for private in (path, path.with_suffix(".lock")):
        make_private(private)
    with path.with_suffix(".lock").open("r+") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        one = file(path)
        one.opened()
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    one.close()


def test_what_fails_within_a_transaction_leaves_nothing(tmp_path: Path) -> None:
    one = file(tmp_path / "one.db")
    with pytest.raises(KeyError), transaction(one.opened()):
        one.opened().execute("INSERT INTO words VALUES ('half')")
        raise KeyError
    assert words(one) == []


def test_a_step_that_fails_on_newer_tables_finds_no_damage(tmp_path: Path) -> None:
    one = file(tmp_path / "one.db")
    one.opened().execute("INSERT INTO words VALUES ('whole')")
    newer = [sys.executable, "-c", OTHER, str(tmp_path / "one.db")]
    for change in ("ALTER TABLE words RENAME COLUMN word TO name", "PRAGMA user_version = 1"):
        subprocess.run([*newer, change], check=True)
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        one.run(lambda connection: connection.execute("SELECT word FROM words").fetchall())
    assert not list(tmp_path.glob("*.damaged-*"))


def test_a_place_whose_name_is_no_text_is_read_where_nothing_is_written(tmp_path: Path) -> None:
    one = file(tmp_path / os.fsdecode(b"caf\xe9 100%") / "one.db")
    one.opened().execute("INSERT INTO words VALUES ('there')")
    refusals = [OSError(errno.EROFS, "read-only"), sqlite3.OperationalError("also beside others")]

    def step(connection: sqlite3.Connection) -> list[tuple[str]]:
        if refusals:
            raise refusals.pop(0)
        return connection.execute("SELECT word FROM words").fetchall()

    assert one.read(step, lambda _: True) == [("there",)]


def test_files_that_are_set_aside_in_one_second_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    for content in "abc":
        path.write_text(content)
        assert set_aside(path, "the words are", "they begin anew").read_text() == content
    assert sorted(kept.read_text() for kept in tmp_path.iterdir()) == ["a", "b", "c"]


def test_a_new_file_that_takes_not_all_that_was_read_is_not_used(tmp_path: Path) -> None:
    def make(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE words (word TEXT)")
        connection.execute("PRAGMA max_page_count = 3")  # a disk that is full

    path = tmp_path / "one.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE words (word TEXT)")
        connection.executemany("INSERT INTO words VALUES (?)", [("small",), ("large" * 10_000,)])
    connection.close()
    before = path.read_bytes()
    with pytest.raises(sqlite3.OperationalError, match="database or disk is full"):
        Salvage("words", ("words",), ("words",), "PRAGMA user_version", make, lambda _: None).set_aside(path)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("one.db", before)]


def test_a_file_becomes_private_and_what_is_no_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "made" / "file"
    make_private(path)
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    path.write_text("text")
    path.chmod(0o644)
    link = tmp_path / "link"
    link.symlink_to(path)
    make_private(link)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("text", 0o600)
    with pytest.raises(IsADirectoryError):
        make_private(path.parent)
    with pytest.raises(FileExistsError):
        make_private(path / "below")
