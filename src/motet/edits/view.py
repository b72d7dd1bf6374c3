"""One text as matching sees it: with LF line ends, found places given back as offsets into the original.

Everything is made when it is first needed: an exact edit of a large file never splits it into lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate

from motet.edits.lookalikes import fold

_LINE_END = re.compile(r"\r\n|\r|\n")
LONG_LINE = 65_536
"""Characters above which a line is compared only as it is: folding it would cost more than it tells."""


class View:
    """`flat` is `text` with every line end as LF; `lines` are its lines, 0-based, without ends.

    A final line end opens no further line; an empty text has no lines.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.flat = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

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
        return self.keys if self.flat.isascii() else [fold(line).strip() for line in self.lines]

    @cached_property
    def squeezed(self) -> list[str]:
        """The folded keys with every run of white space as one space; very long lines as they are."""
        return [" ".join(key.split()) if len(key) < LONG_LINE else key for key in self.folded_keys]

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

    def original(self, flat: int) -> int:
        """The offset in `text` of offset `flat` of the flat text."""
        if self.flat is self.text:
            return flat
        if flat >= len(self.flat):
            return len(self.text)
        line = self.line_at(flat)
        return self._start(line) + flat - self._flat_start(line)
