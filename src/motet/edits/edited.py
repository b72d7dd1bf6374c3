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
        if base.unsure:
            self._require_known()
        after = base.with_changes(self._changes)
        if after.data == base.data:
            return base
        if len(after.data) > MAX_TEXT_BYTES:
            raise too_large(base.path, len(after.data))
        if not after.is_plain_utf8 or any("\0" in new for _, _, new in self._changes):
            check_readable(base, after)
        return after

    def _require_known(self) -> None:
        """Raises `NotText` for a character that nobody knows how to write: the file may be in another encoding."""
        base = self._base
        for start, end, new in self._changes:
            foreign = {one for one in new if not one.isascii()} - set(base.text[start:end])
            if foreign:
                raise NotText(
                    f"{base.path}: {min(foreign)!r} cannot be added: its encoding is {base.encoding} or {base.unsure}; "
                    "name it with --encoding or the setting `encoding`"
                )


def check_readable(before: TextFile, after: TextFile) -> None:
    """Raises `NotText` when the bytes of `after`, read anew as a later version of `before`, would not be its text."""
    if before.again(after.data).text != after.text:
        raise NotText(f"{after.path}: the encoding that it would declare is not the one it has")
