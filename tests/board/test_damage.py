"""Of a damaged file of boards every post that is still in it is saved, whatever leads to it."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path

import pytest
from board.board_kit import Page

from motet.board import Boards, Draft, Limits, Post, PostKind

PAGE = 4096
LONG = "a long text, " * 2_000 + "and its end"
BODIES = [f"post number {number} {'word ' * (number % 30)}." for number in range(400)]


async def make(state: Path, many: int = len(BODIES)) -> bytes:
    """A file with so many posts of two agents to each other, and one that fills pages; its bytes."""
    async with Boards.in_directory(state, Limits.without_caps()) as boards:
        there = await Page.of(boards, "ann", "ben")
        for author, other, some in (("ann", "ben", BODIES[:many:2]), ("ben", "ann", BODIES[1:many:2])):
            drafts = [Draft(there.board, there[author], f"@{there[other]} {body}", by_human=True) for body in some]
            await asyncio.gather(*map(boards.post, drafts))
        await there.post("ann", LONG, kind=PostKind.STATUS)
    return (state / "boards.db").read_bytes()


async def saved(state: Path, damaged: bytes) -> list[Post]:
    """The posts that can be read once the file holds this."""
    (state / "boards.db").write_bytes(damaged)
    async with Boards.in_directory(state) as boards:
        posts = [post for board in await boards.boards() for post in await boards.posts(board.id, 0, 10_000)]
        await boards.agents()
        await boards.deliveries()
    (aside,) = state.glob("boards.db.damaged-*")
    assert aside.read_bytes() == damaged
    return posts


def bodies(posts: list[Post]) -> list[str]:
    return sorted(post.body.partition(" ")[2] for post in posts if post.body != LONG)


def root(state: Path, table: str) -> int:
    """The first page of a table, from 0."""
    with contextlib.closing(sqlite3.connect(state / "boards.db")) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    return page - 1


def without(data: bytes, page: int) -> bytes:
    return data[: page * PAGE] + bytes(PAGE) + data[(page + 1) * PAGE :]


@pytest.mark.parametrize(
    ("many", "share"), [(5, 0.2), (5, 0.4), (5, 0.8), *((400, share) for share in (0.5, 0.75, 0.98))]
)
async def test_of_a_truncated_file_every_post_that_is_in_it_is_saved(tmp_path: Path, many: int, share: float) -> None:
    state = tmp_path / "state"
    whole = await make(state, many)
    damaged = whole[: int(len(whole) * share)]
    pages = damaged[: len(damaged) // PAGE * PAGE]
    there = sorted(body for body in BODIES if f" {body}".encode() in pages)
    assert there
    assert bodies(await saved(state, damaged)) == there


@pytest.mark.parametrize("table", ["posts", "boards", "agents", "deliveries"])
async def test_what_the_first_page_of_a_table_led_to_is_saved(tmp_path: Path, table: str) -> None:
    state = tmp_path / "state"
    whole = await make(state)
    posts = await saved(state, without(whole, root(state, table)))
    assert bodies(posts) == sorted(BODIES)
    assert [post.body for post in posts if post.seq == len(BODIES) + 1] == [LONG]


async def test_an_empty_file_that_was_there_is_begun_anew_with_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await make(tmp_path, 2)
    (tmp_path / "boards.db").write_bytes(b"")
    for _ in range(2):
        async with Boards.in_directory(tmp_path) as boards:
            assert await boards.boards() == []
    assert caplog.messages == [f"{tmp_path / 'boards.db'}: the file of boards was empty; it is begun anew"]


async def test_all_is_saved_where_nothing_says_what_the_tables_are(tmp_path: Path) -> None:
    state = tmp_path / "state"
    whole = await make(state)
    posts = await saved(state, bytes(PAGE) + whole[PAGE:])
    assert bodies(posts) == sorted(BODIES)
    assert [post.body for post in posts if post.seq == len(BODIES) + 1] == [LONG]
