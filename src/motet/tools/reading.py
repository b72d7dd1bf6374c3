"""What the tools that read have in common: which file is meant, whether a model may see it, and how text is shown."""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from motet.errors import FileMissing, MotetError, OutsideWorkspace, UsageError, WorkspaceError
from motet.permissions import Action, Effect, Origin
from motet.text import MAX_TEXT_BYTES, TextFile
from motet.text.file import too_large
from motet.tools.kit import Kit
from motet.workspace.failures import shown, told

MOST_CHARACTERS = 18_000
"""Characters of one output, so that what a tool says about its end is not cut with it."""
_MOST_LINE = 2_000
"""Characters of one line that are shown."""
_MOST_NEAR = 5
_LINE_END = re.compile(r"\r\n|\n|\r")
_LEAST_LIKE = 70.0
"""Likeness, of 100, from which a name is a near one."""
_AT_ONCE = 64
"""Files that are read side by side."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file that a model may see. `name`: relative to the workspace, or absolute outside of it; `real`: the same
    without links."""

    name: str
    real: str

    @property
    def is_outside(self) -> bool:
        """Whether it lies outside the workspace."""
        return self.real.startswith("/")


async def permitted(kit: Kit, path: str) -> Place:
    """The file that `path` means, once the gate lets a model read it: by its name and by where that leads.

    Raises `PermissionDenied`; `WorkspaceError` for what cannot be a path.
    """
    if not path.strip():
        raise WorkspaceError("the path is empty; name a file relative to the workspace")
    place = await asyncio.to_thread(_resolved, kit.workspace.root, kit.desk.normalise(path))
    if Path(place.real).is_relative_to(kit.outputs):
        return place  # what a tool of this chat put out, and was too long to be told
    for subject in dict.fromkeys((place.name, place.real)):
        through = "" if subject == place.name else f"reached through the link {shown(place.name)}"
        await kit.gate.require(Action(Effect.READ, subject, Origin.MODEL, through))
    return place


def _resolved(root: Path, name: str) -> Place:
    try:
        real = Path(os.path.realpath(root / name))
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"{shown(name)}: not a valid file name") from error
    inside = real.relative_to(root).as_posix() if real.is_relative_to(root) else str(real)
    leaves = name.startswith(("/", "../")) or name == ".."
    return Place(inside if leaves else name, inside)


async def read(kit: Kit, path: str) -> TextFile:
    """The text that `path` means, under that name. Raises `WorkspaceError` and its kinds, `PermissionDenied`."""
    place = await permitted(kit, path)
    try:
        if place.is_outside:
            data = await asyncio.to_thread(read_bytes, Path(place.real), place.name, MAX_TEXT_BYTES)
            return TextFile.decode(place.name, data, kit.workspace.encoding)
        # What the gate has let through is opened, not what a link of that name points to by now.
        return replace(await kit.workspace.read(place.real), path=place.name)
    except FileMissing as error:
        spelled = await _as_shown(kit, place.name)
        if spelled is not None:
            return await read(kit, spelled)
        near = await near_names(kit, place.name)
        hint = f"; near: {', '.join(near)}" if near else "; list_files and find_files say what there is"
        raise FileMissing(f"{shown(place.name)}: no such file{hint}") from error
    except WorkspaceError as error:
        if await asyncio.to_thread((kit.workspace.root / place.real).is_dir):
            raise WorkspaceError(f"{shown(place.name)}: is a directory; list_files says what is in it") from error
        raise


def read_bytes(place: Path, name: str, most: int) -> bytes:
    """The bytes of the regular file `place`, no link. Raises `FileTooLarge` above `most`, `WorkspaceError`."""
    with told(name):
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            info = os.fstat(handle)
            if stat.S_ISDIR(info.st_mode):
                raise WorkspaceError(f"{shown(name)}: is a directory")
            if not stat.S_ISREG(info.st_mode):
                raise WorkspaceError(f"{shown(name)}: not a regular file")
            if info.st_size > most:
                raise too_large(shown(name), info.st_size)
            return file.read(most)


async def visible_files(kit: Kit, paths: Sequence[str] = ()) -> list[str]:
    """The project's own files that a model may see without a question, sorted. Raises `WorkspaceError`."""
    names = [kit.desk.normalise(path) for path in paths]
    found = await kit.workspace.list_files([name for name in names if name])
    return [path for path in found if may_see(kit, path)]


def may_see(kit: Kit, path: str) -> bool:
    """Whether a model may read the file without a question."""
    return kit.gate.allows(Action(Effect.READ, path, Origin.MODEL))


async def read_all(kit: Kit, paths: Sequence[str]) -> list[TextFile]:
    """The texts of `paths`, in order; what cannot be read as text is left out."""
    files: list[TextFile] = []
    for first in range(0, len(paths), _AT_ONCE):
        found = await asyncio.gather(*(_read_or_none(kit, path) for path in paths[first : first + _AT_ONCE]))
        files += [file for file in found if file is not None]
    return files


async def _read_or_none(kit: Kit, path: str) -> TextFile | None:
    try:
        return await kit.workspace.read(path)
    except MotetError:
        return None


async def _as_shown(kit: Kit, name: str) -> str | None:
    """The file whose name is shown as `name` because it holds what is no text."""
    if "\\" not in name:
        return None
    return next((path for path in await _listed(kit) if path != name and shown(path) == name), None)


async def near_names(kit: Kit, name: str) -> list[str]:
    """Files with names like `name`, as they are shown: same last part first, then similar ones."""
    paths = await _listed(kit)
    last = PurePosixPath(name).name
    same = [path for path in paths if PurePosixPath(path).name == last]
    return [shown(path) for path in dict.fromkeys((*same, *closest(name, paths, _MOST_NEAR)))][:_MOST_NEAR]


async def _listed(kit: Kit) -> list[str]:
    try:
        return await visible_files(kit)
    except (OutsideWorkspace, WorkspaceError):
        return []


def closest(name: str, candidates: Iterable[str], most: int) -> list[str]:
    """Up to `most` of `candidates` that are like `name`, as a whole or in their last part, best first."""
    from rapidfuzz import fuzz

    wanted = name.lower()
    last = wanted.rpartition("/")[2]
    scored: list[tuple[float, str]] = []
    for each in candidates:
        folded = each.lower()
        score = max(fuzz.ratio(wanted, folded), fuzz.ratio(last, folded.rpartition("/")[2]))
        if score >= _LEAST_LIKE:
            scored.append((-score, each))
    return [each for _, each in sorted(scored)[:most]]


@dataclass(frozen=True, slots=True)
class Shown:
    """Numbered lines, and the 1-based number of the last one that fitted."""

    text: str
    last: int


def lines_of(text: str) -> list[str]:
    """The lines of `text` without their ends (LF, CR LF or CR); the same lines that edits count."""
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def numbered(lines: Sequence[str], first: int, last: int, most: int = MOST_CHARACTERS) -> Shown:
    """The lines from `first` to `last` (1-based, inclusive) as `  12│ code`, as many as fit `most` characters and
    one at least."""
    made: list[str] = []
    used, width = 0, max(4, len(str(last)))
    for number in range(first, last + 1):
        line = f"{number:>{width}}│ {_cut(lines[number - 1])}"
        if made and used + len(line) + 1 > most:
            return Shown("\n".join(made), number - 1)
        made.append(line)
        used += len(line) + 1
    return Shown("\n".join(made), last)


def _cut(line: str) -> str:
    left_out = len(line) - _MOST_LINE
    return line if left_out <= 0 else f"{line[:_MOST_LINE]} … ({left_out} more characters)"


def counted(number: int, noun: str, nouns: str = "") -> str:
    """`1 file`, `3 files`, `2 matches`."""
    return f"{number} {noun if number == 1 else nouns or f'{noun}s'}"


def require_one_line(text: str, what: str) -> str:
    """`text`, which has to be one line with something in it. Raises `UsageError`."""
    if not text.strip() or "\n" in text or "\r" in text:
        raise UsageError(f"{what} must be one line that is not empty")
    return text


def fitting(lines: Iterable[str], most: int = MOST_CHARACTERS) -> tuple[list[str], bool]:
    """The first of `lines` that fit `most` characters, and whether those were all."""
    taken: list[str] = []
    used = 0
    for line in lines:
        used += len(line) + 1
        if used > most and taken:
            return taken, False
        taken.append(line)
    return taken, True
