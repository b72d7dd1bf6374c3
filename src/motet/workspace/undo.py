"""Taking checkpoints back: every file as it was, or a refusal that names the files somebody changed since."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from motet.errors import WorkspaceError
from motet.workspace import _fs, atomic, exactly
from motet.workspace.checkpoint import Checkpoint, Checkpoints
from motet.workspace.guard import Guard
from motet.workspace.manifest import Entry, hash_of
from motet.workspace.putting_back import put_back
from motet.workspace.restoring import Step, plan
from motet.workspace.standing import Target, interrupted, targets


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo did, or would do. `ids` and `labels` name the checkpoints that were taken back, newest first;
    `checkpoint` is the one that takes this undo back (None when nothing was to be done).

    `restored` have their old content again, `merged` have lost motet's change and kept what others changed since,
    `removed` did not exist before, `unchanged` were as before already, `left` are what a command had changed on the
    side (ignored files, git's logs) and others since: they stay as they are.
    """

    ids: tuple[str, ...]
    labels: tuple[str, ...]
    restored: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    checkpoint: str | None = None


def touched(guard: Guard, checkpoints: Checkpoints, id: str | None, paths: Sequence[str] | None) -> list[Entry]:
    """The files that `undo` would write now, whatever state they are in."""
    with checkpoints.locked():
        checkpoints.settle()
        return [target.entry for target in targets(guard, checkpoints, id, paths)]


def undo(
    guard: Guard,
    checkpoints: Checkpoints,
    id: str | None,
    paths: Sequence[str] | None,
    *,
    merge: bool = False,
    dry_run: bool = False,
    encoding: str = "",
) -> UndoReport:
    """Take back what `id` and `paths` mean (see `targets`); with `dry_run` only say what that would do.
    `encoding`: see `TextFile.decode`.

    All or nothing: raises `UndoRefused` before the first write when a file is neither as the checkpoint left it
    nor as it was before, and cannot or (without `merge`) must not be merged. The undo is a checkpoint as well, so
    it can be taken back the same way.
    """
    with checkpoints.locked():
        checkpoints.settle()
        wanted = targets(guard, checkpoints, id, paths)
        resumed = interrupted(checkpoints, wanted)
        steps = plan(guard, checkpoints, wanted, resumed, merging=merge, encoding=encoding)
        if dry_run:
            return _report(wanted, steps, None)
        checkpoint = checkpoints.start(_label(wanted))
        if resumed is not None:
            checkpoint.resume(resumed, {entry.path for entry in resumed.entries if _is_ahead(guard, entry)})
        needed = [step.change for step in steps if step.needed]
        try:
            if needed:
                checkpoints.record(needed)
            with checkpoints.writing([change.path for change in needed]):
                put_back(guard, checkpoints, needed)
        except WorkspaceError as error:
            _leave(checkpoints, checkpoint, error)
            raise
        for step in steps:
            _remove_directories(guard, step.target.entry.made)
        checkpoints.settle()
        _mark(checkpoints, wanted)
        return _report(wanted, steps, checkpoint.number)


def _report(wanted: Sequence[Target], steps: Sequence[Step], checkpoint: int | None) -> UndoReport:
    def paths(*steps: Step) -> tuple[str, ...]:
        return tuple(sorted(step.target.entry.path for step in steps))

    written = [step for step in steps if step.needed and step.change.after is not None]
    return UndoReport(
        ids=tuple(dict.fromkeys(str(target.number) for target in wanted)),
        labels=tuple(dict.fromkeys(target.label for target in wanted)),
        restored=paths(*(step for step in written if not step.merged)),
        merged=paths(*(step for step in written if step.merged)),
        removed=paths(*(step for step in steps if step.needed and step.change.after is None)),
        unchanged=paths(*(step for step in steps if not step.needed and not step.left)),
        left=paths(*(step for step in steps if step.left)),
        checkpoint=None if checkpoint is None else str(checkpoint),
    )


def _label(wanted: Sequence[Target]) -> str:
    """`undo of 3 (motet fix)`; of an undo `redo of` what that had taken back, and of a redo its undo again."""
    plain = [f"{target.number} ({target.label})" for target in wanted if target.entry.undoes is None]
    undos = [_opposite(target) for target in wanted if target.entry.undoes is not None]
    labels = [f"undo of {', '.join(dict.fromkeys(plain))}"] if plain else []
    return "; ".join([*labels, *dict.fromkeys(undos)])


def _opposite(undo: Target) -> str:
    for one, other in (("undo of ", "redo of "), ("redo of ", "undo of ")):
        if undo.label.startswith(one):
            return other + undo.label.removeprefix(one)
    return f"undo of {undo.number} ({undo.label})"


def _is_ahead(guard: Guard, entry: Entry) -> bool:
    """Whether a recorded change was not made yet."""
    with suppress(OSError, WorkspaceError), guard.locate(entry.path, itself=entry.exact) as place:
        if entry.exact:
            return entry.was(*exactly.names(exactly.look(place)))
        try:
            return entry.was(hash_of(atomic.read(place)))
        except FileNotFoundError:
            return entry.was(None)
    return False


def _leave(checkpoints: Checkpoints, checkpoint: Checkpoint, error: WorkspaceError) -> None:
    """After a failure in the middle: what is done stays recorded, and the next undo goes on."""
    if checkpoint.changed:
        checkpoints.leave()
        raise WorkspaceError(f"{error}; some files are restored, undo once more for the rest") from error
    checkpoints.settle()


def _mark(checkpoints: Checkpoints, wanted: Sequence[Target]) -> None:
    """Note which files were taken back. Where that was an undo itself, what it had taken back stands again, and what
    that had taken back does not: so on, as far down as undos reach."""
    marks: dict[tuple[int, bool], set[str]] = {}
    below_of: dict[int, dict[str, int | None]] = {}
    for target in wanted:
        path, number, undone = target.entry.path, target.number, True
        below = target.entry.undoes
        marks.setdefault((number, undone), set()).add(path)
        while below is not None:
            number, undone = below, not undone
            marks.setdefault((number, undone), set()).add(path)
            if number not in below_of:
                manifest = checkpoints.load(number)
                entries = manifest.entries if manifest is not None else ()
                below_of[number] = {entry.path: entry.undoes for entry in entries}
            below = below_of[number].get(path)
    for (number, undone), paths in marks.items():
        checkpoints.mark(number, paths, undone=undone)


def _remove_directories(guard: Guard, made: tuple[str, ...]) -> None:
    """Directories that were made for a file go with it, if nothing else is in them by now."""
    for path in sorted(made, key=len, reverse=True):
        # Not empty, gone, or no directory any more: then it is not ours to remove.
        with suppress(OSError, WorkspaceError), guard.locate(path) as place:
            if place.real == path and not place.missing:
                _fs.remove_directory(place.name, at=place.directory)
