"""What is known about stored chats."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field

from motet.messages import Message, new_id

ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
"""Ids of chats: what may stand in the name of a lock file."""


@dataclass(frozen=True, slots=True)
class ChatInfo:
    """A chat without its messages.

    `id`: a ULID. `workspace`: the absolute path of its root. `created`, `updated`: seconds since 1970; `updated` is
    when its messages changed last. `cycles`: user turns. `messages`: those in the stack, hidden ones included.
    `cost` in dollars. `parent`: the chat that it was forked from, before the message `forked_at` (empty: at its end).
    `draft`: what is typed and not sent.
    """

    id: str = field(default_factory=new_id)
    title: str = ""
    workspace: str = ""
    model: str = ""
    created: float = field(default_factory=time.time)
    updated: float = 0.0
    cycles: int = 0
    messages: int = 0
    cost: float = 0.0
    tokens: int = 0
    parent: str = ""
    forked_at: str = ""
    draft: str = ""


@dataclass(frozen=True, slots=True)
class StoredChat:
    """A chat as it was stored. `messages` always make a valid `MessageStack`; `notes` say, a line each, what had to be
    repaired for that."""

    info: ChatInfo
    messages: tuple[Message, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A message, or a title (`message_id` is empty), that holds what was searched for.

    `snippet` is one line around the place, with the place itself at the characters `begin` to `end` (both 0 when it
    cannot be shown exactly). `when` is in seconds since 1970.
    """

    chat: ChatInfo
    message_id: str
    snippet: str
    when: float
    begin: int = 0
    end: int = 0
