"""SEARCH/REPLACE blocks in plain text, for models without tools: the path stands on the line before the block,
before the fence around it, or in the fence's info string; further blocks without a path go to the same file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from motet.edits.edit import Replace
from motet.edits.formats.blocks import Block, parse_blocks
from motet.edits.lines import split_lines
from motet.errors import EditFormatError

_FENCE = re.compile(r"^\s*(?:`{3,5}|~{3,5})\s*(.*)$")
_DECORATION = re.compile(r"^(?:[-*#>\d.)\s]*)(?:file(?:name)?|path)?:?\s*[`*\"']*(.+?)[`*\"':]*\s*$", re.IGNORECASE)


def parse_search_replace(answer: str, call: str = "") -> list[Replace]:
    """The edits in `answer`, in order; an answer without blocks has none.

    Raises `EditFormatError`, naming the line, for a broken block or one whose file is not named.
    """
    lines = [line.text for line in split_lines(answer)]
    edits: list[Replace] = []
    path = ""
    previous_end = -1
    for block in parse_blocks(lines):
        path = _path_before(lines, block, previous_end) or path
        if not path:
            number = block.first + 1
            raise EditFormatError(f"line {number}: no path before this block says which file it is for", number)
        edits.append(Replace(path, block.search, block.replace, call, block.first + 1))
        previous_end = block.last
    return edits


def _path_before(lines: Sequence[str], block: Block, previous_end: int) -> str:
    """The path named between the block before and this one, nearest first; empty when there is none."""
    for index in range(block.first - 1, previous_end, -1):
        fence = _FENCE.match(lines[index])
        if fence is not None:
            path = _path_in_info(fence[1])
            if path:
                return path
            continue
        if not lines[index].strip():
            continue
        return _as_path(lines[index])
    return ""


def _path_in_info(info: str) -> str:
    """A path in a fence's info string: `python src/a.py`, `src/a.py` or `python:src/a.py`."""
    words = info.replace(":", " ").split()
    return next((word for word in words if "/" in word or re.search(r"\w\.\w+$", word)), "")


def _as_path(line: str) -> str:
    """The path that a line consists of; empty for a sentence."""
    found = _DECORATION.match(line)
    text = found[1].strip() if found else ""
    if not text or len(text) > 300 or text.endswith("."):
        return ""
    if "/" in text or "." in text:
        return text if " " not in text or re.search(r"\.\w{1,8}$", text) else ""
    return text if text.lower() in {"makefile", "dockerfile", "justfile"} else ""
