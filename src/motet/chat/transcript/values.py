"""What a transcript shows, as values."""

from __future__ import annotations

from dataclasses import dataclass

from motet.chat.events import Notice
from motet.context.pins import PIN, WATCH
from motet.messages import Message, ToolCall


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line of a context block. `id` is that of a `ContextRef`, as in `<file>src/a.py</file>`.

    A pinned item is sent again, whole, whenever it has changed; of a watched one only the difference is.
    """

    id: str
    pinned: bool = False
    watched: bool = False

    @property
    def line(self) -> str:
        """As `motet.context.read_line` reads it."""
        return f"{PIN} " * self.pinned + f"{WATCH} " * self.watched + self.id


@dataclass(frozen=True, slots=True)
class Draft:
    """What the human is writing, and the items that go with it."""

    text: str = ""
    context: tuple[ContextLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn of the human: the typed text and what was shared with it. `tag` as in `motet.messages.tags`."""

    text: str
    context: tuple[ContextLine, ...] = ()
    id: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a model; several, with outputs between them, make its turn. `partial`: it broke off."""

    text: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    model: str = ""
    partial: bool = False
    id: str = ""


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool call came to."""

    text: str
    call_id: str
    name: str
    is_error: bool = False
    id: str = ""


@dataclass(frozen=True, slots=True)
class Aside:
    """Something else that was said to the model and is shown: a post of a board, a summary, what became of edits
    that were written as text. `tag` says which."""

    text: str
    tag: str
    id: str = ""


Entry = Message | Notice
"""What is rendered, in its order."""
Turn = Asked | Answer | Output | Aside | Notice
"""What is read back, in its order."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A transcript that was read.

    `notes`: what was odd about it, one line each, for the human. `draft_start`: where the draft's marker (in
    plain Markdown: its header) stands, in characters; None when there is no draft. `title`: the chat's, where it is said.
    """

    turns: tuple[Turn, ...] = ()
    draft: Draft = Draft()
    notes: tuple[str, ...] = ()
    draft_start: int | None = None
    title: str = ""
