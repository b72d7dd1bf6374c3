"""A text as lines that know their ends, so that each line can keep its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its characters, and the line end that follows (empty for a last line without one)."""

    text: str
    end: str


def split_lines(text: str) -> list[Line]:
    """Lines of `text`; joining `text + end` of all gives it back. An empty text has no lines."""
    if "\r" not in text:
        *ended, last = text.split("\n")
        return [*(Line(line, "\n") for line in ended), *([Line(last, "")] if last else [])]
    lines: list[Line] = []
    position, size = 0, len(text)
    while position < size:
        found = _LINE.match(text, position)
        assert found is not None  # the pattern matches at every position
        lines.append(Line(found[1], found[2]))
        position = found.end()
    return lines


def join_lines(lines: Iterable[Line]) -> str:
    """The text that `lines` make."""
    return "".join(line.text + line.end for line in lines)
