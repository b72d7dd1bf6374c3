"""An index that follows the files while its process lives: what the system tells is looked at, in the background."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from pathlib import Path

from motet import git
from motet.errors import MotetError, ProcessError
from motet.index.watching import Batch, Watches, WatchingShort
from motet.tasks import background
from motet.workspace.listing import directories

_log = logging.getLogger(__name__)

DEBOUNCE = 0.05
_SHARE, _BURST = 0.1, 2.0
"""Of the time, and seconds at a stretch, for looking at what happened: a file that is written without end is looked at
less often."""
_SLOWEST = 2.0
_RETRY = 0.2
_GONE = 1.0
_IDLE_SHARE = 0.003
"""Of the time, where files are listed again and again since they cannot be watched."""


class Following:
    """Calls `every()` when all files have to be looked at, and `some(paths)` when only a few; each answers whether it
    could be done now. `known()`: directories that files of the project are known to lie in. Lives in one event loop."""

    def __init__(
        self,
        root: Path,
        known: Callable[[], Collection[str]],
        every: Callable[[], Awaitable[bool]],
        some: Callable[[Sequence[str]], Awaitable[bool]],
    ) -> None:
        self._root = root
        self._known = known
        self._every = every
        self._some = some
        self._watches: Watches | None = None
        self._owed = Batch(again=True)
        self._working = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._quiet = DEBOUNCE
        self._spent, self._looked = 0.0, time.monotonic()
        self._ended = False

    def start(self) -> None:
        """Begin, in the background."""
        self._begin()

    async def stop(self) -> None:
        """Hear of nothing more. What is under way ends first."""
        self._ended = True
        self._cancel_timer()
        if self._task is not None:
            await asyncio.wait({self._task})
        async with self._working:  # whoever asks may be looking, too
            self._let_go()

    @property
    def is_watching(self) -> bool:
        """Whether the system tells what happens; else files are listed again and again."""
        return self._watches is not None

    async def settle(self) -> bool:
        """Look at what happened until now; whether that is all, and done."""
        if self._watches is None:
            return False
        if self._owed or self._working.locked() or self._timer is not None or self._watches.has_news:
            self._cancel_timer()
            await self._catch_up()
        return self.is_watching and not self._owed

    def _begin(self) -> None:
        self._timer = None
        if self._task is None or self._task.done():
            self._task = background(self._catch_up())

    def _later(self, seconds: float) -> None:
        if not self._ended and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._begin)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _heard(self) -> None:
        self._stop_hearing()  # until what happened is looked at: one wake-up for all of it
        self._later(self._quiet)

    def _stop_hearing(self) -> None:
        if self._watches is not None:
            asyncio.get_running_loop().remove_reader(self._watches.fileno())

    def _let_go(self) -> None:
        self._stop_hearing()
        watches, self._watches = self._watches, None
        if watches is not None:
            watches.close()

    async def _catch_up(self) -> None:
        """Look at all that happened; come back when something is left to do."""
        async with self._working:
            if self._ended:
                return
            began, used = time.monotonic(), time.process_time()
            wait = 0.0
            try:
                if self._watches is not None:
                    self._owed.add(await asyncio.to_thread(self._watches.take))
                await self._see()
                wait = await self._look()
            except WatchingShort as error:
                wait = await self._without(error)
            except (MotetError, OSError) as error:
                _log.warning("%s: the index does not follow the files for now: %s", self._root, error)
                wait = _SLOWEST
            took = min(time.monotonic() - began, time.process_time() - used)
            self._spent = max(0.0, self._spent - _SHARE * (began - self._looked)) + took
            self._looked = began
            self._quiet = DEBOUNCE if self._spent < _BURST else _SLOWEST
            if self._ended:
                return
            if self._watches is not None:
                asyncio.get_running_loop().add_reader(self._watches.fileno(), self._heard)
            if wait:
                self._later(wait)

    async def _see(self) -> None:
        """Watch the directories that are new, before anything is listed: what comes later is told."""
        if self._owed.again or self._watches is None:
            self._let_go()
            known = await asyncio.to_thread(self._known)
            found = await directories(self._root, [], known)
            places = await self._places_of_git()
            self._watches = await asyncio.to_thread(_watched, self._root, found, places)
            self._owed.again, self._owed.listing = False, True
            self._owed.entered.clear()
        elif self._owed.entered:
            entered, self._owed.entered = sorted(self._owed.entered), set()
            found = await directories(self._root, entered, ())
            await asyncio.to_thread(self._watches.add, found)

    async def _places_of_git(self) -> list[str]:
        if git.work_tree(self._root) != self._root:
            return []
        try:
            return await git.watched_places(self._root)
        except ProcessError as error:
            _log.info("%s: git does not say where it notes what is tracked: %s", self._root, error)
            return []

    async def _look(self) -> float:
        """Have done what is owed; seconds after which to try again, 0 for never."""
        if not await asyncio.to_thread(self._root.is_dir):
            self._let_go()
            self._owed.again = True
            await self._every()
            return _GONE
        owed, self._owed = self._owed, Batch()
        done = True
        try:
            if owed.listing:
                done = await self._every()
            elif owed.paths:
                done = await self._some(sorted(owed.paths))
        except BaseException:
            self._owed.add(owed)
            raise
        if not done:
            self._owed.add(owed)
        return 0.0 if done else _RETRY

    async def _without(self, error: WatchingShort) -> float:
        """List all files now, and again after a while that makes the cost nothing to speak of."""
        _log.info("%s: files cannot be watched (%s); they are listed now and then", self._root, error)
        self._let_go()
        began = time.process_time()
        with contextlib.suppress(MotetError):
            await self._every()
        self._owed = Batch(again=True)
        return max(_SLOWEST, (time.process_time() - began) / _IDLE_SHARE)


def _watched(root: Path, found: Sequence[str], places: Sequence[str]) -> Watches:
    watches = Watches(root)
    try:
        watches.add(found)
        watches.add_git(places)
    except BaseException:
        watches.close()
        raise
    return watches
