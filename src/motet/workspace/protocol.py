"""What a workspace promises, whoever keeps the files: the disk, memory, an editor."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Protocol

from motet.errors import MotetError
from motet.text import TextFile

if TYPE_CHECKING:
    from motet.workspace.snapshots import Watch


class Workspace(Protocol):
    """The files of one project. Paths are relative to `root`, with `/`; everything else is refused.

    Every method raises `WorkspaceError` or one of its kinds, and leaves files whole whatever happens, also when
    it is cancelled.
    """

    @property
    def root(self) -> Path:
        """The directory that nothing leaves, without links in its path."""
        ...

    @property
    def encoding(self) -> str:
        """What a text is read as that is no UTF-8 and declares nothing (see `TextFile.decode`)."""
        ...

    async def read(self, path: str) -> TextFile:
        """The text of a file now. Raises `FileMissing`, `NotText`, `FileTooLarge`, `OutsideWorkspace`."""
        ...

    async def write(self, file: TextFile, new: bytes) -> TextFile:
        """Replace `file` by `new` and return the new version.

        Raises `StaleFile` when the workspace does not hold `file.data` any more. `TextFile.new(path)` stands
        for a file that does not exist yet. `new` has to be text as well, in the encoding that it declares.
        """
        ...

    async def write_many(self, news: Sequence[tuple[TextFile, bytes]]) -> list[TextFile | MotetError]:
        """Replace each file as `write` does, all of them under one checkpoint; each stands for itself.

        What became of each, in order: the new version, or the error that `write` would raise. No order of writing
        is promised. Cancelled, it ends what has begun.
        """
        ...

    async def create(self, path: str, data: bytes, *, moved_from: str | None = None) -> TextFile:
        """Make a new file, and directories on the way. Raises `StaleFile` when it exists.

        `moved_from`: the file that is to be removed next, because this is its new place. The permission bits come
        from there, and undo takes both back together.
        """
        ...

    async def delete(self, file: TextFile) -> None:
        """Remove `file`. Raises `StaleFile` when the workspace does not hold `file.data` any more."""
        ...

    async def list_files(self, paths: Sequence[str | PurePath] = ()) -> list[str]:
        """The project's own files in `paths` (default: all), sorted.

        Ignored, vendored and generated files are left out, except those that `paths` names.
        """
        ...

    async def before_command(self, label: str) -> Watch | None:
        """Keep all there is, for a program that may change or destroy it; None where nothing can be taken back.

        Raises `WorkspaceError` when nothing can be kept; then the program should not run without a yes to that.
        """
        ...

    async def after_command(self, watch: Watch) -> None:
        """Record what changed since, so that it can be taken back with the rest of the turn. Raises `WorkspaceError`
        when that fails; then it is done before the next undo."""
        ...

    def after_command_later(self, watch: Watch, ended: Awaitable[object]) -> None:
        """The same once `ended` is done, for who cannot wait; the next undo does."""
        ...


class KeptWorkspace(Workspace, Protocol):
    """A workspace in which what is written between `begin` and `finish` can be taken back together."""

    async def begin(self, label: str) -> object:
        """Start an act of that name."""
        ...

    async def finish(self) -> None:
        """End it."""
        ...
