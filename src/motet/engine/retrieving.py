"""The index of a workspace, for all of its chats: opened with the first question that needs it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from motet.context import Retrieve, Suggest
from motet.engine.nearby import Near
from motet.errors import MotetError, SettingsError
from motet.models.protocol import Model
from motet.permissions import Gate, Origin
from motet.settings import IndexSettings
from motet.tools import Tool
from motet.tools.kit import Kit
from motet.tools.registry import Maker, is_taken
from motet.workspace import Workspace, why_no_project

if TYPE_CHECKING:
    from motet.context.passages import Lines
    from motet.engine.found_elsewhere import Elsewhere
    from motet.index import Answer, ProjectIndex
    from motet.index.packing import Passage, Passages
    from motet.models.offline import Looked

_PATIENCE = 10.0
"""Seconds that a message waits at most for what comes along by itself."""
_MOST_SAID = 8_000
"""Characters of a message in which words to look for are sought."""
Allow = Callable[[str], bool]
"""Whether a model may see the file with this path: in the workspace, or an absolute one outside."""


class Retrieving:
    """Passages of the files in `root`, and of what else the settings name; indexes lie in `home`. Nothing of it is
    imported before it is asked. `ignore`: patterns as in `.gitignore` of what never comes in. `shares_code`: whether the
    settings let code into a chat. `instead`: what a program finds with, in the place of the index."""

    def __init__(
        self,
        root: Path,
        home: Path,
        settings: IndexSettings,
        ignore: Sequence[str] = (),
        *,
        shares_code: bool = True,
    ) -> None:
        self._root = root
        self._home = home
        self._settings = settings
        self._ignore = tuple(ignore)
        self._shares_code = shares_code
        self._index: ProjectIndex | None = None
        self._elsewhere: Elsewhere | None = None
        self.instead: Callable[..., object] | None = None

    @property
    def sources(self) -> Mapping[str, str]:
        """What can be searched besides the project, by name, and what it is."""
        if self._settings.mode == "off":
            return {}
        return {name: one.description or f"search {name}" for name, one in self._settings.sources.items()}

    def tools(self, near: Near | None = None) -> Mapping[str, Maker]:
        """`search_code`, where the settings let it, and a tool for each further source. Raises `SettingsError` where one
        would take another tool's name."""
        if self._settings.mode == "off":
            return {}

        def maker(name: str, about: str, source: str) -> Maker:
            def make(kit: Kit) -> Tool:
                from motet.engine.permitted import permitted
                from motet.tools.builtin.search_code import SearchCode

                allow = permitted(
                    kit.gate,
                    self._root,
                    self._ignore,
                    is_named=bool(source or self._settings.source),
                    origin=Origin.MODEL,
                )

                async def find(question: str, tokens: int) -> Passages:
                    return await self.find(question, tokens, allow, near, source)

                return SearchCode(find, name, about)

            return make

        makers = {"search_code": maker("search_code", "", "")}
        for source, about in self.sources.items():
            name = f"search_{source}"
            if is_taken(name, makers):
                raise SettingsError(
                    f"index.sources.{source}: there is a tool `{name}` already; choose another name for the source"
                )
            makers[name] = maker(name, about, source)
        return makers

    def shared(self, gate: Gate, near: Near | None = None) -> Retrieve | None:
        """What `#codebase` asks; None where the settings switch it off."""
        if self._settings.mode == "off":
            return None

        async def retrieve(question: str, source: str = "") -> Passages:
            from motet.engine.permitted import permitted

            allow = permitted(gate, self._root, self._ignore, is_named=bool(source or self._settings.source))
            return await self.find(question, self._settings.tokens, allow, near, source)

        return retrieve

    def suggested(self, gate: Gate, near: Near | None = None) -> Suggest | None:
        """What comes along with a message by itself; None where the settings do not have it."""
        if self._settings.mode != "auto":
            return None

        async def suggest(said: str, shown: Mapping[str, list[Lines]]) -> Sequence[Passage]:
            from motet.engine import suggesting
            from motet.engine.permitted import permitted

            said = said[:_MOST_SAID]
            if not suggesting.asks(said):
                return ()
            allow = permitted(gate, self._root, self._ignore, is_named=bool(self._settings.source))
            try:
                async with asyncio.timeout(_PATIENCE):
                    found = await self.find(said, suggesting.TOKENS, allow, near)
            except (MotetError, TimeoutError):  # a message never fails by what nobody asked for
                return ()
            return suggesting.chosen(found.found, said, shown)

        return suggest

    def looking(self, gate: Gate, near: Near, workspace: Workspace) -> Callable[[Model], Model]:
        """Gives back the model that it gets, but lets the offline one look into the index, at files that `gate` lets enter
        a chat."""

        async def look(question: str) -> Looked | None:
            from motet.engine import suggesting
            from motet.engine.permitted import permitted
            from motet.models.offline import Looked

            question = question[:_MOST_SAID]
            if not suggesting.asks(question):
                return None
            allow = permitted(gate, self._root, self._ignore)
            try:
                answer = await self.search(question, suggesting.LOOKED_AT, near)
                found = [one for one in answer.found if allow(one.path)]
                places = await suggesting.places(found, workspace)
            except MotetError:
                return None
            return Looked(tuple(places), answer.complete)

        def seeing(model: Model) -> Model:
            if model.name != "offline" or self._settings.mode == "off" or not self._shares_code:
                return model
            from motet.models.offline import OfflineModel

            return OfflineModel(look)

        return seeing

    async def find(
        self, question: str, tokens: int, allow: Allow, near: Near | None = None, source: str = ""
    ) -> Passages:
        """The passages for `question` within `tokens`, of files that `allow` lets be seen. Raises `MotetError`."""
        source = source or self._settings.source
        if source or self.instead is not None:
            return await self._others().find(question, tokens, allow, source, self.instead)
        by = await (near or Near())()
        return await self._opened().passages(question, tokens, allow=allow, raised=by.raised, texts=by.texts)

    async def search(self, question: str, limit: int, near: Near | None = None) -> Answer:
        """The places that a question is about, the best first. Raises `MotetError`."""
        by = await (near or Near())()
        return await self._opened().search(question, limit, raised=by.raised, texts=by.texts)

    async def closest(self, question: str) -> Mapping[str, float]:
        """How close files are to `question`, the closest with 1, as far as the index of the project knows by now."""
        if self._settings.mode == "off" or why_no_project(self._root):
            return {}
        return await self._opened().closest(question[:_MOST_SAID])

    def _opened(self) -> ProjectIndex:
        if self._index is None:
            if why := why_no_project(self._root):
                raise MotetError(why)
            from motet.index import ProjectIndex

            self._index = ProjectIndex(self._root, self._home, follows=True)
        return self._index

    def _others(self) -> Elsewhere:
        if self._elsewhere is None:
            from motet.engine.found_elsewhere import Elsewhere

            self._elsewhere = Elsewhere(self._root, self._home, self._settings.sources)
        return self._elsewhere

    async def close(self) -> None:
        """Stop reading files."""
        index, self._index = self._index, None
        if index is not None:
            await index.close()
        if self._elsewhere is not None:
            await self._elsewhere.close()
