"""Tool calls of which one argument holds the edits as text: `replace_in_file`, `apply_patch`, `udiff`, `whole_file`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from motet.edits.edit import Write
from motet.edits.formats.apply_patch import ApplyPatchReader
from motet.edits.formats.arguments import PATH_NAMES, Arguments
from motet.edits.formats.json_value import Json, JsonDone, JsonEvent, JsonText
from motet.edits.formats.line_feed import LineFeed
from motet.edits.formats.reader import Piece, Reader
from motet.edits.formats.replace_in_file import ReplaceInFileReader
from motet.edits.formats.udiff import UdiffReader
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError


@dataclass(frozen=True, slots=True)
class TextFormat:
    """`names`: what the argument may be called, first as it should be. `make`: its reader; None where it is the text of the file itself.
    `needs_path`: the path stands beside it, not in it."""

    names: tuple[str, ...]
    make: Callable[[str, str], Reader] | None
    needs_path: bool


TEXT_FORMATS = {
    "replace_in_file": TextFormat(
        ("diff", "blocks", "content"),
        lambda path, call: ReplaceInFileReader(path=path, call=call),
        needs_path=True,
    ),
    "apply_patch": TextFormat(
        ("patch", "input", "patch_text", "patchText", "diff", "content"),
        lambda path, call: ApplyPatchReader(path=path, call=call),
        needs_path=False,
    ),
    "udiff": TextFormat(
        ("diff", "patch", "content"),
        lambda path, call: UdiffReader(path=path, call=call),
        needs_path=False,
    ),
    "whole_file": TextFormat(
        ("content", "contents", "text", "new_content", "newContent", "file_text", "fileText"),
        None,
        needs_path=True,
    ),
}


class TextCall:
    """Reads such a call from what its JSON completes. Lines wait until the path is known, where it stands beside."""

    def __init__(self, text_format: TextFormat, path: str, call: str) -> None:
        self._format = text_format
        self._given = path
        self._call = call
        self._path = ""
        self._name = ""
        self._feed = LineFeed()
        self._waiting: list[str] = []
        self._reader: Reader | None = None
        self._number = 0
        self._text: str | None = None
        self._ended = False

    def take(self, event: JsonEvent) -> list[Piece]:
        """What `event` completes."""
        match event:
            case JsonText((str() as name,), text) if name in self._format.names:
                self._choose(name)
                return self._lines(self._feed.feed(text))
            case JsonDone((str() as name,), str() as value) if name in self._format.names:
                self._choose(name)
                pieces = self._lines(self._feed.end())
                self._text = value
                return pieces + self._end()
            case JsonDone((str() as name,), str() as value) if name in PATH_NAMES and value and not self._path:
                self._path = value
                return self._lines([]) + self._end()
            case JsonDone((), dict() as values, line):
                return self._finish(values, line)
            case _:
                return []

    def _choose(self, name: str) -> None:
        if self._name not in ("", name):
            raise EditFormatError(f"line 1: the call has both {self._name!r} and {name!r}", 1)
        self._name = name

    def _finish(self, values: dict[str, Json], line: int) -> list[Piece]:
        """The whole call is there: the path given outside of it counts when it names none itself."""
        arguments = Arguments(values, "the call", line)
        arguments.text(self._format.names, called=self._format.names[0])
        self._path = arguments.text(PATH_NAMES, "") or self._given
        if not self._path and self._format.needs_path:
            raise arguments.error("no path says which file it is for")
        return self._lines([]) + self._end()

    def _lines(self, lines: list[str]) -> list[Piece]:
        if self._format.needs_path and not self._path:
            self._waiting += lines
            return []
        lines, self._waiting = self._waiting + lines, []
        make = self._format.make
        if make is None:
            return [EditPreview(self._path, 1, "replace", tuple(lines))] if lines else []
        if self._reader is None:
            self._reader = make(self._path or self._given, self._call)
        pieces: list[Piece] = []
        for line in lines:
            self._number += 1
            pieces += self._reader.line(line, self._number)
        return pieces

    def _end(self) -> list[Piece]:
        """The edits that the end of the text completes, once the path is known."""
        if self._text is None or self._ended or (self._format.needs_path and not self._path):
            return []
        self._ended = True
        if self._reader is not None:
            return self._reader.end()
        return [Write(self._path, self._text, call=self._call)]
