"""Unified diffs as models and programs write them: content decides, numbers at most between equal places.

    --- a/src/area.py
    +++ b/src/area.py
    @@ -12,3 +12,3 @@ def area(r):
         # of a circle
    -    return 3 * r * r
    +    return math.pi * r * r

A hunk with context or removed lines is a `Replace` of whole lines, one with only added lines an `Insert`; a new file
is a `Write`, a deleted one a `Delete`, a renamed one a `Move` before its other edits. Where only the number of an
`Insert`'s line is given, that is its place; a heading beside it then says nothing about the place. Changes of mode
are left out beside other changes and refused alone; copies, binary patches and combined diffs are refused.

Without a fence around it and without counts that come out, a line that begins with none of ` +-` belongs to the hunk
when it follows directly: it is better to find no place for a hunk than to lose half of it.
"""

from __future__ import annotations

from motet.edits.edit import Edit
from motet.edits.formats.fences import Fence, opening_fence
from motet.edits.formats.hunk_lines import HunkLines, is_hunk_head, previews, read_hunk_head
from motet.edits.formats.reader import Piece
from motet.edits.formats.udiff_file import FileDiff
from motet.edits.formats.udiff_head import FileHead
from motet.errors import EditFormatError, NoEdits

_LONGEST_HEAD = 4096
_SIGNATURE = "--"  # git puts it, and its version, below a patch sent by mail


def starts(line: str) -> bool:
    """Whether a unified diff could begin with `line`."""
    if line.startswith(("diff --git ", "--- ")):
        return bool(line[4:].strip())
    head = read_hunk_head(line) if is_hunk_head(line) else None
    return head is not None and (head.old_count is not None or not head.near.headers)


class UdiffReader:
    """Reads unified diffs and skips what stands between them (`formats.reader.Reader`).

    `path` is the file meant by hunks before which no file is named.
    """

    def __init__(self, *, path: str = "", call: str = "") -> None:
        self._given = path
        self._call = call
        self._file: FileDiff | None = None
        self._hunk: HunkLines | None = None
        self._held: list[tuple[str, int]] = []
        self._fence: Fence | None = None
        self._number = 0
        self._began = False
        self._only_blanks = True
        self._is_done = False

    @property
    def is_done(self) -> bool:
        """Whether the last line was no part of the diff that had begun. The reader did not take that line and has
        given all edits of those before; it goes on if another diff follows."""
        return self._is_done

    def line(self, text: str, number: int) -> list[Piece]:
        self._is_done = False
        pieces: list[Piece] = []
        hunk = self._hunk
        if hunk is None or not self._in_hunk(hunk, text, number, pieces):
            self._outside(text, number, pieces)
        return pieces

    def end(self) -> list[Piece]:
        pieces: list[Piece] = []
        if self._hunk is not None:
            self._release(self._hunk, "", pieces)
        self._end_file(pieces)
        if not self._began:
            raise NoEdits("line 1: there is no unified diff here", 1)
        return pieces

    # In a hunk.

    def _in_hunk(self, hunk: HunkLines, text: str, number: int, pieces: list[Piece]) -> bool:
        """Take `text` as a line of the hunk, or end the hunk and give False."""
        if self._hold(text, number):
            return True
        if self._held:
            self._release(hunk, text, pieces)
        if self._hunk is not hunk:
            return False
        if text.startswith("\\ "):
            hunk.end_without_newline()
        elif is_hunk_head(text) and not hunk and hunk.head.old_count is None:
            hunk.stack(read_hunk_head(text))
        elif not self._ends_hunk(hunk, text):
            pieces += previews(self._path(), self._number + 1, hunk.add(text))
        else:
            self._end_hunk(pieces)
            return False
        return True

    def _hold(self, text: str, number: int) -> bool:
        """Keep `--- x` and `+++ y` until the line after them tells whether they are lines or name the next file; `+++ y`
        alone behind a hunk that has all its lines."""
        is_alone = not self._held and text.startswith("+++ ") and self._hunk is not None and self._hunk.complete
        is_next = len(self._held) < 2 and text.startswith(("--- ", "+++ ")[len(self._held)])
        fits = (is_alone or (is_next and not self._has_alone())) and len(text) < _LONGEST_HEAD
        if fits:
            self._held.append((text, number))
        return fits

    def _has_alone(self) -> bool:
        return bool(self._held) and self._held[0][0].startswith("+++ ")

    def _release(self, hunk: HunkLines, after: str, pieces: list[Piece]) -> None:
        held, self._held = self._held, []
        is_pair = len(held) == 2 and not hunk.complete_with_pair and (hunk.complete or is_hunk_head(after))
        names_file = is_pair or (len(held) == 1 and held[0][0].startswith("+++ ") and is_hunk_head(after))
        for text, number in held:
            if names_file:
                self._outside(text, number, pieces)
            else:
                pieces += previews(self._path(), self._number + 1, hunk.add(text))

    def _ends_hunk(self, hunk: HunkLines, text: str) -> bool:
        if is_hunk_head(text) or text.startswith(("diff --git ", "Index: ")):
            return True
        if self._fence is not None:
            return self._fence.is_closed_by(text)
        is_over = hunk.complete or hunk.blanks > 0
        if text and text[0] not in " +-":
            fence = opening_fence(text)
            return is_over or (fence is not None and fence.is_bare)
        return hunk.complete and not hunk.blanks and text.rstrip() == _SIGNATURE

    def _end_hunk(self, pieces: list[Piece]) -> None:
        hunk, self._hunk = self._hunk, None
        if hunk is not None and self._file is not None:
            self._give(self._file.end_hunk(hunk), pieces)

    # Outside of hunks.

    def _outside(self, text: str, number: int, pieces: list[Piece]) -> None:
        self._end_hunk(pieces)
        if len(text) < _LONGEST_HEAD and self._of_head(text, number, pieces):
            self._began = True
        elif text.strip() and not self._of_fence(text):
            bare_hunk = self._only_blanks and self._file is None and self._given and text[0] in "+-"
            self._only_blanks = False
            if bare_hunk:
                self._begin_hunk("@@", number, pieces)
                pieces += self.line(text, number)
                return
            self._end_file(pieces)
            self._is_done = self._began

    def _of_fence(self, text: str) -> bool:
        if self._fence is not None and self._fence.is_closed_by(text):
            self._fence = None
            return True
        fence = opening_fence(text)
        self._fence = fence or self._fence
        return fence is not None

    def _of_head(self, text: str, number: int, pieces: list[Piece]) -> bool:
        """Take a line that names a file, says what happens to it, or begins a hunk."""
        head = self._file.head if self._file is not None and not self._file.hunks else None
        if text.startswith("diff --git "):
            self._begin_file(FileHead.of_git(text.removeprefix("diff --git "), number), pieces)
        elif text.startswith(("diff --cc ", "diff --combined ", "@@@")):
            raise EditFormatError(f"line {number}: a combined diff of a merge cannot be applied", number)
        elif text.startswith("--- ") and text[4:].strip():
            if head is None or head.has_minus:
                head = self._begin_file(FileHead(number), pieces)
            head.minus(text[4:])
        elif text.startswith("+++ ") and text[4:].strip() and (head is None or head.has_plus):
            self._begin_file(FileHead(number), pieces).plus(text[4:])
        elif is_hunk_head(text):
            if self._file is None and not self._given and read_hunk_head(text).near.headers:
                return False
            self._begin_hunk(text, number, pieces)
        elif head is None:
            return False
        elif text.startswith("+++ ") and not head.has_plus:
            head.plus(text[4:])
        else:
            return _extend(head, text, number)
        return True

    def _begin_file(self, head: FileHead, pieces: list[Piece], given: str = "") -> FileHead:
        self._end_file(pieces)
        self._file = FileDiff(head, self._call, given)
        return head

    def _begin_hunk(self, text: str, number: int, pieces: list[Piece]) -> None:
        if self._file is None:
            self._begin_file(FileHead(number), pieces, self._given)
        head = read_hunk_head(text)
        if self._file is not None:
            is_first = head.old_count == 0 and head.near.line == 0
            self._file.head.is_new |= is_first and self._file.head.has_plus and not self._file.head.has_minus
            self._give(self._file.begin_hunk(number), pieces)
        self._hunk = HunkLines(number, head)
        self._began = True

    def _end_file(self, pieces: list[Piece]) -> None:
        self._end_hunk(pieces)
        file, self._file = self._file, None
        if file is not None:
            self._give(file.end(), pieces)

    def _path(self) -> str:
        return self._file.path if self._file is not None else self._given

    def _give(self, edits: list[Edit], pieces: list[Piece]) -> None:
        self._number += len(edits)
        pieces += edits


def _extend(head: FileHead, text: str, number: int) -> bool:
    try:
        return head.extend(text)
    except ValueError as error:
        raise EditFormatError(f"line {number}: {error}", number) from None
