"""The map of the project for the chats of one workspace; loaded when the first message is sent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from motet import git
from motet.context import DrawMap
from motet.engine.nearby import Near
from motet.engine.permitted import permitted
from motet.errors import MotetError
from motet.permissions import Gate, Origin
from motet.settings import Settings
from motet.workspace import why_no_project

if TYPE_CHECKING:
    from motet.index.map import ProjectMap

_log = logging.getLogger(__name__)

_PATIENCE = 0.3
"""Seconds that a message waits for changed files to be read, and for what the index says. In a project that is read for
the first time the map may come with a later message."""
Closest = Callable[[str], Awaitable[Mapping[str, float]]]
"""How close files are to a question, the closest with 1, as far as that is known."""


class Maps:
    """Draws maps of the project at `root`, which is looked at in work trees of git only: elsewhere, in a home directory
    say, nobody said that the files belong together. What is `closest` to a question goes first."""

    def __init__(self, root: Path, home: Path, settings: Settings, closest: Closest) -> None:
        self._root = root
        self._home = home
        self._tokens = settings.chat.map_tokens if settings.send_code else 0
        self._ignore = settings.ignore
        self._closest = closest
        self._map: ProjectMap | None = None

    def draw(self, gate: Gate, near: Near | None = None) -> DrawMap | None:
        """What draws the map for a chat, of files that `gate` lets be read without a question; None where there is none."""
        if not self._tokens or git.work_tree(self._root) is None or why_no_project(self._root):
            return None
        may_see = permitted(gate, self._root, self._ignore, origin=Origin.USER)

        async def draw(question: str, around: Sequence[str]) -> str:
            if self._map is None:
                from motet.index.map import ProjectMap

                self._map = ProjectMap(self._root, self._home)
            try:
                by = await (near or Near())()
                drawn = await self._map.draw(
                    question,
                    list(dict.fromkeys((*around, *by.around))),
                    self._tokens,
                    raised=by.raised,
                    closest=await self._by_index(question),
                    texts=by.texts,
                    patience=_PATIENCE,
                    may_see=may_see,
                )
            except (MotetError, OSError) as error:
                _log.warning("no map goes along: %s", error)  # a message never waits for it, nor fails by it
                return ""
            return drawn.text

        return draw

    async def _by_index(self, question: str) -> Mapping[str, float]:
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self._closest(question)
        except TimeoutError:
            return {}

    def related(self, paths: Sequence[str]) -> Iterable[str]:
        """What the files `paths` import, and what imports them, as far as a map was drawn."""
        return self._map.related(paths) if self._map is not None else ()

    async def close(self) -> None:
        """Let go of what is kept."""
        if self._map is not None:
            await self._map.close()
