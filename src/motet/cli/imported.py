"""A transcript that is opened again: what its context blocks name is read from the workspace as it is now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from motet.chat.draft import with_marks
from motet.chat.transcript import Asked, Draft, Parsed
from motet.cli.front import Front
from motet.cli.terminal import Terminal
from motet.context import share_path
from motet.engine import Engine
from motet.engine.filling import sources_of
from motet.errors import MotetError
from motet.messages import Message
from motet.models.offline import OfflineModel
from motet.permissions import Origin

_FILE = re.compile(r"<file>(?P<path>.+?)(?::(?P<first>\d{1,9})-(?P<last>\d{1,9}))?</file>")


def kept_draft(draft: Draft) -> str:
    """The draft of a transcript as it is kept with a chat."""
    return with_marks(draft.text, [line.line for line in draft.context if line.pinned or line.watched])


async def read_again(parsed: Parsed, terminal: Terminal) -> dict[str, Sequence[Message]]:
    """What the lines of the context blocks hold now, by their ids. Files of this workspace alone are read, and those of
    secrets not: the transcript may be anybody's. For every other line the terminal says that it was left out."""
    turns = [turn for turn in parsed.turns if isinstance(turn, Asked)]
    ids = dict.fromkeys(line.id for turn in turns for line in turn.context)
    found: dict[str, Sequence[Message]] = {}
    if not ids:
        return found
    engine = Engine(Path.cwd(), flags={})
    async with engine.chats(Front(terminal).of_chats, keep=False) as chats:
        sources = sources_of(chats.new(OfflineModel()))
        for id in ids:
            if (named := _FILE.fullmatch(id)) is None:
                terminal.line(f"{id} was shared then, and is not read again", "yellow", hang=2)
                continue
            lines = (int(named["first"]), int(named["last"])) if named["first"] else None
            try:
                shared = await share_path(
                    named["path"], sources, lines=lines, source="the transcript", origin=Origin.PROJECT
                )
            except MotetError as error:
                terminal.line(f"{id} is not read again: {error}", "yellow", hang=2)
                continue
            found[id] = shared.messages
            for notice in shared.notices:
                terminal.line(f"{id} is not read again: {notice}", "yellow", hang=2)
    return found
