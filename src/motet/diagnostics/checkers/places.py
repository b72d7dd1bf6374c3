"""From a tool's own terms to ours: paths of the workspace, columns in characters, ranges inside the text."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath

from motet.diagnostics.checkers.finding import Finding, Place, RawFix, Unit
from motet.text import (
    Diagnostic,
    LineIndex,
    Position,
    PositionEncoding,
    Range,
    SuggestedFix,
    TextEdit,
    TextFile,
    bounded_message,
)

_TAB = 8


@dataclass(frozen=True, slots=True)
class Places:
    """Where a tool ran and what is known of the files there.

    `root` is the workspace, `cwd` where the tool ran, both absolute. Columns are translated in files that
    `read` gives; in others they stay as the tool wrote them. `exists` says whether a workspace path is a file
    of the workspace; without it, everything below `root` is. A path that does not exist stands for the only
    one in `known` that ends with it: test runners print paths relative to a package.
    """

    root: Path
    cwd: Path
    read: Callable[[str], TextFile | None] = lambda _: None
    exists: Callable[[str], bool] | None = None
    known: Sequence[str] = ()
    _paths: dict[tuple[str, str], str | None] = field(default_factory=dict[tuple[str, str], "str | None"])
    _indexes: dict[str, LineIndex | None] = field(default_factory=dict[str, "LineIndex | None"])

    def diagnostic(self, finding: Finding, source: str) -> Diagnostic | None:
        """`finding` in our terms; None for one outside the workspace."""
        path = self.resolve(finding.path, finding.directory)
        if path is None:
            return None
        index = self._index(path)
        place = finding.place
        if finding.summary and index is not None:
            place = Place(_line_of_test(index, finding.subject))
        start = _position(place, finding.unit, index)
        end = _position(finding.end, finding.unit, index) if finding.end is not None else start
        return Diagnostic(
            path,
            Range(start, max(start, end)),
            finding.severity,
            bounded_message(finding.message.strip()) or finding.code or "problem",
            source,
            finding.code,
            tuple(_fix(fix, index) for fix in finding.fixes),
        )

    def resolve(self, path: str, directory: str = "") -> str | None:
        """`path` as a tool printed it, relative to the workspace; None outside of it."""
        key = (path, directory)
        if key not in self._paths:
            self._paths[key] = self._resolve(path, directory)
        return self._paths[key]

    def _resolve(self, path: str, directory: str) -> str | None:
        if not path or path.startswith("<") or "\0" in path:  # `<stdin>`, `<command-line>`
            return None
        absolute = os.path.normpath(Path(self.cwd, directory, path))
        try:
            relative = PurePosixPath(absolute).relative_to(self.root).as_posix()
        except ValueError:
            return None
        if relative == ".":
            return None
        if self.exists is None or self.exists(relative):
            return relative
        wanted = "/" + os.path.normpath(path).lstrip("/")
        ending = [known for known in self.known if f"/{known}".endswith(wanted)]
        return ending[0] if len(ending) == 1 else None

    def _index(self, path: str) -> LineIndex | None:
        if path not in self._indexes:
            file = self.read(path)
            self._indexes[path] = LineIndex(file.text) if file is not None else None
        return self._indexes[path]


def _position(place: Place, unit: Unit, index: LineIndex | None) -> Position:
    line, column = max(place.line, 1), max(place.column, 1)
    if index is None:
        return Position(line, column)
    text = index.line(line)
    match unit:
        case Unit.CHARACTERS:
            return Position(line, min(column, len(text) + 1))
        case Unit.UTF8:
            column = _column(index, line, column, PositionEncoding.UTF8)
        case Unit.UTF16:
            column = _column(index, line, column, PositionEncoding.UTF16)
        case Unit.DISPLAY:
            column = _cell_to_column(text, column)
    return Position(line, column)


def _column(index: LineIndex, line: int, column: int, encoding: PositionEncoding) -> int:
    return index.from_units(line - 1, column - 1, encoding).column if line <= index.line_count else 1


def _cell_to_column(text: str, cell: int) -> int:
    """The character that covers 1-based `cell` of `text` on a terminal."""
    width = 0
    for column, character in enumerate(text, 1):
        if character == "\t":
            width += _TAB - width % _TAB
        elif unicodedata.combining(character) == 0:
            width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width >= cell:
            return column
    return len(text) + 1


def _fix(fix: RawFix, index: LineIndex | None) -> SuggestedFix:
    """Only the title, which still helps, when an offset cannot be translated or the edits exclude each other."""
    edits: list[TextEdit] = []
    for edit in fix.edits:
        start, end = (_edge(edge, fix.unit, index) for edge in (edit.start, edit.end))
        if start is None or end is None:
            return SuggestedFix(fix.title, (), fix.preferred)
        edits.append(TextEdit(Range(start, max(start, end)), edit.text))
    edits.sort(key=lambda edit: edit.range)
    for before, after in pairwise(edits):
        # rustc lists alternatives as edits of one place.
        if after.range.start == before.range.start or after.range.start < before.range.end:
            return SuggestedFix(fix.title, (), fix.preferred)
    return SuggestedFix(fix.title, tuple(edits), fix.preferred)


def _edge(edge: Place | int, unit: Unit, index: LineIndex | None) -> Position | None:
    if isinstance(edge, Place):
        return _position(edge, unit, index)
    if index is None:
        return None
    if index.text.isascii():
        return index.position(edge)
    before = index.text.encode("utf-16-le", "surrogatepass")[: edge * 2]
    return index.position(len(before.decode("utf-16-le", "ignore")))


def _line_of_test(index: LineIndex, subject: str) -> int:
    """Where `def` of the test stands whose name ends `subject`; 1 when it is not found."""
    name = subject.rpartition(".")[2].partition("[")[0]
    for line in range(1, index.line_count + 1):
        words = index.line(line).replace("(", " ( ").split()
        if "def" in words[:2] and name in words[1:3]:
            return line
    return 1
