"""Checkpoints: what files held before motet changed them, kept until it is sure that nobody wants it back.

They live in `<state>/checkpoints/workspaces/<hash of the root>/`, one journal each. What a file held, and what it
is to hold, are on the disk before the file is touched, so undo works after a crash at any moment. Nothing is
written into the project or its `.git`.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from motet.errors import WorkspaceError
from motet.storage.aside import set_aside
from motet.workspace import _fs, legacy
from motet.workspace.atomic import Unconfirmed, digest
from motet.workspace.change import Change, make
from motet.workspace.failures import shown, told
from motet.workspace.guard import Place
from motet.workspace.journal import Journal, JournalDamaged
from motet.workspace.manifest import Entry, Manifest, Saved, parts_of
from motet.workspace.retention import KEPT, Shelf, journal_path, journals
from motet.workspace.store import killed, locked, noted

LOCK_SECONDS = 30.0
"""How long to wait for another motet that writes at the same moment."""

_REFUSAL = "no checkpoint can be kept, so nothing is written"


@dataclass(frozen=True, slots=True)
class CheckpointInfo:
    """One line of `motet undo --list`.

    `standing` are those of its `files` whose change was not taken back; `undone`: there are none. `undoes`: the
    ids of the checkpoints that this one took something of back. `finished` is false while its run goes on, and for
    ever when that run was killed; undo works all the same.
    """

    id: str
    time: datetime
    label: str
    files: tuple[str, ...]
    standing: tuple[str, ...]
    undone: bool
    undoes: tuple[str, ...]
    finished: bool


class Checkpoint:
    """One act that can be taken back as a whole: a turn, a round, an undo. Made by `Checkpoints.begin`."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.number: int | None = None
        self._before: dict[str, str | None] = {}
        self._now: dict[str, str | None] = {}

    @property
    def changed(self) -> tuple[str, ...]:
        """The files that this act has changed so far, in the order of their first change."""
        return tuple(path for path, hash in self._now.items() if hash != self._before[path])

    def follows(self, change: Change) -> bool:
        """Whether the file is still as this checkpoint's last write left it."""
        return change.path not in self._now or _is_same(self._now[change.path], change.old)

    def expect(self, change: Change) -> None:
        """Note a change that is recorded and not yet made."""
        self._now.setdefault(change.path, change.old)
        self._before.setdefault(change.path, change.old)

    def resume(self, manifest: Manifest, ahead: Collection[str]) -> None:
        """Go on with a record on the disk, of which all but `ahead` was made."""
        self.number = manifest.number
        for entry in manifest.entries:
            self._before[entry.path] = entry.before.hash if entry.before else None
            self._now[entry.path] = self._before[entry.path] if entry.path in ahead else entry.after[-1]

    def confirm(self, change: Change) -> None:
        """Note that a change is made."""
        self._now[change.path] = change.new

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
        self._shelf = Shelf(self._store, self._home)
        self._current: Checkpoint | None = None
        self._open: Journal | None = None  # the one that was written last
        self._read: Journal | None = None  # the one that contents were read from last
        self._is_new_format = False
        self.left: tuple[bytes, str] | None = None
        """What the last write left in its file, and the hash of that: mostly what the next one finds there."""
        self._stop = threading.Event()
        self.lost: list[int] = []
        """The numbers of those that turned out to be damaged, and were set aside."""

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
        """All checkpoints, newest first; the file of a damaged one is set aside. Raises `WorkspaceError`."""
        if not legacy.is_there(self._home):
            with contextlib.suppress(JournalDamaged):  # or one that another process writes just now
                return [_info(manifest) for manifest in self._records(self._loaded)]
        with self.locked():
            return [_info(manifest) for manifest in self.manifests()]

    def why_not_there(self, id: str) -> str:
        """For a human: why there is no checkpoint with this id, too old to be kept or never there."""
        kept = journals(self._home)
        if not id.isdecimal() or not 0 < int(id) < max(kept, default=0) or int(id) in self.lost:
            return f"checkpoint {shown(id)}: there is none with this id; `motet undo --list` shows them"
        return f"checkpoint {id}: not kept any more; of all runs {KEPT}, and the oldest left is {kept[0]}"

    # The rest is for the writes and the undo of the workspace, inside `locked()`.

    @contextmanager
    def locked(self) -> Generator[None]:
        """Hold the store for this process. Raises `WorkspaceError` when another one holds it for 30 s."""
        with contextlib.ExitStack() as stack:
            with told(self._store, _REFUSAL):
                stack.enter_context(locked(self._store / "lock", LOCK_SECONDS, self._stop))
                if not self._is_new_format:
                    legacy.convert(self._store, self._home)
                    self._is_new_format = True
            yield

    @contextmanager
    def no_waiting(self) -> Generator[None]:
        """Inside, a wait for the lock in another thread ends; who holds the lock already is not disturbed."""
        self._stop.set()
        try:
            yield
        finally:
            self._stop.clear()

    @property
    def stopping(self) -> threading.Event:
        """Set while nobody waits for what a thread does here: see `no_waiting`."""
        return self._stop

    @contextmanager
    def writing(self, paths: Sequence[str]) -> Generator[None]:
        """Inside, whoever comes after a kill knows that these files were being written."""
        with noted(self._home, paths):
            yield

    def killed(self) -> list[str]:
        """The files that processes were writing when they were killed; they are told once."""
        return killed(self._home)

    def made(self, changes: Sequence[Change]) -> None:
        """Note that recorded changes happened: a program made them before they were recorded."""
        for change in changes:
            self._confirm(change)

    def record(self, changes: Sequence[Change]) -> None:
        """Make sure that `changes` can be taken back; on the disk on return. Raises `WorkspaceError`."""
        checkpoint = self._current or Checkpoint("edit")
        if not all(checkpoint.follows(change) for change in changes):
            # Somebody wrote such a file since. Undo must bring back what they wrote, so a new checkpoint starts.
            self.settle()
            checkpoint = Checkpoint(checkpoint.label)
        self._current = checkpoint
        with told(self._store, _REFUSAL):
            journal = None if checkpoint.number is None else self._journal(checkpoint.number)
            self._open = None
            if journal is None:
                journal = self._new_journal(checkpoint.label, changes)
            else:
                known = {entry.path: entry for entry in journal.manifest.entries}
                journal.add([_entry(known.get(change.path), change) for change in changes], changes)
            self._open = journal
        checkpoint.number = journal.manifest.number
        for change in changes:
            checkpoint.expect(change)

    def carry_out(self, place: Place, change: Change) -> None:
        """Make a recorded change, and note that it happened. Raises what `motet.workspace.atomic` raises."""
        with self.making(change):
            make(place, change)

    @contextmanager
    def making(self, change: Change) -> Generator[None]:
        """Note that a recorded change was made inside."""
        try:
            yield
        except Unconfirmed:
            self._confirm(change)
            raise
        self._confirm(change)

    def _confirm(self, change: Change) -> None:
        if change.after is not None and change.new is not None:
            self.left = change.after, change.new
        if self._current is not None:
            self._current.confirm(change)

    def start(self, label: str) -> Checkpoint:
        """As `begin`, for who holds the lock."""
        self.settle()
        self._current = Checkpoint(label)
        return self._current

    def leave(self) -> None:
        """End the current checkpoint in the middle: its record stays unfinished."""
        self._current = None

    def settle(self) -> None:
        """As `finish`, for who holds the lock."""
        checkpoint, self._current = self._current, None
        if checkpoint is None or checkpoint.number is None:
            return
        manifest = self.load(checkpoint.number)
        if manifest is None:
            return
        entries = list(map(checkpoint.settled, manifest.entries))
        dropped = [entry.path for entry in entries if entry.was(entry.after[-1])]
        if len(dropped) == len(entries):
            self.forget(manifest)
        else:
            self._add(manifest.number, entries, dropped=dropped, finished=True)

    def manifests(self) -> list[Manifest]:
        """All records of this workspace, newest first."""
        return self._records(self._journal)

    def _records(self, journal: Callable[[int], Journal | None]) -> list[Manifest]:
        with told(self._home):
            numbers = journals(self._home)
        return [found.manifest for found in map(journal, reversed(numbers)) if found is not None]

    def load(self, number: int) -> Manifest | None:
        """One record, if it is still there. Another process may have marked files in it as undone."""
        journal = self._journal(number)
        return None if journal is None else journal.manifest

    def mark(self, number: int, paths: Collection[str], *, undone: bool) -> None:
        """Note in a record, if it is still there, that files are taken back, or stand again."""
        manifest = self.load(number)
        if manifest is not None:
            self._add(number, manifest.marked(paths, undone))

    def forget(self, manifest: Manifest) -> None:
        """Remove a record."""
        path = journal_path(self._home, manifest.number)
        with told(path), contextlib.suppress(FileNotFoundError):
            _fs.remove(path)

    def content(self, number: int, name: str) -> bytes:
        """What a file of checkpoint `number` held. Raises `WorkspaceError` when that is lost."""
        read = self._read
        if read is None or read.manifest.number != number or not read.is_current():
            self._read = read = self._journal(number)
        if read is None:
            raise WorkspaceError(f"checkpoint {number}: there is none any more")
        return read.content(name)

    def _journal(self, number: int) -> Journal | None:
        try:
            return self._loaded(number)
        except JournalDamaged:
            path = journal_path(self._home, number)
            with told(path):
                set_aside(path, "this checkpoint is", "the others can be undone")
            self.lost.append(number)
        return None

    def _loaded(self, number: int) -> Journal | None:
        """The journal, if it is there. Raises `JournalDamaged`, also where another process writes it: only who holds the
        lock can tell."""
        if self._open is not None and self._open.manifest.number == number and self._open.is_current():
            return self._open
        path = journal_path(self._home, number)
        with told(path), contextlib.suppress(FileNotFoundError):
            return Journal.load(path)
        return None

    def _new_journal(self, label: str, changes: Sequence[Change]) -> Journal:
        number = self._shelf.make_room() + 1
        entries = tuple(_entry(None, change) for change in changes)
        manifest = Manifest(number, self._root, time.time(), label, entries=entries)
        return Journal.create(journal_path(self._home, number), manifest, changes)

    def _add(
        self, number: int, entries: Sequence[Entry], *, dropped: Sequence[str] = (), finished: bool = False
    ) -> None:
        """Add what only spares the next undo a look at the files, so nobody waits for the disk."""
        journal = self._journal(number)
        self._open = None
        if journal is not None:
            with told(journal.path):
                journal.add(entries, dropped=dropped, finished=finished, wait=False)
            self._open = journal


def _entry(known: Entry | None, change: Change) -> Entry:
    if known is None:
        before = None if change.old is None else Saved(change.old, change.mode or 0o600)
        origin = change.undoes, change.moved_from, change.exact, change.yields
        return Entry(change.path, before, (change.new,), change.made, False, *origin)
    return replace(
        known,
        after=(change.old, change.new),  # until the write is done, what the last one left is motet's own as well
        made=(*known.made, *change.made),
        undone=False,
        moved_from=change.moved_from or known.moved_from,
        exact=known.exact or change.exact,
        yields=known.yields and change.yields,
    )


def _is_same(one: str | None, other: str | None) -> bool:
    """Whether two names may be of the same thing: not every name says the permission bits."""
    if one is None or other is None:
        return one is other
    (hash, mode), (other_hash, other_mode) = parts_of(one), parts_of(other)
    return hash == other_hash and (mode == other_mode or not mode or not other_mode)


def _info(manifest: Manifest) -> CheckpointInfo:
    return CheckpointInfo(
        id=str(manifest.number),
        time=datetime.fromtimestamp(manifest.time, UTC),
        label=manifest.label,
        files=tuple(entry.path for entry in manifest.entries),
        standing=tuple(entry.path for entry in manifest.entries if not entry.undone),
        undone=manifest.undone,
        undoes=tuple(map(str, manifest.undoes)),
        finished=manifest.finished,
    )
