"""What Neovim knows: its buffers, windows and lists, asked for when a message needs them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from motet.context import Buffer, Cursor, Excerpt, QuickfixEntry
from motet.errors import MotetError
from motet.nvim.rpc import Peer
from motet.nvim.snapshot import Snapshot
from motet.text import Diagnostic, Position, Range, Severity, TextFile, bounded_message

Read = Callable[[str], Awaitable[TextFile]]
_Row = Mapping[str, object]


class NvimEditor:
    """See `motet.context.Editor`. `read` gives a file of the workspace, for buffers that are listed but not loaded.

    Buffers of `motet` itself are none of these; "current" is where the human worked last outside of them.
    """

    def __init__(self, peer: Peer, root: Path, read: Read) -> None:
        self._peer = peer
        self._root = root
        self._read = read

    async def buffers(self) -> Sequence[Buffer] | None:
        """See `Editor`."""
        return [found for row in await self._rows("buffers") if (found := await self._buffer(row)) is not None]

    async def open_files(self) -> Mapping[str, str | None] | None:
        """See `Editor`."""
        found: dict[str, str | None] = {}
        for name, is_changed in cast("Sequence[tuple[str, bool]]", await self._peer.lua("open_files")):
            if path := self.path_of(name):
                found[path] = await self._unsaved(name) if is_changed else None
        return found

    async def _unsaved(self, name: str) -> str | None:
        """The text of a changed buffer; None where it cannot be a file, or is as it was saved by now."""
        with suppress(MotetError):
            held = Snapshot.read(await self._peer.lua("snapshot", name))
            return held.file(name).text if held is not None and held.is_modified else None
        return None

    async def current_file(self) -> str | None:
        """See `Editor`."""
        return self.path_of(str(await self._peer.lua("current_file")))

    async def cursor(self) -> Cursor | None:
        """See `Editor`."""
        match await self._peer.lua("cursor"):
            case [int(buffer), int(line), int(column)]:
                return Cursor(buffer, line, column)
            case _:
                return None

    async def selection(self) -> Excerpt | None:
        """See `Editor`. What was selected last, as long as the cursor has not left those lines."""
        return _excerpt(await self._peer.lua("selection"))

    async def viewport(self) -> Sequence[Excerpt] | None:
        """See `Editor`. Of the windows of this tab page."""
        found = cast("Sequence[object]", await self._peer.lua("viewport"))
        return [one for row in found if (one := _excerpt(row)) is not None]

    async def diagnostics(self) -> Sequence[Diagnostic] | None:
        """See `Editor`. Those of `vim.diagnostic`, in files of the workspace."""
        return [
            Diagnostic(
                path,
                Range(Position(_int(row, "line"), _int(row, "column")), _end(row)),
                Severity(_int(row, "severity")),
                bounded_message(_text(row, "message")),
                _text(row, "source"),
                _text(row, "code"),
            )
            for row in await self._rows("diagnostics")
            if (path := self.path_of(_text(row, "name")))
        ]

    async def quickfix(self) -> Sequence[QuickfixEntry] | None:
        """See `Editor`."""
        return [
            QuickfixEntry(
                self.path_of(name := _text(row, "name")) or name,
                _int(row, "line"),
                _int(row, "column"),
                _text(row, "text"),
                _text(row, "kind"),
            )
            for row in await self._rows("quickfix")
        ]

    async def messages(self) -> str | None:
        """See `Editor`."""
        return str(await self._peer.lua("messages"))

    async def terminal(self) -> str | None:
        """See `Editor`."""
        found = await self._peer.lua("terminal")
        return str(found) if found is not None else None

    def absolute(self, path: str) -> Path:
        """Where a file of the workspace is."""
        return self._root / path

    async def has_sources(self, paths: Sequence[str]) -> bool:
        """Whether the editor has sources of its own for what is wrong with all of these files."""
        return bool(await self._peer.lua("has_sources", [str(self.absolute(path)) for path in paths]))

    def path_of(self, name: str) -> str:
        """The path in the workspace of the file that a buffer is named after; empty for one outside, or for none."""
        if not name.startswith("/"):
            return ""
        for path in (Path(name), Path(name).parent.resolve() / Path(name).name):  # as it is opened, and without links
            with suppress(ValueError):
                return path.relative_to(self._root).as_posix()
        return ""

    async def _buffer(self, row: _Row) -> Buffer | None:
        name = _text(row, "name")
        path = self.path_of(name)
        text = row["text"]
        if text is None:
            if not path:
                return None
            try:
                text = (await self._read(path)).text
            except MotetError:  # it is not loaded, and its file cannot be read: there is nothing to share
                return None
        shown = _text(row, "shown") or name
        return Buffer(_int(row, "number"), shown, str(text), path, _text(row, "filetype"), bool(row["changed"]))

    async def _rows(self, function: str) -> Sequence[_Row]:
        return cast("Sequence[_Row]", await self._peer.lua(function))


def _excerpt(found: object) -> Excerpt | None:
    match found:
        case [int(buffer), int(first), int(last)]:
            return Excerpt(buffer, first, last)
        case _:
            return None


def _end(row: _Row) -> Position:
    return Position(_int(row, "end_line"), _int(row, "end_column"))


def _int(row: _Row, name: str) -> int:
    return cast("int", row[name])


def _text(row: _Row, name: str) -> str:
    return str(row.get(name, ""))
