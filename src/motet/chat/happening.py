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

    def tell(self, event: ChatEvent) -> None:
        """The next event."""
        self._queue.put_nowait(event)

    def close(self) -> None:
        """No more come."""
        self._queue.put_nowait(None)

    async def drawn(self) -> None:
        """Return when the reader has dealt with every event so far."""
        await self._queue.join()

    async def events(self) -> AsyncGenerator[ChatEvent]:
        """The events until the last; only one may read."""
        while (event := await self._queue.get()) is not None:
            yield event
            self._queue.task_done()
        self._queue.task_done()
