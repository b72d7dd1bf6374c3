"""A file as its edits leave it. Neither its text nor its bytes are made before somebody asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from motet.edits.splice import Change, apply, replaced
from motet.errors import NotText
from motet.text import TextFile
from motet.text.file import MAX_TEXT_BYTES, Replaced, spliced, too_large


class Edited:
    """`base` with changes of its text."""

    def __init__(self, base: TextFile, changes: Sequence[Replaced] = ()) -> None:
        self._base = base
        self._changes = changes

    @cached_property
    def text(self) -> str:
        """The text as it is now."""
        return "".join(spliced(self._base.text, self._changes)) if self._changes else self._base.text

    def changed(self, changes: Sequence[Change]) -> Edited:
        """The same with changes of `text` that do not overlap, in order."""
        text = self._base.text
        if self._changes:
            return Edited(self._base, [(0, len(text), apply(self.text, changes))])
        return Edited(self._base, replaced(text, changes))

    def file(self) -> TextFile:
        """The next version of the file; `base` itself when nothing changed.

        Raises `FileTooLarge` above `MAX_TEXT_BYTES`, and `NotText` when it could not be read again as it is: the
        encoding lacks a character, another one is declared now, or a NUL makes it binary.
        """
        base = self._base
        after = base.with_changes(self._changes)
        if after.data == base.data:
            return base
        if len(after.data) > MAX_TEXT_BYTES:
            raise too_large(base.path, len(after.data))
        if not after.is_plain_utf8 or any("\0" in new for _, _, new in self._changes):
            check_readable(after)
        return after


def check_readable(file: TextFile) -> None:
    """Raises `NotText` when these bytes, read anew, would not be this text."""
    if TextFile.decode(file.path, file.data).text != file.text:
        raise NotText(f"{file.path}: the encoding that it would declare is not the one it has")
