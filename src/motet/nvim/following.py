"""Buffers follow the files that a command, or anybody else, has changed on the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import cast

from motet.errors import MotetError
from motet.nvim.rpc import EditorError, Peer
from motet.nvim.workspace import NvimWorkspace
from motet.nvim.writes import Writes
from motet.text import TextFile

Stamp = tuple[int, int, int] | None
"""Time of change in nanoseconds, bytes and number of a file; None: there is none."""


class Following:
    """The loaded buffers of one editor. `tell` gets what the human should know, a line each.

    A buffer without unsaved text gets the text of its file, line by line, as one step of undo. One with unsaved text is
    never touched: the human is told, once for each change of its file. What the editor does not answer is left for the
    next time.
    """

    def __init__(self, files: NvimWorkspace, peer: Peer, writes: Writes, tell: Callable[[str], None]) -> None:
        self._files = files
        self._peer = peer
        self._writes = writes
        self._tell = tell
        self._seen: dict[str, Stamp] = {}
        self._left: dict[str, TextFile | None] = {}
        self._one_at_a_time = asyncio.Lock()

    async def note(self) -> None:
        """Remember the files of buffers that are new here: from now on it is known when they change."""
        for path, is_modified in await self._open():
            if is_modified:  # of all others the text can be compared
                self._seen.setdefault(path, _stamp(self._files.root / path))

    async def follow(self) -> None:
        """Have each buffer whose file has changed show it, or tell that it does not."""
        async with self._one_at_a_time:
            for path, is_modified in await self._open():
                now = _stamp(self._files.root / path)
                known, self._seen[path] = self._seen.get(path, ()), now
                if now is not None and known != now:
                    await self._follow(path, is_modified, known != ())

    async def _follow(self, path: str, is_modified: bool, is_known: bool) -> None:
        try:
            if not is_modified:
                await self._files.look(path)
            elif is_known and (file := await self._files.on_disk(path)) not in (
                self._left.get(path),
                self._writes.newest(path),
            ):
                self._left[path] = file
                self._tell(f"{path}: changed on the disk; what you typed there is not saved, and stays as it is")
        except EditorError:
            raise
        except MotetError as error:
            if is_known:
                self._tell(f"{path}: changed on the disk, but its buffer could not follow: {error}")

    async def _open(self) -> list[tuple[str, bool]]:
        """The files of the workspace that are in loaded buffers, and whether they hold unsaved text."""
        try:
            found = cast("list[tuple[str, bool]]", await self._peer.lua("open_files"))
        except EditorError:
            return []
        root = self._files.root
        inside = [(Path(real), modified) for real, modified in found if Path(real).is_relative_to(root)]
        return [(real.relative_to(root).as_posix(), modified) for real, modified in inside]


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
