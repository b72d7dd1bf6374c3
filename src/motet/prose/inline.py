"""The marks in one paragraph or heading that are text: `@`, `#`, and links.

Not in code spans, HTML and its comments, link targets, addresses and quotes (`>`, which repeat somebody else's words),
nor behind a backslash (CommonMark 0.31, *Inlines*). Linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from motet.prose.markdown import Leaf

_TOKEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])|(?P<ticks>`+)|(?P<html><)|(?P<mark>(?:@+|#+|＠+)(?=\S))|(?P<link>\[)"
    r"|(?P<url>(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]{1,31}://[!#-;=?-\[\]_a-z~]*)"
)
_TAG = re.compile(
    r"<(?:/?[A-Za-z][A-Za-z0-9-]{0,60}(?:\s[^<>]{0,2000})?/?|[A-Za-z][A-Za-z0-9+.\-]{1,31}:[^\s<>]{0,2000}|![A-Za-z][^<>]{0,2000})>"
)
_LINK = re.compile(
    r"\[(?:[^\[\]\\\n]|\\.){0,1000}\]\([ \t]{0,20}(?:<([^<>\n]{1,1000})>|((?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,1000}))"
    r"(?:[ \t]{1,20}(?:\"[^\"\n]{0,1000}\"|'[^'\n]{0,1000}'))?[ \t]{0,20}\)"
)
_TICKS = re.compile("`+")


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign at `start` of the paragraph's text, or a link from `start` up to `end` with its `target` as written."""

    start: int
    end: int
    target: str = ""


class Prose:
    """One paragraph: `text` is its lines joined, without the marks of quotes and lists."""

    def __init__(self, whole: str, leaf: Leaf) -> None:
        self.text = "\n".join(whole[segment.start : segment.end] for segment in leaf)
        self._leaf = leaf
        self._starts = [0]
        for segment in leaf[:-1]:
            self._starts.append(self._starts[-1] + segment.end - segment.start + 1)
        self._has_quotes = any(segment.quoted for segment in leaf)
        self._at = 0
        self._no_more: set[str] = set()
        self._runs: dict[int, list[int]] = {}

    def marks(self, signs: str) -> Iterator[Mark]:
        """Links, and those of the `signs` (`@`, `#`, `＠`) that stand alone before a word, in order. The words of a link may hold some."""
        target = (0, 0)
        while token := _TOKEN.search(self.text, self._at):
            self._at = token.end()
            if target[0] <= token.start() < target[1]:
                self._at = target[1]
                continue
            match token.lastgroup:
                case "ticks":
                    self._at = self._behind(token[0], token.end())
                case "html":
                    self._at = self._behind_html(token.start())
                case "link":
                    if link := _LINK.match(self.text, token.start()):
                        target = (link.start(link.lastindex or 0), link.end())
                        if not self._is_quoted(token.start()):
                            yield Mark(token.start(), link.end(), link[1] or link[2])
                case "mark" if token[0] in signs:
                    if not self._is_quoted(token.start()):
                        yield Mark(token.start(), token.end())
                case _:
                    pass

    def pass_over(self, end: int) -> None:
        """Give no marks before `end`: what stands there was read."""
        self._at = end

    def place(self, at: int) -> int:
        """Where in the whole text character `at` of this paragraph stands."""
        line = bisect_right(self._starts, at) - 1
        return at + self._leaf[line].start - self._starts[line]

    def _behind(self, ticks: str, at: int) -> int:
        """Behind the code span that `ticks` open, or `at` when nothing closes it."""
        if not self._runs:
            for run in _TICKS.finditer(self.text):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        places = self._runs.get(len(ticks), [])
        closing = bisect_left(places, at)
        return places[closing] + len(ticks) if closing < len(places) else at

    def _behind_html(self, at: int) -> int:
        for begin, end in (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")):
            if self.text.startswith(begin, at) and begin not in self._no_more:
                if self.text.startswith(("<!-->", "<!--->"), at):
                    return self.text.index(">", at) + 1
                closing = self.text.find(end, at + len(begin))
                if closing >= 0:
                    return closing + len(end)
                self._no_more.add(begin)
        tag = _TAG.match(self.text, at)
        return tag.end() if tag else at + 1

    def _is_quoted(self, at: int) -> bool:
        return self._has_quotes and self._leaf[bisect_right(self._starts, at) - 1].quoted
