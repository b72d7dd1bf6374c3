"""The one thread that uses the file of chats, and what waits for it. Writes that wait together share one commit."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from motet.history.errors import HistoryError

if TYPE_CHECKING:
    import sqlite3

    from motet.history.store import Store

T = TypeVar("T")

MOST_WAITING = 256
"""Steps that wait for the thread; whoever wants another one waits outside."""


class Kind(Enum):
    """What a step does, and what its answer promises."""

    READ = auto()
    WRITE = auto()
    """A crash of ours does not take it back, a power cut may."""
    DURABLE = auto()
    """On the disk."""
    ALONE = auto()
    """Outside any transaction."""


@dataclass(frozen=True, slots=True)
class _Step:
    work: Callable[[sqlite3.Connection], object]
    kind: Kind
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[object]

    def succeed(self, value: object) -> None:
        self._tell(lambda: self.answer.done() or self.answer.set_result(value))

    def fail(self, error: BaseException) -> None:
        self._tell(lambda: self.answer.done() or self.answer.set_exception(error))

    def _tell(self, say: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self.loop.call_soon_threadsafe(say)


class Worker:
    """Runs steps in the order in which they were asked for. `notice` is called in the thread."""

    def __init__(self, state: Path, notice: Callable[[str], None]) -> None:
        self._state = state
        self._notice = notice
        self._waiting: deque[_Step] = deque()
        self._wake = threading.Condition()
        self._room = asyncio.Semaphore(MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._closing = False
        self._ended = asyncio.Event()

    async def do(self, kind: Kind, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` answers. Raises `HistoryError`, and what `work` raises.

        A caller that is cancelled takes nothing back: the step is done, all of it, or not, nothing of it.
        """
        if self._closing:
            raise HistoryError(f"{self._state / 'history.db'}: the chats are closed; open them again")
        async with self._room:
            loop = asyncio.get_running_loop()
            answer: asyncio.Future[object] = loop.create_future()
            with self._wake:
                self._waiting.append(_Step(work, kind, loop, answer))
                self._wake.notify()
            self._start()
            return cast("T", await answer)

    async def close(self) -> None:
        """Do what waits, let go of the file, end the thread."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        thread, self._thread = self._thread, None
        if thread is not None:
            await self._ended.wait()
            thread.join()

    def _start(self) -> None:
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._work, args=(loop,), name="motet-history", daemon=True)
            self._thread.start()

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            from motet.history.store import Store  # brings SQLite, which a chat that is not stored does not need
        except ImportError as error:
            missing = HistoryError(f"this Python cannot store chats ({error}); use one that comes with SQLite")
            while steps := self._next():
                for step in steps:
                    step.fail(missing)
        else:
            store = Store(self._state, self._notice)
            while steps := self._next():
                _do(store, steps)
            store.close()
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self._ended.set)

    def _next(self) -> list[_Step]:
        """What waits, once there is something; nothing when there will be nothing more."""
        with self._wake:
            self._wake.wait_for(lambda: self._waiting or self._closing)
            steps = list(self._waiting)
            self._waiting.clear()
        return steps


def _do(store: Store, steps: Sequence[_Step]) -> None:
    """All of `steps` in order, writes that stand next to each other together."""
    for together, group in groupby(steps, lambda step: step.kind in (Kind.WRITE, Kind.DURABLE)):
        if together:
            _write(store, list(group))
        else:
            for step in group:
                _alone(store, step)


def _write(store: Store, steps: Sequence[_Step]) -> None:
    """All in one transaction; when one of them fails, each in one of its own."""
    durable = any(step.kind is Kind.DURABLE for step in steps)
    try:
        answers = store.write([step.work for step in steps], durable=durable)
    except BaseException as error:  # noqa: BLE001 (whoever waits gets it)
        if len(steps) == 1:
            steps[0].fail(error)
            return
        for step in steps:
            _write(store, [step])
        return
    for step, answer in zip(steps, answers, strict=True):
        step.succeed(answer)


def _alone(store: Store, step: _Step) -> None:
    if step.answer.cancelled():
        return
    try:
        step.succeed(store.read(step.work))
    except BaseException as error:  # noqa: BLE001 (whoever waits gets it)
        step.fail(error)
