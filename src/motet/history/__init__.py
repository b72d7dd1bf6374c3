"""Durable chats and search over them: one file in the state directory, shared by all motet processes of a user.

`History` is all that others use. A chat's messages are written before anything is sent; whatever moment a process is
killed at, what was acknowledged is there and loads as a valid stack. Nothing is deleted but by `purge`.
"""

from motet.history.errors import ChatHeld, ChatMissing, HistoryError, HistoryTooNew
from motet.history.history import History
from motet.history.values import ChatInfo, Hit, StoredChat
from motet.storage.lease import Lease

__all__ = [
    "ChatHeld",
    "ChatInfo",
    "ChatMissing",
    "History",
    "HistoryError",
    "HistoryTooNew",
    "Hit",
    "Lease",
    "StoredChat",
]
