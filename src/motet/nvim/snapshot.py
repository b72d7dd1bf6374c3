"""A loaded buffer as the file that it would be written as, and a file as what a buffer would have to be."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import cast

from motet.errors import NotText
from motet.text import TextFile
from motet.text.changes import changes

_SEPARATORS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}
_CODECS = {
    "": "utf-8", "latin1": "latin-1", "utf-16": "utf-16-be", "utf-16le": "utf-16-le", "ucs-2": "utf-16-be",
    "ucs-2le": "utf-16-le", "utf-32": "utf-32-be", "ucs-4": "utf-32-be", "ucs-4le": "utf-32-le",
}  # fmt: skip
_NAMES = {
    "utf-8": "utf-8", "iso8859-1": "latin1", "utf-16-be": "utf-16", "utf-16-le": "utf-16le", "utf-32-be": "ucs-4",
    "utf-32-le": "ucs-4le",
}  # fmt: skip

Span = tuple[int, int, list[str]]
"""Lines of a buffer, from 0 and the end exclusive, and the lines that they become."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The buffer `buffer` at the change number `tick`. `is_modified`: it holds what was not written to its file.

    `format`, `encoding`, `has_bom` and `ends` (whether the last line has a line end) are the editor's 'fileformat',
    'fileencoding', 'bomb' and 'endofline'. A buffer without any byte has no lines.
    """

    buffer: int
    tick: int
    is_modified: bool
    lines: tuple[str, ...]
    format: str
    encoding: str
    has_bom: bool
    ends: bool

    @classmethod
    def read(cls, told: object) -> Snapshot | None:
        """What the editor tells of a buffer; None when it has none."""
        if not isinstance(told, list):
            return None
        buffer, tick, modified, lines, format, encoding, bom, ends = cast(
            "tuple[int, int, bool, list[str], str, str, bool, bool]", tuple(cast("list[object]", told))
        )
        return cls(buffer, tick, modified, tuple(lines), format, encoding, bom, ends)

    def file(self, path: str) -> TextFile:
        """The file that `:write` would make, as a file of that path. Raises `NotText`."""
        end = _SEPARATORS[self.format]
        text = end.join(line.replace("\n", "\0") for line in self.lines)  # so the editor tells of a NUL
        text += end if self.lines and self.ends else ""
        encoding = _CODECS.get(self.encoding, self.encoding)
        try:
            name = codecs.lookup(encoding).name
            bom = "\ufeff".encode(name) if self.has_bom else b""
            data = bom + text.encode(name, "surrogateescape" if name == "utf-8" else "strict")
        except (LookupError, UnicodeError) as error:
            raise NotText(f"{path}: as it stands in the editor it cannot be written as {encoding}") from error
        return TextFile.decode(path, data, "" if name == "utf-8" else name)

    def becoming(self, file: TextFile) -> Snapshot:
        """The buffer that would be written as `file`; the format is kept where that can be."""
        text, format = file.text, self.format
        if format != "unix" and "\n" in text.replace(_SEPARATORS[format], ""):
            format = "unix"
        end = _SEPARATORS[format]
        lines = text.split(end)
        if ends := lines[-1] == "":
            lines.pop()
        encoding = self.encoding
        if codecs.lookup(_CODECS.get(encoding, encoding)).name != codecs.lookup(file.encoding).name:
            name = codecs.lookup(file.encoding).name
            encoding = _NAMES.get(name, name)
        return Snapshot(
            self.buffer, self.tick, self.is_modified, tuple(lines), format, encoding, bool(file.bom), ends or not text
        )

    def spans_to(self, other: Snapshot) -> list[Span]:
        """What to change in the lines of this one to have those of `other`, from the last to the first."""
        found = changes(self.lines, other.lines)
        return [(i, i2, list(other.lines[j:j2])) for tag, i, i2, j, j2 in reversed(found) if tag != "equal"]
