"""SEARCH/REPLACE blocks: the lines between markers, whatever they hold.

    <<<<<<< SEARCH
    lines as they stand in the file
    =======
    lines to stand there instead
    >>>>>>> REPLACE

Markers have 5 to 9 characters. A text that itself holds such lines is taken only when one reading is possible.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from motet.errors import EditFormatError

_OPEN = re.compile(r"^\s{0,3}(?:<{5,9}|-{5,9}) ?SEARCH>?\s*$")
_MIDDLE = re.compile(r"^\s{0,3}={5,9}\s*$")
_CLOSE = re.compile(r"^\s{0,3}(?:>{5,9}|\+{5,9}) ?REPLACE\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its texts without a final line end, and the 0-based lines of its markers in the answer."""

    search: str
    replace: str
    first: int
    last: int


def is_open_marker(line: str) -> bool:
    """Whether `line` begins a block."""
    return _OPEN.match(line) is not None


def parse_blocks(lines: Sequence[str], start: int = 0) -> list[Block]:
    """All blocks of `lines` from index `start` on; text between blocks is skipped.

    Raises `EditFormatError`, naming the 1-based line, for a block without its middle or end.
    """
    blocks: list[Block] = []
    index = start
    while index < len(lines):
        if is_open_marker(lines[index]):
            block = _parse_block(lines, index)
            blocks.append(block)
            index = block.last
        elif _CLOSE.match(lines[index]):
            raise EditFormatError(f"line {index + 1}: REPLACE marker without a SEARCH marker", index + 1)
        index += 1
    return blocks


def _parse_block(lines: Sequence[str], first: int) -> Block:
    middles: list[int] = []
    for index in range(first + 1, len(lines)):
        if _CLOSE.match(lines[index]):
            middle = _middle(middles, first, index)
            return Block(_body(lines[first + 1 : middle]), _body(lines[middle + 1 : index]), first, index)
        if is_open_marker(lines[index]):
            raise EditFormatError(
                f"line {index + 1}: a new SEARCH marker before the block of line {first + 1} was closed",
                index + 1,
            )
        if _MIDDLE.match(lines[index]):
            middles.append(index)
    missing = "REPLACE" if middles else "======="
    raise EditFormatError(f"line {first + 1}: the block has no {missing} marker", first + 1)


def _middle(middles: Sequence[int], first: int, last: int) -> int:
    match middles:
        case [only]:
            return only
        case []:
            raise EditFormatError(f"line {first + 1}: the block has no ======= marker", first + 1)
        case _:
            raise EditFormatError(
                f"line {last + 1}: the block of line {first + 1} holds {len(middles)} ======= lines; "
                "it is not clear which divides it",
                first + 1,
            )


def _body(lines: Sequence[str]) -> str:
    # One empty new line must differ from no line at all: "\n" has one line, "" has none.
    return "\n".join(lines) if lines and lines[-1] else "".join(line + "\n" for line in lines)
