"""The map of the project that goes along with a chat: which files there are and what they define, without bodies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from motet.context.attachment import item_id, plain, wrap
from motet.messages import ContextRef, Message, Text, tags
from motet.prompts import prompt

DrawMap = Callable[[str, Sequence[str]], Awaitable[str]]
"""Draws the map for a question and for work on the files with these paths; empty while nothing is known."""

MAP_ITEM = item_id("map", "project")
"""Its line in the context block."""
_WHY = "always along, for your question; off: chat.map_tokens = 0"


def map_attachment(text: str) -> Message:
    """The map `text` as a hidden message."""
    body = f"{prompt('project_map')}\n{wrap('map', plain(text))}"
    return Message.attachment(Text(body), context=ContextRef(MAP_ITEM), tag=tags.MAP, source=_WHY)
