"""The front of all formats: an answer, whole or as it arrives, becomes edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from motet.edits.edit import Edit
from motet.edits.formats.anchored import AnchoredReader
from motet.edits.formats.apply_patch import ApplyPatchReader
from motet.edits.formats.auto import FORMS, AutoReader
from motet.edits.formats.reader import Piece, Reader, edits_of
from motet.edits.formats.replace_in_file import ReplaceInFileReader
from motet.edits.formats.search_replace import SearchReplaceReader
from motet.edits.formats.tool_call import ToolCallReader
from motet.edits.formats.udiff import UdiffReader
from motet.edits.formats.whole_file import WholeFileReader
from motet.edits.formats.xml import XmlReader
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError, NoEdits

_READERS: Mapping[str, Callable[..., Reader]] = {
    "anchored": AnchoredReader,
    "apply_patch": ApplyPatchReader,
    "auto": AutoReader,
    "replace_in_file": ReplaceInFileReader,
    "search_replace": SearchReplaceReader,
    "udiff": UdiffReader,
    "whole_file": WholeFileReader,
    "xml": XmlReader,
}
_AS_JSON = frozenset(("anchored", "apply_patch", "edit_file", "replace_in_file", "whole_file"))

FORMATS = tuple(sorted({*_READERS, *_AS_JSON}))
"""The names of all formats that `parse` and `StreamParser` know."""


class StreamParser:
    """Reads an answer while it arrives.

    `format`: one of `FORMATS`. `path`: the file meant when the answer names none. `call`: the tool call or answer that
    the edits come from. Formats that are also tools (`replace_in_file`, `edit_file`, `whole_file`, `apply_patch`,
    `anchored`) take the JSON arguments of a call as well as text.

    Every method raises `EditFormatError` for what cannot be understood, from then on, and nothing else; no edit that
    came before counts then. A chunk without a line end costs next to nothing.
    """

    def __init__(self, format: str = "auto", *, path: str = "", call: str = "") -> None:
        if format not in FORMATS:
            raise EditFormatError(f"there is no edit format {format!r}; known are {', '.join(FORMATS)}")
        self._format = format
        self._path, self._call = path, call
        self._json: ToolCallReader | None = None
        self._reader: Reader | None = None
        self._parts: list[str] = []
        self._number = 0
        self._has_edits = False
        self._error: EditFormatError | None = None

    def feed(self, chunk: str) -> list[EditPreview | Edit]:
        """What `chunk`, of any size, completes: previews of lines, and edits."""
        pieces = self._fed(chunk)
        return _merged(pieces) if len(pieces) > 1 else pieces

    def finish(self) -> list[EditPreview | Edit]:
        """What the end of the answer completes. Raises `NoEdits` when the answer held no edit."""
        pieces = self._finished()
        return _merged(pieces) if len(pieces) > 1 else pieces

    def edits(self, answer: str) -> list[Edit]:
        """The edits of a whole answer."""
        return edits_of(self._fed(answer)) + edits_of(self._finished())

    def _fed(self, chunk: str) -> list[Piece]:
        if self._reader is not None and "\n" not in chunk:
            self._parts.append(chunk)
            return []
        self._refuse_after_error()
        try:
            pieces = self._json.feed(chunk) if self._json is not None else self._feed(chunk)
        except EditFormatError as error:
            self._error = error
            raise
        self._look_for_edits(pieces)
        return pieces

    def _finished(self) -> list[Piece]:
        self._refuse_after_error()
        try:
            return self._finish()
        except EditFormatError as error:
            self._error = error
            raise

    def _refuse_after_error(self) -> None:
        if self._error is not None:
            raise self._error

    def _feed(self, chunk: str) -> list[Piece]:
        return self._begin(chunk) if self._reader is None else self._lines(self._reader, chunk)

    def _finish(self) -> list[Piece]:
        pieces: list[Piece] = []
        if self._json is not None:
            pieces = self._json.finish()
        elif self._reader is not None:
            last = "".join(self._parts)
            self._parts = []
            pieces = self._reader.line(last, self._number + 1) if last else []
            pieces += self._reader.end()
        self._look_for_edits(pieces)
        if not self._has_edits:
            raise NoEdits(_nothing(self._format), 1)
        return pieces

    def _begin(self, chunk: str) -> list[Piece]:
        """Wait for the first character that tells JSON from text."""
        self._parts.append(chunk)
        start = chunk.strip().lstrip("\ufeff")[:1]
        if not start:
            return []
        answer = "".join(self._parts).removeprefix("\ufeff")
        self._parts = []
        if self._format not in _READERS or (start == "{" and self._format in _AS_JSON):
            self._json = ToolCallReader(self._format, path=self._path, call=self._call)
        else:
            reader = _READERS[self._format]
            self._reader = reader(path=self._path, call=self._call)
        return self._json.feed(answer) if self._json is not None else self._feed(answer)

    def _lines(self, reader: Reader, chunk: str) -> list[Piece]:
        first, *lines = chunk.split("\n")
        first = "".join([*self._parts, first])
        lines.insert(0, first)
        self._parts = [lines.pop()]
        if "\r" in chunk or "\r" in first:
            lines = [line.removesuffix("\r") for line in lines]
        pieces: list[Piece] = []
        run = reader.run if isinstance(reader, AutoReader) else None
        at, count = 0, len(lines)
        while at < count:
            for preview in run(lines, at) if run is not None else ():
                assert isinstance(preview, EditPreview)
                pieces.append(preview)
                at += len(preview.lines)
                self._number += len(preview.lines)
            if at == count:
                break
            at += 1
            self._number += 1
            pieces += reader.line(lines[at - 1], self._number)
        return pieces

    def _look_for_edits(self, pieces: list[Piece]) -> None:
        self._has_edits = self._has_edits or any(not isinstance(piece, EditPreview) for piece in pieces)


def parse(answer: str, format: str = "auto", *, path: str = "", call: str = "") -> list[Edit]:
    """The edits in `answer`, in order; `format` and the rest are those of `StreamParser`.

    Raises `EditFormatError`, naming the 1-based line, for what cannot be understood; `NoEdits`, which is one, when there is no edit.
    """
    return StreamParser(format, path=path, call=call).edits(answer)


def _nothing(format: str) -> str:
    if format == "auto":
        return f"no edit was understood in the answer; known forms are {FORMS}"
    return f"the answer holds no edit in the format {format}"


def _merged(pieces: list[Piece]) -> list[Piece]:
    """`pieces` with neighbouring previews of the same part as one."""
    merged: list[Piece] = []
    run: list[EditPreview] = []
    for piece in pieces:
        if isinstance(piece, EditPreview) and (not run or _continues(run[0], piece)):
            run.append(piece)
            continue
        merged += _joined(run)
        run = []
        if isinstance(piece, EditPreview):
            run.append(piece)
        else:
            merged.append(piece)
    return merged + _joined(run)


def _continues(first: EditPreview, next_one: EditPreview) -> bool:
    return (first.path, first.number, first.part) == (next_one.path, next_one.number, next_one.part)


def _joined(run: list[EditPreview]) -> list[EditPreview]:
    if not run:
        return []
    lines = tuple(line for preview in run for line in preview.lines)
    return [EditPreview(run[0].path, run[0].number, run[0].part, lines)]
