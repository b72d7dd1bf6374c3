"""Which characters of a Markdown text are prose: the block structure of CommonMark 0.31 (appendix *A parsing
strategy*), as far as it decides what is code.

Fenced and indented code, HTML blocks of the kinds 1 to 5 (comments, scripts, declarations), thematic breaks and link
targets are not prose. HTML blocks of the kinds 6 and 7 (`<div>`) are: people write sentences in them. Pure, and
linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

_LINE_END = re.compile(r"\r\n|\n|\r")
_FENCE = re.compile(r"(`{3,})(?=[^`]*\Z)|(~{3,})")
_BREAK = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})\Z")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|\Z)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_BULLET = re.compile(r"[*+-](?=[ \t]|\Z)")
_NUMBER = re.compile(r"(\d{1,9})[.)](?=[ \t]|\Z)")
_HTML: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|\Z)", re.IGNORECASE),
        re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
)


@dataclass(frozen=True, slots=True)
class Segment:
    """Characters `start` up to `end` of one line. `quoted`: the line stands behind a `>`. `heading`: it is of a heading."""

    start: int
    end: int
    quoted: bool
    heading: bool = False


Leaf = tuple[Segment, ...]
"""The lines of one paragraph or heading: what begins in it (a code span) ends in it or nowhere."""


def leaves(text: str) -> list[Leaf]:
    """The paragraphs and headings of `text`, in order."""
    blocks = _Blocks(text)
    for start, end in _lines(text):
        blocks.add(start, end)
    blocks.close()
    return blocks.found


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for found in _LINE_END.finditer(text):
        yield at, found.start()
        at = found.end()
    yield at, len(text)


@dataclass(slots=True)
class _Container:
    """A quote (`indent` is 0), or a list item whose content is indented by that many columns."""

    indent: int = 0
    empty: bool = False


@dataclass(slots=True)
class _Blocks:
    """What is open while line after line comes in."""

    text: str
    found: list[Leaf] = field(default_factory=list[Leaf])
    containers: list[_Container] = field(default_factory=list[_Container])
    paragraph: list[Segment] = field(default_factory=list[Segment])
    fence: str = ""
    html_end: re.Pattern[str] | None = None

    def close(self) -> None:
        """End the paragraph that is open."""
        if self.paragraph:
            self.found.append(tuple(self.paragraph))
            self.paragraph = []

    def add(self, start: int, end: int) -> None:
        """Take in the next line."""
        if not self.containers and self.html_end is None and start < end and self.text[start].isalpha():
            # Most lines by far: nothing begins or ends with a letter.
            if not self.fence:
                self.paragraph.append(Segment(start, end, False))
            return
        line = _Line(self.text, start, end)
        matched = self._match(line)
        if matched == len(self.containers) and (self.fence or self.html_end):
            self._verbatim(line)
            return
        _Starts(self, line, matched).read()

    def _match(self, line: _Line) -> int:
        """How many of the open containers go on in this line; their marks are passed over."""
        for depth, container in enumerate(self.containers):
            if container.indent == 0:
                if not line.quote():
                    return depth
            elif line.is_blank:
                if container.empty:
                    return depth
            elif line.indent >= container.indent:
                line.skip(container.indent)
                container.empty = False
            else:
                return depth
        return len(self.containers)

    def _verbatim(self, line: _Line) -> None:
        if self.html_end:
            if self.html_end.search(line.rest):
                self.html_end = None
            return
        rest = line.rest.strip(" \t")
        if line.indent <= 3 and len(rest) >= len(self.fence) and not rest.strip(self.fence[0]):
            self.fence = ""


@dataclass(slots=True)
class _Starts:
    """What begins in one line, behind the marks of `matched` containers."""

    blocks: _Blocks
    line: _Line
    matched: int
    is_new: bool = False

    def read(self) -> None:
        """Look for new blocks until what is left is text."""
        while self.line.indent <= 3 and not self.line.is_blank and self._container():
            pass
        if self.line.indent <= 3 and not self.line.is_blank and self._leaf():
            return
        self._text()

    def _container(self) -> bool:
        """Whether a container was opened."""
        if self.line.quote():
            self._open(_Container())
            return True
        rest = self.line.stripped
        if _BREAK.match(rest) or (self._in_paragraph and _UNDERLINE.match(rest)):
            return False
        found = _BULLET.match(rest) or _NUMBER.match(rest)
        if found is None:
            return False
        is_blank = not rest[found.end() :].strip(" \t")
        if self._in_paragraph and (is_blank or (found.re is _NUMBER and int(found[1]) != 1)):
            return False
        before = self.line.indent
        self.line.skip(before)
        self.line.pass_over(found.end())
        spaces = self.line.indent
        width = 1 if is_blank or not 1 <= spaces <= 4 else spaces
        self.line.skip(width)
        self._open(_Container(before + found.end() + width, is_blank))
        return True

    def _leaf(self) -> bool:
        """Whether the rest of the line is no paragraph."""
        blocks, rest = self.blocks, self.line.stripped
        if fence := _FENCE.match(rest):
            self._close_unmatched()
            blocks.fence = fence[1] or fence[2]
            return True
        for begin, end in _HTML:
            if begin.match(rest):
                self._close_unmatched()
                blocks.html_end = None if end.search(rest) else end
                return True
        if self._in_paragraph and _UNDERLINE.match(rest):
            blocks.paragraph = [replace(segment, heading=True) for segment in blocks.paragraph]
            blocks.close()
            return True
        if _BREAK.match(rest):
            self._close_unmatched()
            return True
        if _HEADING.match(rest):
            self._close_unmatched()
            blocks.found.append((replace(self._segment(), heading=True),))
            return True
        return False

    def _text(self) -> None:
        blocks, line = self.blocks, self.line
        is_lazy = not self.is_new and self.matched < len(blocks.containers) and bool(blocks.paragraph)
        if not line.is_blank and (is_lazy or self._in_paragraph):
            blocks.paragraph.append(self._segment())
            return
        self._close_unmatched()
        if not line.is_blank and line.indent <= 3:
            blocks.paragraph.append(self._segment())

    @property
    def _in_paragraph(self) -> bool:
        return not self.is_new and self.matched == len(self.blocks.containers) and bool(self.blocks.paragraph)

    def _open(self, container: _Container) -> None:
        self._close_unmatched()
        self.blocks.containers.append(container)
        self.matched += 1

    def _close_unmatched(self) -> None:
        blocks = self.blocks
        blocks.close()
        del blocks.containers[self.matched :]
        blocks.fence, blocks.html_end = "", None
        self.is_new = True

    def _segment(self) -> Segment:
        self.line.skip(self.line.indent)
        return Segment(self.line.at, self.line.end, self.line.is_quoted)


@dataclass(slots=True)
class _Line:
    """One line, from `at` on. Columns count from 0; tabs stop at every fourth."""

    text: str
    at: int
    end: int
    column: int = 0
    is_quoted: bool = False

    @property
    def rest(self) -> str:
        return self.text[self.at : self.end]

    @property
    def stripped(self) -> str:
        """The rest behind its white space."""
        return self.rest.lstrip(" \t")

    @property
    def is_blank(self) -> bool:
        return not self.stripped

    @property
    def indent(self) -> int:
        """Columns of white space from here."""
        column = self.column
        for at in range(self.at, self.end):
            if self.text[at] == " ":
                column += 1
            elif self.text[at] == "\t":
                column = (column // 4 + 1) * 4
            else:
                break
        return column - self.column

    def skip(self, columns: int) -> None:
        """Pass over white space; a tab may be passed in part."""
        while columns > 0 and self.at < self.end and self.text[self.at] in " \t":
            width = 4 - self.column % 4 if self.text[self.at] == "\t" else 1
            if width <= columns:
                self.at += 1
            self.column += min(width, columns)
            columns -= width

    def pass_over(self, characters: int) -> None:
        """Go on behind a mark."""
        self.at += characters
        self.column += characters

    def quote(self) -> bool:
        """Pass over a `>` and one column behind it, if there is one."""
        if self.indent > 3 or not self.stripped.startswith(">"):
            return False
        self.skip(self.indent)
        self.pass_over(1)
        self.skip(1)
        self.is_quoted = True
        return True
