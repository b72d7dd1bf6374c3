"""`find_symbol`: where a name is defined."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.syntax import language_of
from motet.text import TextFile
from motet.tools.definitions import MOST_PARSED, Where, defined, definitions_of
from motet.tools.globs import path_filter
from motet.tools.kit import Kit
from motet.tools.reading import closest, counted, lines_of, numbered, read_all, require_one_line, visible_files
from motet.tools.search import Pattern, search
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_FOUND = 30
_MOST_FILES = 300
"""Files that are looked through for a similar name."""
_MOST_LINES = 12
"""Lines of one signature that are shown."""


class FindSymbolInput(BaseModel):
    """Arguments of one call."""

    name: str = Field(description="the name as it stands in the code, or with its class before it: `Area.size`")
    paths: list[str] = Field(
        default_factory=list[str], description="look only here: files, directories or patterns as in `src/**/*.py`"
    )


class FindSymbol(OneByOne):
    """The tool."""

    spec = ToolSpec("find_symbol", prompt("find_symbol"), FindSymbolInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, FindSymbolInput)
        name = require_one_line(value.name, "name").strip().removesuffix("()").replace("::", ".")
        fits = path_filter([self._kit.desk.normalise(path) for path in value.paths])
        paths = [path for path in await visible_files(self._kit) if fits(path) and language_of(path) is not None]
        last = name.rpartition(".")[2]
        files = [each.file async for each in search(self._kit, paths, Pattern(last, literal=True))]
        found, others = await asyncio.to_thread(defined, files, name)
        if found:
            return _listed(found, name)
        hint = await self._near(last, others, paths)
        looked = f"no definition of {shown(name)} in {counted(len(paths), 'file')} with a known grammar"
        return ToolOutput(f"{looked}{hint}")

    async def _near(self, name: str, others: Sequence[str], paths: Sequence[str]) -> str:
        """Where to go on: the same name elsewhere, else names like it."""
        if others:
            return f"; there is {', '.join(others[:5])}"
        files = await read_all(self._kit, paths[:_MOST_FILES])
        near = closest(name, await asyncio.to_thread(_all_names, files), 5)
        return f"; similar names: {', '.join(near)}" if near else "; search_text looks in every file"


def _all_names(files: Sequence[TextFile]) -> list[str]:
    names: dict[str, None] = {}
    left = MOST_PARSED
    for file in files:
        left -= len(file.text)
        if left >= 0:
            names |= dict.fromkeys(one.name for one in definitions_of(file))
    return list(names)


def _listed(found: Sequence[Where], name: str) -> ToolOutput:
    head = f"{counted(len(found), 'definition')} of {shown(name)}"
    blocks: list[str] = []
    for file, one in found[:_MOST_FOUND]:
        last = min(one.signature_last_line, one.first_line + _MOST_LINES - 1)
        place = f"{shown(file.path)}: {one.kind}, lines {one.first_line}-{one.last_line}"
        blocks.append(f"\n{place}\n{numbered(lines_of(file.text), one.first_line, last).text}")
    left_out = len(found) - len(blocks)
    more = f"\n({left_out} more; name `paths`)" if left_out else ""
    return ToolOutput("\n".join([head, *blocks]) + more, shown=head)
