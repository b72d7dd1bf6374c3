"""What can be wrong with the stored chats.

MotetError
└── HistoryError       the file of chats cannot be opened, read or written as asked       (exit 1)
    ├── HistoryTooNew  the file was written by a newer motet
    ├── ChatMissing    there is no such chat, or it is in the trash
    └── ChatHeld       another process holds the chat
"""

from __future__ import annotations

from motet.errors import MotetError


class HistoryError(MotetError):
    """The stored chats cannot be opened, read or written as asked."""


class HistoryTooNew(HistoryError):
    """The file was written by a newer motet; it is left as it is."""


class ChatMissing(HistoryError):
    """There is no such chat, or it is in the trash."""


class ChatHeld(HistoryError):
    """Another process holds the chat for writing."""
