"""Which changes of which checkpoints an undo takes back: those of one checkpoint, or the newest of each file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from motet.errors import UsageError, WorkspaceError
from motet.workspace import atomic, exactly
from motet.workspace.checkpoint import Checkpoints
from motet.workspace.failures import shown, told
from motet.workspace.guard import Guard
from motet.workspace.manifest import Entry, Manifest, hash_of


@dataclass(frozen=True, slots=True)
class Target:
    """One change that is to be taken back: the entry of a file in the checkpoint `number`, called `label`."""

    number: int
    label: str
    entry: Entry


def targets(guard: Guard, checkpoints: Checkpoints, id: str | None, paths: Sequence[str] | None) -> list[Target]:
    """What `id` and `paths` mean, newest checkpoint first.

    Without `id`: the newest checkpoint that stands, or of each of `paths` the newest change that stands. A file
    that was moved counts as both its paths. Raises `UsageError` for an unknown id or path, `WorkspaceError` when
    there is nothing to undo.
    """
    wanted = None if paths is None else _recorded(guard, checkpoints, paths)
    if id is None:
        found = _newest(guard, checkpoints) if wanted is None else _newest_of(guard, checkpoints, wanted)
        lost, checkpoints.lost = max(checkpoints.lost, default=0), []  # it is said once
        if found[0].number < lost:
            raise WorkspaceError(
                f"nothing was undone: the newest run that can be is {found[0].number}, one before a damaged one; "
                "undo it with --id, or say `motet undo` again"
            )
        return found
    chosen = _called(checkpoints, id)
    if wanted is None:
        return chosen
    unknown = wanted - {target.entry.path for target in chosen}
    if unknown:
        names = ", ".join(shown(path) for path in sorted(unknown))
        raise UsageError(f"{names}: not changed by checkpoint {id}, or undone already")
    return [target for target in chosen if wanted & _paths(target.entry, chosen)]


def interrupted(checkpoints: Checkpoints, wanted: Sequence[Target]) -> Manifest | None:
    """The undo of some of `wanted` that was cut off, if there is one."""
    keys = {(target.number, target.entry.path) for target in wanted}
    return next(
        (
            one
            for one in checkpoints.manifests()
            if not one.finished and any((entry.undoes, entry.path) in keys for entry in _standing(one))
        ),
        None,
    )


def _called(checkpoints: Checkpoints, id: str) -> list[Target]:
    found = next((manifest for manifest in checkpoints.manifests() if str(manifest.number) == id), None)
    if found is None:
        raise UsageError(checkpoints.why_not_there(id))
    if found.undone:
        raise UsageError(f"checkpoint {id}: undone already; `motet undo --list` shows what still stands")
    return _all_of(found)


def _newest(guard: Guard, checkpoints: Checkpoints) -> list[Target]:
    for manifest in checkpoints.manifests():
        if manifest.undone:
            continue
        if not manifest.finished:
            rest = list(_rest_of_undo(guard, checkpoints, manifest))
            if rest:
                return rest
            if all(_untouched(guard, entry) for entry in manifest.entries):
                checkpoints.forget(manifest)  # killed before it changed anything
                continue
        return _all_of(manifest)
    raise WorkspaceError("nothing to undo in this workspace")


def _rest_of_undo(guard: Guard, checkpoints: Checkpoints, undo: Manifest) -> Iterator[Target]:
    """What an undo that was cut off was to take back: it is brought to its end."""
    mine = {(entry.undoes, entry.path) for entry in undo.entries}
    for number in undo.undoes:
        manifest = checkpoints.load(number)
        for target in _all_of(manifest) if manifest else ():
            if (number, target.entry.path) in mine or _untouched(guard, target.entry):
                yield target


def _newest_of(guard: Guard, checkpoints: Checkpoints, paths: set[str]) -> list[Target]:
    found: dict[str, Target] = {}
    for manifest in checkpoints.manifests():
        of_it = _all_of(manifest)
        for path in paths - set(found):
            entry = next((one.entry for one in of_it if one.entry.path == path), None)
            if entry is None or (not manifest.finished and _untouched(guard, entry)):
                continue
            for one in of_it:
                if path in _paths(one.entry, of_it):
                    found.setdefault(one.entry.path, _first_of_undo(checkpoints, manifest, one))
    unknown = paths - set(found)
    if unknown:
        names = ", ".join(shown(path) for path in sorted(unknown))
        raise UsageError(f"{names}: not changed by any checkpoint, or undone already")
    return sorted(found.values(), key=lambda target: (-target.number, target.entry.path))


def _first_of_undo(checkpoints: Checkpoints, manifest: Manifest, target: Target) -> Target:
    """For a change of an undo that was cut off, the one that it was to take back."""
    if manifest.finished or target.entry.undoes is None:
        return target
    original = checkpoints.load(target.entry.undoes)
    same = [one for one in _all_of(original) if one.entry.path == target.entry.path] if original else []
    return same[0] if same else target


def _all_of(manifest: Manifest) -> list[Target]:
    return [Target(manifest.number, manifest.label, entry) for entry in _standing(manifest)]


def _standing(manifest: Manifest) -> list[Entry]:
    return [entry for entry in manifest.entries if not entry.undone]


def _paths(entry: Entry, of_it: Sequence[Target]) -> set[str]:
    """The path of an entry, and the one where its file was moved from or to in the same checkpoint."""
    to = {one.entry.path for one in of_it if one.entry.moved_from == entry.path}
    return {entry.path} | to | ({entry.moved_from} if entry.moved_from else set[str]())


def _recorded(guard: Guard, checkpoints: Checkpoints, paths: Sequence[str]) -> set[str]:
    """The paths under which changes of `paths` are recorded: a link counts as what it leads to."""
    known = {entry.path for manifest in checkpoints.manifests() for entry in manifest.entries}
    return {path if path in known else _real(guard, path) for path in paths}


def _real(guard: Guard, path: str) -> str:
    try:
        with told(path), guard.locate(path) as place:
            return place.real
    except WorkspaceError:
        return path


def _untouched(guard: Guard, entry: Entry) -> bool:
    try:
        with told(entry.path), guard.locate(entry.path, itself=entry.exact) as place:
            if entry.exact:
                return entry.was(*exactly.names(exactly.look(place)))
            current = atomic.examine(place)
            return entry.was(hash_of(current.data) if current else None)
    except WorkspaceError:
        return False
