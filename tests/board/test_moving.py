"""Boards move from a file to a server: all of them, checked, and there is one truth at any moment."""

from __future__ import annotations

from pathlib import Path

import pytest
from board.board_kit import Page
from board.crash_kit import STORED, script
from board.killing import rows
from board.places import Place
from board.test_killed import EVERY, play

from motet.board import BoardError, BoardMoved, Query
from motet.board.database import Tx
from motet.board.moving import TABLES, Moved, move
from motet.board.postgres import PostgresDatabase
from motet.board.sqlite import SqliteDatabase


@pytest.fixture
async def file(tmp_path: Path) -> Place:
    """Boards in a file, with something in each table."""
    place = Place(str(tmp_path / "state"))
    (tmp_path / "files").mkdir()
    await script(place, tmp_path / "files")
    async with place.boards() as boards:
        page = await Page.of(boards, "ann")
        await page.post("ann", "東京で会議 @nobody-99999")
    return place


def _where(place: Place) -> str:
    return PostgresDatabase(place.at).place


async def _opens(place: Place) -> str:
    """What opening says; empty when it does."""
    try:
        async with place.boards() as boards:
            await boards.boards()
    except BoardError as error:
        return str(error)
    return ""


async def test_all_tables_arrive_and_the_file_says_where_they_are(file: Place, there: Place) -> None:
    before = rows(file, [*STORED, *(f"SELECT count(*) FROM {name}" for name in TABLES)])
    moved = await move(Path(file.at), there.at)
    assert moved.place == _where(there)
    assert [table.name for table in moved.tables] == list(TABLES)
    assert [table.rows for table in moved.tables] == [count[0][0] for count in before[len(STORED) :]]
    assert rows(there, [*STORED, *(f"SELECT count(*) FROM {name}" for name in TABLES)]) == before
    assert await _opens(file) == (
        f"{file.at}/boards.db: these boards were moved to {moved.place}; set board.url to it"
    )
    async with there.boards() as boards:
        board = await boards.find("project", "general")
        assert [post.body for post in await boards.search(Query("会議"), [board.id])] == ["東京で会議 @nobody-99999"]
        page = Page(boards, board.id)
        page.addresses = {"ann": (await boards.agents())[0].address}
        assert (await page.post("ann", "we go on here")).post.seq == board.last + 1


async def test_moving_again_is_nothing_and_elsewhere_is_refused(file: Place, there: Place) -> None:
    await move(Path(file.at), there.at)
    assert await move(Path(file.at), there.at) == Moved(_where(there), ())
    with pytest.raises(BoardMoved) as refused:
        await move(Path(file.at), f"{there.at}_other")
    assert str(refused.value) == (
        f"these boards were moved to {_where(there)} before; they cannot be moved from here to {_where(there)}_other"
    )


async def test_a_target_that_has_boards_is_refused_and_nothing_changes(file: Place, there: Place) -> None:
    async with there.boards() as boards:
        await boards.open("theirs")
    with pytest.raises(BoardError) as refused:
        await move(Path(file.at), there.at)
    assert str(refused.value) == (
        f"{_where(there)}: there are boards already, which stay as they are; take another schema (?schema=NAME)"
    )
    assert (await _opens(file), await _opens(there)) == ("", "")
    assert rows(there, ["SELECT project FROM boards"]) == [[("theirs",)]]


async def test_two_projects_of_one_name_need_another(file: Place, there: Place) -> None:
    async with file.boards() as boards:
        await boards.open("/elsewhere/project")
    with pytest.raises(BoardError) as refused:
        await move(Path(file.at), there.at)
    assert str(refused.value) == (
        "/elsewhere/project and /home/me/project would both be the project 'project' on the server; give one another name"
    )
    await move(Path(file.at), there.at, projects={"/elsewhere/project": "other"})
    assert rows(there, ["SELECT project FROM boards ORDER BY 1"]) == [[("other",), ("project",)]]


async def test_broken_off_while_it_is_copied_both_are_as_they_were(file: Place, there: Place) -> None:
    heard: list[tuple[str, int]] = []

    def told(table: str, rows: int) -> None:
        heard.append((table, rows))
        if table == "posts":
            raise BoardError("broken off")

    with pytest.raises(BoardError, match=r"^broken off$"):
        await move(Path(file.at), there.at, told=told)
    assert (heard[0], heard[-1]) == (("boards", 1), ("posts", 7))
    assert (await _opens(file), await _opens(there)) == ("", "")
    assert rows(there, ["SELECT count(*) FROM boards"]) == [[(0,)]]
    assert len((await move(Path(file.at), there.at)).tables) == len(TABLES)


async def test_a_directory_without_boards_is_refused(tmp_path: Path, there: Place) -> None:
    with pytest.raises(BoardError) as refused:
        await move(tmp_path, there.at)
    assert str(refused.value) == f"{tmp_path}: there are no boards to move"
    assert not (tmp_path / "boards.db").exists()


async def test_what_did_not_arrive_as_it_was_moves_nothing(
    file: Place, there: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from motet.board import postgres

    many = postgres.PostgresTx.many

    def damaging(self: postgres.PostgresTx, sql: str, some: list[tuple[object, ...]]) -> None:
        many(self, sql, some[:-1] if "INTO deliveries" in sql else some)

    monkeypatch.setattr(postgres.PostgresTx, "many", damaging)
    with pytest.raises(
        BoardError, match=r": the table deliveries did not arrive as it was; nothing was moved: try again$"
    ):
        await move(Path(file.at), there.at)
    monkeypatch.undo()
    assert (await _opens(file), await _opens(there)) == ("", "")
    assert rows(there, ["SELECT count(*) FROM posts"]) == [[(0,)]]


def test_every_table_is_moved_or_made_anew(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path)

    def tables(tx: Tx) -> set[str]:
        return {str(row[0]) for row in tx.all("SELECT name FROM sqlite_schema WHERE type = 'table'")}

    found = {name for name in database.read(tables) if not name.startswith(("found", "sqlite_"))}
    database.close()
    assert found == {"about", *TABLES}


@pytest.mark.timeout(3600 if EVERY else 120)
def test_killed_at_any_step_there_is_one_truth_and_the_next_move_ends_it(there: Place, tmp_path: Path) -> None:
    said = play("moves", tmp_path, there.at, 3, 1 if EVERY else 23, seconds=3500 if EVERY else 110)
    assert int(said.split()[1]) >= (100 if EVERY else 5), said
