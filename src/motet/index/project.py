"""The index of one project: opened where it lies, kept up with the files, asked. Other rooms use this face alone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from motet.errors import MotetError
from motet.index import history, membership
from motet.index.catalog import VERSION
from motet.index.keeping import Change, Keeper, Order, Stores, open_stores
from motet.index.membership import Member, list_members
from motet.index.packing import Passages, pack, shown_texts
from motet.index.places import place
from motet.index.question import Question, understand
from motet.index.ranking import Files, Ranked, rank
from motet.index.text_store import IndexUnusable
from motet.index.values import Answer, Found, Status, Why
from motet.index.weights import WEIGHTS, Weights
from motet.index.words import words
from motet.storage.lease import Lease

_log = logging.getLogger(__name__)

PATIENCE = 1.5
"""Seconds that a question waits for files to be read before it is answered from those that were."""
_FIRST_PATIENCE = 10.0
"""Seconds that it waits besides where nothing at all was read yet, as on a machine that is busy."""
_KINDS = ("source", "test", "docs", "data")


@dataclass(frozen=True, slots=True)
class _View:
    """The files at one moment."""

    generation: tuple[int, int]
    files: Files


class ProjectIndex:
    """The index of the project at `root`, in `home` (a directory for the indexes of all projects).

    Where `home` cannot be written, the index is in memory, of this object alone. Any task may use it.
    """

    def __init__(self, root: Path, home: Path) -> None:
        self._root = root
        self._directory = home / blake2b(str(root).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
        self._stores: Stores | None = None
        self._in_memory = False
        self._view: _View | None = None
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        self._stopped = threading.Event()
        self._update: asyncio.Task[Change | None] | None = None
        self._texts: dict[str, str] = {}

    async def close(self) -> None:
        """Stop reading files; let go of everything."""
        self._stopped.set()
        if self._update is not None:
            with contextlib.suppress(MotetError):
                await self._update
        await asyncio.to_thread(self._close)

    async def update(
        self, texts: Mapping[str, str] | None = None, question: str = "", stop: Callable[[], bool] | None = None
    ) -> Change | None:
        """Bring the index up to the files; `texts`, by path, go before the disk. None: another process is doing it.

        What fits `question` is read first. Raises `IndexUnusable`.
        """
        if texts is not None:
            self._texts = dict(texts)
        members = await list_members(self._root)
        change = await asyncio.to_thread(self._write, members, question, stop or self._stopped.is_set)
        if change is not None and not self._stopped.is_set():
            await self._update_history()
        return change

    async def update_paths(self, paths: Sequence[str], texts: Mapping[str, str] | None = None) -> Change | None:
        """As `update`, for files of which it is known that they may have changed, and that the project has them."""
        if texts is not None:
            self._texts = dict(texts)
        return await asyncio.to_thread(self._write_some, list(paths))

    async def search(
        self,
        question: str,
        limit: int = 10,
        *,
        patience: float = PATIENCE,
        raised: Mapping[str, float] | None = None,
    ) -> Answer:
        """The best places for `question`. Files that changed are read first, for `patience` seconds at most; the rest
        is read afterwards. `raised`: what paths count for more. Raises `IndexUnusable`."""
        complete = await self._read(question, patience)
        return await asyncio.to_thread(self._search, question, limit, raised or {}, complete)

    async def passages(
        self,
        question: str,
        tokens: int,
        *,
        allow: Callable[[str], bool] = lambda _: True,
        patience: float = PATIENCE,
        raised: Mapping[str, float] | None = None,
    ) -> Passages:
        """The best passages for `question` within `tokens`, of files that `allow` lets be seen. Waits as `search`."""
        complete = await self._read(question, patience)
        return await asyncio.to_thread(self._passages, question, tokens, allow, raised or {}, complete)

    async def finish(self) -> None:
        """Wait until the files of which the last search could not wait are read."""
        if self._update is not None:
            await self._update

    async def status(self) -> Status:
        """What is indexed now."""
        return await asyncio.to_thread(self._status)

    async def why(self, path: str) -> Why:
        """Whether and why the file `path` (relative to the root) is indexed, as it is now."""
        members = {member.path: member for member in await list_members(self._root)}
        return await asyncio.to_thread(self._why, path, members.get(path))

    async def rebuild(self) -> Change | None:
        """Make the index anew. None: another process is writing it."""
        if not await asyncio.to_thread(self._remove):
            return None
        return await self.update()

    async def _read(self, question: str, patience: float) -> bool:
        """Read what changed, for `patience` seconds; whether that is all."""
        if not patience:
            return True
        if self._update is None or self._update.done():
            self._update = asyncio.create_task(self.update(question=question))
        done, _ = await asyncio.wait({self._update}, timeout=patience)
        deadline = time.monotonic() + _FIRST_PATIENCE
        while not done and time.monotonic() < deadline and not await asyncio.to_thread(self.paths):
            done, _ = await asyncio.wait({self._update}, timeout=0.1)
        return bool(done) and self._update.result() is not None

    # What follows runs in threads.

    def _opened(self) -> Stores:
        with self._opening:
            if self._stores is None:
                self._stores = self._open()
            return self._stores

    def _open(self) -> Stores:
        directory = self._directory
        try:
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            probe = Lease.take(directory / "opening.lock")
        except OSError as error:
            _log.info("%s: the index of %s is in memory: %s", directory, self._root, error)
            self._in_memory = True
            return open_stores(None)
        with probe or contextlib.nullcontext():
            try:
                return self._current(open_stores(directory))
            except IndexUnusable as error:
                if probe is None:
                    raise
                _log.warning("%s: made anew: %s", directory, error)
                _empty(directory)
                return self._current(open_stores(directory))

    def _current(self, stores: Stores) -> Stores:
        version = stores.catalog.about("version")
        if version and version != str(VERSION):
            stores.catalog.close()
            raise IndexUnusable(f"{self._directory}: made by another version of motet; `motet index rebuild`")
        if not version:
            stores.catalog.note("version", str(VERSION))
            stores.catalog.note("root", str(self._root).encode("utf-8", "backslashreplace").decode())
        return stores

    def _close(self) -> None:
        with self._writing, self._opening:
            stores, self._stores = self._stores, None
            self._view = None
            if stores is not None:
                for store in (*stores.texts, stores.commits):
                    store.release()
                stores.catalog.close()

    def _remove(self) -> bool:
        with self._lease() as held:
            if not held:
                return False
            if not self._in_memory:
                with self._opening:
                    stores, self._stores, self._view = self._stores, None, None
                    if stores is not None:
                        stores.catalog.close()
                    _empty(self._directory)
        return True

    @contextlib.contextmanager
    def _lease(self) -> Generator[bool]:
        """Whether this is the one writer, of all threads and processes."""
        with self._writing:
            if self._in_memory:
                yield True
                return
            self._opened()
            if self._in_memory:
                yield True
                return
            lease = Lease.take(self._directory / "writer.lock")
            if lease is None:
                yield False
                return
            with lease:
                yield True

    def _write(self, members: Sequence[Member], question: str, stop: Callable[[], bool]) -> Change | None:
        return self._with_keeper(
            lambda keeper: keeper.update(members, self._texts, stop=stop, order=_nearest(question))
        )

    def _write_some(self, paths: list[str]) -> Change | None:
        members = membership.members(self._root, paths)
        gone = set(paths) - {member.path for member in members}
        return self._with_keeper(lambda keeper: keeper.update_some(members, gone, self._texts))

    def _with_keeper(self, work: Callable[[Keeper], Change]) -> Change | None:
        with self._lease() as held:
            if not held:
                return None
            stores = self._opened()
            for store in (*stores.texts, stores.commits):
                store.reload()
            keeper = Keeper(self._root, stores)
            try:
                keeper.mend()
                return work(keeper)
            finally:
                for store in stores.texts:
                    store.release()

    async def _update_history(self) -> None:
        known = await asyncio.to_thread(lambda: self._opened().catalog.about("newest commit"))
        newest, commits, all_new = await history.read_commits(self._root, known)
        if newest and newest != known:
            await asyncio.to_thread(self._keep_history, newest, commits, all_new)

    def _keep_history(self, newest: str, commits: Sequence[history.Commit], all_new: bool) -> None:
        with self._lease() as held:
            if held:
                stores = self._opened()
                history.keep(stores, newest, commits, all_new=all_new)
                stores.commits.release()

    def _files(self, stores: Stores) -> Files:
        generation = stores.catalog.generation()
        if self._view is None or self._view.generation != generation:
            for store in (*stores.texts, stores.commits):
                store.reload()
            self._view = _View(generation, Files(stores.catalog.indexed(), history.churn(stores)))
        return self._view.files

    def paths(self) -> list[tuple[str, str]]:
        """Path and kind of each file that is indexed, by path."""
        return [(path, kind) for _, path, kind in self._opened().catalog.indexed()]

    def ranked(self, question: Question, raised: Mapping[str, float], weights: Weights = WEIGHTS) -> list[Ranked]:
        """All files for `question`; from one thread at a time."""
        stores = self._opened()
        return rank(question, stores, self._files(stores), weights, raised)

    def _search(self, text: str, limit: int, raised: Mapping[str, float], complete: bool) -> Answer:
        question = understand(text, WEIGHTS)
        found: list[Found] = []
        for file in self.ranked(question, raised):
            if len(found) == limit:
                break
            if (where := place(self._root, file, question, self._texts)) is not None:
                found.append(where)
        return Answer(tuple(found), complete, len(self._files(self._opened()).by_id))

    def _passages(
        self, text: str, tokens: int, allow: Callable[[str], bool], raised: Mapping[str, float], complete: bool
    ) -> Passages:
        question = understand(text, WEIGHTS)
        text_of = shown_texts(self._root, self._texts, allow)
        found, others = pack(self.ranked(question, raised), question, tokens, text_of, self._root)
        return Passages(found, others, complete)

    def _status(self) -> Status:
        stores = self._opened()
        self._files(stores)
        totals = stores.catalog.totals()
        disk = (
            0 if self._in_memory else sum(one.stat().st_size for one in self._directory.rglob("*") if one.is_file())
        )
        return Status(
            str(self._root), "" if self._in_memory else str(self._directory), totals.files, totals.lines, totals.size,
            stores.chunks.documents, stores.commits.documents, disk, totals.left_out,
        )  # fmt: skip

    def _why(self, path: str, member: Member | None) -> Why:
        if member is None:
            listed = membership.by_name(path)
            return Why(path, False, listed or membership.why_not_listed(self._root, path))
        _, by_content = ("", "") if member.left_out else membership.read(self._root, path)
        left_out = member.left_out or by_content
        return Why(path, not left_out, left_out or f"a file of the project ({membership.kind_of(path)})")


def _nearest(question: str) -> Callable[[Member], Order]:
    """What is read first: files with words of `question` in their path, then source before the rest."""
    wanted = {word for word, _ in understand(question, WEIGHTS).words}

    def order(member: Member) -> Order:
        return (
            -len(wanted.intersection(words(member.path))),
            _KINDS.index(membership.kind_of(member.path)),
            member.path,
        )

    return order


def _empty(directory: Path) -> None:
    """Remove what an index consists of; locks stay."""
    for child in directory.iterdir():
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child)
        elif child.name.startswith("catalog."):
            child.unlink()
