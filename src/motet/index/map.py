"""The map of a project: which files it has, what they define, who imports whom; drawn for a question within a budget.

Nobody runs it. `ProjectMap.draw` looks which files changed, reads those, and draws. Many changed files are read by a
process of its own, so that whoever draws waits for nothing and its other threads are not held up.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from motet.errors import ProcessError
from motet.index.map_facts import NOTHING, Facts, facts_of
from motet.index.map_graph import Graph
from motet.index.map_pack import MapText, pack
from motet.index.map_resolve import MANIFESTS
from motet.index.map_store import Known, MapStore
from motet.index.membership import Member, decoded, kind_of, list_members, read
from motet.process import run
from motet.syntax import language_of

_log = logging.getLogger(__name__)

TOKENS = 1_000
"""Of a map that comes with each request."""
_LITTLE = 300_000
"""Bytes of changed files that are read in a thread of this process; more are read by another one."""
_AT_ONCE = 40_000
"""Bytes of one such file: parsing it holds up other threads for about 7 ms."""
_CLOSEST = 2.0
"""What the file that the index has first counts beside the one whose names have most of the question, which counts 1."""
_SECONDS = 600
_BATCH = 200


class ProjectMap:
    """The map of the project at `root`; what it knows is kept in `home`, beside other projects' maps. `aside`: many changed files are read by
    another process. Any task may use it."""

    def __init__(self, root: Path, home: Path, *, aside: bool = True) -> None:
        self._root = root
        self._home = home
        name = blake2b(str(root).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
        self._directory = home / "maps" / name
        self._aside = aside
        self._store: MapStore | None = None
        self._known: dict[str, Known] = {}
        self._manifests: dict[str, str] = {}
        self._graph = Graph({})
        self._drawn: tuple[object, ...] = ()
        self._working = threading.Lock()
        self._update: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Let go of files; reading that is under way ends first, or with its process."""
        if self._update is not None:
            self._update.cancel()
            await asyncio.wait({self._update})
        await asyncio.to_thread(self._close)

    async def draw(
        self,
        question: str = "",
        around: Sequence[str] = (),
        tokens: int = TOKENS,
        *,
        raised: Mapping[str, float] | None = None,
        closest: Mapping[str, float] | None = None,
        texts: Mapping[str, str] | None = None,
        patience: float | None = None,
        may_see: Callable[[str], bool] = lambda _: True,
    ) -> MapText:
        """The map within `tokens`, for `question` and for work on the files `around` (paths relative to the root).

        Changed files are read first, for `patience` seconds at most (None: until all are); the rest is read after it,
        for the next map. `texts`, by path, go before the disk. `raised`: what paths count for more; `closest`:
        how close files are to the question, as `ProjectIndex.closest` says. Files that `may_see` refuses are not named.
        """
        if self._update is None or self._update.done():
            self._update = asyncio.create_task(self.update())
        await asyncio.wait({self._update}, timeout=patience)
        if self._update.done():
            self._update.result()
        graph = await asyncio.to_thread(self._graph_with, texts or {})
        more = dict(raised or {})
        for path, close in (closest or {}).items():
            more[path] = more.get(path, 0.0) + _CLOSEST * close
        return await asyncio.to_thread(_drawn, graph, question, around, tokens, more, may_see)

    async def defining(
        self, names: Sequence[str], around: Sequence[str] = (), *, patience: float | None = None
    ) -> list[str]:
        """The files that define any of `names`, and are none of `around`: those that these import first, tests last.
        Waits as `draw`."""
        if self._update is None or self._update.done():
            self._update = asyncio.create_task(self.update())
        await asyncio.wait({self._update}, timeout=patience)
        graph = await asyncio.to_thread(self._graph_with, {})
        wanted = frozenset(names)
        near = {target for path in around for target in graph.imports.get(path, ())}
        found = [
            path
            for path, facts in graph.facts.items()
            if path not in around and any(each.name in wanted for each in facts.names)
        ]
        return sorted(found, key=lambda path: (path not in near, kind_of(path) != "source", path))

    def related(self, paths: Sequence[str]) -> set[str]:
        """What the files `paths` import, and what imports them, as far as the last map knew."""
        graph = self._graph
        near = {other for path in paths for other in (*graph.imports.get(path, ()), *graph.importers.get(path, ()))}
        return near.difference(paths)

    async def update(self) -> None:
        """Bring what is known up to the files."""
        members = {one.path: one for one in await list_members(self._root) if not one.left_out}
        changed = await asyncio.to_thread(self._compare, members)
        sizes = [one.size for one in changed if language_of(one.path)]
        store = self._store
        if (
            self._aside
            and store is not None
            and store.lasts
            and (sum(sizes) > _LITTLE or max(sizes, default=0) > _AT_ONCE)
        ):
            try:
                here = [sys.executable, "-P", "-m", "motet.index.map_child", str(self._root), str(self._home)]
                done = await run(here, cwd=self._directory, timeout=_SECONDS)
                if done.code:
                    _log.warning("the map was read in part: %s", done.stderr.decode("utf-8", "replace")[-500:])
            except ProcessError as error:
                _log.warning("the map is read here: %s", error)
            changed = await asyncio.to_thread(self._compare, members)
        await asyncio.to_thread(self._read, changed)

    async def rebuild(self) -> None:
        """Read all files anew, where a map was ever drawn."""
        if await asyncio.to_thread(self._forget):
            await self.update()

    # What follows runs in threads.

    def _forget(self) -> bool:
        with self._working:
            store, self._store = self._store, None
            if store is not None:
                store.close()
            self._known.clear()
            kept = [path for path in self._directory.glob("map.sqlite*") if path.is_file()]
            for path in kept:
                path.unlink(missing_ok=True)
            return bool(kept)

    def _compare(self, members: Mapping[str, Member]) -> list[Member]:
        """Take over what the store has of `members`; those of which it has nothing, or something older."""
        with self._working:
            if self._store is None:
                self._store = MapStore(self._directory / "map.sqlite")
            stamps = self._store.stamps()
            stale = [path for path, one in members.items() if not _is_current(self._known.get(path), one)]
            fresh = [path for path in stale if stamps.get(path) == (members[path].mtime, members[path].size)]
            self._known.update(self._store.load(fresh))
            gone = [path for path in self._known if path not in members]
            for path in gone:
                del self._known[path]
            self._store.keep({}, [path for path in stamps if path not in members])
            self._manifests = {
                path: decoded(read(self._root, path)[0]) for path in members if path.rpartition("/")[2] in MANIFESTS
            }
            return [members[path] for path in stale if not _is_current(self._known.get(path), members[path])]

    def _read(self, changed: Sequence[Member]) -> None:
        for start in range(0, len(changed), _BATCH):
            found: dict[str, Known] = {}
            for one in changed[start : start + _BATCH]:
                found[one.path] = Known(one.mtime, one.size, self._facts(one.path))
            with self._working:
                self._known.update(found)
                if self._store is not None:
                    self._store.keep(found)

    def _facts(self, path: str) -> Facts:
        if language_of(path) is None:
            return NOTHING
        data, left_out = read(self._root, path)
        return NOTHING if left_out else facts_of(path, decoded(data))

    def _graph_with(self, texts: Mapping[str, str]) -> Graph:
        with self._working:
            facts = {path: each.facts for path, each in self._known.items()}
            facts |= {path: facts_of(path, text) for path, text in texts.items() if path in facts}
            manifests = tuple(self._manifests.items())
            if facts != self._graph.facts or manifests != self._drawn:
                self._graph, self._drawn = Graph(facts, self._manifests), manifests
            return self._graph

    def _close(self) -> None:
        with self._working:
            store, self._store = self._store, None
            if store is not None:
                store.close()


def _drawn(
    graph: Graph,
    question: str,
    around: Sequence[str],
    tokens: int,
    raised: Mapping[str, float],
    may_see: Callable[[str], bool],
) -> MapText:
    return pack(graph.ranked(question, around, raised), graph.facts, tokens, may_see)


def _is_current(known: Known | None, one: Member) -> bool:
    return known is not None and (known.mtime, known.size) == (one.mtime, one.size)
