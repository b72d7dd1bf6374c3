"""SEARCH/REPLACE blocks in plain text, for models without tools.

The path stands on the line before the block, before the fence around it, in the fence's info string, or as the first
line within; further blocks without a path go to the same file. Whatever else the answer says is skipped.
"""

from __future__ import annotations

from motet.edits.edit import Replace
from motet.edits.formats.blocks import Marker, OpenBlock, marker_of
from motet.edits.formats.naming import PathWatch
from motet.edits.formats.reader import Piece, read
from motet.errors import EditFormatError


class SearchReplaceReader:
    """Reads blocks, each for the file that was named before it (`formats.reader.Reader`).

    `path` is the file meant by blocks before which none is named; with `is_fixed`, by all blocks. `after`: how many
    edits of the answer came before. `count`: how many blocks have begun.
    """

    def __init__(self, *, path: str = "", call: str = "", is_fixed: bool = False, after: int = 0) -> None:
        self.names = PathWatch(path)
        self._path = path if is_fixed else ""
        self._call = call
        self._block: OpenBlock | None = None
        self.count = 0
        self._after_others = after
        self._is_below_text = False
        self._stray = 0

    @property
    def idle(self) -> bool:
        """Whether no block is open."""
        return self._block is None

    def line(self, text: str, number: int) -> list[Piece]:
        block = self._block
        if block is None:
            self._outside(text, number)
            return []
        pieces = block.line(text, number)
        return pieces + self._after(block) if block.done else pieces

    def end(self) -> list[Piece]:
        block = self._block
        if block is None:
            return []
        pieces = block.end()
        return pieces + self._after(block)

    def _after(self, block: OpenBlock) -> list[Piece]:
        self._block = None
        return [piece for text, number in block.tail for piece in self.line(text, number)]

    def _outside(self, text: str, number: int) -> None:
        marker = marker_of(text, self.names.indent)
        match marker:
            case Marker(kind="open") if self._stray == number - 1 > 0:
                raise EditFormatError(f"line {self._stray}: ======= marker without a SEARCH marker", self._stray)
            case Marker(kind="open"):
                self._begin(marker, number)
            case Marker(kind="middle") if not self._is_below_text:
                self._stray = number  # under no heading; a fault if a block follows at once
            case Marker(kind="close"):
                raise EditFormatError(f"line {number}: REPLACE marker without a SEARCH marker", number)
            case _:
                self.names.see(text)
        self._is_below_text = bool(text.strip())

    def _begin(self, marker: Marker, number: int) -> None:
        path = self._path or self.names.for_block(number)
        self.count += 1
        self._block = OpenBlock(
            marker,
            path,
            line=number,
            number=self._after_others + self.count,
            indent=self.names.margin(marker.indent),
            call=self._call,
        )


def parse_search_replace(answer: str, call: str = "") -> list[Replace]:
    """The edits in `answer`, in order; an answer without blocks has none.

    Raises `EditFormatError`, naming the line, for a broken block or one whose file is not named.
    """
    edits = read(SearchReplaceReader(call=call), answer)
    return [edit for edit in edits if isinstance(edit, Replace)]
