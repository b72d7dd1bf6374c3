"""`find_symbol`: where a name is defined."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from pydantic import BaseModel, Field

from motet.diagnostics import Symbols
from motet.permissions import Effect
from motet.prompts import prompt
from motet.syntax import language_of
from motet.text import TextFile
from motet.tools.definitions import MOST_PARSED, Where, defined, definitions_of, real_first
from motet.tools.globs import path_filter
from motet.tools.kit import Kit
from motet.tools.known import also_defined, as_words, found_by
from motet.tools.reading import closest, counted, lines_of, numbered, read_all, require_one_line, visible_files
from motet.tools.search import Found, Pattern, search
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_FOUND = 30
_MOST_FILES = 300
"""Files that are looked through for a similar name."""
_MOST_LINES = 12
"""Lines of one signature that are shown."""


Ask = Callable[[str, Sequence[TextFile]], Awaitable[Symbols]]
"""Says, and does not take long, what a name is defined as in some files."""


class FindSymbolInput(BaseModel):
    """Arguments of one call."""

    name: str = Field(description="the name as it stands in the code, or with its class before it: `Area.size`")
    paths: list[str] = Field(
        default_factory=list[str], description="look only here: files, directories or patterns as in `src/**/*.py`"
    )


class FindSymbol(OneByOne):
    """The tool. A server that can be asked with `ask` knows languages without a grammar, and whose a thing is that is
    defined outside of it; the text of a line always has to agree."""

    spec = ToolSpec("find_symbol", prompt("find_symbol"), FindSymbolInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit, ask: Ask | None = None) -> None:
        self._kit = kit
        self._ask = ask

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, FindSymbolInput)
        name = require_one_line(value.name, "name").strip().removesuffix("()").replace("::", ".")
        fits = path_filter([self._kit.desk.normalise(path) for path in value.paths])
        paths = [path for path in await visible_files(self._kit) if fits(path)]
        with_grammar = [path for path in paths if language_of(path) is not None]
        last = name.rpartition(".")[2]
        looked_in = with_grammar if self._ask is None else paths
        every = [each async for each in search(self._kit, looked_in, Pattern(last, literal=True))]
        found, others = await asyncio.to_thread(defined, [each.file for each in every], name)
        also, other, who = await self._known(every, found, name)
        found = real_first([*found, *also])
        if found:
            return _listed(found, f"{counted(len(found), 'definition')} of {shown(name)}{who}")
        hint = await self._near(last, list(dict.fromkeys((*others, *other))), with_grammar)
        looked = f"no definition of {shown(name)} in {counted(len(with_grammar), 'file')} with a known grammar"
        return ToolOutput(f"{looked}{who}{hint}")

    async def _known(
        self, every: Sequence[Found], found: Sequence[Where], name: str
    ) -> tuple[list[Where], list[str], str]:
        """As `also_defined`, and who found it, in words; nothing where no file holds the name."""
        last = name.rpartition(".")[2]
        files = [each.file for each in every if as_words(each, last)]
        if self._ask is None or not files:
            return [], [], ""
        defining = {file.path for file, _ in found}
        files.sort(key=lambda file: (file.path not in defining, language_of(file.path) is not None))
        known = await self._ask(last, files)
        also, other = await asyncio.to_thread(also_defined, files, known, name)
        return also, other, found_by(known.server, known.why, "syntax", [file.path for file in files])

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


def _listed(found: Sequence[Where], head: str) -> ToolOutput:
    blocks: list[str] = []
    for file, one in found[:_MOST_FOUND]:
        last = min(one.signature_last_line, one.first_line + _MOST_LINES - 1)
        place = f"{shown(file.path)}: {one.kind}, lines {one.first_line}-{one.last_line}"
        blocks.append(f"\n{place}\n{numbered(lines_of(file.text), one.first_line, last).text}")
    left_out = len(found) - len(blocks)
    more = f"\n({left_out} more; name `paths`)" if left_out else ""
    return ToolOutput("\n".join([head, *blocks]) + more, shown=head)
