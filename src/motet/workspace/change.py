"""One change of one file, as it is recorded and as it is made."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field

from motet.workspace import atomic, exactly
from motet.workspace.atomic import Current
from motet.workspace.guard import Place
from motet.workspace.manifest import hash_of


@dataclass(frozen=True, slots=True)
class Change:
    """From `before` to `after`; None stands for *no such file*. `path` is the real one.

    `mode` holds the permission bits that the file has; for a new file, those it is to have, None for the user's
    default. `made` names the directories that are made for it. `undoes`, `moved_from`, `exact` and `yields` are as in
    `Entry`. `old` and `new` are the names of `before` and `after`; `hashes` are these two, where they are known. What is
    exact and too large to be kept may have a name and no content.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    made: tuple[str, ...] = ()
    undoes: int | None = None
    moved_from: str | None = None
    exact: bool = False
    yields: bool = False
    hashes: InitVar[tuple[str | None, str | None] | None] = None
    old: str | None = field(init=False, default=None)
    new: str | None = field(init=False, default=None)

    def __post_init__(self, hashes: tuple[str | None, str | None] | None) -> None:
        old, new = hashes or (hash_of(self.before), hash_of(self.after))
        object.__setattr__(self, "old", old)
        object.__setattr__(self, "new", new)

    @classmethod
    def at(
        cls,
        place: Place,
        current: Current | None,
        after: bytes | None,
        mode: int | None = None,
        *,
        undoes: int | None = None,
        moved_from: str | None = None,
        hashes: tuple[str | None, str | None] | None = None,
    ) -> Change:
        """The change that `after` means at `place`, which holds `current`; `mode` is for a new file."""
        if current is None:
            return cls(place.real, None, after, mode, missing(place), undoes, moved_from, hashes=hashes)
        return cls(place.real, current.data, after, current.mode, (), undoes, moved_from, hashes=hashes)


def make(place: Place, change: Change) -> None:
    """Make the change at its place. Raises what `motet.workspace.atomic` raises."""
    if change.exact:
        exactly.make(place, change.before, change.after, change.old, change.new)
        return
    match change.before, change.after:
        case None, None:
            return
        case None, after:
            atomic.create(place, after, change.mode)
        case before, None:
            atomic.remove(place, before)
        case before, after:
            atomic.replace(place, before, after)


def missing(place: Place) -> tuple[str, ...]:
    """Workspace paths of the directories that do not exist on the way to `place`, outermost first."""
    parts = place.real.split("/")
    there = len(parts) - 1 - len(place.missing)
    return tuple("/".join(parts[: there + step + 1]) for step in range(len(place.missing)))
