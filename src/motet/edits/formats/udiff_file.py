"""One file of a unified diff: its head and its hunks, as edits."""

from __future__ import annotations

from motet.edits.edit import Delete, Edit, Move, Near, Write
from motet.edits.formats.hunk_lines import HunkLines
from motet.edits.formats.udiff_head import FileHead
from motet.errors import EditFormatError


class FileDiff:
    """Collects what a diff says about one file; every method gives the edits that are certain by then.

    Raises `EditFormatError` for hunks that contradict the head or say nothing.
    """

    def __init__(self, head: FileHead, call: str, given: str = "") -> None:
        self.head = head
        self.hunks = 0
        self._call = call
        self._given = given
        self._old_text: list[str] = []
        self._new_text: list[str] = []
        self._changes = 0
        self._moved = False

    @property
    def path(self) -> str:
        return self._given or self.head.path

    def begin_hunk(self, line: int) -> list[Edit]:
        """A hunk begins in this 1-based line: the file is renamed before."""
        if not self.path:
            raise EditFormatError(f"line {line}: no file is named before this hunk", line)
        self.hunks += 1
        return self._move()

    def end_hunk(self, hunk: HunkLines) -> list[Edit]:
        """The hunk has all its lines. One that changes nothing only shows where the diff goes on."""
        hunk.keep_blanks()
        if not hunk:
            raise EditFormatError(f"line {hunk.line}: this hunk has no lines", hunk.line)
        if hunk.lacks_signs:
            raise EditFormatError(f"line {hunk.line}: no line of this hunk begins with + or -", hunk.line)
        if not hunk.changes:
            return []
        self._changes += 1
        if self.head.deletes:
            if not hunk.only_removes:
                raise EditFormatError(
                    f"line {hunk.line}: the file is to be deleted, but this hunk does not only remove lines",
                    hunk.line,
                )
            self._old_text.append(hunk.old_text())
            return []
        if self.head.creates and hunk.only_adds:
            self._new_text.append(hunk.new_text())
            return []
        return [hunk.edit(self.path, self._call, _place(hunk))]

    def end(self) -> list[Edit]:
        """Everything has been said: the file is created, deleted or renamed."""
        head, line = self.head, self.head.line
        if head.deletes and self.path:
            return [Delete(self.path, self._call, line, "".join(self._old_text))]
        if head.creates and self.path and (self._new_text or not self._changes):
            return [Write(self.path, "".join(self._new_text), True, self._call, line)]
        moved = self._move()
        if moved or self._moved or self._changes or not head.is_certain:
            return moved
        if head.changes_mode and not self.hunks:
            raise EditFormatError(f"line {line}: a change of mode cannot be applied", line)
        said = "no hunk of this file adds or removes a line" if self.hunks else "no hunk follows this file's name"
        raise EditFormatError(f"line {line}: {said}", line)

    def _move(self) -> list[Edit]:
        if not self.head.moved_to or not self.path or self._moved:
            return []
        self._moved = True
        return [Move(self.path, self.head.moved_to, self._call, self.head.line)]


def _place(hunk: HunkLines) -> Near:
    near = hunk.place_of_added() if hunk.only_adds else hunk.head.near
    if near == Near() and hunk.only_adds:
        raise EditFormatError(f"line {hunk.line}: nothing says where these added lines belong", hunk.line)
    return near
