"""The index brought up to what the files hold now: what changed is read, what did not is not even opened."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

from motet.index.catalog import Row
from motet.index.membership import UNREADABLE, Member, decoded, differs, kind_of, read, suffix
from motet.index.stores import Stores
from motet.index.words import spread

_log = logging.getLogger(__name__)

BATCH_BYTES = 24_000_000
"""Of text between two commits; what was read before is found while the rest is read."""
FIRST_SECONDS, LATER_SECONDS = 0.8, 5.0
"""A batch takes no longer: who asks while a new project is read gets an answer from the first one."""
_FOR_EACH = 50_000
"""Bytes that are read once more for each file that was replaced or is gone."""
_FEW_FILES, _FEW_BYTES = 1_000, 4_000_000
"""Of a project where that is done."""
_FRESH = 20_000_000
"""Nanoseconds. A file changed so shortly before it was read may change again without a new time."""
_UNSURE = -1
"""Instead of a time: look into the file again."""


Order = tuple[int, int, str]
"""By what files are sorted: the least is read first."""


@dataclass(frozen=True, slots=True)
class Change:
    """What an update did: files read again, of which `indexed` have new documents; files `gone`; seconds it took.
    `renewed`: all files have new numbers."""

    read: int
    indexed: int
    gone: int
    seconds: float
    complete: bool = True
    renewed: bool = False


class Keeper:
    """Writes the index of `root`. The caller holds the lease: there is one writer."""

    def __init__(self, root: Path, stores: Stores) -> None:
        self._root = root
        self._stores = stores

    def mend(self) -> None:
        """Forget what a writer had begun when it was killed."""
        ids = self._stores.catalog.pending()
        if ids:
            _log.info(
                "%s: %d documents were being written when a process ended; they are read again", self._root, len(ids)
            )
            for store in self._stores.texts:
                store.remove(ids)
                store.commit()
            self._stores.catalog.forget(ids, self._stores.chunks.documents)

    def update(
        self,
        members: Sequence[Member],
        texts: Mapping[str, str] | None = None,
        *,
        stop: Callable[[], bool] = lambda: False,
        order: Callable[[Member], Order] | None = None,
    ) -> Change:
        """Make the index say what `members` hold, and forget all others; `texts`, by path, go before the disk.

        `order`: what is read first. When `stop` says so, it ends early, with what was done so far.
        """
        started = time.monotonic()
        known = self._stores.catalog.rows()
        gone = known.keys() - {member.path for member in members}
        todo = stale(known, members, texts or {})
        if order is not None:
            todo.sort(key=order)
        return self._renewed(self._apply(todo, gone, known, texts or {}, stop, started), texts or {}, stop)

    def update_some(self, paths: Iterable[str], members: Sequence[Member], texts: Mapping[str, str]) -> Change:
        """As `update`, for `paths` and what lies below them: `members` are all the files there."""
        started = time.monotonic()
        known = self._stores.catalog.below(paths)
        todo = stale(known, members, texts)
        gone = known.keys() - {member.path for member in members}
        return self._renewed(self._apply(todo, gone, known, texts, lambda: False, started), texts, lambda: False)

    def _renewed(self, change: Change, texts: Mapping[str, str], stop: Callable[[], bool]) -> Change:
        """Read all of a small project once more, when after `change` so much was replaced that it is worth it.

        The words of documents that are no more count as others' do, until tantivy merges them away. Among few documents
        that changes which one is the best.
        """
        if not change.read and not change.gone:
            return change
        catalog = self._stores.catalog
        files, size = catalog.size_of(_FEW_FILES + 1)
        replaced = catalog.given() - files
        if not replaced or files > _FEW_FILES or size > min(replaced * _FOR_EACH, _FEW_BYTES):
            return change
        first = catalog.next_id()
        known = {path: row._replace(hash=b"") for path, row in catalog.rows().items() if row.id}
        members = [Member(row.path, row.mtime, row.size) for row in known.values()]
        if self._apply(members, (), known, texts, stop, time.monotonic()).complete:
            catalog.anew(first)
        return replace(change, renewed=True)

    def _apply(
        self,
        todo: Sequence[Member],
        gone: Iterable[str],
        known: Mapping[str, Row],
        texts: Mapping[str, str],
        stop: Callable[[], bool],
        started: float,
    ) -> Change:
        gone = set(gone)
        batch = _Batch(self._stores, {path: known[path] for path in gone}, FIRST_SECONDS)
        done, indexed = 0, 0
        for member in todo:
            if stop():
                break
            done += 1
            indexed += batch.take(known.get(member.path), *self._read(member, known.get(member.path), texts))
            if batch.is_full:
                batch.write()
                _give_back()
                batch = _Batch(self._stores, {})
        batch.write()
        return Change(done, indexed, len(gone), time.monotonic() - started, done == len(todo))

    def _read(self, member: Member, old: Row | None, texts: Mapping[str, str]) -> tuple[Row, str]:
        """The row of a file as it is now, without a number yet, and its text."""
        row = Row(member.path, 0, member.mtime, member.size, left_out=member.left_out)
        if member.left_out:
            return row, ""
        if member.path in texts:
            text = texts[member.path]
            data, left_out = text.encode("utf-8", "surrogatepass"), ""
            row = row._replace(mtime=_UNSURE)
        else:
            if time.time_ns() - member.mtime < _FRESH:
                row = row._replace(mtime=_UNSURE)
            data, left_out = read(self._root, member.path)
            text = ""
            if left_out == UNREADABLE:
                row = row._replace(mtime=_UNSURE)  # permission comes back without a new time
        digest = blake2b(data, digest_size=16).digest()
        row = row._replace(hash=digest, left_out=left_out, kind=kind_of(member.path), lines=data.count(b"\n"))
        if left_out or (old is not None and old.id and old.hash == digest):
            return row, ""
        return row, text or decoded(data)


class _Batch:
    """What goes into the stores together."""

    def __init__(self, stores: Stores, gone: Mapping[str, Row], seconds: float = LATER_SECONDS) -> None:
        self._stores = stores
        self._seconds = seconds
        self._gone = gone
        self._removed = [row.id for row in gone.values() if row.id]
        self._rows: list[Row] = []
        self._added: list[int] = []
        self._size = 0
        self._began = time.monotonic()
        self._next = stores.catalog.next_id()

    @property
    def is_full(self) -> bool:
        return self._size > BATCH_BYTES or time.monotonic() - self._began > self._seconds

    def take(self, old: Row | None, row: Row, text: str) -> bool:
        """Whether the file has new documents."""
        self._size += 512
        if not row.left_out and old is not None and old.id and old.hash == row.hash:
            self._rows.append(row._replace(id=old.id))
            return False
        if old is not None and old.id:
            self._removed.append(old.id)
        if row.left_out:
            self._rows.append(row)
            return False
        row = row._replace(id=self._next)
        self._next += 1
        self._size += len(text)
        self._rows.append(row)
        self._added.append(row.id)
        write_documents(row, text, self._stores.chunks, self._stores.files)  # nobody sees it before the commit
        return True

    def write(self) -> None:
        if not self._rows and not self._gone:
            return
        catalog, stores = self._stores.catalog, self._stores
        if self._added or self._removed:
            catalog.announce([*self._added, *self._removed])
            for store in stores.texts:
                store.remove(self._removed)
                store.commit()
        catalog.record(self._rows, self._gone, stores.chunks.documents)


def _give_back() -> None:
    """Have glibc hand free memory back: each batch is written by new threads, and what those leave is not used again."""
    trim = _trimming()
    if trim is not None:
        trim(0)


@functools.cache
def _trimming() -> Callable[[int], int] | None:
    import ctypes  # not for an update of a few files

    return getattr(ctypes.CDLL(None), "malloc_trim", None)


class Takes(Protocol):
    """What documents are given to."""

    def add(self, file: int, first: int, last: int, texts: Mapping[str, str]) -> None: ...


def write_documents(row: Row, text: str, of_chunks: Takes, of_files: Takes) -> None:
    """The documents of a file: one for each chunk, and one for the whole."""
    from motet.index.chunks import chunks  # not for questions of which all is read

    path = spread(row.path)
    bodies: list[str] = []  # which are the whole again: chunks end where lines do
    for chunk in chunks(text, suffix(row.path)):
        names = " ".join(_name(name) for name in chunk.names)
        around = " ".join(_name(name) for name in chunk.around)
        bodies.append(spread(chunk.text))
        of_chunks.add(
            row.id, chunk.first, chunk.last, {"body": bodies[-1], "names": f"{names} {around}", "path": path}
        )
    of_files.add(row.id, 1, row.lines + 1, {"body": "\n".join(bodies), "path": path})


def _name(name: str) -> str:
    """A name in its parts, and joined."""
    parts = spread(name)
    return f"{parts} {name.replace('_', '')}" if parts != name or "_" in name else name


def stale(known: Mapping[str, Row], members: Sequence[Member], texts: Mapping[str, str]) -> list[Member]:
    """Those of `members` of which `known` may not be true any longer."""
    return [member for member in members if _differs(known.get(member.path), member, texts)]


def _differs(old: Row | None, member: Member, texts: Mapping[str, str]) -> bool:
    if old is None or member.path in texts:
        return True
    return differs(member, f"{old.mtime} {old.size}", None) if old.hash else differs(member, None, old.left_out)
