"""motet as a library: chats in a few lines of Python.

    async with motet.open(".") as m:
        chat = m.chat(model="offline")
        async for event in chat.send("What does @src/app.py do?"):
            ...

Nobody is asked anything: edits are taken only with `yes`, and what would ask is denied unless `allow` has a rule for
it, as on the command line.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from motet.chat import Chat, ChatEvent, Ended
from motet.engine.chats import Chats, Front
from motet.engine.engine import Engine, load
from motet.engine.registration import Extras, Registration
from motet.errors import MotetError
from motet.messages import Message
from motet.models.protocol import TextDelta
from motet.paths import state_dir
from motet.permissions import Ask
from motet.tools import Reviewer
from motet.tools.kit import Human, Nobody
from motet.turn import AnswerStarted
from motet.workspace import find_workspace

if TYPE_CHECKING:
    from motet.board import Boards
    from motet.engine.board_agent import BoardAgent  # comes with boards


class Motet(Registration):
    """A workspace, to be entered with `async with`. See `motet.open`."""

    def __init__(self, engine: Engine, front: Front, *, keep: bool) -> None:
        super().__init__(Extras())
        self._engine = engine
        self._front = front
        self._keep = keep
        self._stack = AsyncExitStack()
        self._chats: Chats | None = None

    @property
    def root(self) -> Path:
        """The workspace."""
        return self._engine.root

    def chat(self, *, model: str | None = None, tools: Sequence[str] = (), resume: str = "") -> Conversation:
        """A new chat, or the stored one with the id `resume`. `tools` are handed over from the start. Nothing happens
        before the first `send`."""

        async def begin() -> Chat:
            chosen, _ = await self._engine.choose_model(model, "chat")
            return await self._opened.open(resume, chosen) if resume else self._opened.new(chosen, tools=tools)

        return Conversation(begin, self._fork, lambda: self._opened)

    async def __aenter__(self) -> Self:
        chats = self._engine.chats(self._front, keep=self._keep, extras=self._extras)
        self._chats = await self._stack.enter_async_context(chats)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chats = None
        await self._stack.aclose()

    async def _fork(self, chat: Chat, before: str | None) -> Chat:
        return await self._opened.fork(chat, before)

    @property
    def _opened(self) -> Chats:
        if self._chats is None:
            raise MotetError("the workspace is not open; use `async with motet.open(…) as m`")
        return self._chats


class Conversation:
    """A chat. `send` gives its events; the last is an `Ended`."""

    def __init__(
        self,
        begin: Callable[[], Awaitable[Chat]],
        fork: Callable[[Chat, str | None], Awaitable[Chat]],
        chats: Callable[[], Chats],
    ) -> None:
        self._begin = begin
        self._chats = chats
        self._fork = fork
        self._chat: Chat | None = None
        self._beginning = asyncio.Lock()

    async def ready(self) -> Chat:
        """The chat itself, begun. Raises `MotetError`."""
        async with self._beginning:
            if self._chat is None:
                self._chat = await self._begin()
            return self._chat

    async def send(self, text: str) -> AsyncGenerator[ChatEvent]:
        """Say `text`; the events of the turn. Raises `MotetError` before anything is sent."""
        chat = await self.ready()
        async with aclosing(chat.send(text)) as events:
            async for event in events:
                yield event

    async def ask(self, text: str) -> str:
        """Say `text`, and give back what the model says, all of it, with a blank line between its answers. Raises what failed."""
        pieces: list[str] = []
        async with aclosing(self.send(text)) as events:
            async for event in events:
                match event:
                    case AnswerStarted() if pieces:
                        pieces.append("\n\n")
                    case TextDelta(text=piece):
                        pieces.append(piece)
                    case Ended(error=MotetError() as error):
                        raise error
                    case _:
                        pass
        return "".join(pieces).strip("\n")

    async def join(self, board: str, name: str = "", roles: Sequence[str] = ()) -> BoardAgent:
        """Take part on a board, under an address that begins with `name`. What comes for this chat is answered while
        `serve` of what is returned runs, and joins every turn of `send`."""
        chat = await self.ready()
        return await self._chats().join_board(chat, board, name, roles)

    def stop(self) -> None:
        """End the turn that runs."""
        if self._chat is not None:
            self._chat.stop()

    def fork(self, at: int | None = None) -> Conversation:
        """A chat that begins like this one: all of it, or what stands before user turn `at`."""

        async def begin() -> Chat:
            chat = await self.ready()
            return await self._fork(chat, None if at is None else chat.before_cycle(at))

        return Conversation(begin, self._fork, self._chats)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The whole stack; empty before the first `send`."""
        return () if self._chat is None else self._chat.messages


def boards_around(start: Path | str = ".") -> tuple[Boards, str]:
    """The boards that the settings of the workspace around `start` name, in a file or on a server, and the name of its
    project there: those of all commands. Nothing is opened before it is used. Raises `SettingsError`."""
    from motet.engine.boards import open_boards, project_of

    root = find_workspace(Path(start))
    settings = load(root, {}).settings.board
    return open_boards(settings, state_dir()), project_of(settings, root)


def open_workspace(
    path: str | Path = ".",
    *,
    yes: bool = False,
    allow: Sequence[str] = (),
    keep: bool = True,
    reviewer: Reviewer | None = None,
    human: Human | None = None,
    ask: Ask | None = None,
) -> Motet:
    """See `motet.open`."""
    from motet.fix import AcceptAll, ProposeOnly

    engine = Engine(Path(path), allow=allow, ask=ask)
    decides = reviewer or (AcceptAll() if yes else ProposeOnly())
    return Motet(engine, Front(decides, human or Nobody(), ask, name="a program"), keep=keep)
