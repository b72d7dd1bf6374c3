"""Pins and watches: shared files that are kept fresh.

A pin (📌) sends the file again, whole, whenever it has changed; a watch (👁) sends only a unified diff of what changed
since it was last sent. What has not changed is never sent again.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from enum import StrEnum
from pathlib import Path

from motet.context.attachment import Body, file_name, file_text, numbered, plain, wrap
from motet.context.symbols import LineRange
from motet.errors import FileMissing, MotetError
from motet.messages import ContextRef, Message, Text, estimate_tokens, tags
from motet.text import TextFile

PIN = "📌"
WATCH = "👁"

Read = Callable[[str], Awaitable[TextFile]]
"""Reads a file of the workspace as it is now. Raises `MotetError`."""


class State(StrEnum):
    """Whether an item is kept fresh, and how."""

    NONE = "none"
    PINNED = "pinned"
    WATCHED = "watched"


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One line of the context block. `id` is that line without its mark, as in `<file>src/a.py</file>`.

    `kind` is its tag. `path` is in the workspace; `lines` where only a range is shared. `sent` is the SHA-256 of the text
    that was sent last, `sent_text` that text (None when it is not known any more: then a watch sends the whole once).
    `is_lost`: the human was told that it cannot be read.
    """

    id: str
    kind: str
    path: str = ""
    state: State = State.NONE
    sent: str = ""
    sent_text: str | None = None
    tokens: int = 0
    lines: LineRange | None = None
    is_lost: bool = False

    @property
    def line(self) -> str:
        """Its line in the context block."""
        match self.state:
            case State.PINNED:
                return f"{PIN} {self.id}"
            case State.WATCHED:
                return f"{WATCH} {self.id}"
            case State.NONE:
                return self.id

    def was_sent(self, file: TextFile) -> ContextItem:
        """The item after this version of the file was sent."""
        text = self._part(file)
        return replace(self, sent=_hash(text), sent_text=text, tokens=estimate_tokens(text), is_lost=False)

    def is_unchanged(self, file: TextFile) -> bool:
        """Whether what is shared of `file` is what was sent last."""
        return self.sent == _hash(self._part(file))

    def _part(self, file: TextFile) -> str:
        """What a model is shown of it, without line numbers."""
        text = file.text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
        if self.lines is None:
            return text
        return "\n".join(text.split("\n")[self.lines[0] - 1 : self.lines[1]])


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The items whose line is still there, with the mark that the human gave them, and the ids of the others."""

    items: tuple[ContextItem, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The items as they are now known to the model, what is to be sent, and what the human should know."""

    items: tuple[ContextItem, ...]
    messages: tuple[Message, ...]
    notices: tuple[str, ...]


_RANGE = re.compile(r":(\d+)(?:-(\d+))?</")
_BEFORE = re.compile(r"^[>\s]*(?:[-*+]\s+)?")


def read_line(line: str) -> tuple[str, State]:
    """The id and the mark of one line of a context block, with or without `> - ` before it."""
    text = _BEFORE.sub("", line).strip()
    if text.startswith(PIN):
        return text.removeprefix(PIN).lstrip("\ufe0f \t"), State.PINNED
    if text.startswith(WATCH):
        return text.removeprefix(WATCH).lstrip("\ufe0f \t"), State.WATCHED
    return text, State.NONE


def item_of(message: Message, root: Path, state: State = State.NONE) -> ContextItem | None:
    """The item that an attachment is, with the version that it holds: for chats that are opened again. None for a message
    that is linked to no line of the context block."""
    context = message.context
    if context is None:
        return None
    path = context.path and os.path.relpath(context.path, root)
    if not path or path.startswith(".."):
        return ContextItem(context.id, message.tag, "", state, tokens=estimate_tokens(message.text))
    lines = _RANGE.search(context.id)
    text = file_text(message.text)
    return ContextItem(
        context.id,
        message.tag,
        path,
        state,
        sent="" if text is None else _hash(text),
        sent_text=text,
        tokens=estimate_tokens(message.text),
        lines=(int(lines[1]), int(lines[2] or lines[1])) if lines else None,
    )


def reconcile(items: Sequence[ContextItem], lines_kept: Iterable[str]) -> Reconciled:
    """What the human left of `items`: a line that is gone removes its item, a mark that was set or taken away counts."""
    kept = dict(read_line(line) for line in lines_kept)
    left = tuple(replace(item, state=kept[item.id]) for item in items if item.id in kept)
    return Reconciled(left, tuple(item.id for item in items if item.id not in kept))


async def refresh(items: Sequence[ContextItem], read: Read, root: Path | None = None) -> Refreshed:
    """What pinned and watched files have become. A file that cannot be read is said once.

    `root` makes the paths of the references absolute.
    """
    after: list[ContextItem] = []
    messages: list[Message] = []
    notices: list[str] = []
    for item in items:
        if item.state is State.NONE or not item.path:
            after.append(item)
            continue
        try:
            file = await read(item.path)
        except MotetError as error:
            if not item.is_lost:
                what = "it is gone" if isinstance(error, FileMissing) else str(error)
                notices.append(f"{item.line}: not refreshed: {what}; what was sent last stands")
            after.append(replace(item, is_lost=True))
            continue
        if not item.is_unchanged(file):
            messages.append(_changed(item, file, root))
        after.append(item.was_sent(file))
    return Refreshed(tuple(after), tuple(messages), tuple(notices))


def _changed(item: ContextItem, file: TextFile, root: Path | None) -> Message:
    context = ContextRef(item.id, path=str(root / item.path) if root else item.path)
    name = file_name(item.path, item.lines)
    if item.state is State.WATCHED and item.sent_text is not None:
        said = f"What changed in {name} since it was last shared:"
        body, wrapper, tag = _diff(item, file), "diff", tags.DIFF
    else:
        said = f"{name} as it is now; what was shared of it before is out of date:"
        body, wrapper, tag = numbered(file.text, item.lines), "attachment", tags.FILE
    text = f"{said}\n{wrap(wrapper, body, {'filepath': item.path})}"
    return Message.attachment(Text(text), context=context, tag=tag, source=item.state.value)


def _diff(item: ContextItem, file: TextFile) -> Body:
    old, new = (item.sent_text or "").split("\n"), (item.was_sent(file).sent_text or "").split("\n")
    return plain("\n".join(unified_diff(old, new, f"a/{item.path}", f"b/{item.path}", lineterm="")))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
