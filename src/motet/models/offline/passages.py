"""What was shared in a request, as passages with their places: attachments, pages, diffs, outputs of tools. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from motet.messages import Message, Role

MOST_LINES = 14
"""Lines of one passage at most."""
_FEWEST_LINES = 4
"""A block of fewer lines is read together with the next one."""

_NAMES = "attachment|url|diff|diagnostics|selection|viewport|quickfix|messages|terminal|symbols|help|codebase"
_OPENING = re.compile(rf'<(?P<name>{_NAMES})(?P<attributes>(?: [\w-]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r' ([\w-]+)="([^"]*)"')
_NUMBERED = re.compile(r" *(?P<number>\d+)│ ?(?P<text>.*)")


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive lines of something that was shared. `first`: the 1-based number of the first; 0: they have none."""

    source: str
    first: int
    lines: tuple[str, ...]

    @property
    def place(self) -> str:
        """As in `src/a.py:10-14`."""
        last = self.first + len(self.lines) - 1
        return f"{self.source}:{self.first}-{last}" if self.first else self.source

    @property
    def text(self) -> str:
        """Its lines."""
        return "\n".join(self.lines)


def passages_of(messages: Iterable[Message]) -> Iterator[Passage]:
    """The passages of all that was shared, in order. What stands outside of a wrapper is no passage."""
    for message in messages:
        if message.role is Role.USER:
            for part in message.parts:
                for source, lines in _elements(part.text):
                    yield from _passages(source, lines)
        elif message.result is not None:
            yield from _passages(f"output of {message.result.name}", message.text.split("\n"))


def passages_in(source: str, text: str) -> Iterator[Passage]:
    """The passages of a text that came without a wrapper, as of `source`."""
    return _passages(source, text.split("\n"))


def is_shared(text: str) -> bool:
    """Whether `text` begins with a wrapper."""
    return _OPENING.match(text) is not None


def _elements(text: str) -> Iterator[tuple[str, list[str]]]:
    """What each wrapper is about, and the lines inside."""
    name, source = "", ""
    lines: list[str] = []
    for line in text.split("\n"):
        if name and line == f"</{name}>":
            yield source, lines
            name = ""
        elif name:
            lines.append(line)
        elif opening := _OPENING.fullmatch(line):
            name, lines = opening["name"], []
            given = {key: html.unescape(value) for key, value in _ATTRIBUTE.findall(opening["attributes"])}
            source = given.get("filepath") or given.get("href") or given.get("of") or name
    if name:
        yield source, lines


def _passages(source: str, lines: list[str]) -> Iterator[Passage]:
    """`lines` cut at blank lines, not too short and not too long."""
    block: list[str] = []
    first = 0
    for line in lines:
        found = _NUMBERED.fullmatch(line)
        number, text = (int(found["number"]), found["text"]) if found else (0, line)
        follows = number == first + len(block) if first else not number
        ends = len(block) >= MOST_LINES or (not text.strip() and len(block) >= _FEWEST_LINES) or not follows
        if block and ends:
            yield from _passage(source, first, block)
            block = []
        if block or text.strip():
            first = first if block else number
            block.append(text)
    yield from _passage(source, first, block)


def _passage(source: str, first: int, block: list[str]) -> Iterator[Passage]:
    while block and not block[-1].strip():
        block.pop()
    if block:
        yield Passage(source, first, tuple(block))
