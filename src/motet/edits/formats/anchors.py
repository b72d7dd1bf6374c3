"""Anchors: lines shown with their number and a short hash of what they hold, `12:a3f│ text`.

A model that names a line by its anchor cannot miscount without being found out, and neither can it edit a file that
has changed since. The hash has three of 32 characters (`0-9a-z` without `i`, `l`, `o`, `u`; Crockford's base 32):
the low 15 bits of the CRC-32 (as in zlib) of the line in UTF-8, highest bits first. White space at the end of the
line and the line end do not count.
"""

from __future__ import annotations

import re
from functools import cache
from zlib import crc32

from motet.edits.edit import Anchor

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_BAR = "│"
_ANCHOR = re.compile(
    r"[\[(`\"']?[ \t]?L?([0-9]{1,9})[ \t]?:[ \t]?([0-9A-Za-z]{2,3})(?![0-9A-Za-z])[ \t]?[\])`\"']?(?:[ \t]?[│|┃].*)?"
)


def render_anchored(text: str) -> str:
    """`text` as a model is shown it: every line with its anchor, each ended by `\\n`. The lines end where
    `edits.lines.split_lines` ends them."""
    if not text:
        return ""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return "".join(f"{number}:{_hash(line)}{_BAR} {line}\n" for number, line in enumerate(lines, 1))


def anchor_of(line: str, number: int) -> Anchor:
    """The anchor of `line` (with or without its end), the 1-based `number`th of its file."""
    return Anchor(number, _hash(line))


def read_anchor(text: str) -> Anchor | None:
    """The anchor that `text` is, in the ways in which models copy it (`[12:a3f]`, `L12:a3f`, `12:a3f│ text`); None
    for anything else."""
    found = _ANCHOR.fullmatch(text.strip())
    return Anchor(int(found[1]), found[2].lower()) if found else None


def _hash(line: str) -> str:
    return _names()[crc32(line.rstrip().encode("utf-8", "surrogatepass")) & 0x7FFF]


@cache
def _names() -> tuple[str, ...]:
    return tuple(a + b + c for a in _ALPHABET for b in _ALPHABET for c in _ALPHABET)
