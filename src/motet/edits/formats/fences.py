"""Fences around code: backticks or tildes (CommonMark 0.31, section 4.5), or a tag such as `<source>`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})([^`]*)")
_TAG = re.compile(r"([ \t]*)<(source|sourcecode|code|codeblock|pre)>([ \t]*[\w+#.-]*)[ \t]*")
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Fence:
    """An opening fence. `mark`: its backticks or tildes, or the name of its tag; `info`: what stands behind it."""

    indent: str
    mark: str
    info: str

    @property
    def is_bare(self) -> bool:
        """Whether the line could as well close a fence."""
        return not self.info and self.mark[0] in "`~"

    def is_closed_by(self, line: str) -> bool:
        """Whether `line` is the fence that ends this one: at least as long, with nothing behind it."""
        text = line.strip(" \t")
        if self.mark[0] not in "`~":
            return text == f"</{self.mark}>"
        return text.startswith(self.mark) and not text.strip(self.mark[0]) and self._is_in_margin(line)

    def inside(self, line: str) -> str:
        """`line` as it was before the whole fence was indented."""
        end = 0
        while end < len(self.indent) and line[end : end + 1] == self.indent[end]:
            end += 1
        return line[end:]

    def _is_in_margin(self, line: str) -> bool:
        return len(line) - len(line.lstrip(" \t")) <= len(self.indent) + 3


def opening_fence(line: str) -> Fence | None:
    """The fence that `line` opens; a bare one could also be a closing one."""
    start = line.lstrip(" \t")[:1]
    if not start or start not in "`~<" or len(line) > _LONGEST:
        return None
    found = (_TAG if start == "<" else _FENCE).fullmatch(line)
    return Fence(found[1], found[2], found[3].strip()) if found else None


def is_closing_tag(line: str) -> bool:
    """Whether `line` ends a fence that is a tag."""
    return line.strip(" \t") in {"</source>", "</sourcecode>", "</code>", "</codeblock>", "</pre>"}


def doubles(fence: Fence, line: str) -> bool:
    """Whether `line`, with which the text in `fence` begins, opens the same fence once more, as some models do."""
    inner = opening_fence(line)
    if inner is None or not inner.info or inner.mark != fence.mark or fence.mark[0] not in "`~":
        return False
    return fence.info.split()[:1] in ([], inner.info.split()[:1])


class OuterFence:
    """A fence around another fence, whose own end may follow right behind the end of the inner one."""

    def __init__(self) -> None:
        self._fence: Fence | None = None
        self._ended = 0

    def begins(self, fence: Fence) -> None:
        self._fence, self._ended = fence, 0

    def inner_ended(self, number: int) -> None:
        """What stands within is over with this line."""
        self._ended = self._ended or number

    def ends(self, text: str, number: int) -> bool:
        """Whether this line is its end."""
        fence = self._fence
        if fence is None or not self._ended:
            return False
        self._fence = None
        return number == self._ended + 1 and fence.is_closed_by(text)
