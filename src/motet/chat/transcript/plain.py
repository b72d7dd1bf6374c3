"""Markdown without markers, as a human writes it or another program leaves it.

A line `## Me` or `## motet`, the latter with the model's name in brackets, outside fences, begins a turn. Directly
below it a turn of the human may have a context block, and one of the model `### Reasoning` and `### Response`.
Everything else is text. The last turn, if it is the human's, is the draft; a file without such lines is a draft as
a whole. In such a file a text can be mistaken for structure: that is what markers are for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from motet.chat.transcript.context import read_context
from motet.chat.transcript.fences import open_fence
from motet.chat.transcript.values import Answer, Asked, Draft, Parsed, Turn

_TURN = re.compile(r"##[ \t]+(?:(Me)|motet(?:[ \t]+\((.*)\))?)[ \t]*")
_PART = re.compile(r"###[ \t]+(Reasoning|Response)[ \t]*")


class _Part(IntEnum):
    """How far a turn of the model has come; it never goes back."""

    NONE = 0
    REASONING = 1
    RESPONSE = 2


@dataclass(slots=True)
class _Section:
    """What stands below one header. `model` is None for the human's."""

    model: str | None
    start: int
    lines: list[str] = field(default_factory=list[str])
    reasoning: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        """Without the blank lines around it."""
        return _trimmed(self.lines)


def parse_plain(text: str) -> Parsed:
    """Read such a file."""
    before, *sections = _sections(text)
    if not sections:
        return Parsed(draft=Draft(text.rstrip("\r\n")), draft_start=0)
    head = before.text
    notes = ("the text above the first turn was left out",) if head else ()
    start = None
    draft = Draft()
    if sections[-1].model is None:
        last = sections.pop()
        lines, typed = read_context(last.text)
        draft, start = Draft(typed, lines), last.start
    return Parsed(tuple(map(_turn, sections)), draft, notes, start)


def _turn(section: _Section) -> Turn:
    if section.model is None:
        lines, typed = read_context(section.text)
        return Asked(typed, lines)
    return Answer(section.text, _trimmed(section.reasoning), model=section.model)


def _sections(text: str) -> Iterator[_Section]:
    section = _Section(None, 0)
    offset, fence, part = 0, "", _Part.NONE
    for line in _lines(text):
        bare = line.rstrip("\r\n")
        turn = None if fence else _TURN.fullmatch(bare)
        heading = None if fence or turn or section.model is None else _PART.fullmatch(bare)
        if turn:
            yield section
            section, part = _Section(None if turn[1] else turn[2] or "", offset), _Part.NONE
        elif heading and part < _Part[heading[1].upper()]:
            part = _Part[heading[1].upper()]
        else:
            if part is _Part.NONE and bare.strip():
                part = _Part.RESPONSE
            (section.reasoning if part is _Part.REASONING else section.lines).append(line)
            fence = open_fence(bare, fence)
        offset += len(line)
    yield section


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends; they end at LF."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _trimmed(lines: list[str]) -> str:
    text = "".join(lines).rstrip("\r\n")
    return re.sub(r"\A(?:[ \t]*\r?\n)+", "", text)
