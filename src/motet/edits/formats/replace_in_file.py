"""The tool call `replace_in_file {path, diff}`: one file, one or more SEARCH/REPLACE blocks."""

from __future__ import annotations

from motet.edits.edit import Replace
from motet.edits.formats.reader import Piece, read
from motet.edits.formats.search_replace import SearchReplaceReader
from motet.errors import NoEdits


class ReplaceInFileReader:
    """Reads the `diff` of a call: blocks that are all for `path` (`formats.reader.Reader`)."""

    def __init__(self, *, path: str = "", call: str = "") -> None:
        self._blocks = SearchReplaceReader(path=path, call=call, is_fixed=True)
        self._found = False

    def line(self, text: str, number: int) -> list[Piece]:
        pieces = self._blocks.line(text, number)
        self._found = self._found or not self._blocks.idle
        return pieces

    def end(self) -> list[Piece]:
        pieces = self._blocks.end()
        if not self._found:
            raise NoEdits("the diff holds no SEARCH/REPLACE block", 1)
        return pieces


def parse_replace_in_file(path: str, diff: str, call: str = "") -> list[Replace]:
    """The edits of one call. Raises `EditFormatError` when `diff` holds no block or a broken one."""
    edits = read(ReplaceInFileReader(path=path, call=call), diff)
    return [edit for edit in edits if isinstance(edit, Replace)]
