"""One chat in one buffer: what the human sends becomes a turn, and the turn is drawn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

from motet.chat import Chat, ChatEvent, End, Ended, Level, NothingToSend, Notice, Said, Sent, Titled
from motet.chat.transcript import Blocks
from motet.context.complete import Known, completions
from motet.errors import MotetError
from motet.messages import Message, Role
from motet.models.protocol import Model, ReasoningDelta, Retrying, TextDelta
from motet.nvim.commands import Commands, tried
from motet.nvim.page import Page
from motet.nvim.rpc import Peer
from motet.turn import AnswerStarted, ToolFinished, ToolsCalled

_LEVELS = {Level.INFO: "info", Level.WARNING: "warn", Level.ERROR: "error"}


class Talk:
    """The chat of `buffer`, above its draft. What is sent while a turn runs is said at the next gap."""

    def __init__(
        self,
        peer: Peer,
        buffer: int,
        chat: Chat,
        names: Callable[[Chat], Known],
        model: Callable[[str], Awaitable[Model]],
    ) -> None:
        """`names`: all that can be named in a chat, for completion; `model`: the model of a name."""
        self.chat = chat
        self._names = names
        self._model = model
        self._commands = Commands(chat, self.use)
        self._asked: tuple[int, str] | None = None
        self.buffer = buffer
        self._peer = peer
        self._page = Page(peer, buffer, Blocks(_shown(chat.messages), chat=chat.id, model=chat.model.name))
        self._turn: asyncio.Task[None] | None = None
        self._known = len(chat.messages)

    async def show(self) -> None:
        """Draw what was said so far, above the draft that the buffer may hold already."""
        self._peer.tell("attached", self.buffer, self.chat.id, self._page.blocks.nonce, self._status("ready"))
        if self.chat.messages:
            self._page.show()
        if self.chat.info.draft:
            self._peer.tell("draft", self.buffer, self.chat.info.draft)
        for note in self.chat.notes:
            self._peer.tell("notice", self.buffer, "warn", note)
        await self._page.drawn()

    def send(self, text: str) -> None:
        """Say `text`: a turn of its own, or, while one runs, a word at its next gap."""
        if self._turn is not None and not self._turn.done():
            self.chat.say(text)
            self._peer.tell("taken", self.buffer)
            return
        if self._commands.is_command(text):
            self._turn = asyncio.create_task(self._command(text))
            return
        self._turn = asyncio.create_task(self._run(self.chat.send(text)))

    async def keep(self, text: str) -> None:
        """Keep what is typed and not sent."""
        await self.chat.keep_draft(text)
        self._peer.tell("kept", self.buffer, text)

    def complete(self, number: int, text: str) -> None:
        """Tell what can stand at the end of `text`, the draft up to the cursor, as the answer to question `number`."""
        self._asked = (number, text)
        found = completions(text, len(text), self._names(self.chat))
        if found:
            replaced = len(text[found[0].start :].encode("utf-8", "surrogateescape"))
            rows = [[one.text, one.display, one.description] for one in found]
            self._peer.tell("completed", self.buffer, number, replaced, rows)

    def complete_again(self) -> None:
        """Answer the newest question anew: more is known now."""
        if self._asked is not None:
            self.complete(*self._asked)

    def retry(self) -> None:
        """Ask again what was not answered, or go on where a limit ended the turn."""
        if self._turn is None or self._turn.done():
            self._peer.tell("taken", self.buffer, False)
            self._turn = asyncio.create_task(self._run(self.chat.go_on()))

    async def use(self, name: str) -> None:
        """Go on with the model of that name. Raises `MotetError`."""
        self.chat.use(await self._model(name))
        self._state("ready")

    def stop(self) -> None:
        """End the turn."""
        self.chat.stop()

    async def close(self) -> None:
        """End the turn, and wait until the chat is in order."""
        await self.chat.close()
        if self._turn is not None:
            await asyncio.wait({self._turn})

    async def _command(self, text: str) -> None:
        """Do a slash command: the draft is taken when it is done, and stays as it is when it cannot be."""
        done, told = await tried(self._commands, text)
        for level, line in told:
            self._peer.tell("notice", self.buffer, level, line)
        if done:
            self._peer.tell("taken", self.buffer)
            self._state("ready")
        self._peer.tell("idle", self.buffer)

    async def _run(self, turn: AsyncGenerator[ChatEvent]) -> None:
        """One turn; what is wrong before anything is sent leaves the draft as it is."""
        ended: Ended | None = None
        self._state("asking")
        try:
            async with aclosing(turn) as events:
                async for event in events:
                    self._draw(event)
                    ended = event if isinstance(event, Ended) else ended
        except NothingToSend as error:
            self._peer.tell("refused", self.buffer, "info", str(error))
        except MotetError as error:
            self._peer.tell("refused", self.buffer, "error", str(error))
        finally:
            self._page.finish(None)
            self._show_new()
            if ended is not None and ended.detail:
                self._page.add(
                    Notice(_how_it_ended(ended), Level.ERROR if ended.reason is End.FAILED else Level.INFO)
                )
            await self._page.drawn()
            self._state("ready", ended)
            self._peer.tell("idle", self.buffer)

    def _draw(self, event: ChatEvent) -> None:
        match event:
            case Sent():
                self._peer.tell("taken", self.buffer)
                self._show_new()
            case Said():
                self._show_new()
            case TextDelta(text):
                self._page.stream(text, model=self.chat.model.name)
            case ReasoningDelta(text):
                self._page.stream(text, reasoning=True, model=self.chat.model.name)
            case AnswerStarted() | ToolsCalled() | ToolFinished():
                self._page.finish(None)
                self._show_new()
                self._state("working")
            case Retrying():
                self._page.finish(None)
                self._state("retrying")
            case Notice(text, level):
                self._peer.tell("notice", self.buffer, _LEVELS[level], text)
            case Titled():
                self._state("asking")
            case _:
                pass

    def _show_new(self) -> None:
        """The messages that joined the conversation since the last look."""
        messages = self.chat.messages
        fresh, self._known = messages[self._known :], len(messages)
        if fresh:
            self._page.add(*_shown(fresh))

    def _state(self, state: str, ended: Ended | None = None) -> None:
        self._peer.tell("status", self.buffer, self._status(state, ended))

    def _status(self, state: str, ended: Ended | None = None) -> dict[str, object]:
        info = self.chat.info
        return {
            "state": state, "model": self.chat.model.name, "title": info.title, "tokens": self.chat.tokens,
            "window": self.chat.model.limits.context_tokens, "cost": info.cost,
            "ended": ended.reason.value if ended else "",
        }  # fmt: skip


def _shown(messages: Sequence[Message]) -> list[Message]:
    """Those that the transcript shows; all others stand in it only as lines of a context block."""
    return [message for message in messages if message.visible or message.context or message.role is Role.TOOL]


def _how_it_ended(ended: Ended) -> str:
    match ended.reason:
        case End.FAILED:
            return f"{ended.detail}\n\n`:Motet retry` asks again; what is typed below is sent as it is."
        case End.LIMIT:
            return f"{ended.detail}; `:Motet retry` goes on."
        case _:
            return ended.detail
