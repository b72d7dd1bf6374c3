"""What an undo would write: each file as it was, or as it is now without motet's change, or why neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from motet.errors import UndoRefused, WorkspaceError
from motet.workspace import atomic
from motet.workspace.atomic import Current
from motet.workspace.change import Change
from motet.workspace.checkpoint import Checkpoints
from motet.workspace.failures import shown, told
from motet.workspace.guard import Guard
from motet.workspace.manifest import Entry, Manifest, hash_of
from motet.workspace.standing import Target
from motet.workspace.taking_back import NotMerged, take_back


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done with one file. `merged`: what others changed in it since stays."""

    target: Target
    change: Change
    merged: bool

    @property
    def needed(self) -> bool:
        return self.change.before != self.change.after


def plan(
    guard: Guard, checkpoints: Checkpoints, wanted: Sequence[Target], resumed: Manifest | None, *, merging: bool
) -> list[Step]:
    """The steps that take `wanted` back; those that remove a file come last. Nothing is written.

    `resumed` is the record of an undo that was cut off: what it was to leave in its files is still meant. With
    `merging`, a file that was changed since keeps that change, where it is elsewhere. Raises `UndoRefused`, naming
    every file that stops the undo.
    """
    planner = _Planner(guard, checkpoints, wanted, resumed)
    steps: list[Step] = []
    refused: list[str] = []
    advisable = not merging
    for target in wanted:
        try:
            step = planner.step(target)
            if step.merged and not merging and step.change.before is not None:
                refused.append(f"{shown(target.entry.path)} (changed since)")
            steps.append(step)
        except _Changed as changed:
            refused.append(f"{shown(changed.path)} ({changed.how}{changed.why if merging else ''})")
            advisable = False
        except WorkspaceError as error:
            refused.append(str(error))
            advisable = False
    if refused:
        advice = "; `motet undo --merge` would take back motet's change alone" if advisable else ""
        reasons = "; ".join(dict.fromkeys(refused))
        raise UndoRefused(f"{_named(wanted)} not undone, nothing is changed: {reasons}{advice}")
    return sorted(steps, key=lambda step: step.change.after is None)


class _Changed(WorkspaceError):
    """The file `path` was changed since; `how`, and `why` that cannot be merged."""

    def __init__(self, path: str, how: str, why: str = "") -> None:
        super().__init__(f"{path}: {how}{why}")
        self.path, self.how, self.why = path, how, why


class _Planner:
    """Looks at each file of an undo once, and says what it is to hold."""

    def __init__(
        self, guard: Guard, checkpoints: Checkpoints, wanted: Sequence[Target], resumed: Manifest | None
    ) -> None:
        self._guard = guard
        self._checkpoints = checkpoints
        self._entries: dict[tuple[int, str | None], Entry] = {}
        self._moved: dict[tuple[int, str | None], Entry] = {}  # by where the file was moved from
        for target in wanted:
            self._entries[target.number, target.entry.path] = target.entry
            if target.entry.moved_from is not None:
                self._moved[target.number, target.entry.moved_from] = target.entry
        self._resumed = resumed
        self._seen: dict[str, Current | None] = {}

    def step(self, target: Target) -> Step:
        """What is to be done. Raises `_Changed`, or another `WorkspaceError` when the file cannot be written."""
        entry = target.entry
        current = self._look(entry.path)
        after, merged = self._after(target, current.data if current else None)
        mode = entry.before.mode if entry.before else None
        moved = self._moved.get((target.number, entry.path))
        with told(entry.path), self._guard.locate(entry.path) as place:
            change = Change.at(
                place, current, after, mode, undoes=target.number, moved_from=moved.path if moved else None
            )
        return Step(target, change, merged)

    def _look(self, path: str) -> Current | None:
        if path not in self._seen:
            with told(path), self._guard.locate(path) as place:
                current = atomic.examine(place)
                if place.real != path:
                    raise _Changed(path, "a link leads elsewhere since")
                self._seen[path] = current
        return self._seen[path]

    def _after(self, target: Target, now: bytes | None) -> tuple[bytes | None, bool]:
        """What the file is to hold, and whether that is a merge."""
        entry, name, resumed = target.entry, hash_of(now), self._resumed
        begun = resumed.entry(entry.path) if resumed else None
        if entry.was(name) or (begun and begun.after[-1] == name):
            return now, False
        if resumed and begun and begun.was(name):
            return self._content(resumed.number, begun.after[-1]), False
        moved = self._moved.get((target.number, entry.path))
        origin = self._entries.get((target.number, entry.moved_from))
        if name in entry.after:
            if moved is not None and (there := self._look(moved.path)) and hash_of(there.data) not in moved.after:
                return self._without_change(target.number, moved, there.data, entry), True
            return self._before(target.number, entry), False
        if origin is None:
            return self._without_change(target.number, entry, now, entry), True
        if self._look(origin.path) is not None:
            raise _Changed(entry.path, "changed since", f", and {shown(origin.path)} is there again")
        self._without_change(target.number, entry, now, origin)
        return None, True  # the text goes to where the file was moved from

    def _without_change(self, number: int, entry: Entry, now: bytes | None, old: Entry) -> bytes:
        """`now` without the change from what `old` was to what motet left in `entry`. Raises `_Changed`."""
        path, left = entry.path, entry.after[-1]
        if now is None:
            raise _Changed(path, "removed since")
        if left is None:
            raise _Changed(path, "made anew since")
        before = self._before(number, old)
        if before is None:
            raise _Changed(path, "changed since", ", and motet made it, so nothing of it would stay")
        try:
            text = self._checkpoints.content(number, left)
        except WorkspaceError as error:
            why = ", and the checkpoint does not hold what motet left (older ones do not)"
            raise _Changed(path, "changed since", why) from error
        try:
            return take_back(path, text, now, before)
        except NotMerged as error:
            raise _Changed(path, "changed since", str(error)) from error

    def _before(self, number: int, entry: Entry) -> bytes | None:
        return self._content(number, entry.before.hash if entry.before else None)

    def _content(self, number: int, name: str | None) -> bytes | None:
        return None if name is None else self._checkpoints.content(number, name)


def _named(wanted: Sequence[Target]) -> str:
    ids = [str(number) for number in dict.fromkeys(target.number for target in wanted)]
    return f"checkpoint {ids[0]} is" if len(ids) == 1 else f"checkpoints {', '.join(ids[:-1])} and {ids[-1]} are"
