"""Code between two tags, which may itself hold tags: line by line, until its end is certain."""

from __future__ import annotations

import re
from dataclasses import dataclass

from motet.edits.formats.blocks import whole_lines
from motet.errors import EditFormatError


@dataclass(frozen=True, slots=True)
class TagPair:
    """The two tags that end a text together, with white space between: `second`, `both`, and `first_at_end` of a
    line, where the next lines tell."""

    second: str
    both: re.Pattern[str]
    first_at_end: re.Pattern[str]


SEARCH_END = TagPair("<replace>", re.compile(r"</search>\s*<replace>"), re.compile(r"</search>\s*\Z"))
REPLACE_END = TagPair("</replace_file>", re.compile(r"</replace>\s*</replace_file>"), re.compile(r"</replace>\s*\Z"))


class TaggedCode:
    """The lines between two tags.

    `waiting`: lines of which the first ends with what may be the closing tag, at `cut`; the next line that is not
    blank tells.
    """

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.cut = 0
        self._lines: list[str] = []
        self._is_first = True

    def add(self, text: str, *, is_cut: bool = False) -> tuple[str, ...]:
        """Take a line, or what stands before the closing tag (`is_cut`). Returns what that adds to the code."""
        is_edge, self._is_first = self._is_first or is_cut, False
        if is_edge and not text.strip():
            return ()
        self._lines.append(text)
        return (text,)

    def wait(self, text: str, cut: int) -> None:
        """Keep a line that may be the last."""
        self.waiting, self.cut = [text], cut

    def release(self) -> tuple[str, ...]:
        """The waiting lines are code."""
        waiting, self.waiting = self.waiting, []
        return tuple(line for text in waiting for line in self.add(text))

    def end(self) -> tuple[str, ...]:
        """The first of the waiting lines ends the code."""
        return self.add(self.waiting[0][: self.cut], is_cut=True)

    def text(self, number: int) -> str:
        """The code; `EditFormatError` when all of it stands in a CDATA section, which may be meant or not."""
        if (
            self._lines
            and self._lines[0].lstrip().startswith("<![CDATA[")
            and self._lines[-1].rstrip().endswith("]]>")
        ):
            raise EditFormatError(
                f"line {number}: it is not clear whether the CDATA section around the code is part of it; leave it out",
                number,
            )
        return whole_lines(self._lines)
