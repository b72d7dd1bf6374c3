"""What a picker in the editor lists, and what it shows of each row: files, buffers, kept chats."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from motet.chat.transcript import render
from motet.context import Buffer, Editor
from motet.context.complete import link_to
from motet.context.paths import Files
from motet.engine import Engine
from motet.engine.chat_names import short_id, shown_title
from motet.engine.chats import House
from motet.engine.nearby import Near
from motet.history import ChatInfo, History
from motet.visible import one_line, visible
from motet.workspace import Workspace

if TYPE_CHECKING:
    from motet.index import Found

_MOST = 100
"""Rows at once."""
_LINES = 300
"""Lines of a preview."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing to pick: what it stands for, how it is shown, a word on it, and what picking it puts into a draft."""

    value: str
    shown: str
    about: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What is seen of a row before it is picked. `filetype`: of the editor; empty: as the row's value has it. `line`:
    the one that is to be seen, from 1."""

    lines: Sequence[str]
    filetype: str = ""
    line: int = 1


class Picking:
    """The rows of each kind. Everything here waits for files and the history, never the editor for it."""

    def __init__(
        self,
        engine: Engine,
        history: History,
        editor: Editor,
        files: Files,
        house: House,
        workspace: Workspace,
    ) -> None:
        """`workspace`: the files as the editor has them."""
        self._engine = engine
        self._retrieving = house.retrieving
        self._near = Near(editor, related=house.maps.related)
        self._workspace = workspace
        self._history = history
        self._editor = editor
        self._files = files

    async def rows(self, kind: str, query: str) -> list[Row]:
        """What fits `query`, the best first: `file`, `buffer`, `place` or `history`. Raises `MotetError`."""
        match kind:
            case "file":
                return [Row(path, path, text=link_to(path)) for path in self._files.find(query, _MOST)]
            case "buffer":
                buffers = await self._editor.buffers() or ()
                by_name = {one.path or one.name: one for one in buffers if one.path or one.name}
                found = Files(lambda: list(by_name)).find(query, _MOST)
                return [_buffer_row(by_name[name]) for name in found]
            case "place":
                if not query.strip():
                    return []
                found = (await self._retrieving.search(query, _MOST, self._near)).found
                return [_place_row(self._engine.root, one) for one in found]
            case _:
                return await self._chats(query)

    async def preview(self, kind: str, value: str) -> Preview:
        """What is seen of the row that stands for `value`. Raises `MotetError`."""
        match kind:
            case "file":
                return _preview((await self._workspace.read(value)).text)
            case "buffer":
                found = next((one for one in await self._editor.buffers() or () if str(one.number) == value), None)
                return _preview(found.text, found.filetype) if found else Preview([])
            case "place":
                path, _, line = value.removeprefix(f"{self._engine.root}/").rpartition(":")
                return _around((await self._workspace.read(path)).text, int(line))
            case _:
                stored = await self._history.load(value)
                text = render([one for one in stored.messages if one.visible], chat=value)
                shown = [line for line in text.split("\n") if not line.startswith("<!-- motet ")]
                return Preview([visible(line) for line in shown[-_LINES:]], "markdown", min(len(shown), _LINES))

    async def _chats(self, query: str) -> list[Row]:
        workspace = str(self._engine.root)
        if not query.strip():
            chats = await self._history.list(workspace, limit=_MOST)
            return [_chat_row(chat, await shown_title(self._history, chat)) for chat in chats]
        hits = await self._history.search(query, workspace, limit=_MOST)
        rows: dict[str, Row] = {}
        for hit in hits:
            title = await shown_title(self._history, hit.chat)
            rows.setdefault(hit.chat.id, _chat_row(hit.chat, title, hit.snippet if hit.message_id else ""))
        return list(rows.values())


def _buffer_row(buffer: Buffer) -> Row:
    text = link_to(buffer.path) if buffer.path else f"#buffer{{{buffer.number}}}"
    return Row(str(buffer.number), buffer.path or buffer.name, "changed" if buffer.is_changed else "", text)


def _place_row(root: Path, place: Found) -> Row:
    shown = f"{one_line(place.path)}:{place.line}"
    return Row(f"{root}/{place.path}:{place.line}", shown, one_line(place.text.strip()))


def _chat_row(chat: ChatInfo, title: str, snippet: str = "") -> Row:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(chat.updated or chat.created))
    return Row(chat.id, f"{short_id(chat.id)}  {when}  {one_line(title)}", one_line(snippet))


def _around(text: str, line: int) -> Preview:
    first = max(line - _LINES // 2, 0)
    return Preview([visible(one) for one in text.split("\n")[first : first + _LINES]], line=line - first)


def _preview(text: str, filetype: str = "") -> Preview:
    return Preview([visible(line) for line in text.split("\n", _LINES)[:_LINES]], filetype)
