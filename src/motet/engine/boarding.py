"""Which chats of this process are on boards. Nothing of boards is imported or opened before one joins, or a file is
written where boards are in use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from motet.chat import Chat
from motet.errors import MotetError, UsageError
from motet.messages import ContextRef, Message, tags
from motet.settings import BoardSettings
from motet.tools.kit import Human, Question

if TYPE_CHECKING:
    from motet.board import Boards, Delivery, Seat
    from motet.engine.board_agent import BoardAgent
    from motet.tools.speaker import Speaker

GROUP = "board"
"""The group of tools that a chat on a board is handed."""
FILE = "boards.db"
"""Of the store of a user's own."""


@dataclass(frozen=True, slots=True)
class Membership:
    """A board that a chat is on, as the chat keeps it: under which name and in which roles."""

    chat: str
    board: str
    name: str
    roles: tuple[str, ...] = ()

    def message(self, address: str) -> Message:
        """The message of the conversation that says so."""
        roles = f", as {' and '.join(self.roles)}" if self.roles else ""
        said = f"You take part on the board `{self.board}` as `{address}`{roles}."
        kept = json.dumps({"chat": self.chat, "board": self.board, "name": self.name, "roles": self.roles})
        message = Message.system(said, tags.TOOL).with_meta(source=kept)
        return replace(message, context=ContextRef(f"<board>{self.board}</board>"))

    @classmethod
    def of(cls, message: Message) -> Membership | None:
        """What a message of a conversation says about boards, if it does."""
        if message.context is None or not message.context.id.startswith("<board>"):
            return None
        try:
            kept = json.loads(message.meta.source)
            return cls(kept["chat"], kept["board"], kept["name"], tuple(kept["roles"]))
        except (ValueError, KeyError, TypeError):
            return None


@dataclass(slots=True)
class Boarding:
    """See the module. `root`: the workspace."""

    settings: BoardSettings
    state: Path
    root: Path
    _boards: Boards | None = None
    _agents: dict[str, BoardAgent] = field(default_factory=dict[str, "BoardAgent"])

    @property
    def are_used(self) -> bool:
        """Whether there can be boards at all; a look at one file."""
        return self._boards is not None or bool(self.settings.url) or (self.state / FILE).exists()

    def boards(self) -> Boards:
        """The boards of this user or team. Raises `SettingsError`."""
        if self._boards is None:
            from motet.engine.boards import open_boards

            self._boards = open_boards(self.settings, self.state)
        return self._boards

    @property
    def project(self) -> str:
        """Under which name the boards of this workspace are kept."""
        from motet.engine.boards import project_of

        return project_of(self.settings, self.root)

    def agent(self, chat: Chat) -> BoardAgent | None:
        """The place of a chat on boards, if it has one."""
        return self._agents.get(chat.id)

    def seat(self, chat_id: str) -> Seat | None:
        """Where a chat sits, if it does."""
        agent = self._agents.get(chat_id)
        return None if agent is None else agent.seat

    def speaker(self, chat_id: str) -> Speaker:
        """Who speaks for a chat. Raises `UsageError` when it is on no board."""
        agent = self._agents.get(chat_id)
        if agent is None:
            raise UsageError("this chat is on no board; its human lets it join one with /board NAME")
        return agent.speaker

    def asking(self, chat_id: str, what: str) -> AbstractAsyncContextManager[None]:
        """Around a question to a chat's human: the others on its boards see that it waits, and for what."""
        agent = self._agents.get(chat_id)
        return nullcontext() if agent is None else agent.asking(what)

    async def refused(self, chat_id: str, what: str) -> None:
        """A chat was not allowed `what`, as nobody can be asked: the others on its boards are told."""
        agent = self._agents.get(chat_id)
        if agent is not None:
            await agent.refused(what)

    async def join(
        self, chat: Chat, board: str, name: str = "", roles: Sequence[str] = (), human: Human | None = None
    ) -> BoardAgent:
        """Take part on a board from now on, and whenever the chat is opened again. Raises `MotetError`."""
        _require_rest(chat)
        agent = self._agents.get(chat.id)
        if agent is None:
            name = name or name_of(chat)
            agent = await self._sit(chat, [Membership(chat.id, board, name, tuple(roles))], human)
        else:
            await agent.seat.join(board)
        own = Membership(chat.id, board, agent.seat.agent.name, agent.seat.agent.roles)
        await chat.hand_over(GROUP)
        if board not in {one.board for one in memberships(chat)}:
            await chat.remember([own.message(agent.seat.address)])
        return agent

    async def rejoin(self, chat: Chat, human: Human | None = None) -> None:
        """Take part again where the chat did when it was last open. Raises `MotetError`."""
        if chat.is_writable and chat.id not in self._agents and (kept := memberships(chat)):
            await self._sit(chat, kept, human)

    async def _sit(self, chat: Chat, kept: Sequence[Membership], human: Human | None) -> BoardAgent:
        from motet.board import AgentKind, NewAgent, Policy, Seat
        from motet.engine.board_agent import BoardAgent
        from motet.engine.reply_judge import judge_of

        new = NewAgent(
            kept[0].name,
            AgentKind.CHAT,
            chat.id,
            tuple(dict.fromkeys(role for one in kept for role in one.roles)),
            chat.model.name,
            str(self.root),
            Policy(self.settings.reply),
        )
        seat = await Seat.take(self.boards(), self.project, new, *(one.board for one in kept))

        async def listed(one: Delivery) -> str:
            return (await agent.speaker.listed([one.post]))[0]

        agent = BoardAgent(
            chat,
            seat,
            kept[0].board,
            judge=judge_of(chat, seat.address, listed),
            ask=None if human is None else lambda one: _ask(human, one),
            dear=self.settings.all_tokens,
        )
        try:
            await agent.start()
        except BaseException:
            await seat.leave("could not begin")
            raise
        self._agents[chat.id] = chat.parts.arrivals = agent
        return agent

    async def forget(self, chat: Chat, board: str = "") -> list[str]:
        """Take part no more, on one board or on all; the names of those."""
        agent = self._agents.get(chat.id)
        left = [one.board for one in memberships(chat) if board in ("", one.board)]
        if agent is None or not left:
            return []
        _require_rest(chat)
        for name in left:
            found = await agent.seat.board(name)
            await agent.seat.boards.leave(found.id, agent.seat.address)
            await chat.remove(f"<board>{name}</board>")
        if not memberships(chat):
            await chat.take_away(GROUP)
            await self.leave(chat)
        return left

    async def leave(self, chat: Chat) -> None:
        """The chat is closed: what comes for it waits until it is back."""
        from motet.chat.parts import NoArrivals

        if (agent := self._agents.pop(chat.id, None)) is not None:
            chat.parts.arrivals = NoArrivals()
            await agent.leave()

    async def close(self) -> None:
        """Leave with all, and let go of the store."""
        for agent in list(self._agents.values()):
            await self.leave(agent.chat)
        if self._boards is not None:
            await self._boards.close()
            self._boards = None


def memberships(chat: Chat) -> list[Membership]:
    """The boards that a chat is on; not those of the chat that it is a fork of."""
    found = [one for message in chat.messages if (one := Membership.of(message))]
    return [one for one in found if one.chat == chat.id]


def name_of(chat: Chat) -> str:
    """What a chat is called on boards where nobody says: after its model."""
    from motet.engine.boards import usable_name

    return usable_name(chat.bare_model.name.rpartition("/")[2], "chat")


def _require_rest(chat: Chat) -> None:
    if chat.is_running:
        raise MotetError("a turn is running; wait for its end, or stop it first")


async def _ask(human: Human, one: Delivery) -> bool | None:
    """Whether to answer, said by who sits in front of the chat."""
    from motet.visible import one_line

    first = one_line(one.post.body.strip().partition("\n")[0])[:200]
    question = f"{one.post.author} writes on the board (#{one.post.seq}): {first} Shall the model answer?"
    answers = await human.answer([Question(question, ("answer", "do not answer"), safe="do not answer")])
    return None if not answers else answers[0] == "answer"
