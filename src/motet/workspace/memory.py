"""A workspace in memory: for tests of tools, and for showing what would happen."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from motet.errors import FileMissing, MotetError, StaleFile
from motet.text import TextFile
from motet.workspace.failures import shown
from motet.workspace.guard import normal

if TYPE_CHECKING:
    from motet.workspace.snapshots import Watch


class MemoryWorkspace:
    """Files by path, with the same promises and errors as on the disk. `files` may be looked at at any time."""

    def __init__(self, files: Mapping[str, bytes | str] | None = None, root: Path = Path("/workspace")) -> None:
        self.root = root
        self.encoding = ""
        self.files: dict[str, bytes] = {
            normal(path): data.encode() if isinstance(data, str) else data for path, data in (files or {}).items()
        }

    async def read(self, path: str) -> TextFile:
        """See `Workspace.read`."""
        path = normal(path)
        if path not in self.files:
            raise FileMissing(f"{shown(path)}: no such file")
        return TextFile.decode(path, self.files[path])

    async def write(self, file: TextFile, new: bytes) -> TextFile:
        """See `Workspace.write`."""
        path = normal(file.path)
        after = replace(file, path=path).again(new)
        if self.files.get(path, b"") != file.data:
            raise StaleFile(f"{shown(path)}: changed since it was read; read it again")
        self.files[path] = new
        return after

    async def write_many(self, news: Sequence[tuple[TextFile, bytes]]) -> list[TextFile | MotetError]:
        """See `Workspace.write_many`."""
        return [await self._written(file, new) for file, new in news]

    async def _written(self, file: TextFile, new: bytes) -> TextFile | MotetError:
        try:
            return await self.write(file, new)
        except MotetError as error:
            return error

    async def create(self, path: str, data: bytes, *, moved_from: str | None = None) -> TextFile:
        """See `Workspace.create`."""
        path = normal(path)
        if path in self.files:
            raise StaleFile(f"{shown(path)}: exists already; read it first")
        return await self.write(TextFile.new(path), data)

    async def delete(self, file: TextFile) -> None:
        """See `Workspace.delete`."""
        path = normal(file.path)
        if self.files.get(path) != file.data:
            raise StaleFile(f"{shown(path)}: changed since it was read; read it again")
        del self.files[path]

    async def list_files(self, paths: Sequence[str | PurePath] = ()) -> list[str]:
        """See `Workspace.list_files`; nothing is ignored here."""
        wanted = ["" if str(path) in ("", ".") else normal(str(path)) for path in paths] or [""]
        return sorted(
            path for path in self.files if any(not one or path == one or path.startswith(f"{one}/") for one in wanted)
        )

    async def before_command(self, label: str) -> Watch | None:
        """See `Workspace.before_command`: no program sees these files."""
        return None

    async def after_command(self, watch: Watch) -> None:
        """See `Workspace.after_command`."""

    def after_command_later(self, watch: Watch, ended: Awaitable[object]) -> None:
        """See `Workspace.after_command_later`."""
