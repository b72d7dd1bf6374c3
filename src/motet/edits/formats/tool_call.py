"""Tool calls that edit files, read while their JSON arguments are still arriving.

| call | arguments |
|---|---|
| `replace_in_file` | `path`, `diff`: SEARCH/REPLACE blocks |
| `edit_file` | `path`, `edits`: `[{old, new, replace_all?, near?}]` |
| `whole_file` | `path`, `content` |
| `apply_patch` | `patch` |
| `udiff` | `diff`, and `path` where it names no file |
| `anchored` | `path`, `edits`: `[{replace | insert_after | delete, text?}]` |
"""

from __future__ import annotations

from motet.edits.formats.call_items import ITEM_FORMATS, ItemCall
from motet.edits.formats.call_text import TEXT_FORMATS, TextCall
from motet.edits.formats.json_stream import JsonReader
from motet.edits.formats.reader import Piece

TOOL_CALL_FORMATS = (*TEXT_FORMATS, *ITEM_FORMATS)


class ToolCallReader:
    """Reads the arguments of one call in pieces of any size. `path` is the file meant when the arguments name none.

    A preview comes as soon as a line of an edit is complete and its path is known; an edit, as soon as it is. Raises
    `EditFormatError` for arguments that cannot be understood, and `ValueError` for a `format` that is not one of
    `TOOL_CALL_FORMATS`.
    """

    def __init__(self, format: str, *, path: str = "", call: str = "") -> None:
        if format in TEXT_FORMATS:
            self._call = TextCall(TEXT_FORMATS[format], path, call)
        elif format in ITEM_FORMATS:
            self._call = ItemCall(ITEM_FORMATS[format], path, call)
        else:
            raise ValueError(f"no tool call has the format {format!r}")
        self._json = JsonReader()
        self._held: list[str] = []

    def feed(self, chunk: str) -> list[Piece]:
        """What `chunk` completes."""
        # Inside a string no line ends without one of these, so there is nothing to tell yet.
        if self._json.is_in_string and "\\" not in chunk and '"' not in chunk and "\n" not in chunk:
            self._held.append(chunk)
            return []
        if self._held:
            chunk = "".join(self._held) + chunk
            self._held = []
        return [piece for event in self._json.events(chunk) for piece in self._call.take(event)]

    def finish(self) -> list[Piece]:
        """The arguments are over; nothing is left to say when they were complete."""
        self._json.feed("".join(self._held))
        self._json.end()
        return []
