"""The workspace on disk: guarded paths, whole writes, a checkpoint before each, the gate before protected places."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import TypeVar

from motet.errors import OutsideWorkspace, StaleFile, WorkspaceError
from motet.permissions import Action, Effect, Gate, Origin, is_protected
from motet.text import TextFile
from motet.workspace import atomic, listing
from motet.workspace.atomic import Current
from motet.workspace.change import Change
from motet.workspace.checkpoint import Checkpoint, CheckpointInfo, Checkpoints
from motet.workspace.failures import shown, told
from motet.workspace.guard import Guard, Place, normal
from motet.workspace.undo import UndoReport, touched, undo

T = TypeVar("T")


class DiskWorkspace:
    """The files below `root`.

    Whoever calls `write`, `create` and `delete` has the human's yes for ordinary files; for protected places
    the gate is asked here, every time, with the path that is really meant. Calls wait for one another.
    """

    def __init__(self, root: Path, *, gate: Gate, checkpoints: Checkpoints) -> None:
        self._guard = Guard(root)
        self._gate = gate
        self._checkpoints = checkpoints
        self._state = Path(checkpoints.state_dir).resolve()
        self._one_at_a_time = asyncio.Lock()

    @property
    def root(self) -> Path:
        """See `Workspace.root`."""
        return self._guard.root

    async def read(self, path: str) -> TextFile:
        """See `Workspace.read`."""
        return await asyncio.to_thread(self._read, path)

    async def write(self, file: TextFile, new: bytes) -> TextFile:
        """See `Workspace.write`. Raises `PermissionDenied` for a protected place without a yes."""
        after = TextFile.decode(normal(file.path), new)
        await self._change(after.path, file.data, new, may_be_absent=not file.data)
        return after

    async def create(self, path: str, data: bytes, *, moved_from: str | None = None) -> TextFile:
        """See `Workspace.create`. Raises `PermissionDenied` for a protected place without a yes."""
        after = TextFile.decode(normal(path), data)
        await self._change(after.path, None, data, moved_from=moved_from)
        return after

    async def delete(self, file: TextFile) -> None:
        """See `Workspace.delete`. Raises `PermissionDenied` for a protected place without a yes."""
        await self._change(normal(file.path), file.data, None)

    async def list_files(self, paths: Sequence[str | PurePath] = ()) -> list[str]:
        """See `Workspace.list_files`."""
        found = await listing.list_files(self.root, paths)
        if not self._state.is_relative_to(self.root):
            return found
        return [path for path in found if not (self.root / path).is_relative_to(self._state)]

    async def begin(self, label: str) -> Checkpoint:
        """Start a checkpoint: the writes from here on can be taken back together."""
        return await self._alone(lambda: self._checkpoints.begin(label))

    async def finish(self) -> None:
        """End the checkpoint; writes without one get one of their own."""
        await self._alone(self._checkpoints.finish)

    async def history(self) -> list[CheckpointInfo]:
        """The checkpoints of this workspace, newest first."""
        return await asyncio.to_thread(self._checkpoints.history)

    async def undo(
        self,
        id: str | None = None,
        paths: Sequence[str] | None = None,
        merge: bool = False,
        dry_run: bool = False,
    ) -> UndoReport:
        """Take back checkpoint `id` (of it only `paths`, when given), else of each of `paths` the newest change
        that still stands, else the newest checkpoint that still stands.

        With `merge`, a file that was changed since loses motet's change alone, where that touches no newer line.
        Raises `UndoRefused`, naming the files, when one changed since and is not merged; `UsageError` for an
        unknown id or path; `PermissionDenied` for a protected place without a yes. The undo is a checkpoint as
        well: undoing once more brings everything back. With `dry_run` nothing is asked and nothing written.
        """
        if not dry_run:
            for path in await self._alone(lambda: touched(self._guard, self._checkpoints, id, paths)):
                if is_protected(path):
                    await self._gate.require(Action(Effect.WRITE, path, Origin.USER, "a protected place: undo"))
        return await self._alone(
            lambda: undo(self._guard, self._checkpoints, id, paths, merge=merge, dry_run=dry_run)
        )

    def _read(self, path: str) -> TextFile:
        path = normal(path)
        with told(path), self._guard.locate(path) as place:
            return TextFile.decode(path, atomic.read(place))

    async def _change(
        self,
        path: str,
        before: bytes | None,
        after: bytes | None,
        *,
        may_be_absent: bool = False,
        moved_from: str | None = None,
    ) -> None:
        real = await asyncio.to_thread(self._resolved, path)
        if is_protected(real) or is_protected(path):
            through = "" if real == path else f", reached through the link {path}"
            await self._gate.require(Action(Effect.WRITE, real, Origin.MODEL, f"a protected place{through}"))
        await self._alone(lambda: self._apply(path, real, before, after, may_be_absent, moved_from))

    def _resolved(self, path: str) -> str:
        with told(path, "not written"), self._guard.locate(path) as place:
            if (self.root / place.real).is_relative_to(self._state):
                raise OutsideWorkspace(f"{shown(path)}: belongs to motet's own state")
            return place.real

    def _apply(
        self,
        path: str,
        real: str,
        before: bytes | None,
        after: bytes | None,
        may_be_absent: bool,
        moved_from: str | None,
    ) -> None:
        doing = "not removed" if after is None else "not written"
        with self._checkpoints.locked(), told(path, doing), self._guard.locate(path) as place:
            if place.real != real:
                raise StaleFile(f"{shown(path)}: leads elsewhere now; read it again")
            current = atomic.examine(place)
            if current is None and may_be_absent:
                before = None
            _require(place, current, before)
            if before == after:
                return
            old_path, mode = self._look(moved_from) if moved_from else (None, None)
            change = Change.at(place, current, after, mode, moved_from=old_path)
            self._checkpoints.record([change])
            self._checkpoints.carry_out(place, change)

    def _look(self, path: str) -> tuple[str, int | None]:
        """The real path of a file, and its permission bits."""
        with told(path), self._guard.locate(path) as place:
            current = atomic.examine(place)
            return place.real, current.mode if current else None

    async def _alone(self, work: Callable[[], T]) -> T:
        """Do blocking work in a thread, one at a time; what has begun is brought to its end before a cancellation."""
        async with self._one_at_a_time:
            task = asyncio.ensure_future(asyncio.to_thread(work))
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                with self._checkpoints.no_waiting():
                    while not task.done():
                        with contextlib.suppress(asyncio.CancelledError):
                            await asyncio.wait([task])
                task.exception()  # it is looked at; the cancellation is what the caller gets
                raise


def _require(place: Place, current: Current | None, before: bytes | None) -> None:
    name = shown(place.asked)
    if before is None:
        if current is not None:
            raise StaleFile(f"{name}: exists already; read it first")
        _require_plain_name(place)
    elif current is None:
        raise StaleFile(f"{name}: was removed since it was read")
    elif current.data != before:
        raise StaleFile(f"{name}: changed since it was read; read it again")


def _require_plain_name(place: Place) -> None:
    """Names that read differently than they are, or mean a path elsewhere, are not made anew."""
    made = "/".join((*place.missing, place.name))
    if "\\" in made or not made.isprintable():
        raise WorkspaceError(f"{shown(place.asked)}: not a name for a new file (backslash or invisible character)")
