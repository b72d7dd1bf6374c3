"""Boards of a project, with others on them who write without a terminal."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from cli.kit import Project

from motet.board import AgentKind, Boards, NewAgent, Posted, Seat
from motet.engine.boards import human
from motet.settings import BoardSettings

T = TypeVar("T")

ME = "mia"
SETTINGS = f'[board]\nname = "{ME}"\n'
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?")


@dataclass(frozen=True, slots=True)
class Board:
    """The boards of `project`, whose human is mia."""

    project: Project

    @property
    def me(self) -> str:
        """The human's address."""
        return self.do(lambda boards: boards.register(human(BoardSettings(name=ME)))).address

    def do(self, work: Callable[[Boards], Awaitable[T]]) -> T:
        """Do something with the boards, in this process."""

        async def done() -> T:
            async with Boards.in_directory(self.project.state) as boards:
                return await work(boards)

        return asyncio.run(done())

    def add(self, name: str, *boards: str, role: str = "", workspace: str = "") -> str:
        """An agent, on `general` or on these boards; its address."""
        new = NewAgent(name, AgentKind.CHAT, name, (role,) if role else (), "offline", workspace)

        async def join(all: Boards) -> str:
            seat = await Seat.take(all, str(self.project.root), new, *boards)
            await seat.leave()
            return seat.address

        return self.do(join)

    def says(self, name: str, body: str, board: str = "general") -> Posted:
        """What the agent `name` writes; it is on that board."""

        async def post(all: Boards) -> Posted:
            seat = await Seat.take(all, str(self.project.root), NewAgent(name, AgentKind.CHAT, name), board)
            posted = await seat.post(body, board)
            await seat.leave()
            return posted

        return self.do(post)


def timeless(text: str) -> str:
    """`text` without its times."""
    return _TIME.sub("TIME", text)
