"""`find_references`: where a name is used, and inside what."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from pydantic import BaseModel, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.definitions import MOST_PARSED, around, definitions_of
from motet.tools.globs import path_filter
from motet.tools.kit import Kit
from motet.tools.reading import MOST_CHARACTERS, counted, numbered, require_one_line, visible_files
from motet.tools.search import Found, Pattern, search
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_SHOWN = 150
"""Lines that are shown."""
_MOST_IN_ONE_FILE = 60


class FindReferencesInput(BaseModel):
    """Arguments of one call."""

    name: str = Field(description="the name as it stands in the code; of `Area.size` give `size`")
    paths: list[str] = Field(
        default_factory=list[str], description="look only here: files, directories or patterns as in `src/**/*.py`"
    )


class FindReferences(OneByOne):
    """The tool."""

    spec = ToolSpec("find_references", prompt("find_references"), FindReferencesInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, FindReferencesInput)
        name = require_one_line(value.name, "name").strip()
        fits = path_filter([self._kit.desk.normalise(path) for path in value.paths])
        paths = [path for path in await visible_files(self._kit) if fits(path)]
        found = [each async for each in search(self._kit, paths, Pattern(name, literal=True))]
        blocks = await asyncio.to_thread(_references, found, name)
        total = sum(block.total for block in blocks)
        if not total:
            return ToolOutput(f"no reference to {shown(name)} in {counted(len(paths), 'file')}")
        head = f"{counted(total, 'line')} with {shown(name)} in {counted(len(blocks), 'file')}"
        return _fitting(blocks, head, total)


class _Block(NamedTuple):
    """The references in one file, how many lines are shown, and how many there are."""

    text: str
    shown: int
    total: int


def _fitting(blocks: Sequence[_Block], head: str, total: int) -> ToolOutput:
    taken: list[str] = []
    room, told = MOST_CHARACTERS - len(head), 0
    for block in blocks:
        if taken and (len(block.text) > room or told + block.shown > _MOST_SHOWN):
            break
        taken.append(block.text)
        room -= len(block.text) + 1
        told += block.shown
    more = f"\n({told} of {total} shown; name `paths` to see the others)" if told < total else ""
    return ToolOutput("\n".join([head, *taken]) + more, shown=head)


def _references(found: Sequence[Found], name: str) -> list[_Block]:
    """The references in each file that has some: lines that hold `name` as a word of its own."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    left, told = MOST_PARSED, 0
    blocks: list[_Block] = []
    for each in found:
        numbers = [number for number in each.numbers if word.search(each.lines[number - 1])]
        if not numbers:
            continue
        if told >= _MOST_SHOWN:
            blocks.append(_Block("", _MOST_SHOWN, len(numbers)))  # only counted
            continue
        left -= len(each.file.text)
        known = definitions_of(each.file) if left >= 0 else []
        lines = [f"\n{shown(each.file.path)}"]
        shown_numbers = numbers[:_MOST_IN_ONE_FILE]
        for inside, group in groupby(shown_numbers, key=partial(around, known)):
            lines += [f"in {shown(inside)}:"] if inside else [] if len(lines) == 1 else ["outside of them:"]
            lines += [numbered(each.lines, number, number).text for number in group]
        blocks.append(_Block("\n".join(lines), len(shown_numbers), len(numbers)))
        told += len(shown_numbers)
    return blocks
