"""The one thread that uses a store, and what waits for it. Writes that wait together share one commit."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby
from typing import Generic, Protocol, TypeVar, cast

from motet.errors import MotetError

T = TypeVar("T")
C = TypeVar("C")
S = TypeVar("S", covariant=True)

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


class StoreGone(MotetError):
    """The store cannot be reached at all: no step of a transaction is tried again by itself."""


class Store(Protocol[S]):
    """What the thread uses: opened by its first step, never by two threads. `S` is what a step works with."""

    def read(self, work: Callable[[S], T]) -> T:
        """What `work` answers."""
        ...

    def write(self, works: Sequence[Callable[[S], object]], *, durable: bool) -> list[object]:
        """Run `works` in one transaction and answer what each answers; one that fails makes all fail."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...


@dataclass(frozen=True, slots=True)
class _Step(Generic[C]):
    work: Callable[[C], object]
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


class Worker(Generic[C]):
    """Runs steps in the order in which they were asked for, in a thread called `name`. `open_store` is called in it,
    once; a `MotetError` that it raises is the answer to every step. `closed` makes the error of who comes too late."""

    def __init__(self, name: str, open_store: Callable[[], Store[C]], closed: Callable[[], MotetError]) -> None:
        self._name = name
        self._open_store = open_store
        self._closed = closed
        self._waiting: deque[_Step[C]] = deque()
        self._wake = threading.Condition()
        self._room = asyncio.Semaphore(MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._closing = False
        self._ended = asyncio.Event()

    async def do(self, kind: Kind, work: Callable[[C], T]) -> T:
        """What `work` answers. Raises what the store and `work` raise.

        A caller that is cancelled takes nothing back: the step is done, all of it, or not, nothing of it.
        """
        if self._closing:
            raise self._closed()
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
            self._thread = threading.Thread(target=self._work, args=(loop,), name=self._name, daemon=True)
            self._thread.start()

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            store = self._open_store()
        except MotetError as error:
            while steps := self._next():
                for step in steps:
                    step.fail(error)
        else:
            while steps := self._next():
                _do(store, steps)
            store.close()
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self._ended.set)

    def _next(self) -> list[_Step[C]]:
        """What waits, once there is something; nothing when there will be nothing more."""
        with self._wake:
            self._wake.wait_for(lambda: self._waiting or self._closing)
            steps = list(self._waiting)
            self._waiting.clear()
        return steps


def _do(store: Store[C], steps: Sequence[_Step[C]]) -> None:
    """All of `steps` in order, writes that stand next to each other together."""
    for together, group in groupby(steps, lambda step: step.kind in (Kind.WRITE, Kind.DURABLE)):
        if together:
            _write(store, list(group))
        else:
            for step in group:
                _alone(store, step)


def _write(store: Store[C], steps: Sequence[_Step[C]]) -> None:
    """All in one transaction; when one of them fails, each in one of its own."""
    durable = any(step.kind is Kind.DURABLE for step in steps)
    try:
        answers = store.write([step.work for step in steps], durable=durable)
    except BaseException as error:  # noqa: BLE001 (whoever waits gets it)
        if len(steps) == 1 or isinstance(error, StoreGone):
            for step in steps:
                step.fail(error)
            return
        for step in steps:
            _write(store, [step])
        return
    for step, answer in zip(steps, answers, strict=True):
        step.succeed(answer)


def _alone(store: Store[C], step: _Step[C]) -> None:
    if step.answer.cancelled():
        return
    try:
        step.succeed(store.read(step.work))
    except BaseException as error:  # noqa: BLE001 (whoever waits gets it)
        step.fail(error)
