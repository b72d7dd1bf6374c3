"""`find_references`: where a name is used, and inside what."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from pydantic import BaseModel, Field

from motet.diagnostics import Place, Uses
from motet.permissions import Effect
from motet.prompts import prompt
from motet.text import LineIndex, Position, TextFile
from motet.tools.definitions import MOST_PARSED, around, defined, definitions_of, qualified, real_first
from motet.tools.globs import path_filter
from motet.tools.kit import Kit
from motet.tools.known import as_words, found_by, word
from motet.tools.reading import MOST_CHARACTERS, counted, numbered, require_one_line, visible_files
from motet.tools.search import Found, Pattern, search
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_SHOWN = 150
"""Lines that are shown."""
_MOST_IN_ONE_FILE = 60
_MOST_ASKED = 8
"""Things of one name whose uses a server is asked for."""
_MOST_OTHERS = 30
"""Lines that only hold the text of the name, of which the numbers are told."""

Ask = Callable[[Sequence[tuple[TextFile, Position]], Sequence[TextFile]], Awaitable[Uses]]
"""Says, and does not take long, where in some files the things are used that stand at some places."""


class FindReferencesInput(BaseModel):
    """Arguments of one call."""

    name: str = Field(description="the name as it stands in the code, or with its class before it: `Area.size`")
    paths: list[str] = Field(
        default_factory=list[str], description="look only here: files, directories or patterns as in `src/**/*.py`"
    )


class FindReferences(OneByOne):
    """The tool. A server that can be asked with `ask` tells uses from other things of that name; the text of a line
    always has to agree."""

    spec = ToolSpec("find_references", prompt("find_references"), FindReferencesInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit, ask: Ask | None = None) -> None:
        self._kit = kit
        self._ask = ask

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, FindReferencesInput)
        full = require_one_line(value.name, "name").strip().removesuffix("()").replace("::", ".")
        name = full.rpartition(".")[2] or full
        fits = path_filter([self._kit.desk.normalise(path) for path in value.paths])
        paths = await visible_files(self._kit)
        every = [each async for each in search(self._kit, paths, Pattern(name, literal=True))]
        every = [one for each in every if (one := as_words(each, name))]
        found = [each for each in every if fits(each.file.path)]
        if not found:
            looked = counted(sum(map(fits, paths)), "file")
            return ToolOutput(f"no reference to {shown(name)} in {looked}")
        why = ""
        if self._ask is not None:
            things = (await asyncio.to_thread(_things, every, full, name))[:_MOST_ASKED]
            uses = await self._ask([(one.file, one.place) for one in things], [each.file for each in every])
            told = await asyncio.to_thread(_told, uses, things, found, name) if things else None
            if told is not None:
                return told
            why = found_by("", uses.why, "text", [])
        blocks = await asyncio.to_thread(_blocks, found, {each.file.path: each.numbers for each in found})
        total = sum(block.total for block in blocks)
        head = f"{counted(total, 'line')} with {shown(name)} in {counted(len(blocks), 'file')}{why}"
        return _fitting(blocks, head, total)


class _Block(NamedTuple):
    """The references in one file, how many lines are shown, and how many there are."""

    text: str
    shown: int
    total: int


class _Thing(NamedTuple):
    """Something that has the name, and a place where the name stands for it."""

    label: str
    file: TextFile
    place: Position


def _things(found: Sequence[Found], full: str, name: str) -> list[_Thing]:
    """What has the name `full`: the definitions that there are; of a bare name without one its first uses."""
    of_name = word(name)
    by_path = {each.file.path: each for each in found}
    things: list[_Thing] = []
    for file, one in real_first(defined([each.file for each in found], full)[0]):
        lines = by_path[file.path].lines
        for number in range(one.line, one.signature_last_line + 1):
            if match := of_name.search(lines[number - 1]):
                label = f"{qualified(definitions_of(file), one)} ({one.kind}, {file.path}:{number})"
                things.append(_Thing(label, file, Position(number, match.start() + 1)))
                break
    if things or full != name:
        return things
    for each in found[:_MOST_ASKED]:
        number = each.numbers[0]
        if match := of_name.search(each.lines[number - 1]):
            label = f"{name} ({each.file.path}:{number})"
            things.append(_Thing(label, each.file, Position(number, match.start() + 1)))
    return things


def _told(uses: Uses, things: Sequence[_Thing], found: Sequence[Found], name: str) -> ToolOutput | None:
    """What the server said, where the text agrees; None where it said nothing of use."""
    sections = _sections(uses, things, found, name)
    if not sections:
        return None
    blocks: list[_Block] = []
    for label, numbers in sections:
        of_thing = _blocks([each for each in found if each.file.path in numbers], numbers)
        total = sum(map(len, numbers.values()))
        title = f"\n{shown(label)}: {counted(total, 'line')} in {counted(len(numbers), 'file')}"
        of_thing[0] = of_thing[0]._replace(text=f"{title}{of_thing[0].text}")
        blocks += of_thing
    head = f"uses of {shown(name)} as {uses.server} knows them"
    output = _fitting(blocks, head, sum(block.total for block in blocks))
    others: list[str] = []
    for each in found:
        left = [n for n in each.numbers if not any(n in numbers.get(each.file.path, ()) for _, numbers in sections)]
        others += [f"{shown(each.file.path)}:{number}" for number in left]
    if not others:
        return output
    listed = ", ".join(others[:_MOST_OTHERS]) + (" …" if len(others) > _MOST_OTHERS else "")
    said = (
        f"({counted(len(others), 'other line')} with the text {shown(name)}, no use known to {uses.server}: {listed})"
    )
    return ToolOutput(f"{output.text}\n\n{said}", shown=head)


def _sections(
    uses: Uses, things: Sequence[_Thing], found: Sequence[Found], name: str
) -> list[tuple[str, dict[str, list[int]]]]:
    """Each thing with the lines of its uses, by file; things with the same uses are one."""
    indexes = {each.file.path: LineIndex(each.file.text) for each in found}
    known = {each.file.path: frozenset(each.numbers) for each in found}

    def agrees(place: Place) -> bool:
        line = place.range.start.line
        return line in known.get(place.path, ()) and indexes[place.path].slice(place.range) == name

    sections: list[tuple[str, dict[str, list[int]]]] = []
    for thing, places in zip(things, uses.places, strict=False):
        numbers: dict[str, list[int]] = {}
        for place in sorted(filter(agrees, places or ()), key=lambda one: (one.path, one.range)):
            lines = numbers.setdefault(place.path, [])
            if place.range.start.line not in lines[-1:]:
                lines.append(place.range.start.line)
        same = next((at for at, (_, other) in enumerate(sections) if other == numbers), None)
        if same is not None:
            sections[same] = (f"{sections[same][0]}, {thing.label}", numbers)
        elif numbers:
            sections.append((thing.label, numbers))
    return sections


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


def _blocks(found: Sequence[Found], wanted: Mapping[str, Sequence[int]]) -> list[_Block]:
    """The `wanted` lines of each file, by its path."""
    left, told = MOST_PARSED, 0
    blocks: list[_Block] = []
    for each in found:
        numbers = wanted[each.file.path]
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
