"""Checkpoints: what files held before motet changed them, kept until it is sure that nobody wants it back.

They live in `<state>/checkpoints/`: contents by hash in `blobs/`, shared by all workspaces, and one record per
checkpoint in `workspaces/<hash of the root>/`. A content and its record are on the disk before the file is
touched, so undo works after a crash at any moment. Nothing is written into the project or its `.git`.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from motet.errors import WorkspaceError
from motet.workspace.atomic import Unconfirmed, digest
from motet.workspace.change import Change, make
from motet.workspace.failures import told
from motet.workspace.guard import Place
from motet.workspace.manifest import Entry, Manifest, Saved, hash_of
from motet.workspace.store import BlobStore, locked, remove_durably, write_durably

KEEP = 200
"""Checkpoints that are kept of a workspace."""
KEEP_DAYS = 30
"""Days without a change after which a checkpoint goes."""
LOCK_SECONDS = 30.0
"""How long to wait for another motet that writes at the same moment."""

_DAY = 24 * 60 * 60
_REFUSAL = "no checkpoint can be kept, so nothing is written"


@dataclass(frozen=True, slots=True)
class CheckpointInfo:
    """One line of `motet undo --list`.

    `undone`: nothing of it is left to take back. `undoes`: the id of the checkpoint that this one took back.
    `finished` is false while its run goes on, and for ever when that run was killed; undo works all the same.
    """

    id: str
    time: datetime
    label: str
    files: tuple[str, ...]
    undone: bool
    undoes: str | None
    finished: bool


class Checkpoint:
    """One act that can be taken back as a whole: a turn, a round, an undo. Made by `Checkpoints.begin`."""

    def __init__(self, label: str, undoes: int | None = None) -> None:
        self.label = label
        self.undoes = undoes
        self.number: int | None = None
        self._before: dict[str, str | None] = {}
        self._now: dict[str, str | None] = {}

    @property
    def changed(self) -> tuple[str, ...]:
        """The files that this act has changed so far, in the order of their first change."""
        return tuple(path for path, hash in self._now.items() if hash != self._before[path])

    def follows(self, change: Change) -> bool:
        """Whether the file is still as this checkpoint's last write left it."""
        return change.path not in self._now or self._now[change.path] == hash_of(change.before)

    def expect(self, change: Change) -> None:
        """Note a change that is recorded and not yet made."""
        self._now.setdefault(change.path, hash_of(change.before))
        self._before.setdefault(change.path, hash_of(change.before))

    def resume(self, manifest: Manifest, pending: Collection[str]) -> None:
        """Go on with a record on the disk, of which all but `pending` was made."""
        self.number = manifest.number
        for entry in manifest.entries:
            self._before[entry.path] = entry.before.hash if entry.before else None
            self._now[entry.path] = self._before[entry.path] if entry.path in pending else entry.after[-1]

    def confirm(self, change: Change) -> None:
        """Note that a change is made."""
        self._now[change.path] = hash_of(change.after)

    def settled(self, entry: Entry) -> Entry:
        """`entry` with its outcome as it became known."""
        return replace(entry, after=(self._now[entry.path],)) if entry.path in self._now else entry


class Checkpoints:
    """The checkpoints of one workspace, in `state_dir`. Several processes may use them at the same time."""

    def __init__(self, state_dir: Path, root: Path) -> None:
        self.state_dir = state_dir
        self._root = os.path.realpath(root)
        self._store = state_dir / "checkpoints"
        self._home = self._store / "workspaces" / digest(os.fsencode(self._root))[:16]
        self._blobs = BlobStore(self._store / "blobs")
        self._current: Checkpoint | None = None
        self._stop = threading.Event()

    @property
    def current(self) -> Checkpoint | None:
        """What writes are recorded in; None before `begin` and after `finish`."""
        return self._current

    def begin(self, label: str) -> Checkpoint:
        """Finish the current checkpoint and start one for what comes next; it is kept once a file changes."""
        self.finish()
        self._current = Checkpoint(label)
        return self._current

    def finish(self) -> None:
        """End the current checkpoint: note what its files hold now, and forget it when nothing changed."""
        if self._current is not None and self._current.number is not None:
            with self.locked():
                self.settle()
        self._current = None

    def history(self) -> list[CheckpointInfo]:
        """All checkpoints, newest first. Raises `WorkspaceError`, naming the file, when one is damaged."""
        return [_info(manifest) for manifest in self.manifests()]

    # The rest is for the writes and the undo of the workspace, inside `locked()`.

    @contextmanager
    def locked(self) -> Generator[None]:
        """Hold the store for this process. Raises `WorkspaceError` when another one holds it for 30 s."""
        with contextlib.ExitStack() as stack:
            with told(self._store, _REFUSAL):
                stack.enter_context(locked(self._store / "lock", LOCK_SECONDS, self._stop))
            yield

    @contextmanager
    def no_waiting(self) -> Generator[None]:
        """Inside, a wait for the lock in another thread ends; who holds the lock already is not disturbed."""
        self._stop.set()
        try:
            yield
        finally:
            self._stop.clear()

    def record(self, changes: Sequence[Change]) -> None:
        """Make sure that `changes` can be taken back; on the disk on return. Raises `WorkspaceError`."""
        checkpoint = self._current or Checkpoint("edit")
        if not all(checkpoint.follows(change) for change in changes):
            # Somebody wrote such a file since. Undo must bring back what they wrote, so a new checkpoint starts.
            self.settle()
            checkpoint = Checkpoint(checkpoint.label, checkpoint.undoes)
        self._current = checkpoint
        with told(self._store, _REFUSAL):
            manifest = self._manifest_of(checkpoint)
            for change in changes:
                manifest = manifest.with_entry(self._entry(manifest.entry(change.path), change))
            self.save(manifest)
        checkpoint.number = manifest.number
        for change in changes:
            checkpoint.expect(change)

    def carry_out(self, place: Place, change: Change) -> None:
        """Make a recorded change, and note that it happened. Raises what `motet.workspace.atomic` raises."""
        try:
            make(place, change)
        except Unconfirmed:
            self._confirm(change)
            raise
        self._confirm(change)

    def _confirm(self, change: Change) -> None:
        if self._current is not None:
            self._current.confirm(change)

    def open_undo(self, manifest: Manifest, interrupted: Manifest | None, pending: Collection[str]) -> Checkpoint:
        """Finish the current checkpoint and start the one that records taking back `manifest`.

        `interrupted` is an undo of the same that did not come to its end: it goes on, with `pending` ahead.
        """
        self.settle()
        self._current = Checkpoint(f"undo of {manifest.number} ({manifest.label})", manifest.number)
        if interrupted is not None:
            self._current.resume(interrupted, pending)
        return self._current

    def leave(self) -> None:
        """End the current checkpoint in the middle: its record stays unfinished."""
        self._current = None

    def settle(self) -> None:
        """As `finish`, for who holds the lock."""
        checkpoint, self._current = self._current, None
        if checkpoint is None or checkpoint.number is None:
            return
        with told(self._store):
            manifest = self.load(checkpoint.number)
            if manifest is None:
                return
            entries = tuple(map(checkpoint.settled, manifest.entries))
            entries = tuple(entry for entry in entries if not entry.was(entry.after[-1]))
            if entries:
                self.save(replace(manifest, entries=entries, finished=True))
            else:
                self.forget(manifest)

    def manifests(self) -> list[Manifest]:
        """All records of this workspace, newest first."""
        numbers = [int(path.stem) for path in self._files(self._home)]
        return [manifest for manifest in map(self.load, reversed(numbers)) if manifest is not None]

    def load(self, number: int) -> Manifest | None:
        """One record, if it is still there."""
        path = self._path(number)
        with told(path), contextlib.suppress(FileNotFoundError):
            return Manifest.load(path)
        return None

    def save(self, manifest: Manifest) -> None:
        """Write a record durably."""
        write_durably(self._path(manifest.number), manifest.to_json())

    def forget(self, manifest: Manifest) -> None:
        """Remove a record; its contents go with the next sweep."""
        with told(self._store):
            remove_durably(self._path(manifest.number))

    def content(self, saved: Saved) -> bytes:
        """What a file held. Raises `WorkspaceError` when the store lost it."""
        with told(self._store):
            return self._blobs.get(saved.hash)

    def _manifest_of(self, checkpoint: Checkpoint) -> Manifest:
        """Its record as it is on the disk, where another process may have marked files as undone."""
        known = None if checkpoint.number is None else self.load(checkpoint.number)
        if known is not None:
            return known
        self._prune()
        number = max((int(path.stem) for path in self._files(self._home)[-1:]), default=0) + 1
        return Manifest(number, self._root, time.time(), checkpoint.label, checkpoint.undoes)

    def _entry(self, known: Entry | None, change: Change) -> Entry:
        after = hash_of(change.after)
        if known is not None:
            # Until the write is done, what the last one left is motet's own work as well.
            made = (*known.made, *change.made)
            return replace(known, after=(hash_of(change.before), after), made=made, undone=False)
        before = None if change.before is None else Saved(self._blobs.put(change.before), change.mode or 0o600)
        return Entry(change.path, before, (after,), change.made)

    def _path(self, number: int) -> Path:
        return self._home / f"{number:06}.json"

    @staticmethod
    def _files(home: Path) -> list[Path]:
        return sorted(
            (path for path in home.glob("*.json") if path.stem.isdecimal()), key=lambda path: int(path.stem)
        )

    def _prune(self) -> None:
        """Make room for one more; once a day drop what is old in the whole store, and contents nobody needs."""
        for path in self._files(self._home)[: -(KEEP - 1)]:
            path.unlink(missing_ok=True)
        swept = self._store / "swept"
        if swept.exists() and abs(time.time() - swept.stat().st_mtime) < _DAY:
            return
        needed: set[str] = set()
        for home in (self._store / "workspaces").glob("*"):
            for path in self._files(home):
                if path.stat().st_mtime < time.time() - KEEP_DAYS * _DAY:
                    path.unlink(missing_ok=True)
            try:
                manifests = [Manifest.load(path) for path in self._files(home)]
            except WorkspaceError:
                return  # what a damaged record needs is unknown, so every content stays
            needed |= {entry.before.hash for manifest in manifests for entry in manifest.entries if entry.before}
        self._blobs.keep_only(needed)
        write_durably(swept, b"")


def _info(manifest: Manifest) -> CheckpointInfo:
    return CheckpointInfo(
        id=str(manifest.number),
        time=datetime.fromtimestamp(manifest.time, UTC),
        label=manifest.label,
        files=tuple(entry.path for entry in manifest.entries),
        undone=manifest.undone,
        undoes=None if manifest.undoes is None else str(manifest.undoes),
        finished=manifest.finished,
    )
