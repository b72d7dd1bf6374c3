"""Files of an older and of a newer motet, and where the file lies."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from history.history_kit import CHAT, asked

from motet.history import ChatInfo, History, HistoryTooNew
from motet.history.columns import texts
from motet.history.migrations import MIGRATIONS, SCHEMA, migrate
from motet.storage import places


def changed(state: Path, *statements: str) -> None:
    """Run these in the file, as another program."""
    connection = sqlite3.connect(state / "history.db")
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


async def stored(state: Path) -> None:
    """A chat with one message."""
    async with History.open(state) as history:
        await history.create(ChatInfo(id=CHAT))
        await history.append(CHAT, [asked("x")])


@pytest.mark.acceptance("CC-14")
async def test_an_older_file_is_migrated_with_all_that_is_in_it(state: Path) -> None:
    state.mkdir(parents=True)
    connection = sqlite3.connect(state / "history.db", isolation_level=None)
    migrate(connection, "history.db", MIGRATIONS[:1])
    connection.execute(
        "INSERT INTO chats (id, title, workspace, model, created, updated, cycles, messages, cost, tokens, parent, "
        "forked_at, draft) VALUES (?, '古い題', '/w', '', 1, 2, 1, 2, 0, 0, '', '', 'd')",
        (CHAT,),
    )
    for position, message in enumerate([asked("x"), asked("検索")]):
        connection.execute(
            "INSERT INTO messages (chat, id, position, cycle, kept, added, body, meta) VALUES (1, ?, ?, 1, 1, 2, ?, ?)",
            (message.id, position, *texts(message)),
        )
    connection.close()
    async with History.open(state) as history:
        assert (await history.load(CHAT)).messages == (asked("x"), asked("検索"))
        assert [hit.message_id for hit in await history.search("検")] == ["id-検索"]
        assert [hit.message_id for hit in await history.search("題")] == [""]
        await history.append(CHAT, [asked("y")])
        assert history.notices == []


async def test_a_newer_file_is_refused_and_left_as_it_is(state: Path) -> None:
    await stored(state)
    changed(state, f"PRAGMA user_version = {SCHEMA + 5}", "UPDATE about SET value = '9.8' WHERE name = 'motet'")
    before = (state / "history.db").read_bytes()
    async with History.open(state) as history:
        for attempt in (history.list(), history.append(CHAT, [asked("y")]), history.create(ChatInfo())):
            with pytest.raises(HistoryTooNew) as caught:
                await attempt
            assert str(caught.value) == (
                f"{state / 'history.db'}: these chats were written by a newer motet (schema {SCHEMA + 5}; motet 0.1.0 "
                f"knows {SCHEMA}); update to motet 9.8 or later, or set XDG_STATE_HOME to another place for this one"
            )
    assert (state / "history.db").read_bytes() == before


async def test_a_newer_file_that_does_not_say_whose_it_is_is_refused_too(state: Path) -> None:
    await stored(state)
    changed(state, f"PRAGMA user_version = {SCHEMA + 1}", "DROP TABLE about")
    async with History.open(state) as history:
        with pytest.raises(HistoryTooNew, match="update to a newer motet, or set"):
            await history.list()


@pytest.mark.parametrize("is_write", [False, True])
async def test_a_file_that_a_newer_motet_takes_over_meanwhile_is_left_to_it(state: Path, is_write: bool) -> None:
    await stored(state)
    async with History.open(state) as history:
        await history.list()
        changed(state, "ALTER TABLE chats RENAME TO talks", f"PRAGMA user_version = {SCHEMA + 1}")
        with pytest.raises(HistoryTooNew, match="a newer motet"):
            await (history.append(CHAT, [asked("y")]) if is_write else history.list())
        assert history.notices == []
    assert not list(state.glob("*.damaged-*"))


def test_a_migration_that_fails_leaves_the_older_schema(tmp_path: Path) -> None:
    def fails(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE half (a)")
        raise sqlite3.OperationalError("no")

    connection = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    migrate(connection, "a.db", MIGRATIONS[:1])
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, "a.db", [*MIGRATIONS[:1], fails])
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("SELECT name FROM sqlite_schema WHERE name = 'half'").fetchone() is None
    connection.close()


# --- network file systems --------------------------------------------------------------------------------------

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /home rw shared:2 - nfs4 server:/home rw,vers=4.2
31 30 8:1 / /home/local rw - xfs /dev/sda1 rw
32 22 0:27 / /mnt/my\\040share rw - cifs //server/share rw
33 22 0:28 / /mnt/ssh rw - fuse.sshfs me@there:/ rw
34 22 0:29 / /homework rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/history.db", "nfs4"),
        ("/home/local/history.db", ""),
        ("/homework/history.db", ""),
        ("/mnt/my share/state/history.db", "cifs"),
        ("/mnt/ssh/history.db", "fuse.sshfs"),
        ("/var/history.db", ""),
    ],
)
def test_a_network_file_system_is_known_by_its_mount(tmp_path: Path, path: str, kind: str) -> None:
    (tmp_path / "mountinfo").write_text(MOUNTS)
    assert places.network_file_system(Path(path), tmp_path / "mountinfo") == kind


def test_where_the_system_does_not_tell_nothing_is_a_network(tmp_path: Path) -> None:
    assert places.network_file_system(tmp_path, tmp_path / "missing") == ""
    (tmp_path / "mountinfo").write_text("nonsense\n\n - \n")
    assert places.network_file_system(tmp_path, tmp_path / "mountinfo") == ""


def journal(state: Path) -> str:
    """How the file says that its writes are made safe."""
    connection = sqlite3.connect(state / "history.db")
    try:
        return connection.execute("PRAGMA journal_mode").fetchone()[0]
    finally:
        connection.close()


async def test_on_a_network_file_system_a_rollback_journal_is_used_and_said(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stored(state)
    assert journal(state) == "wal"
    # No such mount can be made here without privileges; everything but the answer is real.
    monkeypatch.setattr(places, "network_file_system", lambda _: "nfs4")
    heard: list[str] = []
    async with History.open(state, heard.append) as history:
        await history.append(CHAT, [asked("y")])
        assert (
            heard
            == history.notices
            == [f"{state / 'history.db'} is on a network file system (nfs4): chats are stored more slowly there"]
        )
        assert journal(state) == "delete"
        assert (await history.load(CHAT)).messages == (asked("x"), asked("y"))
