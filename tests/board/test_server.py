"""Boards on a server: what is told when it is not as it should be, and what a lost connection does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from board.board_kit import PROJECT, Page
from board.places import Place, Server

from motet.board import AgentKind, BoardError, Boards, BoardTooNew, Hint, NewAgent
from motet.board import postgres as engine
from motet.board.database import Asked, Tx
from motet.board.errors import BoardLost
from motet.board.postgres import PostgresDatabase, PostgresTx, settings_of
from motet.board.server_bell import ServerBell
from motet.board.server_failures import explained
from motet.board.server_url import ServerUrl
from motet.engine.boards import open_boards
from motet.errors import SettingsError
from motet.settings import BoardSettings

SECRET = "s3cret-W0rd"


def _why(url: str, password: Callable[[], str] | None = None) -> str:
    database = PostgresDatabase(url, password)
    try:
        database.read(lambda tx: tx.one("SELECT 1"))
    except BoardError as error:
        assert "\n" not in str(error)
        return str(error)
    finally:
        database.close()
    return ""


@pytest.mark.parametrize(
    ("url", "place", "schema"),
    [
        (f"postgresql://me:{SECRET}@h:5432,h2:1/db?sslmode=require", "postgresql://h:5432,h2:1/db", "motet"),
        (f"postgres://me:{SECRET}@h/db?schema=team&connect_timeout=3", "postgresql://h/db?schema=team", "team"),
        (f"postgresql:///db?host=/tmp/x&password={SECRET}", "postgresql:///db?host=/tmp/x", "motet"),
    ],
)
def test_a_place_names_the_server_and_no_password(url: str, place: str, schema: str) -> None:
    found = ServerUrl.of(url)
    assert (found.place, found.schema) == (place, schema)
    assert SECRET not in repr(found)
    assert settings_of(found, None)["password"] == SECRET


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://h/db", "it does not begin with postgresql://"),
        (f"postgresql://me:{SECRET}/x@h/db", "a character of the user or password has a meaning in URLs; write it as %XX"),
        (f"postgresql://me:{SECRET}#x@h/db", "a character of the user or password has a meaning in URLs; write it as %XX"),
        ("postgresql://h/db?schema=a;b", "its schema is no name of lower-case letters, digits and _"),
    ],
)  # fmt: skip
def test_a_url_that_cannot_be_is_refused_without_repeating_it(url: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        open_boards(BoardSettings(url=url), tmp_path)
    assert str(refused.value) == (
        f"board.url: the URL of the boards is wrong: {why}; it looks like postgresql://USER@HOST/DATABASE"
    )


def test_what_keeps_from_connecting_is_told_without_the_password(server: Server) -> None:
    socket = server.uri.partition("host=")[2]
    assert _why(f"postgresql://me:{SECRET}@127.0.0.1:1/db") == (
        "postgresql://127.0.0.1:1/db: there is no connection to the server (Connection refused); is it running, and is "
        "board.url right?"
    )
    assert _why(f"postgresql://nobody:{SECRET}@/postgres?host={socket}") == (
        f'postgresql:///postgres?host={socket}: there is no connection to the server (role "nobody" does not exist); '
        "make it there, or correct board.url"
    )
    assert _why(f"postgresql://postgres@/{SECRET}?host={socket}", lambda: SECRET) == (
        f'postgresql:///{SECRET}?host={socket}: there is no connection to the server (database "***" does not exist); '
        "make it there, or correct board.url"
    )
    assert _why(f"postgresql://me:{SECRET}%zz@h/db") == (
        "postgresql://h/db: board.url cannot be read; write special characters in it as %XX"
    )


def test_a_wrong_password_is_told_and_a_right_one_may_come_from_a_variable(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hba = Path(server.run("SHOW hba_file")[0][0])
    before = hba.read_text()
    server.run(f"CREATE ROLE guarded LOGIN PASSWORD '{SECRET}'")
    server.run("GRANT CREATE ON DATABASE postgres TO guarded")
    try:
        hba.write_text("local all guarded scram-sha-256\n" + before)
        server.run("SELECT pg_reload_conf()")
        url = server.url("guarded").replace("postgres:@", "guarded@", 1)
        place = ServerUrl.of(url).place
        assert _why(url, lambda: "wrong-" + SECRET) == (
            f'{place}: there is no connection to the server (password authentication failed for user "guarded"); check '
            "the user and password: of board.password, the URL, PGPASSWORD or ~/.pgpass"
        )
        assert "no password supplied" in _why(url)
        monkeypatch.setenv("TEAM_PASSWORD", SECRET)

        async def opened(password: str) -> str:
            async with open_boards(BoardSettings(url=url, password=password), tmp_path) as boards:
                return (await boards.open(PROJECT)).name

        assert asyncio.run(opened("env:TEAM_PASSWORD")) == "general"
        assert asyncio.run(opened(f"cmd:echo {SECRET}")) == "general"
        with pytest.raises(SettingsError, match=r"^board\.password: write env:NAME, cmd:COMMAND"):
            open_boards(BoardSettings(url=url, password=SECRET), tmp_path)
    finally:
        hba.write_text(before)
        server.run("SELECT pg_reload_conf()")
        server.run("DROP SCHEMA IF EXISTS guarded CASCADE; DROP OWNED BY guarded; DROP ROLE guarded")


def test_a_server_that_boards_cannot_be_on_is_refused(
    there: Place, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ServerUrl.of(there.at).place
    with monkeypatch.context() as patch:
        patch.setattr(engine, "OLDEST", 99)
        major = int(server.run("SHOW server_version_num")[0][0]) // 10_000
        assert _why(there.at) == f"{place}: that is PostgreSQL {major}; boards need 99 or newer: update the server"
    server.run("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    try:
        assert _why(there.at.replace("/postgres?", "/latin?")) == (
            f"{place.replace('/postgres?', '/latin?')}: the database is in LATIN1; boards need one with ENCODING 'UTF8'"
        )
    finally:
        server.run("DROP DATABASE latin WITH (FORCE)")


def test_a_server_that_takes_no_writes_says_so(there: Place, server: Server) -> None:
    assert _why(there.at) == ""
    database = PostgresDatabase(there.at)
    server.run("ALTER DATABASE postgres SET default_transaction_read_only = on")
    try:
        with pytest.raises(BoardError, match=r": the server only lets read \(it is a copy, or was told so\)"):
            database.write([lambda tx: tx.run("UPDATE counters SET value = value")], durable=True)
        assert database.read(lambda tx: tx.one("SELECT count(*) FROM boards")) == (0,)
    finally:
        server.run("ALTER DATABASE postgres RESET default_transaction_read_only")
        database.close()


def test_what_a_statement_meets_is_told_in_one_line(there: Place) -> None:
    database = PostgresDatabase(there.at)

    def fails(text: str) -> str:
        with pytest.raises(BoardError) as failed:
            database.write(
                [lambda tx: tx.run("UPDATE counters SET name = ? WHERE name = 'none'", text)], durable=True
            )
        return str(failed.value).removeprefix(f"{database.place}: ")

    assert fails("a\0b") == "a text holds the character U+0000, which no board can store; leave it out"
    assert fails("a\ud800b") == "a text holds half a character (a lone surrogate); leave it out"
    full = explained(psycopg.errors.DiskFull("could not extend file"), "here")
    assert str(full) == (
        "here: the server's disk is full, nothing more can be stored; make room there, what was stored before is safe"
    )
    database.close()


def test_what_many_rows_meet_fails_all_of_the_transaction(there: Place) -> None:
    database = PostgresDatabase(there.at)

    def work(tx: Tx) -> None:
        _count(tx)
        tx.many("INSERT INTO counters (name, value) VALUES (?, ?)", [("one", 1), ("one", 2)])
        tx.many("INSERT INTO counters (name, value) VALUES (?, ?)", [("two", 1)])

    with pytest.raises(BoardError, match=r': duplicate key value violates unique constraint "counters_pkey"$'):
        database.write([work], durable=True)
    assert _value(database) == 0
    assert database.read(lambda tx: tx.one("SELECT count(*) FROM counters WHERE name IN ('one', 'two')")) == (0,)
    database.close()


def test_boards_of_a_newer_motet_are_left_as_they_are(there: Place, server: Server) -> None:
    database = PostgresDatabase(there.at)
    database.read(lambda tx: None)
    server.run("UPDATE test_there.about SET value = '99' WHERE name = 'schema'")
    with pytest.raises(BoardTooNew, match=r"written by a newer motet \(schema 99;"):
        database.read(lambda tx: None)
    database.close()


# --- a lost connection -----------------------------------------------------------------------------------------


def _count(tx: Tx) -> None:
    tx.run("UPDATE counters SET value = value + 1 WHERE name = 'leases'")


def _value(database: PostgresDatabase) -> int:
    row = database.read(lambda tx: tx.one("SELECT value FROM counters WHERE name = 'leases'"))
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("when", ["before", "in the middle", "at the commit", "with the commit", "after the commit"])
def test_a_write_whose_connection_is_lost_is_made_once(
    there: Place, server: Server, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    database = PostgresDatabase(there.at)
    assert _value(database) == 0
    cuts: list[int] = []
    send = PostgresTx.send

    def cutting(tx: PostgresTx, *last: Asked) -> None:
        if ("COMMIT", ()) not in last or cuts or not when.endswith("commit"):
            return send(tx, *last)
        if when == "at the commit":
            cuts.append(server.cut())
            return send(tx, *last)
        if when == "with the commit":
            cuts.append(1)
            return send(tx, ("SELECT pg_terminate_backend(pg_backend_pid())", ()), *last)
        send(tx, *last)  # its answer is lost
        cuts.append(server.cut())
        return send(tx, ("SELECT 1", ()))

    def work(tx: Tx) -> str:
        _count(tx)
        if when == "in the middle" and not cuts:
            cuts.append(server.cut())
        return "done"

    if when == "before":
        cuts.append(server.cut())
    monkeypatch.setattr(PostgresTx, "send", cutting)
    assert database.write([work], durable=True) == ["done"]
    assert (cuts, _value(database)) == ([1], 1)
    database.close()


def test_a_server_that_does_not_come_back_is_told_with_what_may_be_stored(
    there: Place, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = PostgresDatabase(there.at)
    _value(database)
    monkeypatch.setattr(engine, "PATIENCE", 0.2)
    send = PostgresTx.send

    def stopping(tx: PostgresTx, *last: Asked) -> None:
        if ("COMMIT", ()) in last:
            server.stop()
        send(tx, *last)

    monkeypatch.setattr(PostgresTx, "send", stopping)
    try:
        with pytest.raises(BoardLost, match=r"; what was being stored may be there: look before you write it again$"):
            database.write([_count], durable=True)
        with pytest.raises(BoardLost, match=r"is board.url right.; nothing was stored$"):
            database.write([_count], durable=True)
    finally:
        monkeypatch.setattr(PostgresTx, "send", send)
        server.start()
    assert _value(database) == 0
    assert database.write([_count], durable=True) == [None]
    assert _value(database) == 1
    database.close()


def test_a_transaction_that_others_were_in_the_way_of_is_run_again(there: Place) -> None:
    database = PostgresDatabase(there.at)
    runs: list[int] = []

    def work(tx: Tx) -> int:
        runs.append(1)
        _count(tx)
        if len(runs) < 3:
            raise psycopg.errors.SerializationFailure("could not serialize access")
        return len(runs)

    assert database.write([work], durable=True) == [3]
    assert _value(database) == 1
    database.close()


# --- the bell --------------------------------------------------------------------------------------------------


async def test_a_post_wakes_who_waits_in_another_process_also_after_a_cut(there: Place, server: Server) -> None:
    async with there.boards() as one, there.boards() as other:
        page = await Page.of(one, "ann", "ben")
        async with other.watching() as watch, asyncio.timeout(60):
            for seq in (1, 2, 3):
                await page.post("ann", f"number {seq}")
                seen = 0
                while seen < seq:
                    seen = max([seen, *(hint.seq for hint in await watch.next() if hint.board == page.board)])
                server.cut()
            assert [post.seq for post in await other.posts(page.board)] == [1, 2, 3]


async def test_many_hints_are_one_notification_each_moment(there: Place) -> None:
    listener = ServerBell(there.at)
    heard: list[list[Hint]] = []
    all_came = asyncio.Event()

    def hear(hints: object) -> None:
        heard.append(list(hints))  # type: ignore[call-overload]
        if any(hint.seq == 1000 for hint in heard[-1]):
            all_came.set()

    await listener.listen(hear)
    async with there.boards() as boards:
        await boards.register(NewAgent("ann", AgentKind.CHAT, "1"))
        for seq in range(1, 1001):
            boards._bell.ring([Hint("board", seq)])
            await asyncio.sleep(0)
        async with asyncio.timeout(20):
            await all_came.wait()
    await listener.close()
    hints = [hint for some in heard for hint in some if hint.what == "posts"]
    assert hints[-1] == Hint("board", 1000)
    assert len(hints) < 20


async def test_more_hints_than_one_notification_holds_follow_in_the_next(there: Place) -> None:
    listener = ServerBell(there.at)
    heard: set[Hint] = set()
    wanted = {Hint(f"a board with a long name, number {n}", n, "changes") for n in range(500)}
    all_came = asyncio.Event()

    def hear(hints: object) -> None:
        heard.update(hints)  # type: ignore[arg-type]
        if wanted <= heard:
            all_came.set()

    await listener.listen(hear)
    async with there.boards() as boards:
        boards._bell.ring(wanted)
    async with asyncio.timeout(20):
        await all_came.wait()
    await listener.close()
    assert heard == wanted


async def test_without_the_driver_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "motet.board.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    async with Boards.on_server("postgresql://h/db") as boards:
        with pytest.raises(BoardError) as refused:
            await boards.boards()
        async with asyncio.timeout(20):
            await boards._bell.listen(lambda hints: None)  # nothing can be heard, and nothing waits
    assert str(refused.value) == (
        "boards on a server need a driver (import of psycopg halted; None in sys.modules): pip install 'motet[team]'"
    )
