"""Edits that name lines by their anchors, as text. Lines were shown as `12:a3f│ text` (`formats.anchors`).

    file src/area.py
    replace 12:a3f..15:f0z
    new lines
    end replace
    insert after 20:7k2
    new lines
    end insert
    insert at start
    new lines
    end insert
    delete 30:0q1..31:m4d

One anchor stands for one line. Lines between an operation and its end are taken as they are; one that reads like an
operation or its end is written with a backslash before it (`\\end replace`), and where it already has some, with one
more. A fence may stand around the edits, not around the new lines. `file` may be left out when the path stands on a
line of its own. Everything else outside an operation is skipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from motet.edits.edit import Anchor, ReplaceAnchored
from motet.edits.formats.anchored_call import read_place, read_range
from motet.edits.formats.anchors import anchor_of, render_anchored
from motet.edits.formats.fences import opening_fence
from motet.edits.formats.paths import path_on_line
from motet.edits.formats.reader import Piece
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError, NoEdits

__all__ = ["AnchoredReader", "anchor_of", "render_anchored", "starts"]

_LONGEST = 300
_FILE = re.compile(r"[ \t]*file:?[ \t]+(\S.*)", re.IGNORECASE)
_OPERATION = re.compile(r"[ \t]*(replace|delete|insert[ ]after|insert[ ]at)[ \t]+([\w\[(`\"'].*)", re.IGNORECASE)
_NUMBERED = re.compile(r"[\[(`\"']?L?[0-9]{1,9}[ \t]?(?::|\.\.|$)")
_END = re.compile(r"[ \t]*end[ ](replace|insert|delete)[ \t]*", re.IGNORECASE)
_PROSE_FILE = (".md", ".mdx", ".mdc", ".markdown", ".qmd", ".rmd", ".rst", ".adoc", ".txt")


@dataclass(slots=True)
class _Operation:
    """An edit whose new lines are still coming. `kind`: `replace` or `insert`."""

    kind: str
    first: Anchor
    last: Anchor | None
    line: int
    text: list[str] = field(default_factory=list[str])


def starts(line: str) -> bool:
    """Whether an anchored edit could begin with `line`."""
    if len(line) > _LONGEST:
        return False
    named = _FILE.fullmatch(line)
    return bool(path_on_line(named[1])) if named else _operation(line) is not None


class AnchoredReader:
    """Reads anchored edits and skips what stands between them (`formats.reader.Reader`).

    `path` is the file meant when none is named.
    """

    def __init__(self, *, path: str = "", call: str = "") -> None:
        self._path = path
        self._call = call
        self._operation: _Operation | None = None
        self._number = 0
        self._began = False
        self._is_done = False

    @property
    def is_done(self) -> bool:
        """Whether the last line was no part of the edits that had begun. The reader did not take that line and has
        given all edits of those before; it goes on if another one follows."""
        return self._is_done

    def line(self, text: str, number: int) -> list[Piece]:
        self._is_done = False
        if self._operation is not None:
            return self._inside(self._operation, text, number)
        return self._outside(text, number)

    def end(self) -> list[Piece]:
        operation = self._operation
        if operation is not None:
            raise _error(f"there is no 'end {operation.kind}' for this edit", operation.line)
        if not self._began:
            raise NoEdits("line 1: there is no anchored edit here", 1)
        return []

    def _outside(self, text: str, number: int) -> list[Piece]:
        operation = _operation(text)
        if operation is not None:
            self._began = True
            return self._begin(*operation, number)
        ended = _END.fullmatch(text) if len(text) < _LONGEST else None
        if ended is not None and ended[1].lower() != "delete":
            raise _error(f"'{text.strip()}' without an edit before it", number)
        if not text.strip() or ended is not None or opening_fence(text) is not None:
            return []
        named = _FILE.fullmatch(text) if len(text) < _LONGEST else None
        path = path_on_line(named[1] if named else text)
        if path:
            self._path = path
            self._began |= named is not None
            return []
        self._is_done = self._began
        return []

    def _begin(self, kind: str, where: str, number: int) -> list[Piece]:
        if not self._path:
            raise _error("no file is named before this edit", number)
        if kind.startswith("insert"):
            place = read_place(where)
            if place is None:
                raise _error(f"an anchor such as 12:a3f is needed, not {where!r}", number)
            self._operation = _Operation("insert", place, None, number)
            return []
        lines = read_range(where)
        if lines is None:
            raise _error(f"one anchor or two are needed, such as 12:a3f..15:f0z, not {where!r}", number)
        self._operation = _Operation("replace", *lines, number)
        return self._close(self._operation) if kind == "delete" else []

    def _inside(self, operation: _Operation, text: str, number: int) -> list[Piece]:
        ended = _END.fullmatch(text) if len(text) < _LONGEST else None
        if ended is not None:
            if ended[1].lower() != operation.kind:
                raise _error(
                    f"'{text.strip()}' does not end the {operation.kind} of line {operation.line}; "
                    "a line of text that reads so needs a backslash before it",
                    number,
                )
            return self._close(operation)
        if _is_complete(_operation(text)):
            raise _error(
                f"another edit begins before the one of line {operation.line} was ended; "
                "a line of text that reads so needs a backslash before it",
                number,
            )
        line = text[1:] if text.startswith("\\") and _is_marker(text.lstrip("\\")) else text
        operation.text.append(line)
        return [EditPreview(self._path, self._number + 1, "replace", (line,))]

    def _close(self, operation: _Operation) -> list[Piece]:
        _check_text(operation, self._path)
        self._operation = None
        self._number += 1
        text = "".join(line + "\n" for line in operation.text)
        return [ReplaceAnchored(self._path, operation.first, operation.last, text, self._call, operation.line)]


def _operation(line: str) -> tuple[str, str] | None:
    """The kind of the operation that `line` begins, and what it says about its place."""
    found = _OPERATION.fullmatch(line) if len(line) < _LONGEST else None
    if found is None:
        return None
    kind, where = found[1].lower(), found[2].rstrip(": \t")
    if kind == "insert at":
        return (kind, where) if where.lower() in {"start", "top"} else None
    return (kind, where) if _NUMBERED.match(where) else None


def _is_complete(operation: tuple[str, str] | None) -> bool:
    """Whether it names its lines as it should: text seldom reads so by chance."""
    return operation is not None and (read_range(operation[1]) or read_place(operation[1])) is not None


def _is_marker(line: str) -> bool:
    return _is_complete(_operation(line)) or (len(line) < _LONGEST and _END.fullmatch(line) is not None)


def _check_text(operation: _Operation, path: str) -> None:
    """Refuse an insertion of nothing, and new lines in a fence of which nobody knows whether it belongs to them."""
    text = operation.text
    if operation.kind == "insert" and not text:
        raise _error("there are no lines to insert", operation.line)
    fence = opening_fence(text[0]) if len(text) > 1 else None
    if fence is not None and fence.is_closed_by(text[-1]) and not path.lower().endswith(_PROSE_FILE):
        raise _error("the new lines stand in a fence; leave the fence out", operation.line)


def _error(what: str, line: int) -> EditFormatError:
    return EditFormatError(f"line {line}: {what}", line)
