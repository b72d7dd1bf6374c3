"""Files on a real disk: written by motet's workspace, and as durably as one can without it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from motet.errors import MotetError
from motet.permissions import Gate, GrantStore, RuleSet
from motet.text import TextFile
from motet.workspace import Checkpoints, DiskWorkspace


def write_durably(path: Path, data: bytes) -> None:
    """Temporary file beside `path`, write, fsync, rename, fsync of the directory: the least that survives a crash."""
    temporary = path.with_name(path.name + ".tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    temporary.rename(path)
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


class Disk:
    """A project and motet's state in `root`, and beside them the same files without motet."""

    def __init__(self, root: Path, files: Mapping[str, bytes]) -> None:
        self._project, self._plain = root / "project", root / "plain"
        for place in (self._project, self._plain):
            for name, data in files.items():
                path = place / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        os.sync()
        state = root / "state"
        gate = Gate(self._project, RuleSet(), GrantStore(state))
        self.workspace = DiskWorkspace(self._project, gate=gate, checkpoints=Checkpoints(state, self._project))
        self._loop = asyncio.new_event_loop()

    def close(self) -> None:
        """Nothing is written any more."""
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def read(self, paths: Sequence[str]) -> dict[str, TextFile]:
        """What the project holds."""

        async def read() -> dict[str, TextFile]:
            return {path: await self.workspace.read(path) for path in paths}

        return self._loop.run_until_complete(read())

    def begin(self, label: str) -> None:
        """Start a checkpoint."""
        self._loop.run_until_complete(self.workspace.begin(label))

    def finish(self) -> None:
        """End the checkpoint."""
        self._loop.run_until_complete(self.workspace.finish())

    def write(self, news: Sequence[tuple[TextFile, bytes]]) -> None:
        """Write through motet as the edit desk does: all of one answer in one call. Raises what any of them failed
        with."""
        for outcome in self._loop.run_until_complete(self.workspace.write_many(news)):
            if isinstance(outcome, MotetError):
                raise outcome

    def write_plain(self, news: Sequence[tuple[str, bytes]]) -> None:
        """Write without motet, one after the other."""
        for name, data in news:
            write_durably(self._plain / name, data)

    def plain(self, name: str) -> bytes:
        """What was written without motet."""
        return (self._plain / name).read_bytes()
