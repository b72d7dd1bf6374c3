"""What is typed in a chat that another process has: kept as a chat of its own, until it can be said."""

from __future__ import annotations

from collections.abc import Callable

from motet.chat import Chat
from motet.engine import Chats
from motet.engine.chats import KEPT_BESIDE

_KEPT = "what you type here is kept as a chat of its own, in `:Motet history`, until it can be sent"


class Beside:
    """The drafts of one editor that have no place in their own chats, by the id of those. `tell` gets what the human
    should know."""

    def __init__(self, chats: Chats, tell: Callable[[str], None]) -> None:
        self._chats = chats
        self._tell = tell
        self._kept: dict[str, Chat] = {}

    async def keep(self, chat: Chat, text: str) -> None:
        """Keep `text`, which is typed in `chat` and not sent; the other's own draft is kept already. Raises
        `HistoryError`."""
        beside = self._kept.get(chat.id)
        if beside is None and text and text != chat.info.draft:
            beside = self._kept[chat.id] = self._chats.new(chat.bare_model)
            await beside.rename(f"{KEPT_BESIDE}{chat.info.title}")
            self._tell(_KEPT)
        if beside is not None:
            await beside.keep_draft(text)

    async def close(self, chat_id: str, *, is_said: bool = False) -> None:
        """The chat is closed, or has the draft itself now (`is_said`): then nothing is kept here any more."""
        beside = self._kept.pop(chat_id, None)
        if beside is not None:
            await self._chats.let_go(beside)
            if (is_said or not beside.info.draft) and self._chats.history is not None:
                await self._chats.history.delete(beside.id)
