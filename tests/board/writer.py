"""A process that writes many posts at once: `python writer.py PLACE FILES NUMBER POSTS`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from board.board_kit import PROJECT
from board.crash_kit import LIMITS, Actor
from board.places import Place

from motet.board import postgres


def body(key: str) -> str:
    """A text that would show it if it were torn."""
    return f"begin {key}\n{key * 200}\nend {key}"


async def write(place: Place, files: Path, number: int, posts: int) -> None:
    """As the agent `w<NUMBER>`."""
    async with place.boards(LIMITS) as boards:
        me = await Actor.come(boards, (await boards.open(PROJECT)).id, f"w{number}", files)
        keys = [f"{number}-{n}" for n in range(posts)]
        for some in (keys[at : at + 10] for at in range(0, posts, 10)):
            await asyncio.gather(*(me.post(key, body(key)) for key in some))


if __name__ == "__main__":
    postgres.PATIENCE = 60.0  # a server that is started again on a busy machine takes its time
    asyncio.run(write(Place(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
