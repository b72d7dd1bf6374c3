"""Fenced code blocks (CommonMark 0.31, "Fenced code blocks"), as far as a transcript has to know of them."""

from __future__ import annotations

import re

FENCE = re.compile(r"[`~]{3,}")

_LINE = re.compile(r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$", re.MULTILINE)
_BACKTICKS = re.compile("`{3,}")


def fence_around(text: str) -> str:
    """A fence longer than any in `text`."""
    return "`" * (max(map(len, _BACKTICKS.findall(text)), default=2) + 1)


def open_fence(text: str, fence: str = "") -> str:
    """The fence that is open at the end of `text`, when `fence` was open at its beginning; empty when none is."""
    for found in _LINE.finditer(text):
        if not fence:
            fence = found[1]
        elif found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip():
            fence = ""
    return fence
