"""The index of one project: kept up with the files, asked. Other rooms use this face alone."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from motet.errors import MotetError
from motet.index import history, membership
from motet.index.catalog import Known
from motet.index.home import Home
from motet.index.looking import Listed, compared
from motet.index.membership import Member, judged, list_members, list_some, list_standing
from motet.index.places import place
from motet.index.question import Question, understand
from motet.index.ranking import Files, Ranked, rank
from motet.index.stores import Stores
from motet.index.text_store import IndexUnusable
from motet.index.values import Answer, Found, Status, Why
from motet.index.weights import WEIGHTS, Weights
from motet.index.words import words
from motet.tasks import background

if TYPE_CHECKING:
    from motet.index.following import Following
    from motet.index.keeping import Change, Keeper, Order
    from motet.index.packing import Passages
    from motet.index.scanning import Scanned
    from motet.workspace.listing import Stamp

_log = logging.getLogger(__name__)

PATIENCE = 0.15
"""Seconds that a question waits for the files to be listed and for the few that changed to be read. Of the rest it sees
what can be looked at in memory in `SECONDS` more."""
_FIRST_LISTING = 10.0
"""Seconds that it waits for the list where nothing at all was read yet."""
_FIRST_PATIENCE = 1.0
"""Seconds for which it waits there if all is read then."""
FIRST_SCAN, _FIRST_ANSWER = 1.2, 1.6
"""Seconds to look at files in memory there, and after which it is answered from what was seen."""
_RATE = 2_000_000
"""Bytes that are read into the index in a second on any machine."""
_KINDS = ("source", "test", "docs", "data")


@dataclass(frozen=True, slots=True)
class _View:
    """The files at one moment."""

    generation: tuple[int, int]
    files: Files


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a question looks at beside the index. `complete`: there is nothing else."""

    complete: bool
    scanned: Scanned | None = None


class ProjectIndex:
    """The index of the project at `root`, in `home` (a directory for the indexes of all projects).

    Where `home` cannot be written, the index is in memory, of this object alone. Any task may use it. `follows`: for a
    process that lives long; after the first question the files are followed as they change, in this event loop.
    """

    def __init__(self, root: Path, home: Path, *, follows: bool = False) -> None:
        self._root = root
        self._home = Home(root, home)
        self._view: _View | None = None
        self._stopped = threading.Event()
        self._update: asyncio.Task[Change | None] | None = None
        self._follows = follows
        self._following: Following | None = None
        self._texts: dict[str, str] = {}
        self._holding: asyncio.Task[Change | None] | None = None

    async def close(self) -> None:
        """Stop reading files; let go of everything."""
        self._stopped.set()
        following, self._following = self._following, None
        if following is not None:
            await following.stop()
        running = [task for task in (self._holding, self._update) if task is not None and not task.done()]
        if running:
            await asyncio.wait(running)
        await asyncio.to_thread(self._home.close)

    async def update(
        self, texts: Mapping[str, str] | None = None, question: str = "", stop: Callable[[], bool] | None = None
    ) -> Change | None:
        """Bring the index up to the files; `texts`, by path, go before the disk. None: another process is doing it.

        What fits `question` is read first. Raises `IndexUnusable`.
        """
        if texts is not None:
            self._texts = dict(texts)
        return await self._take_in(await list_members(self._root), question, stop)

    async def update_paths(self, paths: Sequence[str], texts: Mapping[str, str] | None = None) -> Change | None:
        """As `update`, of `paths` and what lies below them alone: they are new, gone, or may have changed."""
        if texts is not None:
            self._texts = dict(texts)
        members = await list_some(self._root, paths)
        if members is None:
            return await self.update()
        return await asyncio.to_thread(self._write_some, paths, members)

    def follow(self) -> Following:
        """Follow the files from now on, in the background, until `close`."""
        if self._following is None:
            from motet.index.following import Following

            self._following = Following(self._root, self._directories, self._every, self._some)
            self._following.start()
        return self._following

    async def search(
        self,
        question: str,
        limit: int = 10,
        *,
        patience: float = PATIENCE,
        raised: Mapping[str, float] | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> Answer:
        """The best places for `question`. What changed is read first, for `patience` seconds at most (0: it is not
        looked for); the rest is looked at in memory as far as there is time, and read afterwards. `raised`: what paths
        count for more. `texts`, by path, go before the disk, from now on; None: as they were. Raises `IndexUnusable`."""
        seen = await self._look(question, patience, texts)
        return await asyncio.to_thread(self._search, question, limit, raised or {}, seen)

    async def passages(
        self,
        question: str,
        tokens: int,
        *,
        allow: Callable[[str], bool] = lambda _: True,
        patience: float = PATIENCE,
        raised: Mapping[str, float] | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> Passages:
        """The best passages for `question` within `tokens`, of files that `allow` lets be seen. Waits as `search`."""
        seen = await self._look(question, patience, texts)
        return await asyncio.to_thread(self._passages, question, tokens, allow, raised or {}, seen)

    async def closest(self, question: str, limit: int = 30) -> dict[str, float]:
        """How close the best files are to `question`, the first with 1: as far as the index knows now, nothing where there
        is none yet. No file is read for it."""
        if not question.strip() or not await asyncio.to_thread(lambda: self._home.is_kept):
            return {}
        try:
            ranked = await asyncio.to_thread(self.ranked, understand(question, WEIGHTS), {})
        except IndexUnusable:  # who asks it for more is told, or has it made anew
            return {}
        return {file.path: file.score / ranked[0].score for file in ranked[:limit] if file.score > 0}

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
        self._view = None
        if not await asyncio.to_thread(self._home.empty):
            return None
        return await self.update()

    async def _take_in(
        self, members: Sequence[Member], question: str, stop: Callable[[], bool] | None = None
    ) -> Change | None:
        change = await asyncio.to_thread(self._write, members, question, stop or self._stopped.is_set)
        if change is not None and not self._stopped.is_set():
            await self._update_history()
        return change

    async def _take_in_listed(self, listed: Listed, question: str) -> Change | None:
        return await self._take_in(await asyncio.to_thread(judged, self._root, listed.files), question)

    async def _every(self) -> bool:
        return await self.update() is not None

    async def _some(self, paths: Sequence[str]) -> bool:
        return await self.update_paths(paths) is not None

    async def _look(self, question: str, patience: float, texts: Mapping[str, str] | None) -> _Seen:
        """As `_read`, after taking over `texts`."""
        held = await self._hold(texts, patience)
        seen = await self._read(question, patience)
        return seen if held else replace(seen, complete=False)

    async def _hold(self, texts: Mapping[str, str] | None, patience: float) -> bool:
        """From now on `texts` go before the disk: files that they are of, or were of, are read again, for `patience`
        seconds at most; whether that is done. Texts of files that are not indexed count for nothing."""
        if texts is None or texts == self._texts:
            return True
        changed = {path for path in {*texts, *self._texts} if texts.get(path) != self._texts.get(path)}
        self._texts = dict(texts)
        if patience:
            self._holding = background(self._quietly(self._read_held(changed)))
            done, _ = await asyncio.wait({self._holding}, timeout=patience)
            return bool(done)
        return True

    async def _read_held(self, paths: Set[str]) -> Change | None:
        known = await asyncio.to_thread(lambda: [path for path, _ in self.paths() if path in paths])
        return await self.update_paths(known) if known else None

    async def _read(self, question: str, patience: float) -> _Seen:
        """Read what changed, as far as `patience` goes, and look at the rest in memory."""
        if not patience:
            return _Seen(True)
        began = time.monotonic()
        if self._following is not None and await _within(patience, self._following.settle()):
            return _Seen(True)
        listed = await self._listed(patience)
        if listed is None:
            return _Seen(False)
        if not listed.changed:
            self._begin(listed, question)
            return _Seen(True)
        if listed.is_new:
            patience = max(patience, _FIRST_PATIENCE)
        if listed.size <= patience * _RATE and self._begin(listed, question):
            left = max(0.0, patience - (time.monotonic() - began))
            if await _within(left, self._up_to_date()):
                return _Seen(True)
        from motet.index.scanning import SECONDS, scan  # for unread files alone

        seconds = SECONDS
        if listed.is_new:
            seconds = max(SECONDS, min(FIRST_SCAN, _FIRST_ANSWER - (time.monotonic() - began)))
        asked = understand(question, WEIGHTS)
        scanned = await asyncio.to_thread(scan, self._root, listed.unread, asked, self._texts, seconds)
        self._begin(listed, question)
        return _Seen(False, scanned)

    async def _listed(self, patience: float) -> Listed | None:
        """The files, as soon as they are listed; None when that takes longer than a question waits."""
        listing = asyncio.create_task(self._list())
        await asyncio.wait({listing}, timeout=patience)
        if not listing.done() and await asyncio.to_thread(lambda: self.stores.catalog.is_empty):
            await asyncio.wait({listing}, timeout=_FIRST_LISTING)
        if listing.done():
            return listing.result()
        if self._following is None and (self._update is None or self._update.done()):
            self._read_on(self._after(listing))
        return None

    async def _list(self) -> Listed:
        files, known = await asyncio.gather(list_standing(self._root), asyncio.to_thread(self._known))
        return await asyncio.to_thread(self._compared, files, known)

    def _begin(self, listed: Listed, question: str) -> bool:
        """Read what is listed, in the background, if nothing is being read; whether one can wait for that."""
        if self._following is not None:
            return False
        if self._update is None or self._update.done():
            self._read_on(self._take_in_listed(listed, question) if listed.changed else self._update_history())
        return True

    def _read_on(self, work: Coroutine[None, None, Change | None]) -> None:
        self._update = background(self._quietly(work))
        if self._follows:
            self._update.add_done_callback(lambda _: None if self._stopped.is_set() else self.follow())

    async def _after(self, listing: asyncio.Task[Listed]) -> Change | None:
        listed = await listing
        return None if self._stopped.is_set() else await self._take_in_listed(listed, "")

    async def _quietly(self, work: Coroutine[None, None, Change | None]) -> Change | None:
        """What fails here is an answer that is less complete; who asks for an update is told."""
        try:
            return await work
        except (MotetError, OSError) as error:
            _log.warning("the index of %s is not up to date: %s", self._root, error)
            return None

    async def _up_to_date(self) -> bool:
        return self._update is not None and await self._update is not None

    # What follows runs in threads.

    @property
    def stores(self) -> Stores:
        """Where the index is kept, for whoever measures or compares it. Raises `IndexUnusable`."""
        return self._home.stores()

    def _directories(self) -> set[str]:
        return self.stores.catalog.directories()

    def _known(self) -> Known:
        stores = self.stores
        generation = stores.catalog.generation()
        known = stores.catalog.known()
        if self._view is None:
            self._see(stores, generation, known.paths, known.kinds)
        return known

    def _compared(self, files: Mapping[str, Stamp], known: Known) -> Listed:
        listed = compared(self._root, files, known, self._texts)
        return replace(listed, gone=True) if self.stores.catalog.pending() else listed  # of a writer that was killed

    def _write(self, members: Sequence[Member], question: str, stop: Callable[[], bool]) -> Change | None:
        return self._with_keeper(
            lambda keeper: keeper.update(members, self._texts, stop=stop, order=_nearest(question))
        )

    def _write_some(self, paths: Sequence[str], members: Sequence[Member]) -> Change | None:
        return self._with_keeper(lambda keeper: self._update_some(keeper, paths, members))

    def _update_some(self, keeper: Keeper, paths: Sequence[str], members: Sequence[Member]) -> Change:
        """As the keeper does. What is known of all files goes along: for a save they are not read once more."""
        catalog, view = self.stores.catalog, self._view
        is_current = view is not None and view.generation == catalog.generation()
        before = [row.id for row in catalog.below(paths).values()]
        change = keeper.update_some(paths, members, self._texts)
        if view is not None and is_current and not change.renewed:
            rows = [row for row in catalog.below(paths).values() if row.id]
            files = view.files.after(before, {row.id: row.path for row in rows}, {row.id: row.kind for row in rows})
            self._view = _View(catalog.generation(), files)
        return change

    def _with_keeper(self, work: Callable[[Keeper], Change]) -> Change | None:
        from motet.index.keeping import Keeper  # where something changed

        with self._home.writing() as held:
            if not held:
                return None
            stores = self.stores
            keeper = Keeper(self._root, stores)
            try:
                for store in stores.all:
                    store.reload()
                keeper.mend()
                return work(keeper)
            except IndexUnusable:
                self._view = None
                self._home.reopen()
                raise
            finally:
                for store in stores.texts:
                    store.release()

    async def _update_history(self) -> None:
        known = await asyncio.to_thread(lambda: self.stores.catalog.about("newest commit"))
        newest, commits, all_new = await history.read_commits(self._root, known)
        if newest and newest != known:
            await asyncio.to_thread(self._keep_history, newest, commits, all_new)

    def _keep_history(self, newest: str, commits: Sequence[history.Commit], all_new: bool) -> None:
        with self._home.writing() as held:
            if held:
                stores = self.stores
                history.keep(stores, newest, commits, all_new=all_new)
                stores.commits.release()

    def _files(self, stores: Stores) -> Files:
        generation = stores.catalog.generation()
        view = self._view
        if view is None or view.generation != generation:
            found = stores.catalog.indexed()
            kinds = {id: kind for id, _, kind in found}
            view = self._see(stores, generation, {id: path for id, path, _ in found}, kinds)
        return view.files

    def _see(
        self, stores: Stores, generation: tuple[int, int], paths: Mapping[int, str], kinds: Mapping[int, str]
    ) -> _View:
        for store in stores.all:
            store.reload()
        self._view = view = _View(generation, Files(paths, kinds, history.churn(stores)))
        return view

    def paths(self) -> list[tuple[str, str]]:
        """Path and kind of each file that is indexed, by path."""
        return [(path, kind) for _, path, kind in self.stores.catalog.indexed()]

    def ranked(
        self,
        question: Question,
        raised: Mapping[str, float],
        weights: Weights = WEIGHTS,
        scanned: Scanned | None = None,
    ) -> list[Ranked]:
        """All files for `question`, those that were only `scanned` among them. Several threads may ask at once."""
        stores = self.stores
        files = self._files(stores)
        if scanned is not None:
            from motet.index.scanning import overlaid

            stores, files = overlaid(scanned, stores, files)
        return rank(question, stores, files, weights, raised)

    def _asked(self, question: Question, raised: Mapping[str, float], seen: _Seen) -> tuple[list[Ranked], bool]:
        """As `ranked`, and whether all was looked at. An index that turns out to be damaged is made anew, and this
        question goes without it."""
        try:
            return self.ranked(question, raised, scanned=seen.scanned), seen.complete
        except IndexUnusable as error:
            _log.warning("the index of %s is opened again: %s", self._root, error)
            self._view = None
            self._home.reopen()
            return self.ranked(question, raised, scanned=seen.scanned), False

    def _search(self, text: str, limit: int, raised: Mapping[str, float], seen: _Seen) -> Answer:
        question = understand(text, WEIGHTS)
        found: list[Found] = []
        ranked, complete = self._asked(question, raised, seen)
        for file in ranked:
            if len(found) == limit:
                break
            if (where := place(self._root, file, question, self._texts)) is not None:
                found.append(where)
        return Answer(tuple(found), complete, len(self._files(self.stores).paths))

    def _passages(
        self, text: str, tokens: int, allow: Callable[[str], bool], raised: Mapping[str, float], seen: _Seen
    ) -> Passages:
        from motet.index.packing import Passages, pack, shown_texts

        question = understand(text, WEIGHTS)
        text_of = shown_texts(self._root, self._texts, allow)
        ranked, complete = self._asked(question, raised, seen)
        found, others = pack(ranked, question, tokens, text_of, self._root)
        return Passages(found, others, complete)

    def _status(self) -> Status:
        stores = self.stores
        self._files(stores)
        totals = stores.catalog.totals()
        return Status(
            str(self._root), "" if self._home.in_memory else str(self._home.directory), totals.files, totals.lines, totals.size,
            stores.chunks.documents, stores.commits.documents, self._home.size, totals.left_out,
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


async def _within(seconds: float, work: Coroutine[None, None, bool]) -> bool:
    """What `work` answers, if it does in time; it goes on in any case."""
    task = asyncio.ensure_future(work)
    await asyncio.wait({task}, timeout=seconds)
    return task.done() and task.result()
