"""Which chat is in which buffer: opened, gone on with, closed, each after what came before for that buffer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from itertools import takewhile

from motet.chat import Chat
from motet.engine import Chats
from motet.errors import MotetError
from motet.history import ChatInfo, ChatMissing
from motet.models.protocol import Model
from motet.nvim.beside import Beside
from motet.nvim.rpc import Peer
from motet.nvim.talk import Talk

_OPENED = 1.0
"""Seconds that a chat which is still being opened has, when the editor goes, for what was told of it to be kept."""

Act = Callable[[Talk], object]
Start = Callable[[Coroutine[object, object, object], int], asyncio.Task[None]]


class Talks:
    """The chats of an editor, by their buffers. What is meant for a chat that is still being opened happens when it is,
    in the order in which it came."""

    def __init__(
        self,
        peer: Peer,
        chats: Chats,
        beside: Beside,
        start: Start,
        talk: Callable[[int, Chat], Talk],
        model: Callable[[ChatInfo | None], Awaitable[Model]],
        shown: Callable[[Chat], Awaitable[None]],
    ) -> None:
        """`start` begins work about a buffer; `talk` makes one; `model` is that which a stored chat, or a new one, goes
        on with; `shown` makes ready for what the human may do in a chat that is shown now."""
        self._peer = peer
        self._chats = chats
        self._beside = beside
        self._start = start
        self._talk = talk
        self._model = model
        self._shown = shown
        self._talks: dict[int, Talk] = {}
        self._opening: dict[int, list[Callable[[], None]]] = {}
        self._openings: dict[int, asyncio.Task[None]] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._keeping: set[asyncio.Task[None]] = set()
        self._made: dict[str, Chat] = {}

    def open(self, buffer: int, chat_id: str, lenient: bool) -> None:
        """Open a chat in a buffer, after what came before for that buffer."""
        if buffer in self._opening:
            self._opening[buffer].append(lambda: self.open(buffer, chat_id, lenient))
        else:
            self._opening[buffer] = []
            self._openings[buffer] = self._start(self._open(buffer, chat_id, lenient), buffer)

    def act(self, buffer: int, act: Act) -> None:
        """Do something with the chat of a buffer, when it is there."""
        if buffer in self._opening:
            self._opening[buffer].append(lambda: self.act(buffer, act))
        elif buffer in self._talks:
            act(self._talks[buffer])
        else:
            self._peer.tell("unopened", buffer, "")

    def complete(self, buffer: int, number: int, text: str) -> None:
        """Answer what can be completed, if anything is known yet."""
        if buffer in self._talks:
            self._talks[buffer].complete(number, text)

    def complete_again(self) -> None:
        """More is known now."""
        for talk in self._talks.values():
            talk.complete_again()

    def send(self, buffer: int, text: str, is_draft: bool) -> None:
        """Say `text` in the chat of a buffer."""
        self.act(buffer, lambda talk: self._send(buffer, talk, text, is_draft))

    def keep(self, buffer: int, draft: str) -> None:
        """Keep what is typed and not sent."""

        def begin(talk: Talk) -> None:
            task = self._start(talk.keep(draft, self._beside), buffer)
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)

        self.act(buffer, begin)

    def close(self, buffer: int, draft: str | None) -> None:
        """Keep what is typed (None: what was kept before), end what runs, and let others have the chat."""
        self._catch_up(buffer)
        self.act(buffer, lambda talk: self._close(buffer, talk, draft))

    async def go_on(self, buffer: int, chat: Chat, draft: str) -> None:
        """Show `chat` in the window of `buffer`."""
        self._made[chat.id] = chat
        if draft:
            await chat.keep_draft(draft)
        self._peer.tell("another", buffer, chat.id)

    async def end(self) -> None:
        """The editor has gone: all that was told is kept."""
        for buffer in [*self._talks]:
            self._catch_up(buffer)
        if self._opening:
            await asyncio.wait([self._openings[buffer] for buffer in self._opening], timeout=_OPENED)
        if self._keeping:
            await asyncio.wait([*self._keeping])
        ending = [*(talk.close() for talk in self._talks.values()), *self._closing.values()]
        await asyncio.gather(*ending, return_exceptions=True)

    def _catch_up(self, buffer: int) -> None:
        """Do what waits for a chat that is there, and only makes ready for what may come: nothing comes any more."""
        if buffer in self._talks:
            for one in self._opening.pop(buffer, ()):
                one()

    async def _open(self, buffer: int, chat_id: str, lenient: bool) -> None:
        waiting = self._opening[buffer]
        try:
            await self._show(buffer, chat_id, lenient)
        except MotetError as error:
            self._peer.tell("unopened", buffer, str(error))
        finally:
            if self._openings.get(buffer) is asyncio.current_task():
                del self._openings[buffer]
            if self._opening.get(buffer) is waiting:
                del self._opening[buffer]
                for one in waiting:
                    one()

    async def _show(self, buffer: int, chat_id: str, lenient: bool) -> None:
        """Show a chat in a buffer, or the buffer that has it. Raises `MotetError`."""
        chat = self._made.pop(chat_id, None)
        if chat is None:
            stored = await self._stored(buffer, chat_id, lenient)
            if stored is not None and await self._is_shown(buffer, stored.id):
                return
            model = await self._model(stored)
            chat = await self._chats.open(stored.id, model) if stored else self._chats.new(model)
        talk = self._talks[buffer] = self._talk(buffer, chat)
        await talk.show()
        await self._shown(chat)

    async def _stored(self, buffer: int, chat_id: str, lenient: bool) -> ChatInfo | None:
        """The chat with that id, or the newest; None: a new one is begun, when `lenient` also for an unknown id."""
        assert self._chats.history is not None  # chats are kept
        if not chat_id:
            return None
        if chat_id == "last":
            for task in [*takewhile(lambda task: task is not self._openings[buffer], self._openings.values())]:
                await asyncio.wait({task})  # it may be closed by now, with a draft
            if self._closing:
                await asyncio.wait([*self._closing.values()])
            return await self._chats.newest()
        if chat_id in self._closing:
            await asyncio.wait({self._closing[chat_id]})
        try:
            return await self._chats.history.info(chat_id)
        except ChatMissing:
            if lenient:
                return None
            raise

    async def _is_shown(self, buffer: int, chat_id: str) -> bool:
        """Whether another buffer has the chat: then that is shown in the place of this one."""
        if chat_id in self._closing:
            await asyncio.wait({self._closing[chat_id]})
        for other, talk in self._talks.items():
            if talk.chat.id == chat_id and other != buffer:
                self._peer.tell("instead", buffer, other)
                return True
        return False

    def _send(self, buffer: int, talk: Talk, text: str, is_draft: bool) -> None:
        if talk.chat.is_writable:
            talk.send(text, is_draft)
        else:
            self._start(self._take_over(buffer, talk, text, is_draft), buffer)

    async def _take_over(self, buffer: int, talk: Talk, text: str, is_draft: bool) -> None:
        """Say `text` in a chat that another process held: it is read anew, and gone on with if it is free now."""
        try:
            await self._chats.let_go(talk.chat)
            chat = await self._chats.open(talk.chat.id, talk.chat.bare_model)
            talk, left = self._talk(buffer, chat), chat.info.draft
            self._talks[buffer] = talk
            await talk.show()
            if chat.is_writable:
                talk.send(text, is_draft)
                await talk.rest()
                await self._beside.close(chat.id, is_said=True)
                self._peer.tell("draft", buffer, left)  # of the one who had the chat before
        finally:
            if not talk.chat.is_writable:
                self._peer.tell("idle", buffer)

    def _close(self, buffer: int, talk: Talk, draft: str | None) -> None:
        async def close() -> None:
            try:
                if draft is not None:
                    await talk.keep(draft, self._beside)
            finally:
                await talk.close()
                await self._beside.close(talk.chat.id)
                await self._chats.let_go(talk.chat)
                self._closing.pop(talk.chat.id, None)

        del self._talks[buffer]
        talk.stop()  # what was not said yet is typed still
        self._closing[talk.chat.id] = self._start(close(), buffer)
