"""The tool call `replace_in_file {path, diff}`: one file, one or more SEARCH/REPLACE blocks."""

from __future__ import annotations

from motet.edits.edit import Replace
from motet.edits.formats.blocks import parse_blocks
from motet.edits.lines import split_lines
from motet.errors import EditFormatError


def parse_replace_in_file(path: str, diff: str, call: str = "") -> list[Replace]:
    """The edits of one call. Raises `EditFormatError` when `diff` holds no block or a broken one."""
    blocks = parse_blocks([line.text for line in split_lines(diff)])
    if not blocks:
        raise EditFormatError("the diff holds no SEARCH/REPLACE block", 1)
    return [Replace(path, block.search, block.replace, call, block.first + 1) for block in blocks]
