"""Many processes on one board at the same time; a server that goes away meanwhile."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from board import writer
from board.board_kit import PROJECT
from board.crash_kit import LIMITS, check_posts
from board.killing import Told, rows
from board.places import Place, Server

from motet.board import Boards, Post

PROCESSES, POSTS = 10, 100


async def _written(place: Place, files: Path, number: int, posts: int) -> int:
    """Let a process write; its exit status."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, writer.__file__, place.at, str(files), str(number), str(posts)),
        env=os.environ | {"PYTHONPATH": str(Path(writer.__file__).parent.parent)},
    )
    return await process.wait()


async def _seen(boards: Boards, board: str, many: int) -> list[Post]:
    """What one who follows the board gets, hint by hint: everything behind the last number that it has."""
    seen: list[Post] = []
    async with boards.watching() as watch, asyncio.timeout(100):
        while len(seen) < many:
            if new := await boards.posts(board, seen[-1].seq if seen else 0):
                seen += new
            else:
                await watch.next()
    return seen


@pytest.mark.acceptance("S4-012", "S4-058", "S4-059", "S4-060", "S4-083")
async def test_a_thousand_posts_of_ten_processes_are_whole_and_in_one_order_for_all(
    place: Place, tmp_path: Path
) -> None:
    async with place.boards(LIMITS) as one, place.boards(LIMITS) as other:
        board = (await one.open(PROJECT)).id
        followers = [asyncio.create_task(_seen(boards, board, PROCESSES * POSTS)) for boards in (one, other)]
        writers = [asyncio.create_task(_written(place, tmp_path, n, POSTS)) for n in range(PROCESSES)]
        assert await asyncio.gather(*writers) == [0] * PROCESSES
        first, second = await asyncio.gather(*followers)
        assert first == second == await one.posts(board, limit=10_000)
    assert [post.seq for post in first] == list(range(1, PROCESSES * POSTS + 1))
    keys = [f"{number}-{n}" for number in range(PROCESSES) for n in range(POSTS)]
    assert Counter(post.body for post in first) == Counter(map(writer.body, keys))


async def _all_write(boards: Boards, board: str) -> bool:
    """Whether none of the three is still on its way: who comes to a server that is away is told so."""
    return len({post.author for post in await boards.posts(board, limit=10_000)}) == 3


@pytest.mark.acceptance("S4-061")
@pytest.mark.parametrize("how", ["cut", "restart"])
async def test_a_server_that_goes_away_while_many_write_loses_and_doubles_nothing(
    server: Server, there: Place, tmp_path: Path, how: str
) -> None:
    async with there.boards(LIMITS) as boards:
        board = (await boards.open(PROJECT)).id
        writers = [asyncio.create_task(_written(there, tmp_path, n, 300)) for n in range(3)]
        for least in (100, 300, 500):
            async with asyncio.timeout(100), boards.watching() as watch:
                while (await boards.find(PROJECT, "general")).last < least or not await _all_write(boards, board):
                    await watch.next(1)
            if how == "cut":
                assert await asyncio.to_thread(server.cut) >= 1
            else:
                await asyncio.to_thread(server.stop)
                await asyncio.to_thread(server.start)
        assert await asyncio.gather(*writers) == [0, 0, 0]
        assert len(await boards.posts(board, limit=10_000)) == 900
    (posts,) = rows(there, ["SELECT seq, author, send_key FROM posts ORDER BY seq"])
    check_posts(posts, {f"{number}-{n}" for number in range(3) for n in range(300)})
    told = [line for n in range(3) for line in Told(str(tmp_path / f"told-w{n}")).lines]
    assert sorted(told) == sorted(str(key) for _, _, key in posts)


async def test_who_begins_to_watch_at_once_hears_of_others_and_leaves_no_socket(place: Place, tmp_path: Path) -> None:
    async with place.boards(LIMITS) as boards:
        board = (await boards.open(PROJECT)).id
        followers = [asyncio.create_task(_seen(boards, board, 10)) for _ in range(5)]
        assert await _written(place, tmp_path, 0, 10) == 0
        seen = await asyncio.gather(*followers)
        assert [[post.seq for post in one] for one in seen] == [list(range(1, 11))] * 5
        if not place.is_server:
            assert len(list((Path(place.at) / "boards.wake").glob("*.sock"))) == 1
    if not place.is_server:
        assert list((Path(place.at) / "boards.wake").iterdir()) == []
