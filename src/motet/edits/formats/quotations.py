"""What an answer only quotes: HTML's `<blockquote>` and comments, and fences that show how a document looks.

A fence of Markdown or plain text is a quotation when whole edits stand in it, each below its own path. Around the edits
of one Markdown or text file it is only their fence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from motet.edits.edit import Edit, Write
from motet.edits.formats.fences import Fence, opening_fence
from motet.edits.formats.regions import NumberedLine

_BLOCKQUOTE = re.compile(r"[ \t]*<blockquote(?:[ \t][^<>]*)?>", re.IGNORECASE)
_NESTED = re.compile(r"<(/?)blockquote\b", re.IGNORECASE)
_ENDS = re.compile(r"(?:-->|</blockquote\b).*", re.IGNORECASE)
_COMMENT = re.compile(r"[ \t]*<!--(?!.*-->)")
_MARKDOWN = (".markdown", ".md", ".mdx", ".mkd", ".qmd", ".rmd")
_DOCUMENTS = {"markdown": _MARKDOWN, "md": _MARKDOWN, "text": (".txt",), "txt": (".txt",)}
"""By the language of a fence that may show a document, the endings of the files that are written in it."""


class Quotation:
    """A quotation that was opened: takes the lines behind its first until `done`, and to the end without its end.

    `fence`: None for HTML's. `lines`: all of it; `inner`: what is quoted.
    """

    def __init__(self, text: str, number: int, fence: Fence | None) -> None:
        self.fence = fence
        self.done = False
        self.lines: list[NumberedLine] = [(text, number)]
        self._fences = [fence] if fence is not None else []
        self._is_comment = fence is None and _COMMENT.match(text) is not None
        self._depth = 0
        if fence is None and not self._is_comment:
            self._count(text)

    def line(self, text: str, number: int) -> None:
        """Take a line of it, or the one that ends it."""
        self.lines.append((text, number))
        if self._is_comment:
            self.done = "-->" in text
        elif self._fences:
            self._see_fence(text)
        else:
            self._count(text)

    @property
    def inner(self) -> list[NumberedLine]:
        """Its lines without what opens and ends it."""
        first, *rest = self.lines
        if self.fence is not None:
            return rest[:-1] if self.done else rest
        head = _BLOCKQUOTE.sub("", _COMMENT.sub("", first[0])), first[1]
        if self.done:
            text, number = rest.pop()
            rest.append((_ENDS.sub("", text), number))
        return [head, *rest]

    def shows(self, edits: Sequence[Edit]) -> bool:
        """Whether `edits`, which stand in this fence below their own paths, are only shown."""
        if self.fence is None or not edits:
            return bool(edits)
        endings = _DOCUMENTS[_language(self.fence)]
        is_own = len({edit.path for edit in edits}) == 1 and edits[0].path.lower().endswith(endings)
        return not is_own or any(isinstance(edit, Write) for edit in edits)

    def _see_fence(self, text: str) -> None:
        if self._fences[-1].is_closed_by(text):
            self._fences.pop()
            self.done = not self._fences
            return
        inner = opening_fence(text)
        if inner is not None and inner.info and inner.mark.startswith(self._fences[0].mark):
            self._fences.append(inner)

    def _count(self, text: str) -> None:
        for found in _NESTED.finditer(text):
            self._depth += -1 if found[1] else 1
        self.done = self._depth <= 0


def opens_quotation(text: str, number: int) -> Quotation | None:
    """The quotation that the line `text`, outside of edits and fences, may open and does not end."""
    if _COMMENT.match(text) or _BLOCKQUOTE.match(text):
        quotation = Quotation(text, number, None)
        return None if quotation.done else quotation
    fence = opening_fence(text)
    return Quotation(text, number, fence) if fence is not None and _language(fence) in _DOCUMENTS else None


def _language(fence: Fence) -> str:
    return fence.info.split()[0].lower() if fence.info and fence.mark[0] in "`~" else ""
