"""The events of one turn, on their way from the task that makes them to whoever reads them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from motet.chat.events import ChatEvent


class Happening:
    """Events in order. `drawn` waits until all that was told has been read, and its reader has come back for more:
    who asks the human something does so when everything before it is on the screen."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[ChatEvent | None] = asyncio.Queue()
        self._closed = False

    def tell(self, event: ChatEvent) -> None:
        """The next event; nothing when there is to be none any more, or nobody reads."""
        if not self._closed:
            self._queue.put_nowait(event)

    def close(self, last: ChatEvent | None = None) -> None:
        """No more come, but for this `last` one."""
        if last is not None:
            self.tell(last)
        if not self._closed:
            self._closed = True
            self._queue.put_nowait(None)

    async def drawn(self) -> None:
        """Return when the reader has dealt with every event so far, or has gone."""
        await self._queue.join()

    async def events(self) -> AsyncGenerator[ChatEvent]:
        """The events until the last; only one may read."""
        try:
            while (event := await self._queue.get()) is not None:
                try:
                    yield event
                finally:
                    self._queue.task_done()
            self._queue.task_done()
        finally:
            self._closed = True
            while not self._queue.empty():
                self._queue.get_nowait()
                self._queue.task_done()
