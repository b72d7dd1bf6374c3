"""Passages of code as hidden messages: those that were asked for, and those that come along by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from motet.context.attachment import item_id, text_attachment
from motet.messages import Message, tags

if TYPE_CHECKING:
    from motet.context.sources import Sources
    from motet.index.packing import Passage

_ITEM = re.compile(r"<(?:file|codebase)>(.+?)(?::(\d+)(?:-(\d+))?)?</(?:file|codebase)>")

_BY_ITSELF = "by itself: "

_NAME = 60
"""Characters of a text without a path that name it."""

Lines = tuple[int, int]
"""First and last line, 1-based, both inside."""


def passage_attachment(passage: Passage, sources: Sources, source: str) -> Message:
    """`passage` as a hidden message; `source` says why it is there."""
    lines = f"{passage.first}-{passage.last}" if passage.first else ""
    name = passage.path or " ".join(passage.text.split())[:_NAME]
    is_foreign = passage.path.startswith("/") or _is_named(passage.path)
    return text_attachment(
        "codebase",
        passage.numbered,
        tag=tags.CODEBASE,
        item=item_id("codebase", f"{name}:{lines}" if lines else name),
        attributes={"filepath": passage.path, "lines": lines, "why": "; ".join(passage.reasons)},
        path="" if is_foreign else sources.absolute(passage.path),
        source=source,
    )


def suggested_attachment(passage: Passage, sources: Sources) -> Message:
    """The same for one that nobody asked for: the reason says why it comes, and how to have none."""
    return passage_attachment(
        passage, sources, f"{_BY_ITSELF}{'; '.join(passage.reasons)}; off: index.mode = mention"
    )


def is_suggested(message: Message) -> bool:
    """Whether it is one that nobody asked for."""
    return message.tag == tags.CODEBASE and message.meta.source.startswith(_BY_ITSELF)


def lines_in(items: Iterable[str]) -> Mapping[str, list[Lines]]:
    """Which lines of which files these items of a context block show; no lines at all: the whole file."""
    shown: dict[str, list[Lines]] = {}
    for item in items:
        found = _ITEM.fullmatch(item)
        if found is None:
            continue
        if found[2] is None:
            shown[found[1]] = []
        elif shown.get(found[1]) != []:
            shown.setdefault(found[1], []).append((int(found[2]), int(found[3] or found[2])))
    return shown


def is_shown(passage: Passage, shown: Mapping[str, list[Lines]]) -> bool:
    """Whether any line of `passage` is among those of `lines_in`."""
    there = shown.get(passage.path)
    return there is not None and (
        not there or any(passage.first <= last and first <= passage.last for first, last in there)
    )


def _is_named(path: str) -> bool:
    """Whether `path` is one of another source, as in `wiki:deploy.md`."""
    return re.match(r"[\w-]+:", path) is not None
