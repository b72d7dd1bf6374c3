"""An answer in whatever format, or in several: prose, chat logs, patches and fences mixed.

Outside of edits each line decides whether one begins, and in which format. A fence counts as a whole file only when a
path is named for it, on the line before or in its info string; other fences are examples.
"""

from __future__ import annotations

import re

from motet.edits.dialect import MOTET, Dialect
from motet.edits.formats import apply_patch
from motet.edits.formats.anchored import AnchoredReader
from motet.edits.formats.anchored_call import read_range
from motet.edits.formats.apply_patch import ApplyPatchReader
from motet.edits.formats.blocks import Marker, OpenBlock, marker_of
from motet.edits.formats.fences import Fence, opening_fence
from motet.edits.formats.hunk_lines import is_hunk_head, read_hunk_head
from motet.edits.formats.json_region import JsonRegion, may_be_json
from motet.edits.formats.naming import PathWatch
from motet.edits.formats.paths import path_on_line
from motet.edits.formats.reader import Piece, edits_of
from motet.edits.formats.regions import LooseRegion, NumberedLine, ReaderRegion, Region
from motet.edits.formats.udiff import UdiffReader
from motet.edits.formats.whole_file import OpenFile, named_by
from motet.edits.formats.xml import XmlReader, opens_element, strays
from motet.errors import EditFormatError

FORMS = (
    "SEARCH/REPLACE blocks, <replace_file> and <replace_in_file>, unified diffs, *** Begin Patch, anchored edits, "
    "a whole file in a fence with its path on the line before, and the JSON arguments of an edit tool"
)

_DIFFS = frozenset(("diff", "patch", "udiff"))
_ANCHORED = re.compile(r"[ \t]*(?:replace|delete|insert after)[ \t]+([\w\[(`\"'].*)", re.IGNORECASE)
_LONGEST = 300


def anchored_operation(line: str) -> bool:
    """Whether `line` begins an anchored edit beyond doubt: `replace 12:a3f..15:f0z`."""
    found = _ANCHORED.fullmatch(line) if len(line) < _LONGEST else None
    return found is not None and read_range(found[1].rstrip(": \t")) is not None


class AutoReader:
    """Finds edits in any of the text formats (`formats.reader.Reader`).

    `path` is the file meant by blocks and hunks before which none is named.
    """

    def __init__(self, *, path: str = "", call: str = "", dialect: Dialect = MOTET) -> None:
        self._names = PathWatch(path)
        self._path = path
        self._call = call
        self._dialect = dialect
        self._region: Region | None = None
        self._before: OpenFile | None = None
        self._fence_line: NumberedLine = ("", 0)
        self._undecided: tuple[Fence, str] | None = None
        self._held: list[NumberedLine] = []
        self._first_held = ""
        self._no_json_until = 0
        self._count = 0
        self._pieces: list[Piece] = []

    def line(self, text: str, number: int) -> list[Piece]:
        self._pieces = []
        self._take(text, number)
        return self._pieces

    def end(self) -> list[Piece]:
        self._pieces = []
        while True:
            if self._undecided is not None:
                self._begin_file()
            region = self._region
            if region is None:
                return self._pieces
            self._give(region.end())
            self._leave(region)

    def _take(self, text: str, number: int) -> None:
        region = self._region
        if region is None:
            self._outside(text, number)
            return
        if isinstance(region, OpenFile):
            self._refuse_marker(region, text, number)
        self._give(region.line(text, number))
        if region.done:
            self._leave(region)

    def _give(self, pieces: list[Piece]) -> None:
        self._pieces += pieces
        for edit in edits_of(pieces):
            self._count += 1
            self._names.edit_begins(edit.path)

    def _begin(self, region: Region, *lines: NumberedLine) -> None:
        self._region = region
        for text, number in lines:
            self._take(text, number)

    def _leave(self, region: Region) -> None:
        self._region = None
        if isinstance(region, OpenFile):
            self._before = region
        elif isinstance(region, JsonRegion) and region.tail:
            self._no_json_until = region.tail[-1][1]
        for text, number in region.tail:
            self._take(text, number)

    # Outside of edits.

    def _outside(self, text: str, number: int) -> None:
        if self._undecided is not None:
            self._decide(self._undecided, text, number)
        elif self._held:
            (minus,), self._held = self._held, []
            if text.startswith("+++ "):
                self._begin_diff(minus, (text, number))
            else:
                self._see(*minus)
                self._look(text, number)
        else:
            self._look(text, number)

    def _decide(self, undecided: tuple[Fence, str], text: str, number: int) -> None:
        """What the fence that was opened holds: another format, or the text of the file that is named for it."""
        before, is_minus = self._first_held, text.startswith("--- ")
        if self._begins_edit(text) or (before.startswith("--- ") and text.startswith("+++ ")):
            self._undecided, self._first_held = None, ""
            held, self._held = self._held, []
            for line in held:
                self._look(*line)
            self._outside(text, number)
        elif not text.strip() or (not before and (is_minus or path_on_line(text))):
            self._held.append((text, number))
            self._first_held = before or text.strip()
        else:
            self._begin_file((text, number))

    def _begins_edit(self, text: str) -> bool:
        marker = marker_of(text, self._dialect, self._names.indent)
        return (
            (marker is not None and marker.kind == "open")
            or opens_element(text) is not None
            or apply_patch.starts(text)
            or anchored_operation(text)
            or self._begins_diff(text)
        )

    def _begins_diff(self, text: str) -> bool:
        if text.startswith("diff --git "):
            return True
        return is_hunk_head(text) and bool(self._names.direct) and read_hunk_head(text).old_count is not None

    def _look(self, text: str, number: int) -> None:
        """Take a line outside of edits, with which one may begin."""
        if not text or text.isspace():
            return
        marker = marker_of(text, self._dialect, self._names.indent)
        if marker is not None and marker.kind != "middle":
            self._begin_block(marker, number)
        elif opens_element(text) is not None or strays(text):
            reader = XmlReader(path=self._path, call=self._call, dialect=self._dialect)
            self._begin(ReaderRegion(reader, self._count), (text, number))
        elif apply_patch.starts(text):
            patch = ApplyPatchReader(call=self._call, dialect=self._dialect)
            self._begin(ReaderRegion(patch, self._count), (text, number))
        elif anchored_operation(text):
            anchored = AnchoredReader(path=self._names.for_block(number), call=self._call, dialect=self._dialect)
            self._begin(LooseRegion(anchored, self._count, line=number, names_files=True), (text, number))
        elif self._begins_diff(text):
            self._begin_diff((text, number))
        elif text.startswith("--- ") and text[4:].strip():
            self._held = [(text, number)]
        elif may_be_json(text) and number > self._no_json_until:
            self._begin(JsonRegion(self._path, self._call, self._dialect, self._count), (text, number))
        else:
            self._see(text, number)

    def _see(self, text: str, number: int) -> None:
        """Take a line of prose, of an example, or a fence."""
        fence = opening_fence(text)
        path = named_by(fence, self._names) if fence is not None and self._names.may_open(fence) else ""
        if not path and self._before is not None and self._names.fence is None:
            self._before.check_after(text, number)
        before = self._names.fence
        self._names.see(text)
        if self._names.fence is not before:
            self._fence_line = (text, number)
        if fence is None or not path:
            return
        if fence.info.lower().split(" ")[0] in _DIFFS:
            self._begin_diff()
        else:
            self._undecided = (fence, path)

    def _begin_block(self, marker: Marker, number: int) -> None:
        if marker.kind == "close":
            raise EditFormatError(f"line {number}: REPLACE marker without a SEARCH marker", number)
        path = self._names.for_block(number)
        self._region = OpenBlock(
            marker,
            path,
            line=number,
            number=self._count + 1,
            indent=self._names.margin(marker.indent),
            call=self._call,
            dialect=self._dialect,
        )

    def _begin_file(self, *lines: NumberedLine) -> None:
        assert self._undecided is not None
        fence, path = self._undecided
        held, self._held, self._undecided, self._first_held = self._held, [], None, ""
        self._names.edit_begins(path)
        self._names.fence = None
        number = self._fence_line[1]
        self._begin(OpenFile(path, fence, line=number, number=self._count + 1, call=self._call), *held, *lines)

    def _begin_diff(self, *lines: NumberedLine) -> None:
        fence = self._names.fence
        reader = UdiffReader(path=self._names.direct or self._path, call=self._call, dialect=self._dialect)
        number = self._fence_line[1] if fence is not None else lines[0][1]
        if fence is not None:
            reader.line(*self._fence_line)
        self._begin(LooseRegion(reader, self._count, line=number, fence=fence), *lines)

    def _refuse_marker(self, file: OpenFile, text: str, number: int) -> None:
        marker = marker_of(text, self._dialect)
        if marker is not None and marker.kind == "open":
            raise EditFormatError(
                f"line {number}: it is not clear whether this fence holds the text of {file.path} or SEARCH/REPLACE "
                "blocks",
                number,
            )
