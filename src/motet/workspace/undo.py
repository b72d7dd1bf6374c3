"""Taking a checkpoint back: every file as it was, or a refusal that names the files somebody changed since."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from motet.errors import StaleFile, UndoRefused, UsageError, WorkspaceError
from motet.workspace import _fs, atomic
from motet.workspace.atomic import Current
from motet.workspace.change import Change
from motet.workspace.checkpoint import Checkpoint, Checkpoints
from motet.workspace.failures import shown, told
from motet.workspace.guard import Guard
from motet.workspace.manifest import Entry, Manifest, hash_of


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo did. `id` and `label` name the checkpoint that was taken back, `checkpoint` the one that takes
    this undo back (None when nothing was to be done).

    `restored` have their old content again, `removed` did not exist before, `unchanged` were as before already.
    """

    id: str
    label: str
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    checkpoint: str | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    entry: Entry
    change: Change

    @property
    def needed(self) -> bool:
        return not self.entry.was(hash_of(self.change.before))


def touched(guard: Guard, checkpoints: Checkpoints, id: str | None, paths: Sequence[str] | None) -> list[str]:
    """The files that `undo` would write now, whatever state they are in."""
    with checkpoints.locked():
        checkpoints.settle()
        manifest = _chosen(guard, checkpoints, id)
        return [entry.path for entry in _entries(manifest, paths)]


def undo(guard: Guard, checkpoints: Checkpoints, id: str | None, paths: Sequence[str] | None) -> UndoReport:
    """Take back checkpoint `id`, or the newest one that still stands; of it only `paths`, when given.

    All or nothing: raises `UndoRefused` before the first write when a file is neither as the checkpoint left it
    nor as it was before. The undo is a checkpoint as well, so it can be taken back the same way.
    """
    with checkpoints.locked():
        checkpoints.settle()
        manifest = _chosen(guard, checkpoints, id)
        steps = _plan(guard, checkpoints, _entries(manifest, paths), manifest)
        needed = [step for step in steps if step.needed]
        unchanged = frozenset(step.entry.path for step in steps if not step.needed)
        pending = [step.entry.path for step in needed]
        checkpoint = checkpoints.open_undo(manifest, _interrupted(checkpoints, manifest), pending)
        try:
            if needed:
                checkpoints.record([step.change for step in needed])
            for step in needed:
                _restore(guard, checkpoints, step.change)
        except WorkspaceError as error:
            _leave(checkpoints, checkpoint, error)
            raise
        for step in steps:
            _remove_directories(guard, step.entry.made)
        checkpoints.settle()
        _mark(checkpoints, manifest, frozenset(step.entry.path for step in steps))
        return UndoReport(
            id=str(manifest.number),
            label=manifest.label,
            restored=tuple(step.entry.path for step in needed if step.change.after is not None),
            removed=tuple(step.entry.path for step in needed if step.change.after is None),
            unchanged=tuple(sorted(unchanged)),
            checkpoint=None if checkpoint.number is None else str(checkpoint.number),
        )


def _chosen(guard: Guard, checkpoints: Checkpoints, id: str | None) -> Manifest:
    manifests = checkpoints.manifests()
    if id is not None:
        found = next((manifest for manifest in manifests if str(manifest.number) == id), None)
        if found is None:
            raise UsageError(f"checkpoint {shown(id)}: there is none with this id; `motet undo --list` shows them")
        if found.undone:
            raise UsageError(f"checkpoint {id}: undone already; `motet undo --list` shows what still stands")
        return found
    for manifest in manifests:
        if manifest.undone:
            continue
        if manifest.undoes is not None and not manifest.finished:
            original = checkpoints.load(manifest.undoes)
            if original is not None and not original.undone:
                return original  # an undo that was cut off is brought to its end
        if not manifest.finished and all(_untouched(guard, entry) for entry in manifest.entries):
            checkpoints.forget(manifest)  # killed before it changed anything
            continue
        return manifest
    raise WorkspaceError("nothing to undo in this workspace")


def _interrupted(checkpoints: Checkpoints, manifest: Manifest) -> Manifest | None:
    """The undo of `manifest` that was cut off, if there is one."""
    return next(
        (
            one
            for one in checkpoints.manifests()
            if one.undoes == manifest.number and not one.finished and not one.undone
        ),
        None,
    )


def _leave(checkpoints: Checkpoints, checkpoint: Checkpoint, error: WorkspaceError) -> None:
    """After a failure in the middle: what is done stays recorded, and the next undo goes on."""
    if checkpoint.changed:
        checkpoints.leave()
        raise WorkspaceError(f"{error}; some files are restored, undo once more for the rest") from error
    checkpoints.settle()


def _untouched(guard: Guard, entry: Entry) -> bool:
    try:
        with told(entry.path), guard.locate(entry.path) as place:
            return entry.was(_hash(atomic.examine(place)))
    except WorkspaceError:
        return False


def _entries(manifest: Manifest, paths: Sequence[str] | None) -> list[Entry]:
    standing = [entry for entry in manifest.entries if not entry.undone]
    if paths is None:
        return standing
    unknown = set(paths) - {entry.path for entry in standing}
    if unknown:
        names = ", ".join(shown(path) for path in sorted(unknown))
        raise UsageError(f"{names}: not changed by checkpoint {manifest.number}, or undone already")
    return [entry for entry in standing if entry.path in paths]


def _plan(guard: Guard, checkpoints: Checkpoints, entries: list[Entry], manifest: Manifest) -> list[_Step]:
    steps: list[_Step] = []
    refused: list[str] = []
    for entry in entries:
        try:
            with told(entry.path), guard.locate(entry.path) as place:
                current = atomic.examine(place)
                known = entry.was(_hash(current)) or _hash(current) in entry.after
                if place.real == entry.path and known:
                    target = None if entry.before is None else checkpoints.content(entry.before)
                    mode = None if entry.before is None else entry.before.mode
                    steps.append(_Step(entry, Change.at(place, current, target, mode)))
                else:
                    refused.append(f"{shown(entry.path)} (changed since)")
        except WorkspaceError as error:
            refused.append(str(error))
    if refused:
        raise UndoRefused(f"checkpoint {manifest.number} is not undone, nothing is changed: {'; '.join(refused)}")
    return steps


def _restore(guard: Guard, checkpoints: Checkpoints, change: Change) -> None:
    with told(change.path, "not restored"), guard.locate(change.path) as place:
        current = atomic.examine(place)
        if _hash(current) != hash_of(change.before):
            raise StaleFile(f"{shown(change.path)}: changed this moment; look at it and undo again")
        checkpoints.carry_out(place, change)


def _mark(checkpoints: Checkpoints, manifest: Manifest, paths: frozenset[str]) -> None:
    """Note which files were taken back; when that was an undo itself, its files stand again."""
    with told(checkpoints.state_dir):
        checkpoints.save(manifest.marked(paths, undone=True))
        original = None if manifest.undoes is None else checkpoints.load(manifest.undoes)
        if original is not None:
            checkpoints.save(original.marked(paths, undone=False))


def _remove_directories(guard: Guard, made: tuple[str, ...]) -> None:
    """Directories that were made for a file go with it, if nothing else is in them by now."""
    for path in sorted(made, key=len, reverse=True):
        # Not empty, gone, or no directory any more: then it is not ours to remove.
        with suppress(OSError, WorkspaceError), guard.locate(path) as place:
            if place.real == path and not place.missing:
                _fs.remove_directory(place.name, at=place.directory)


def _hash(current: Current | None) -> str | None:
    return None if current is None else hash_of(current.data)
