"""Around a command: a snapshot before it, and what it changed as part of the checkpoint after it.

While it runs, a file `*.pending` names the snapshot, locked by this process. When the process is killed the lock goes
with it, and the next one compares in its place: so the command can be taken back all the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import secrets
import stat
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar, cast

from motet import git
from motet.errors import ProcessError, WorkspaceError
from motet.git import same_index
from motet.storage.aside import set_aside
from motet.tasks import background
from motet.workspace import _fs
from motet.workspace.atomic import digest
from motet.workspace.change import Change
from motet.workspace.checkpoint import Checkpoints
from motet.workspace.exactly import MOST_BYTES
from motet.workspace.failures import told
from motet.workspace.manifest import name_of
from motet.workspace.snapshots.compare import Difference, differences, worth
from motet.workspace.snapshots.limits import LeftOut, Limits
from motet.workspace.snapshots.scan import Scan, Stopped, is_index, is_of_git, scan, trimmed
from motet.workspace.snapshots.shelf import Shelf, read
from motet.workspace.snapshots.tree import Node, Tree
from motet.workspace.store import write_durably

T = TypeVar("T")
_log = logging.getLogger(__name__)

_BATCH_FILES = 2_000
_BATCH_BYTES = 32 * 2**20
"""What is recorded at once."""


@dataclass(slots=True)
class Watch:
    """A snapshot that a command runs under. `left_out`: what it does not hold."""

    left_out: LeftOut
    path: Path
    label: str
    tree: Tree
    passed_over: frozenset[str]
    handle: int
    differences: list[Difference] = field(default_factory=list[Difference])

    def close(self) -> None:
        """Let it go: others may compare from here on."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


class Watcher:
    """Takes the snapshots of one workspace. `own`: motet's state in it. Its `alone` does blocking work in a thread."""

    def __init__(
        self,
        root: Path,
        checkpoints: Checkpoints,
        limits: Limits,
        own: str | None,
        alone: Callable[[Callable[[], object]], Awaitable[object]],
    ) -> None:
        self._root = root
        self._checkpoints = checkpoints
        self._limits = limits
        self._own = own
        self._alone = alone
        home = checkpoints.state_dir / "checkpoints" / "snapshots" / digest(os.fsencode(os.path.realpath(root)))[:16]
        self._shelf = Shelf(home, root)
        self._ending: set[asyncio.Task[None]] = set()

    async def begin(self, label: str) -> Watch:
        """Take a snapshot; on the disk on return. Raises `WorkspaceError` when that cannot be done."""
        await self.recover()
        now = time.time_ns()
        found = await self._do(lambda: scan(self._root, self._limits, self._stop, own=self._own))
        if found.size > self._limits.bytes:
            own = await self._project() or ()
            await self._do(lambda: trimmed(found, self._limits, own))
        kept: list[Watch] = []
        try:
            await self._do(lambda: kept.append(self._keep(label, found, now)))
        except BaseException:
            for watch in kept:  # nobody gets it any more
                watch.path.unlink(missing_ok=True)
                watch.close()
            raise
        return kept[0]

    async def end(self, watch: Watch) -> None:
        """Make what changed since `begin` a part of the current checkpoint. Raises `WorkspaceError` when that cannot be
        recorded: then the next snapshot or undo does it."""
        if watch.handle < 0:
            return
        try:
            await self._compare(watch, self._checkpoints.current is None)
        finally:
            watch.close()

    def end_later(self, watch: Watch, ended: Awaitable[object]) -> None:
        """Do what `end` does once `ended` is done; the next snapshot or undo waits for that."""

        async def end() -> None:
            await ended
            try:
                await self.end(watch)
            except WorkspaceError as error:
                _log.warning("what %s changed is not recorded yet: %s", watch.label, error)

        task = background(end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        task.add_done_callback(lambda _: watch.close())

    async def recover(self) -> None:
        """Do what `end` does for commands that were stopped, and for those of processes that are gone."""
        if self._ending:
            await asyncio.wait(self._ending)
        for watch in await self._do(self._abandoned):
            try:
                await self._compare(watch, is_late=True)
            finally:
                watch.close()

    @property
    def _stop(self) -> threading.Event:
        return self._checkpoints.stopping

    async def _do(self, work: Callable[[], T]) -> T:
        def guarded() -> T:
            with told(self._shelf.home, "no snapshot can be taken"):
                try:
                    return work()
                except Stopped:
                    raise WorkspaceError("stopped") from None

        return cast("T", await self._alone(guarded))

    async def _project(self) -> list[str] | None:
        if git.work_tree(self._root) != self._root:
            return None
        with contextlib.suppress(ProcessError):
            return await git.list_files(self._root)
        return None

    def _keep(self, label: str, found: Scan, now: int) -> Watch:
        with self._checkpoints.locked():
            needed = [number for _, number in self._pending()]
            tree = self._shelf.keep(found, now, self._stop, needed)
            passed_over = found.left_out.paths
            path = self._shelf.home / f"{secrets.token_hex(8)}.pending"
            row = {"tree": tree.number, "label": label, "passed_over": sorted(passed_over)}
            write_durably(path, json.dumps(row).encode())
            handle = _fs.open_file(path, os.O_RDWR | os.O_NOFOLLOW)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return Watch(found.left_out, path, label, tree, passed_over, handle)

    def _pending(self) -> list[tuple[Path, int]]:
        found: list[tuple[Path, int]] = []
        for path in self._shelf.home.glob("*.pending"):
            with contextlib.suppress(ValueError, KeyError, TypeError):
                found.append((path, int(json.loads(path.read_bytes())["tree"])))
        return found

    def _abandoned(self) -> list[Watch]:
        """The snapshots of commands whose process is gone, the oldest first."""
        if not self._shelf.home.is_dir():
            return []
        found: list[Watch] = []
        with self._checkpoints.locked(), contextlib.ExitStack() as opened:
            for path, number in sorted(self._pending(), key=lambda one: one[1]):
                watch = self._taken_over(path, number)
                if watch is not None:
                    opened.callback(watch.close)
                    found.append(watch)
            opened.pop_all()
        return found

    def _taken_over(self, path: Path, number: int) -> Watch | None:
        """The snapshot, if nobody has it any more; a damaged one is set aside. Raises `WorkspaceError`."""
        with contextlib.ExitStack() as opened:
            handle = _fs.open_file(path, os.O_RDWR | os.O_NOFOLLOW)
            opened.callback(os.close, handle)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                row = json.loads(path.read_bytes())
                label, left = str(row["label"]), frozenset(map(str, row["passed_over"]))
                tree = self._shelf.tree(number)
            except OSError:
                return None
            except (ValueError, KeyError, TypeError, WorkspaceError):
                with told(path):
                    set_aside(path, "the snapshot before a command is", "what the command changed cannot be undone")
                return None
            opened.pop_all()
        return Watch(LeftOut(), path, label, tree, left, handle)

    async def _compare(self, watch: Watch, is_late: bool) -> None:
        nodes = watch.tree.nodes
        found = await self._do(lambda: differences(self._root, nodes, watch.passed_over, self._own, self._stop))
        asks = any(one.after is not None and not is_of_git(one.path) for one in found)
        project = await self._project() if asks else None
        wanted = list(worth(found, project))
        watch.differences = [one for one, _ in wanted]
        await self._do(lambda: self._record(watch, wanted, is_late))

    def _record(self, watch: Watch, wanted: Sequence[tuple[Difference, bool]], is_late: bool) -> None:
        with self._checkpoints.locked():
            if is_late and wanted:
                self._checkpoints.start(watch.label)
            for batch in self._batches(wanted):
                self._checkpoints.record(batch)
                self._checkpoints.made(batch)
            if is_late and wanted:
                self._checkpoints.settle()
            watch.path.unlink(missing_ok=True)

    def _batches(self, wanted: Sequence[tuple[Difference, bool]]) -> Iterator[list[Change]]:
        batch: list[Change] = []
        size = 0
        looks: list[Change] = []
        is_more = False
        for one, yields in wanted:
            change = self._change(one, yields)
            if change is None:
                continue
            if _is_mere_look(change):
                looks.append(replace(change, yields=True, hashes=(change.old, change.new)))
                continue
            is_more = True
            batch.append(change)
            size += len(change.before or b"") + len(change.after or b"")
            if len(batch) >= _BATCH_FILES or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if is_more and (batch or looks):
            yield [*batch, *looks]

    def _change(self, one: Difference, yields: bool) -> Change | None:
        """What the difference is for a checkpoint; None when there is none any more."""
        before, after = one.before, one.after
        old = None if before is None else self._held(before)
        new = None
        if after is not None and not after.is_directory and after.size <= MOST_BYTES:
            try:
                new, after = read(self._root / one.path, after)
            except OSError:
                return None
            after = after._replace(hash=digest(new))
        modes = _modes(before, after)
        names = _name(old, before, modes), _name(new, after, modes)
        mode = stat.S_IMODE((before or after or Node(0, 0, "")).mode)
        if after is not None and after.is_directory:
            new = b""
        return Change(one.path, old, new, mode, exact=True, yields=yields, hashes=names)

    def _held(self, node: Node) -> bytes:
        return b"" if node.is_directory else self._shelf.content(node)


def _is_mere_look(change: Change) -> bool:
    """Whether git has only looked at the files anew: alone, that is nothing to take back."""
    before, after = change.before, change.after
    return is_index(change.path) and before is not None and after is not None and same_index(before, after)


def _modes(before: Node | None, after: Node | None) -> bool:
    """Whether the names have to say what the modes are: no plain file, or another mode."""
    modes = {node.mode for node in (before, after) if node is not None}
    return len(modes) > 1 or not all(map(stat.S_ISREG, modes))


def _name(data: bytes | None, node: Node | None, with_mode: bool) -> str | None:
    if node is None:
        return None
    if data is None and not node.is_directory:
        return f"{node.hash}.{node.mode:o}" if with_mode else node.hash
    return name_of(data or b"", node.mode if with_mode else 0)
