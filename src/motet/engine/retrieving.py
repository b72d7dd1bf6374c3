"""The index of a workspace, for all of its chats: opened with the first question that needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from motet.context import Retrieve
from motet.permissions import Action, Effect, Gate, Origin
from motet.settings import IndexSettings
from motet.tools import Tool
from motet.tools.kit import Kit
from motet.tools.registry import Maker

if TYPE_CHECKING:
    from motet.index import Found, ProjectIndex
    from motet.index.packing import Passages


class Retrieving:
    """Passages of the files in `root`; the index lies in `home`. Nothing of it is imported before it is asked."""

    def __init__(self, root: Path, home: Path, settings: IndexSettings) -> None:
        self._root = root
        self._home = home
        self._settings = settings
        self._index: ProjectIndex | None = None

    def tools(self) -> Mapping[str, Maker]:
        """`search_code`, where the settings let it."""
        return {} if self._settings.mode == "off" else {"search_code": self._tool}

    def shared(self, gate: Gate) -> Retrieve | None:
        """What `#codebase` asks; None where the settings switch it off."""
        if self._settings.mode == "off":
            return None

        def may_see(path: str) -> bool:
            return gate.allows(Action(Effect.READ, path, Origin.BUILT_IN))

        async def retrieve(question: str) -> Passages:
            return await self.find(question, self._settings.tokens, may_see)

        return retrieve

    async def find(self, question: str, tokens: int, allow: Callable[[str], bool]) -> Passages:
        """See `motet.tools.builtin.search_code.Find`."""
        return await self._opened().passages(question, tokens, allow=allow)

    async def places(self, question: str, limit: int) -> Sequence[Found]:
        """The places that a question is about, the best first. Raises `MotetError`."""
        return (await self._opened().search(question, limit)).found

    def _opened(self) -> ProjectIndex:
        if self._index is None:
            from motet.index import ProjectIndex

            self._index = ProjectIndex(self._root, self._home)
        return self._index

    async def close(self) -> None:
        """Stop reading files."""
        index, self._index = self._index, None
        if index is not None:
            await index.close()

    def _tool(self, kit: Kit) -> Tool:
        from motet.tools.builtin.search_code import SearchCode

        return SearchCode(kit, self.find)
