"""The record of one checkpoint on disk: an append-only file, so that each step waits for the disk once.

A frame is a line `motet LENGTH SIZE CRC`, a JSON text of LENGTH bytes with that CRC-32 in hex, and SIZE bytes of
contents that the text names. The first frame holds the whole manifest, later ones the entries that are new. A
killed process or a power cut leaves at most a last frame that is cut off; what it announced had not begun, so it
is ignored, and the next frame takes its place.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, cast

from motet.errors import WorkspaceError
from motet.workspace import _fs
from motet.workspace.atomic import digest, write_all
from motet.workspace.change import Change
from motet.workspace.manifest import Entry, Manifest, Saved, parts_of
from motet.workspace.store import uncache, write_durably

VERSION = 2
"""Of the format; a greater one is refused, never guessed at."""

_HEAD = re.compile(rb"motet (\d{1,12}) (\d{1,12}) ([0-9a-f]{8})\n")
_MOST_HEAD = 64
"""Bytes of such a line, with room to spare."""
_STEP = 64 * 1024
"""Bytes that are compared at once."""
_Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class _Kept:
    """Where a content stands in the file: `size` bytes at `offset`; with `base`, they come between the first
    `head` and the last `tail` bytes of that other content."""

    offset: int
    size: int
    base: str | None
    head: int
    tail: int


@dataclass(slots=True)
class Journal:
    """The file `path` and what its first `size` bytes say. Written only under the store's lock."""

    path: Path
    manifest: Manifest
    size: int = 0
    _kept: dict[str, _Kept] = field(default_factory=dict[str, _Kept])

    @classmethod
    def create(cls, path: Path, manifest: Manifest, changes: Sequence[Change]) -> Journal:
        """Make the file, with the contents of `changes`; on the disk on return."""
        journal = cls(path, manifest)
        row, pieces = journal._contents(changes)
        write_durably(path, *journal._frame({"version": VERSION, **_row(manifest), **row}, pieces))
        return journal

    @classmethod
    def load(cls, path: Path) -> Journal:
        """Read it. Raises `JournalDamaged`, `WorkspaceError` when it is from a newer motet, `OSError`."""
        journal = None
        try:
            with path.open("rb") as file:
                for row, offset, end in _frames(file):
                    if journal is None:
                        if row["version"] != VERSION:
                            raise WorkspaceError(
                                f"{path}: written by a newer motet (format {row['version']}); update motet to use it"
                            )
                        journal = cls(path, _manifest(row))
                    else:
                        journal._take(row)
                    journal._locate(row, offset)
                    journal.size = end
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise JournalDamaged(path) from error
        if journal is None:
            raise JournalDamaged(path)
        return journal

    def add(
        self,
        entries: Sequence[Entry],
        changes: Sequence[Change] = (),
        *,
        dropped: Sequence[str] = (),
        finished: bool = False,
        wait: bool = True,
    ) -> None:
        """Append `entries` and the contents of `changes`; entries of the paths `dropped` came to nothing.

        On the disk on return; without `wait`, a power cut may still take it back.
        """
        size = self.size
        row, pieces = self._contents(changes)
        row |= {"entries": list(map(_entry_row, entries)), "dropped": list(dropped), "finished": finished}
        frame = self._frame(row, pieces)
        handle = _fs.open_file(self.path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            os.ftruncate(handle, size)
            os.lseek(handle, size, os.SEEK_SET)
            for piece in frame:
                write_all(handle, piece)
            if wait:
                _fs.sync(handle)
                uncache(handle, self.size - size)
        finally:
            os.close(handle)
        self._take(row)

    def is_current(self) -> bool:
        """Whether nobody has written the file since."""
        with contextlib.suppress(OSError):
            return self.path.stat().st_size == self.size
        return False

    def content(self, name: str) -> bytes:
        """The content with this name. Raises `WorkspaceError` when it is lost or damaged."""
        name = parts_of(name)[0]
        ends: list[tuple[bytes, int, int]] = []
        try:
            with self.path.open("rb") as file:
                kept = self._kept[name]
                while kept.base is not None:
                    ends.append((_read(file, kept), kept.head, kept.tail))
                    kept = self._kept[kept.base]
                data = _read(file, kept)
        except (OSError, KeyError) as error:
            raise _lost(self.path) from error
        for middle, head, tail in reversed(ends):
            data = data[:head] + middle + data[len(data) - tail :]
        if digest(data) != name:
            raise _lost(self.path)
        return data

    def _contents(self, changes: Sequence[Change]) -> tuple[_Row, list[bytes]]:
        """What a frame has to say of contents that are not in the file yet, and the bytes."""
        rows: dict[str, list[object]] = {}
        pieces: list[bytes] = []
        for change in changes:
            old, new = (parts_of(name)[0] if name else None for name in (change.old, change.new))
            for name, data, base in ((old, change.before, None), (new, change.after, change.before)):
                if name is None or data is None or name in self._kept or name in rows:
                    continue
                head, tail = _common_ends(base or b"", data)
                rows[name] = [len(data) - head - tail, old if head or tail else None, head, tail]
                pieces.append(data[head : len(data) - tail])
        return {"contents": rows}, pieces

    def _frame(self, row: _Row, pieces: list[bytes]) -> list[bytes]:
        """The frame to write at the end; from here on the journal counts it in."""
        text = json.dumps(row).encode()  # file names that are no text survive as escapes
        size = sum(map(len, pieces))
        head = b"motet %d %d %08x\n" % (len(text), size, zlib.crc32(text))
        self._locate(row, self.size + len(head) + len(text))
        self.size += len(head) + len(text) + size
        return [head + text, *pieces]

    def _take(self, row: _Row) -> None:
        dropped = frozenset(cast("list[str]", row["dropped"]))
        self.manifest = self.manifest.with_entries(map(_entry, cast("list[_Row]", row["entries"])))
        entries = tuple(entry for entry in self.manifest.entries if entry.path not in dropped)
        finished = self.manifest.finished or bool(row["finished"])
        self.manifest = replace(self.manifest, entries=entries, finished=finished)

    def _locate(self, row: _Row, offset: int) -> None:
        for name, (size, base, head, tail) in cast("dict[str, list[int]]", row["contents"]).items():
            self._kept[name] = _Kept(offset, size, cast("str | None", base), head, tail)
            offset += size


def _frames(file: BinaryIO) -> Iterator[tuple[_Row, int, int]]:
    """The JSON text of each whole frame, where its contents begin, and where it ends. Raises `ValueError`."""
    size = os.fstat(file.fileno()).st_size
    position = 0
    while position < size:
        file.seek(position)
        line = file.readline(_MOST_HEAD)
        found = _HEAD.fullmatch(line)
        if found is None:
            file.seek(position)
            rest = file.read().rstrip(b"\0")  # after a power cut, zeros may stand for what was not written
            if position and len(rest) < _MOST_HEAD and b"\n" not in rest:
                return
            raise ValueError("no frame begins here")
        length, more = int(found[1]), int(found[2])
        text = file.read(length)
        end = position + len(line) + length + more
        if end > size or zlib.crc32(text) != int(found[3], 16):
            if position and end >= size:
                return
            raise ValueError("a frame is damaged")
        yield cast("_Row", json.loads(text)), end - more, end
        position = end


def _read(file: BinaryIO, kept: _Kept) -> bytes:
    file.seek(kept.offset)
    return file.read(kept.size)


def _common_ends(one: bytes, other: bytes) -> tuple[int, int]:
    """How many bytes at the beginning, and of the rest at the end, are the same."""
    most = min(len(one), len(other))
    head = _longest(most, lambda low, high: one.startswith(other[low:high], low))
    tail = _longest(
        most - head,
        lambda low, high: one.endswith(other[len(other) - high : len(other) - low], 0, len(one) - low),
    )
    return head, tail


def _longest(most: int, is_same: Callable[[int, int], bool]) -> int:
    """The greatest length up to `most` over which something is the same; `is_same` looks at a part of it."""
    low = 0
    while low + _STEP < most and is_same(low, low + _STEP):
        low += _STEP
    high = min(low + _STEP, most)
    while low < high:
        middle = (low + high + 1) // 2
        if is_same(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _row(manifest: Manifest) -> _Row:
    return {
        "number": manifest.number,
        "root": manifest.root,
        "time": manifest.time,
        "label": manifest.label,
        "finished": manifest.finished,
        "entries": list(map(_entry_row, manifest.entries)),
    }


def _entry_row(entry: Entry) -> _Row:
    return {
        "path": entry.path,
        "before": None if entry.before is None else {"hash": entry.before.hash, "mode": entry.before.mode},
        "after": entry.after,
        "made": entry.made,
        "undone": entry.undone,
        "undoes": entry.undoes,
        "moved_from": entry.moved_from,
        **({"exact": True, "yields": entry.yields} if entry.exact else {}),
    }


def _manifest(row: _Row) -> Manifest:
    return Manifest(
        number=cast("int", row["number"]),
        root=str(row["root"]),
        time=cast("float", row["time"]),
        label=str(row["label"]),
        finished=bool(row["finished"]),
        entries=tuple(map(_entry, cast("list[_Row]", row["entries"]))),
    )


def _entry(row: _Row) -> Entry:
    before = cast("_Row | None", row["before"])
    return Entry(
        path=str(row["path"]),
        before=None if before is None else Saved(str(before["hash"]), cast("int", before["mode"])),
        after=tuple(cast("list[str | None]", row["after"])),
        made=tuple(cast("list[str]", row["made"])),
        undone=bool(row["undone"]),
        undoes=cast("int | None", row["undoes"]),
        moved_from=cast("str | None", row["moved_from"]),
        exact=bool(row.get("exact")),
        yields=bool(row.get("yields")),
    )


class JournalDamaged(WorkspaceError):
    """The file of a checkpoint is not what was written."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: this checkpoint is damaged")


def _lost(path: Path) -> WorkspaceError:
    return WorkspaceError(f"{path}: a content saved in it is missing or damaged; it cannot be restored")
