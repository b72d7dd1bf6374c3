"""One text as matching sees it: with LF line ends, found places given back as offsets into the original.

Everything is made when it is first needed: an exact edit of a large file never splits it into lines.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import AnyStr

from motet.edits.alignment import LONGEST_LINE
from motet.edits.lookalikes import fold
from motet.edits.nearest import Survey
from motet.text import TextFile
from motet.text.finding import finder

_LINE_END = re.compile(r"\r\n|\r|\n")
_LONG = 100
"""Bytes of a search text from which it matters by what part of it the search is led."""
LONG_LINE = 65_536
"""Characters above which a line is compared only as it is: folding it would cost more than it tells."""


class View:
    """`flat` is `text` with every line end as LF; `lines` are its lines, 0-based, without ends.

    A final line end opens no further line; an empty text has no lines. `file` is there where its bytes are those of
    `flat` in UTF-8, so that they can be searched in its place.
    """

    def __init__(self, text: str, file: TextFile | None = None) -> None:
        has_cr = file.has_cr if file is not None else "\r" in text
        self.text = text
        self.flat = text.replace("\r\n", "\n").replace("\r", "\n") if has_cr else text
        self._surveys: dict[tuple[str, ...], Survey] = {}
        self.file = None if has_cr or file is None or file.encoding != "utf-8" else file

    @classmethod
    def of(cls, file: TextFile) -> View:
        """The view of its text."""
        return cls(file.text, file)

    def places(self, wanted: str, most: int = sys.maxsize) -> list[int]:
        """Offsets in `flat` at which `wanted` stands, overlapping ones too; of more than `most` only the first."""
        if self.file is None:
            return _places(self.flat, wanted, self.flat.find, wanted, 0, most)
        begin, data, sought = len(self.file.bom), self.file.data, wanted.encode("utf-8", "surrogatepass")
        return self.file.characters_of(_places(data, sought, finder(data), _sign(sought), begin, most))

    def survey(self, search: tuple[str, ...]) -> Survey:
        """Where lines like those of `search` stand."""
        if search not in self._surveys:
            is_short = max(map(len, self.lines), default=0) <= LONGEST_LINE
            self._surveys[search] = Survey(search, self.lines, self.keys if is_short else ())
        return self._surveys[search]

    @cached_property
    def lines(self) -> list[str]:
        """All lines, without their ends."""
        lines = self.flat.split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def keys(self) -> list[str]:
        """The lines without leading and trailing white space."""
        return list(map(str.strip, self.lines))

    @cached_property
    def folded_keys(self) -> list[str]:
        """The keys with look-alike characters made one."""
        if self.flat.isascii():
            return self.keys
        return [key if key.isascii() else fold(key).strip() for key in self.keys]

    @cached_property
    def folded_rest(self) -> str:
        """The lines that have characters outside ASCII, with look-alike characters made one."""
        return "" if self.flat.isascii() else "\n".join(fold(line) for line in self.lines if not line.isascii())

    @cached_property
    def squeezed(self) -> list[str]:
        """The folded keys with every run of white space as one space; very long lines as they are."""
        # Of all white space only the space is printable, and these have none at their ends.
        return [
            key if ("  " not in key and key.isprintable()) or len(key) >= LONG_LINE else " ".join(key.split())
            for key in self.folded_keys
        ]

    @cached_property
    def _lengths(self) -> list[int]:
        """Characters in all lines before each line, and in all lines; line ends not counted."""
        return list(accumulate(map(len, self.lines), initial=0))

    @cached_property
    def _ends(self) -> list[int]:
        """Offsets in `text` behind each line end, where the text has other ends than LF."""
        return [end.end() for end in _LINE_END.finditer(self.text)]

    def _flat_start(self, line: int) -> int:
        return min(self._lengths[line] + line, len(self.flat))

    def _start(self, line: int) -> int:
        """The offset in `text` at which `line` begins; behind the last line, where the text ends."""
        if self.flat is self.text:
            return self._flat_start(line)
        if line == 0:
            return 0
        return self._ends[line - 1] if line <= len(self._ends) else len(self.text)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Offsets in `text` of the lines `first` up to `last` (end exclusive), line ends included."""
        return self._start(first), self._start(last)

    def lines_of(self, start: int, end: int) -> tuple[int, int]:
        """The lines (end exclusive) that the characters `start` up to `end` of `text` touch."""
        count = len(self.lines)
        first = max(bisect_right(range(count), start, key=self._start) - 1, 0)
        if start == end:
            return (first, first) if not count or self._start(first) == start else (count, count)
        return first, max(bisect_left(range(count), end, key=self._start), first + 1)

    def line_at(self, flat: int) -> int:
        """The line that holds offset `flat` of the flat text."""
        return max(bisect_right(range(len(self.lines)), flat, key=self._flat_start) - 1, 0)

    def lines_above(self, flat: int) -> Iterator[str]:
        """The lines above the one that holds offset `flat` of the flat text, upwards; the others are not looked at."""
        end = self.flat.rfind("\n", 0, flat)
        while end >= 0:
            start = self.flat.rfind("\n", 0, end)
            yield self.flat[start + 1 : end]
            end = start

    def lines_below(self, flat: int) -> Iterator[str]:
        """The line that holds offset `flat` of the flat text, and those below; the others are not looked at."""
        start = self.flat.rfind("\n", 0, flat) + 1
        while start < len(self.flat):
            end = self.flat.find("\n", start)
            end = end if end >= 0 else len(self.flat)
            yield self.flat[start:end]
            start = end + 1

    def original(self, flat: int) -> int:
        """The offset in `text` of offset `flat` of the flat text."""
        if self.flat is self.text:
            return flat
        if flat >= len(self.flat):
            return len(self.text)
        line = self.line_at(flat)
        return self._start(line) + flat - self._flat_start(line)


def _places(
    text: AnyStr, wanted: AnyStr, find: Callable[[AnyStr, int], int], sign: AnyStr, begin: int, most: int
) -> list[int]:
    """Where `wanted`, which begins with `sign`, stands in `text`, in which `find` looks."""
    places: list[int] = []
    at = find(sign, begin)
    while at >= 0 and len(places) < most:
        if text.startswith(wanted, at):
            places.append(at)
        at = find(sign, at + 1)
    return places


def _sign(wanted: bytes) -> bytes:
    """The beginning of `wanted` that is looked for first.

    A search skips as many bytes as the last byte of a stretch lies behind that byte's last place in what is wanted.
    So it is fast when that ends with a long word: white space is what texts have most of.
    """
    if len(wanted) < _LONG:
        return wanted
    longest = max(wanted[len(wanted) // 2 :].split(), key=len, default=b"")
    return wanted[: wanted.rindex(longest) + len(longest)]
