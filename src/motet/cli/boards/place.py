"""Where a command about boards stands: the store, the project, the human, and the two ends it writes to."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import click

from motet.board import GENERAL, Agent, Board, BoardMissing, Boards, Post, Seat
from motet.cli.chat.terminal import ChatTerminal
from motet.cli.front import tell_faults
from motet.cli.interrupts import Interrupts
from motet.cli.numbers import Whole
from motet.cli.output import ReaderGone, write_error
from motet.cli.terminal import Terminal
from motet.engine import load
from motet.engine.boards import human, open_boards, project_of
from motet.errors import MotetError, UsageError
from motet.paths import state_dir
from motet.settings import BoardSettings
from motet.workspace import find_workspace

T = TypeVar("T")

SCHEMA = 1
"""Of all events; grows when a field changes its meaning or goes."""
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON event a line.")
ALL_PROJECTS = click.option("-a", "--all-projects", "everywhere", is_flag=True, help="Boards of all projects.")
_MOST = 1_000_000_000
COUNT = Whole(1, _MOST)
NUMBER = Whole(0, _MOST)
BOARD = click.argument("board", default=GENERAL)
_POST = re.compile(r"(?:(?P<board>[^#\s]+)?#)?(?P<seq>\d{1,18})\Z")
_ID = re.compile(r"[0-9A-Za-z]{26}\Z")


@dataclass(slots=True)
class Place:
    """See the module. `terminal` is for messages, `out` for what was asked for."""

    boards: Boards
    settings: BoardSettings
    root: Path
    project: str
    terminal: Terminal = field(default_factory=Terminal)
    out: ChatTerminal = field(default_factory=lambda: ChatTerminal(sys.stdout))
    _unnoted: str = ""
    _told: str = ""

    @contextmanager
    def noting(self) -> Generator[None]:
        """What is noted within is not what was asked for: where it cannot be stored, one line says so
        below the answer, if there is one."""
        try:
            yield
        except UsageError:
            raise
        except MotetError as error:
            self._unnoted = str(error)

    def tell_unnoted(self) -> None:
        """Say that something could not be noted, and why: once, until something else is the reason."""
        if self._unnoted not in ("", self._told):
            self.terminal.line(f"Only read, nothing is noted: {self._unnoted}", "yellow", hang=2)
        self._told, self._unnoted = self._unnoted or self._told, ""

    def scope(self, everywhere: bool) -> str | None:
        """The project that is meant; None: all."""
        return None if everywhere else self.project

    async def seat(self, board: str) -> Seat:
        """The human's place on a board, which is made when there is none."""
        return await Seat.take(self.boards, self.project, human(self.settings), board)

    async def me(self) -> Agent | None:
        """The human, if he was ever on a board."""
        return await self.boards.known(human(self.settings))

    async def agent(self, who: str) -> Agent:
        """The one with this address, or with this name in this project. Raises `AgentMissing`."""
        return await self.boards.named(who, self.project)

    async def board(self, name: str) -> Board:
        """A board of this project. Raises `BoardMissing`."""
        return await self.boards.find(self.project, name)

    async def post(self, text: str) -> Post:
        """The post that `text` means: `12` or `#12` on the board `general`, `topic#12`, or an id. Raises
        `BoardMissing`, `UsageError`."""
        if found := _POST.match(text):
            board = await self.board(found["board"] or GENERAL)
            seq = int(found["seq"])
            posts = await self.boards.posts(board.id, seq - 1, 1) if 0 < seq <= board.last else []
            if not posts:
                raise BoardMissing(f"the board {board.name} has no post {seq}; its last is {board.last}")
            return posts[0]
        if _ID.match(text):
            return await self.boards.get(text)
        raise UsageError(f"{text!r} names no post; write its number, as in 12 or {GENERAL}#12")

    async def names(self) -> dict[str, str]:
        """The name of each board, of all projects, by its id."""
        return {board.id: board.name for board in await self.boards.boards()}


def run(
    work: Callable[[Place], Awaitable[T]],
    *,
    as_json: bool = False,
    makes: bool = False,
    flags: Mapping[str, object] | None = None,
) -> T:
    """Do it in the project around the current directory. Without `makes` nothing is made where nothing is yet: that is
    told. With `as_json` an error is an event too. `flags` go before the settings."""
    try:
        return asyncio.run(_run(work, makes, flags or {}))
    except ReaderGone:
        raise
    except MotetError as error:
        if as_json:
            write_error(error, SCHEMA)
        raise


def stores() -> bool:
    """Whether there is a store of boards already. Raises `SettingsError`."""
    return bool(load(find_workspace(Path.cwd()), {}).settings.board.url) or (state_dir() / "boards.db").exists()


async def _run(work: Callable[[Place], Awaitable[T]], makes: bool, flags: Mapping[str, object]) -> T:
    with Interrupts().installed():
        tell_faults(Terminal())
        if not makes and not stores():
            raise BoardMissing("there is no board yet; `motet board post TEXT` makes the first")
        root = find_workspace(Path.cwd())
        settings = load(root, flags).settings.board
        async with open_boards(settings, state_dir()) as boards:
            place = Place(boards, settings, root, project_of(settings, root))
            done = await work(place)
            place.tell_unnoted()
            return done
