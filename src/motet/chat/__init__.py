"""One conversation: the submit pipeline, the turn's events, what is kept, its view as text, its title and its export.

`Chat.send` is a turn; a front end draws the `ChatEvent`s and holds no state. `ChatParts` is what a chat works with.
"""

from motet.chat.chat import Chat
from motet.chat.errors import Cancelled, CannotChange, NothingToSend, ReadOnly, TooLong
from motet.chat.events import ChatEvent, Compacted, End, Ended, Level, Notice, Said, Sent, Shared, Titled
from motet.chat.hooks import Hooks
from motet.chat.parts import ChatOptions, ChatParts, Context, Work

__all__ = [
    "Cancelled",
    "CannotChange",
    "Chat",
    "ChatEvent",
    "ChatOptions",
    "ChatParts",
    "Compacted",
    "Context",
    "End",
    "Ended",
    "Hooks",
    "Level",
    "NothingToSend",
    "Notice",
    "ReadOnly",
    "Said",
    "Sent",
    "Shared",
    "Titled",
    "TooLong",
    "Work",
]
