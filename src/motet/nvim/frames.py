"""Drawing in frames, of which one at most waits for the editor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from motet.nvim.rpc import EditorError, Peer
from motet.tasks import background

FRAME = 0.03
"""Seconds between two frames at least."""

Op = list[object]
"""One change of a buffer, as the function that draws it reads it."""


class Frames:
    """What has to change in the buffer `buffer`, drawn by the editor's `function`. What changes while a frame is on its
    way is put together into the next one: a slow editor slows the drawing, never whoever tells what changed.

    `all` gives what draws all of it anew. `ops` are those that were not drawn yet.
    """

    def __init__(self, peer: Peer, function: str, buffer: int, all: Callable[[], Op]) -> None:
        self.ops: list[Op] = []
        self._peer = peer
        self._function = function
        self._buffer = buffer
        self._all = all
        self._drawing: asyncio.Task[None] | None = None
        self._drawn = 0.0
        self._is_lost = False  # a frame could not be sent: what the buffer holds is not known

    def add(self, op: Op) -> None:
        """Draw it in the next frame."""
        self.ops.append(self._all() if self._is_lost else op)
        self._is_lost = False
        if self._drawing is None or self._drawing.done():
            self._drawing = background(self._draw())

    def restart(self) -> None:
        """Draw all of it, whatever stands in the buffer."""
        self.ops.clear()
        self.add(self._all())

    async def drawn(self) -> None:
        """Return when all that changed is in the buffer."""
        while self._drawing is not None and not self._drawing.done():
            await asyncio.wait({self._drawing})

    async def _draw(self) -> None:
        loop, tried = asyncio.get_running_loop(), False
        try:
            while self.ops:
                if (early := self._drawn + FRAME - loop.time()) > 0:
                    await asyncio.sleep(early)
                ops, self.ops = self.ops, []
                self._drawn = loop.time()
                if not await self._peer.lua(self._function, self._buffer, ops) and not tried:
                    # It was broken off in the middle: all of it is drawn anew, once.
                    self.ops.append(self._all())
                    tried = True
                else:
                    tried = False
        except EditorError:
            self.ops.clear()  # the buffer has gone; what it shows goes on
        except Exception:
            self.ops.clear()
            self._is_lost = True
            raise
