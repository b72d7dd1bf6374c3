"""The apply_patch format: files to add, delete, update and move between two markers.

    *** Begin Patch
    *** Update File: src/area.py
    *** Move to: src/circle.py
    @@ class Circle:
    @@     def area(self):
    -        return 3 * self.r**2
    +        return math.pi * self.r**2
    *** Add File: src/square.py
    +SIDES = 4
    *** Delete File: src/old.py
    *** End Patch

A chunk begins with `@@`, alone or with headers that stand before the place, outermost first; the first one of an
update may do without. Its lines are those of a unified diff, and a context line may lack its space. `*** End of
File` says that the chunk ends where the file ends. A chunk that only adds lines goes below its header, or to the end
of the file. Markers may have white space around them, except before them in a chunk, where it makes a line of text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum, auto

from motet.edits.edit import Delete, Edit, Move, Near, Write
from motet.edits.formats.fences import opening_fence
from motet.edits.formats.hunk_lines import HunkHead, HunkLines, is_hunk_head, previews, read_hunk_head
from motet.edits.formats.patched_files import PatchedFiles
from motet.edits.formats.reader import Piece
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError, NoEdits

_BEGIN = re.compile(r"\s*(?:apply_patch\s{1,9})?[\"'`(]{0,3}\*\*\* Begin Patch\s*", re.IGNORECASE)
_END = re.compile(r"\*\*\* End Patch\s{0,9}[\"'`)]{0,3}", re.IGNORECASE)
_END_OF_FILE = re.compile(r"\*\*\* End of File", re.IGNORECASE)
_HALF_QUOTED = re.compile(r"""<<-?[ ]?(?:"\w+[^\w"]?|'\w+[^\w']?)\s*$""")
"""The beginning of a here-document that no shell takes."""
_FILE = re.compile(r"\*\*\* (Add|Delete|Update) File:(.*)", re.IGNORECASE | re.DOTALL)
_MOVE = re.compile(r"\*\*\* Move to:(.*)", re.IGNORECASE | re.DOTALL)
_AROUND_PATH = re.compile(r"([`\"'])(.+)\1")


class _In(Enum):
    """What the next line is read as."""

    PROSE = auto()
    PATCH = auto()
    ADD = auto()
    DELETE = auto()
    UPDATE = auto()
    ENDED = auto()


def starts(line: str) -> bool:
    """Whether a patch could begin with `line`."""
    return _BEGIN.fullmatch(line) is not None


class ApplyPatchReader:
    """Reads patches, and skips what stands before, between and after them (`formats.reader.Reader`).

    `path` is the file meant by chunks before which no file is named; such chunks need no markers around them.
    """

    def __init__(self, *, path: str = "", call: str = "") -> None:
        self._given = path
        self._call = call
        self._in = _In.PROSE
        self._marked = False
        self._above = ""
        self._files = PatchedFiles()
        self._path = ""
        self._began_file = 0
        self._chunk: HunkLines | None = None
        self._chunk_is_closed = False
        self._changes = 0
        self._added: list[str] = []
        self._blanks = 0
        self._number = 0
        self._last_line = 1

    @property
    def is_done(self) -> bool:
        """Whether the patch has ended: the last line was its end marker. The reader goes on if another one follows."""
        return self._in is _In.ENDED

    def line(self, text: str, number: int) -> list[Piece]:
        self._last_line = number
        match self._in:
            case _In.PROSE | _In.ENDED:
                return self._outside(text, number)
            case _In.UPDATE if self._chunk is not None:
                is_marker = text.startswith("*** ") and text != "*** "
                return self._marker(text, number) if is_marker else self._update_line(text, number)
            case _:
                marker = text.strip()
                return self._marker(marker, number) if marker.startswith("***") else self._file_line(text, number)

    def end(self) -> list[Piece]:
        if self._in is _In.ENDED:
            return []
        if self._in is _In.PROSE:
            raise NoEdits("line 1: there is no *** Begin Patch", 1)
        is_marked = self._chunk is not None and _drop_tail(self._chunk)
        if self._marked and not is_marked:
            raise _error("the patch has no *** End Patch", self._last_line)
        return self._end_patch(self._last_line)

    # Outside of a patch.

    def _outside(self, text: str, number: int) -> list[Piece]:
        above, self._above = self._above, text
        if starts(text):
            if _HALF_QUOTED.search(above):
                raise _error("the quotes around the word after << do not match", number - 1)
            self._in, self._marked, self._files = _In.PATCH, True, PatchedFiles()
            return []
        bare = text.strip()
        if self._in is _In.PROSE and self._given and is_hunk_head(text):
            self._in = _In.PATCH
            return self._file_line(text, number)
        if _FILE.fullmatch(bare):
            raise _error("there is no *** Begin Patch before this line", number)
        return []

    # Markers.

    def _marker(self, text: str, number: int) -> list[Piece]:
        text = text.rstrip()
        if _END.fullmatch(text):
            return self._end_patch(number)
        if found := _FILE.fullmatch(text):
            return self._begin_file(found[1].lower(), _path(found[2], number), number)
        if found := _MOVE.fullmatch(text):
            return self._move_to(_path(found[1], number), number)
        if _END_OF_FILE.fullmatch(text):
            return self._end_of_file(number)
        raise _error(f"{text[:60]!r} is no operation of a patch", number)

    def _begin_file(self, operation: str, path: str, number: int) -> list[Piece]:
        pieces = self._end_file()
        self._path, self._began_file = path, number
        match operation:
            case "add":
                self._files.add(path, number)
                self._in = _In.ADD
            case "delete":
                self._files.delete(path, number)
                self._in = _In.DELETE
                pieces += self._give(Delete(path, self._call, number))
            case _:
                self._files.update(path, number)
                self._in = _In.UPDATE
        return pieces

    def _move_to(self, to: str, number: int) -> list[Piece]:
        if self._in is not _In.UPDATE or self._chunk is not None or self._changes:
            raise _error("*** Move to: stands only directly below *** Update File:", number)
        if to == self._path:
            return []
        self._files.move(self._path, to, number)
        self._changes += 1
        return self._give(Move(self._path, to, self._call, number))

    def _end_of_file(self, number: int) -> list[Piece]:
        if self._chunk is None or not self._chunk:
            raise _error("*** End of File without a chunk before it", number)
        self._chunk_is_closed = True
        self._chunk.head = replace(self._chunk.head, near=replace(self._chunk.head.near, at_end=True))
        return []

    def _end_patch(self, number: int) -> list[Piece]:
        pieces = self._end_file()
        if self._marked and not self._files:
            raise _error("the patch is empty", number)
        self._in, self._marked = _In.ENDED, False
        return pieces

    # Lines of a file.

    def _file_line(self, text: str, number: int) -> list[Piece]:
        match self._in:
            case _In.ADD:
                return self._added_line(text, number)
            case _In.UPDATE:
                return self._update_line(text, number)
            case _ if not text.strip():
                return []
            case _In.PATCH if self._given and is_hunk_head(text):
                self._begin_file("update", self._given, number)
                return self._update_line(text, number)
            case _:
                raise _error(
                    "this line belongs to no file; an operation such as *** Update File: has to come first", number
                )

    def _added_line(self, text: str, number: int) -> list[Piece]:
        if not text.strip():
            self._blanks += 1
            return []
        if not text.startswith("+"):
            raise _error("a line of an added file has to begin with +", number)
        lines = ("",) * self._blanks + (text[1:],)
        self._blanks = 0
        self._added += lines
        return [EditPreview(self._path, self._number + 1, "replace", lines)]

    def _update_line(self, text: str, number: int) -> list[Piece]:
        if is_hunk_head(text):
            return self._begin_chunk(read_hunk_head(text), number)
        chunk = self._chunk
        if chunk is None:
            if not text.strip():
                return []
            chunk = self._chunk = HunkLines(number, HunkHead())
        if self._chunk_is_closed and text.strip():
            raise _error("a line of text behind *** End of File", number)
        return [*previews(self._path, self._number + 1, chunk.add(text))]

    def _begin_chunk(self, head: HunkHead, number: int) -> list[Piece]:
        chunk = self._chunk
        if chunk is not None and not chunk:
            chunk.stack(head)
            return []
        pieces = self._end_chunk()
        self._chunk = HunkLines(number, head)
        return pieces

    def _end_chunk(self) -> list[Piece]:
        chunk, self._chunk = self._chunk, None
        self._chunk_is_closed = False
        if chunk is None or not chunk.changes:
            if chunk is not None and not chunk and chunk.head.near.headers:
                raise _error("this chunk has no lines", chunk.line)
            if chunk is not None and chunk.lacks_signs:
                raise _error("no line of this chunk begins with + or -", chunk.line)
            return []
        self._changes += 1
        return self._give(chunk.edit(self._path, self._call, _place(chunk)))

    def _end_file(self) -> list[Piece]:
        pieces: list[Piece] = []
        if self._in is _In.UPDATE:
            pieces = self._end_chunk()
            if not self._changes:
                raise _error(f"nothing is changed in {self._path!r}", self._began_file)
        elif self._in is _In.ADD:
            text = "".join(line + "\n" for line in self._added)
            pieces = self._give(Write(self._path, text, True, self._call, self._began_file))
        self._changes = self._blanks = 0
        self._added = []
        return pieces

    def _give(self, edit: Edit) -> list[Piece]:
        self._number += 1
        return [edit]


def _drop_tail(chunk: HunkLines) -> bool:
    """Take off what was read as context although it ends the answer: a fence, and an end marker with white space
    before it. Whether there was such a marker."""
    fence = opening_fence(chunk.last_context())
    if fence is not None and fence.is_bare:
        chunk.drop_last()
    is_marked = _END.fullmatch(chunk.last_context().strip()) is not None
    if is_marked:
        chunk.drop_last()
    return is_marked


def _place(chunk: HunkLines) -> Near:
    near = chunk.place_of_added() if chunk.only_adds else chunk.head.near
    return Near(at_end=True) if chunk.only_adds and (near.at_end or near == Near()) else near


def _path(text: str, number: int) -> str:
    bare = text.strip()
    quoted = _AROUND_PATH.fullmatch(bare)
    path = quoted[2] if quoted else bare
    if not path:
        raise _error("no path stands behind the colon", number)
    return path


def _error(what: str, number: int) -> EditFormatError:
    return EditFormatError(f"line {number}: {what}", number)
