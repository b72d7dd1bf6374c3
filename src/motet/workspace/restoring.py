"""What an undo would write: each file as it was, or as it is now without motet's change, or why neither."""

from __future__ import annotations

import stat
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from motet.errors import UndoRefused, WorkspaceError
from motet.git import same_index
from motet.workspace import atomic, exactly
from motet.workspace.atomic import Current
from motet.workspace.change import Change, missing
from motet.workspace.checkpoint import Checkpoints
from motet.workspace.exactly import names
from motet.workspace.failures import shown, told
from motet.workspace.guard import Guard
from motet.workspace.manifest import Entry, Manifest, hash_of, name_of, parts_of
from motet.workspace.snapshots.scan import is_index, is_of_git
from motet.workspace.standing import Target
from motet.workspace.taking_back import NotMerged, take_back

_NOTHING: tuple[None, None, bool] = (None, None, False)


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done with one file. `merged`: what others changed in it since stays. `left`: all of it stays as it
    is. `in_the_way`: a file is to be where it is, or a directory that it lies in."""

    target: Target
    change: Change
    merged: bool
    left: bool = False
    in_the_way: bool = False

    @property
    def needed(self) -> bool:
        if self.change.exact:
            return self.change.old != self.change.new
        return self.change.before != self.change.after

    @property
    def replaces_directory(self) -> bool:
        """Whether something else is to be where a directory is."""
        kinds = [stat.S_ISDIR(parts_of(name)[1]) for name in (self.change.old, self.change.new) if name is not None]
        return kinds == [True, False]

    @property
    def turn(self) -> tuple[int, int, str]:
        """When it comes: what is in the way of others is removed, directories are made from above, files are written,
        and the rest is removed from below."""
        path, deep = self.change.path, self.change.path.count("/")
        if self.in_the_way:
            return 0, -deep, path
        if self.change.after is None:
            return 3, -deep, path
        if self.change.new is not None and stat.S_ISDIR(parts_of(self.change.new)[1]):
            return 1, deep, path
        return 2, 0, path


def plan(
    guard: Guard,
    checkpoints: Checkpoints,
    wanted: Sequence[Target],
    resumed: Manifest | None,
    *,
    merging: bool,
    encoding: str,
) -> list[Step]:
    """The steps that take `wanted` back; those that remove a file come last. Nothing is written.

    `resumed` is the record of an undo that was cut off: what it was to leave in its files is still meant. With
    `merging`, a file that was changed since keeps that change, where it is elsewhere. Raises `UndoRefused`, naming
    every file that stops the undo.
    """
    planner = _Planner(guard, checkpoints, wanted, resumed, encoding)
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
    return _in_turn(steps)


def _in_turn(steps: Sequence[Step]) -> list[Step]:
    """Those that remove a file come last, but for what is in the way."""
    replaced = {step.change.path for step in steps if step.needed and step.replaces_directory}
    if not any(step.change.exact for step in steps):
        return sorted(steps, key=lambda step: step.change.after is None)
    moved = [
        replace(step, in_the_way=step.change.after is None and _is_below(step.change.path, replaced))
        for step in steps
    ]
    return sorted(moved, key=lambda step: step.turn)


def _is_below(path: str, directories: Collection[str]) -> bool:
    while path := path.rpartition("/")[0]:
        if path in directories:
            return True
    return False


class _Changed(WorkspaceError):
    """The file `path` was changed since; `how`, and `why` that cannot be merged."""

    def __init__(self, path: str, how: str, why: str = "") -> None:
        super().__init__(f"{path}: {how}{why}")
        self.path, self.how, self.why = path, how, why


class _Planner:
    """Looks at each file of an undo once, and says what it is to hold."""

    def __init__(
        self,
        guard: Guard,
        checkpoints: Checkpoints,
        wanted: Sequence[Target],
        resumed: Manifest | None,
        encoding: str,
    ) -> None:
        self._encoding = encoding
        self._guard = guard
        self._checkpoints = checkpoints
        self._entries: dict[tuple[int, str | None], Entry] = {}
        self._moved: dict[tuple[int, str | None], Entry] = {}  # by where the file was moved from
        for target in wanted:
            self._entries[target.number, target.entry.path] = target.entry
            if target.entry.moved_from is not None:
                self._moved[target.number, target.entry.moved_from] = target.entry
        self._resumed = resumed
        self._begun = {entry.path: entry for entry in resumed.entries} if resumed else {}
        self._paths = frozenset(target.entry.path for target in wanted)
        self._seen: dict[str, Current | None] = {}

    def step(self, target: Target) -> Step:
        """What is to be done. Raises `_Changed`, or another `WorkspaceError` when the file cannot be written."""
        entry = target.entry
        if entry.exact:
            return self._exact_step(target)
        current = self._look(entry)
        after, merged = self._after(target, current)
        mode = entry.before.mode if entry.before else None
        moved = self._moved.get((target.number, entry.path))
        with told(entry.path), self._guard.locate(entry.path) as place:
            change = Change.at(
                place, current, after, mode, undoes=target.number, moved_from=moved.path if moved else None
            )
        return Step(target, change, merged)

    def _exact_step(self, target: Target) -> Step:
        """The same for what a program did: type and bits are restored as well."""
        entry = target.entry
        current = self._look(entry)
        old = None if current is None else name_of(current.data, current.kind | current.mode)
        data = current.data if current else None
        mode = current.mode if current else None
        is_left, merged = False, False
        try:
            after, new, merged = self._exact_after(target, current)
        except _Changed:
            if not entry.yields:
                raise
            is_left, after, new = True, data, old
        missing = self._missing(entry.path) if current is None and new is not None else ()
        if current is None and new is not None:
            mode = stat.S_IMODE(parts_of(new)[1])
        made = Change(
            entry.path, data, after, mode, missing, target.number, exact=True, yields=entry.yields, hashes=(old, new)
        )
        return Step(target, made, merged, left=is_left)

    def _exact_after(self, target: Target, current: Current | None) -> tuple[bytes | None, str | None, bool]:
        """What is to be there, its whole name, and whether that is a merge."""
        entry, number, found = target.entry, target.number, names(current)
        begun = self._begun.get(entry.path)
        if entry.was(*found) or (begun and begun.after[-1] in found):
            return (current.data, name_of(current.data, current.kind | current.mode), False) if current else _NOTHING
        if begun and self._resumed and begun.was(*found):
            name = begun.after[-1]
            return self._content(self._resumed.number, name), name, False
        if (
            found.isdisjoint(entry.after)
            and not self._is_same_index(target, current)
            and not _is_between(entry, found)
        ):
            if current is None or current.kind != stat.S_IFREG:
                raise _Changed(entry.path, "removed since" if current is None else "changed since")
            if is_of_git(entry.path):
                raise _Changed(entry.path, "changed since", ", and git's own files are not merged")
            text = self._without_change(number, entry, current.data, entry)
            return text, name_of(text, current.kind | current.mode), True
        if entry.before is None:
            return _NOTHING
        data = self._content(number, entry.before.hash)
        mode = (parts_of(entry.before.hash)[1] and stat.S_IFMT(parts_of(entry.before.hash)[1])) or stat.S_IFREG
        return data, name_of(data or b"", mode | entry.before.mode), False

    def _is_same_index(self, target: Target, current: Current | None) -> bool:
        """Whether git's index says what it said, though git has looked at the files anew since."""
        entry = target.entry
        if current is None or not is_index(entry.path) or entry.after[-1] is None:
            return False
        left = self._content(target.number, entry.after[-1])
        return left is not None and same_index(left, current.data)

    def _missing(self, path: str) -> tuple[str, ...]:
        """The directories on the way to `path` that are not there, and that this undo does not bring back itself."""
        try:
            with self._guard.locate(path, itself=True) as place:
                return tuple(each for each in missing(place) if each not in self._paths)
        except NotADirectoryError:
            return ()

    def _look(self, entry: Entry) -> Current | None:
        path = entry.path
        if path not in self._seen:
            try:
                with told(path), self._guard.locate(path, itself=entry.exact) as place:
                    current = exactly.look(place) if entry.exact else atomic.examine(place)
                    if place.real != path and entry.exact and _is_below(path, self._paths):
                        current = None  # a link is where a directory was, and this undo replaces that first
                    elif place.real != path:
                        raise _Changed(path, "a link leads elsewhere since")
                    self._seen[path] = current
            except WorkspaceError as error:
                if not (entry.exact and isinstance(error.__cause__, NotADirectoryError)):
                    raise  # where a directory was, a file is by now: the same
                self._seen[path] = None
        return self._seen[path]

    def _after(self, target: Target, current: Current | None) -> tuple[bytes | None, bool]:
        """What the file is to hold, and whether that is a merge."""
        now = current.data if current else None
        entry, name, resumed = target.entry, hash_of(now), self._resumed
        begun = self._begun.get(entry.path)
        if entry.was(name) or (begun and begun.after[-1] == name):
            return now, False
        if resumed and begun and begun.was(name):
            return self._content(resumed.number, begun.after[-1]), False
        moved = self._moved.get((target.number, entry.path))
        origin = self._entries.get((target.number, entry.moved_from))
        if name in entry.after:
            if moved is not None and (there := self._look(moved)) and hash_of(there.data) not in moved.after:
                return self._without_change(target.number, moved, there.data, entry), True
            return self._before(target.number, entry), False
        if origin is None:
            return self._without_change(target.number, entry, now, entry), True
        if self._look(origin) is not None:
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
            return take_back(path, text, now, before, self._encoding)
        except NotMerged as error:
            raise _Changed(path, "changed since", str(error)) from error

    def _before(self, number: int, entry: Entry) -> bytes | None:
        return self._content(number, entry.before.hash if entry.before else None)

    def _content(self, number: int, name: str | None) -> bytes | None:
        return None if name is None else self._checkpoints.content(number, name)


def _is_between(entry: Entry, found: frozenset[str | None]) -> bool:
    """Whether nothing is there because a directory that was replaced, or that is to come back, takes two steps."""
    kinds = {stat.S_ISDIR(parts_of(name)[1]) for name in (entry.name, entry.after[-1]) if name is not None}
    return None in found and kinds == {True, False}


def _named(wanted: Sequence[Target]) -> str:
    ids = [str(number) for number in dict.fromkeys(target.number for target in wanted)]
    return f"checkpoint {ids[0]} is" if len(ids) == 1 else f"checkpoints {', '.join(ids[:-1])} and {ids[-1]} are"
