"""How people name stored chats: by the end of their id, by `last`, or by the whole id."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

from motet.errors import MotetError, UsageError
from motet.history import ChatInfo, History

_SHORT = 8
"""Characters of an id that lists show: its random end tells chats apart, its beginning is the time."""
_MOST = 100_000
Among = Literal["kept", "trash", "both"]
"""Where a chat is looked for."""


class NoSuchChat(UsageError):
    """No chat has such an id."""


def short_id(chat_id: str) -> str:
    """What lists show of an id."""
    return chat_id[-_SHORT:].lower()


async def shown_title(history: History, chat: ChatInfo) -> str:
    """What lists call a chat. One without a title, such as one whose first answer never ended, goes by the first words
    that were said in it, else by those of its draft."""
    if chat.title:
        return chat.title
    from motet.chat.naming import title_by_words
    from motet.chat.title import fallback_title

    words = ""
    if chat.messages:
        with suppress(MotetError):  # it cannot be read: the list still shows that it is there
            words = title_by_words((await history.load(chat.id)).messages)
    if not words and chat.draft.strip():
        words = f"draft: {fallback_title(chat.draft)}"
    return words or "(nothing said yet)"


async def find_chat(history: History, name: str, workspace: str | None, among: Among = "kept") -> ChatInfo:
    """The chat that `name` means `among` those that are kept, those in the trash, or both: `last` (of `workspace`, in
    the trash only if that alone is meant), an id, or the end or the beginning of one.

    Raises `NoSuchChat` when there is none, and `UsageError` when there is more than one.
    """
    in_trash = among == "trash"
    if name == "last":
        newest = await history.list(workspace, limit=1, trash=in_trash)
        if not newest and in_trash:
            raise UsageError("no chat of this workspace is in the trash")
        if not newest:
            raise UsageError("there is no chat in this workspace yet; `motet history list --all` shows others")
        return newest[0]
    wanted = name.upper().lstrip("#…")
    chats = await history.list(None, limit=_MOST, trash=in_trash)
    chats += await history.list(None, limit=_MOST, trash=True) if among == "both" else []
    found = [chat for chat in chats if chat.id == wanted] or [
        chat for chat in chats if len(wanted) > 2 and (chat.id.endswith(wanted) or chat.id.startswith(wanted))
    ]
    match found:
        case [chat]:
            return chat
        case []:
            where = " in the trash; `motet history list --trash`" if in_trash else "; `motet history list`"
            raise NoSuchChat(f"{name}: there is no such chat{where} shows them")
        case _:
            ids = ", ".join(short_id(chat.id) for chat in found[:5])
            raise UsageError(f"{name}: several chats are meant ({ids}); write more of the id")
