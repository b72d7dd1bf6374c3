"""The workspace on disk: guarded paths, whole writes, a checkpoint before each, the gate before protected places."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar

from motet.errors import MotetError, OutsideWorkspace, PermissionDenied, WorkspaceError
from motet.permissions import Action, Effect, Gate, Origin, is_protected
from motet.text import TextFile
from motet.workspace import atomic, listing
from motet.workspace.batch import NeedsYes, Outcome, Wanted, carry_out
from motet.workspace.checkpoint import Checkpoint, CheckpointInfo, Checkpoints
from motet.workspace.failures import told
from motet.workspace.guard import Guard, normal
from motet.workspace.manifest import Entry
from motet.workspace.snapshots import DEFAULT_LIMITS, Limits, Watch, Watcher
from motet.workspace.snapshots.scan import is_of_git, may_start_programs
from motet.workspace.temporary import clean

if TYPE_CHECKING:
    from motet.workspace.undo import UndoReport

T = TypeVar("T")


class DiskWorkspace:
    """The files below `root`.

    Whoever calls `write`, `create` and `delete` has the human's yes for ordinary files; for protected places
    the gate is asked here, every time, with the path that is really meant. Calls wait for one another.
    """

    def __init__(
        self,
        root: Path,
        *,
        gate: Gate,
        checkpoints: Checkpoints,
        snapshots: Limits | None = DEFAULT_LIMITS,
        encoding: str = "",
    ) -> None:
        """`snapshots`: how much is kept before a command; None: nothing. `encoding`: see `TextFile.decode`."""
        self._encoding = encoding
        self._guard = Guard(root)
        self._gate = gate
        self._checkpoints = checkpoints
        state = Path(checkpoints.state_dir).resolve()
        self._own = f"{state.relative_to(self.root)}/".removeprefix("./") if state.is_relative_to(self.root) else None
        self._one_at_a_time = asyncio.Lock()
        self._is_tidy = False
        self._limits = snapshots
        self._watcher = Watcher(self.root, checkpoints, snapshots or Limits(), self._own, self._alone)

    @property
    def root(self) -> Path:
        """See `Workspace.root`."""
        return self._guard.root

    @property
    def encoding(self) -> str:
        """See `Workspace.encoding`."""
        return self._encoding

    async def read(self, path: str) -> TextFile:
        """See `Workspace.read`."""
        await self._tidy()
        return await asyncio.to_thread(self._read, path)

    async def write(self, file: TextFile, new: bytes) -> TextFile:
        """See `Workspace.write`. Raises `PermissionDenied` for a protected place without a yes."""
        return await self._written(_rewriting(file, new))

    async def write_many(self, news: Sequence[tuple[TextFile, bytes]]) -> list[TextFile | MotetError]:
        """See `Workspace.write_many`. A protected place without a yes is a `PermissionDenied`."""
        outcomes = await self._change([_rewriting(file, new) for file, new in news])
        return [outcome for outcome in outcomes if outcome is not None]

    async def create(self, path: str, data: bytes, *, moved_from: str | None = None) -> TextFile:
        """See `Workspace.create`. Raises `PermissionDenied` for a protected place without a yes."""
        return await self._written(Wanted(path, None, data, moved_from=moved_from))

    async def delete(self, file: TextFile) -> None:
        """See `Workspace.delete`. Raises `PermissionDenied` for a protected place without a yes."""
        [outcome] = await self._change([Wanted(file.path, file.data, None)])
        if isinstance(outcome, MotetError):
            raise outcome

    async def list_files(self, paths: Sequence[str | PurePath] = ()) -> list[str]:
        """See `Workspace.list_files`."""
        await self._tidy()
        found = await listing.list_files(self.root, paths)
        own = self._own
        return found if own is None else [path for path in found if not f"{path}/".startswith(own)]

    async def begin(self, label: str) -> Checkpoint:
        """Start a checkpoint: the writes from here on can be taken back together."""
        await self._tidy()
        return await self._alone(lambda: self._checkpoints.begin(label))

    async def finish(self) -> None:
        """End the checkpoint; writes without one get one of their own."""
        await self._alone(self._checkpoints.finish)

    async def before_command(self, label: str) -> Watch | None:
        """See `Workspace.before_command`."""
        return None if self._limits is None else await self._watcher.begin(label)

    async def after_command(self, watch: Watch) -> None:
        """See `Workspace.after_command`."""
        await self._watcher.end(watch)

    def after_command_later(self, watch: Watch, ended: Awaitable[object]) -> None:
        """See `Workspace.after_command_later`."""
        self._watcher.end_later(watch, ended)

    async def history(self) -> list[CheckpointInfo]:
        """The checkpoints of this workspace, newest first."""
        await self._tidy()
        await self._watcher.recover()
        return await asyncio.to_thread(self._checkpoints.history)

    def why_not_there(self, id: str) -> str:
        """For a human: why `history` has no checkpoint with this id."""
        return self._checkpoints.why_not_there(id)

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
        from motet.workspace.undo import touched, undo

        await self._tidy()
        await self._watcher.recover()
        if not dry_run:
            await self._ask_for(await self._alone(lambda: touched(self._guard, self._checkpoints, id, paths)))
        return await self._alone(
            lambda: undo(
                self._guard, self._checkpoints, id, paths, merge=merge, dry_run=dry_run, encoding=self._encoding
            )
        )

    async def require(self, path: str) -> None:
        """Ask what a write of `path` would ask, for who changes a text that will be saved there. Raises
        `PermissionDenied`, and `WorkspaceError` for what is never written."""
        path = normal(path)
        real = await asyncio.to_thread(self._real, path)
        if self._own is not None and f"{real}/".startswith(self._own):
            raise OutsideWorkspace(f"{path}: belongs to motet's own state")
        if self._asks(real) or self._asks(path):
            await self._ask(path, real)

    async def _tidy(self) -> None:
        """Remove the temporary files that killed runs have left, wherever in the workspace, before anything else."""
        if not self._is_tidy:
            self._is_tidy = True
            await asyncio.to_thread(self._remove_temporary)

    def _remove_temporary(self) -> None:
        seen: set[tuple[int, int]] = set()
        killed = self._checkpoints.killed()
        for path, itself in product(killed, (False, True)):  # beside the link, or the file that it leads to
            with contextlib.suppress(OSError, WorkspaceError), self._guard.locate(path, itself=itself) as place:
                info = os.fstat(place.directory)
                if (info.st_dev, info.st_ino) not in seen:
                    seen.add((info.st_dev, info.st_ino))
                    clean(place.directory)

    def _real(self, path: str) -> str:
        with told(path), self._guard.locate(path) as place:
            return place.real

    async def _ask_for(self, entries: Sequence[Entry]) -> None:
        """Ask for the protected places that an undo would write: for what a command changed once for all of it, and for
        git's own files not at all, unless git would run what stands in them."""
        changed = [entry.path for entry in entries if entry.exact and is_protected(entry.path)]
        asked = [path for path in changed if not is_of_git(path) or may_start_programs(path)]
        if asked:
            more = f", with {len(asked) - 1} more of what a command changed" if len(asked) > 1 else ""
            await self._gate.require(Action(Effect.WRITE, asked[0], Origin.USER, f"a protected place: undo{more}"))
        for entry in entries:
            if not entry.exact and is_protected(entry.path):
                await self._gate.require(Action(Effect.WRITE, entry.path, Origin.USER, "a protected place: undo"))

    def _read(self, path: str) -> TextFile:
        path = normal(path)
        with told(path), self._guard.locate(path) as place:
            return TextFile.decode(path, atomic.read(place), self._encoding)

    async def _written(self, wanted: Wanted) -> TextFile:
        [outcome] = await self._change([wanted])
        if isinstance(outcome, TextFile):
            return outcome
        raise outcome or WorkspaceError(f"{wanted.path}: not written")

    async def _change(self, wanted: Sequence[Wanted]) -> list[Outcome]:
        """Make the changes; what became of each, in order. Whoever has to be asked is asked after the others."""
        outcomes = await self._carry_out(wanted)
        for index, outcome in enumerate(outcomes):
            if isinstance(outcome, NeedsYes):
                outcomes[index] = await self._ask_and_change(wanted[index], outcome.real)
        return outcomes

    async def _ask_and_change(self, wanted: Wanted, real: str) -> Outcome:
        try:
            await self._ask(normal(wanted.path), real)
        except PermissionDenied as denied:
            return denied
        [outcome] = await self._carry_out([replace(wanted, allowed=real)])
        return outcome

    async def _ask(self, path: str, real: str) -> None:
        through = "" if real == path else f", reached through the link {path}"
        what = "a protected place" if is_protected(real) or is_protected(path) else "a rule of yours speaks of it"
        await self._gate.require(Action(Effect.WRITE, real, Origin.MODEL, f"{what}{through}"))

    def _asks(self, path: str) -> bool:
        """Whether writing `path` needs another yes than that of a review."""
        return is_protected(path) or self._gate.restricts(Action(Effect.WRITE, path, Origin.MODEL))

    async def _carry_out(self, wanted: Sequence[Wanted]) -> list[Outcome]:
        try:
            return await self._alone(lambda: carry_out(self._guard, self._checkpoints, self._own, wanted, self._asks))
        except WorkspaceError as error:
            return [error for _ in wanted]

    async def _alone(self, work: Callable[[], T]) -> T:
        """Do blocking work in a thread, one at a time; what has begun is brought to its end before a cancellation."""
        async with self._one_at_a_time:
            task = asyncio.get_running_loop().run_in_executor(None, work)
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                with self._checkpoints.no_waiting():
                    while not task.done():
                        with contextlib.suppress(asyncio.CancelledError):
                            await asyncio.wait([task])
                task.exception()  # it is looked at; the cancellation is what the caller gets
                raise


def _rewriting(file: TextFile, new: bytes) -> Wanted:
    return Wanted(file.path, file.data, new, may_be_absent=not file.data, file=file)
