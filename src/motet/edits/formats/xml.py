"""Edits as tags in text, for models that follow tags better than markers.

    <replace_file><path>src/a.py</path>
    <search>
    lines as they stand in the file
    </search>
    <replace>
    lines to stand there instead
    </replace></replace_file>

    <replace_in_file><path>src/a.py</path><diff>SEARCH/REPLACE blocks</diff></replace_in_file>

This is no XML: the code is taken as it stands, entities and tags included. `<search>` ends where `</search>` is
followed by `<replace>`, and the edit where `</replace>` is followed by `</replace_file>`; what could end in two places
is refused. One line end behind an opening tag and one before a closing tag are no part of the code.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from motet.edits.edit import Replace
from motet.edits.formats.reader import Piece, edits_of
from motet.edits.formats.search_replace import SearchReplaceReader
from motet.edits.formats.tagged_code import REPLACE_END, SEARCH_END, TaggedCode, TagPair
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError

_OPEN = re.compile(r"<(replace_file|replace_in_file)>(?=[ \t]*(?:<path>|\Z))")
_STRAY = re.compile(r"[ \t]*</(replace_file|replace_in_file)>")
_QUOTED = re.compile(r"[ \t]*>")
_LAST_MARKER = re.compile(r"(\s*(?:>{5,}|\+{5,}) ?REPLACE>?)\s*</diff>")
_SPACE = re.compile(r"\s*")
_LONGEST_PATH = 1000


def opens_element(line: str, start: int = 0) -> re.Match[str] | None:
    """The tag from `start` on with which an edit begins; a sentence that only speaks of the tag holds none."""
    found = _OPEN.search(line, start)
    if found is None:
        return None
    before = line[start : found.start()].rstrip()
    is_last = _after_space(line, found.end()) == len(line)
    if before and (is_last or before.endswith("`") or _QUOTED.match(line)):
        return None
    return found


def strays(line: str) -> bool:
    """Whether `line` begins with a closing tag of an edit."""
    return _STRAY.match(line) is not None


class _At(Enum):
    OUTSIDE = auto()
    PATH = auto()
    IN_PATH = auto()
    OPENING = auto()
    SEARCH = auto()
    REPLACE = auto()
    DIFF = auto()
    CLOSING = auto()


class XmlReader:
    """Reads `<replace_file>` and `<replace_in_file>` (`formats.reader.Reader`); other text is skipped.

    `path` is the file meant where `<path>` is empty.
    """

    def __init__(self, *, path: str = "", call: str = "") -> None:
        self._given = path
        self._call = call
        self._at = _At.OUTSIDE
        self._tag = ""
        self._first = 1
        self._path = ""
        self._count = 0
        self._search = self._replace = TaggedCode()
        self._may_divide = False
        self._blocks = SearchReplaceReader()
        self._text = ""
        self._line = 0
        self._pieces: list[Piece] = []

    @property
    def is_done(self) -> bool:
        """Whether no edit is open: the last one ended in the last line, or none has begun."""
        return self._at is _At.OUTSIDE

    def line(self, text: str, number: int) -> list[Piece]:
        self._text, self._line, self._pieces = text, number, []
        start: int | None = 0
        while start is not None:
            start = self._step(start)
        return self._pieces

    def end(self) -> list[Piece]:
        if self._at is _At.DIFF:
            self._blocks.end()
        if self._at is not _At.OUTSIDE:
            raise EditFormatError(f"line {self._first}: <{self._tag}> is not closed", self._first)
        return []

    def _step(self, start: int) -> int | None:
        """Read the line from `start` on as far as one state reaches; None when the line is read."""
        match self._at:
            case _At.OUTSIDE:
                return self._outside(start)
            case _At.PATH:
                return self._expect("<path>", _At.IN_PATH, start)
            case _At.IN_PATH:
                return self._in_path(start)
            case _At.OPENING if self._tag == "replace_file":
                return self._expect("<search>", _At.SEARCH, start)
            case _At.OPENING:
                return self._expect("<diff>", _At.DIFF, start)
            case _At.SEARCH:
                return self._in_search(start)
            case _At.REPLACE:
                return self._in_replace(start)
            case _At.DIFF:
                return self._in_diff(start)
            case _At.CLOSING:
                return self._expect("</replace_in_file>", _At.OUTSIDE, start)

    def _outside(self, start: int) -> int | None:
        found = opens_element(self._text, start)
        if found is None:
            stray = _STRAY.match(self._text, start)
            if stray is not None:
                raise self._error(f"</{stray[1]}> without an opening tag; the code of the edit before may hold tags")
            return None
        self._tag, self._first, self._path = found[1], self._line, ""
        self._search, self._replace = TaggedCode(), TaggedCode()
        self._may_divide = False
        self._at = _At.PATH
        return found.end()

    def _expect(self, tag: str, then: _At, start: int) -> int | None:
        start = _after_space(self._text, start)
        if start == len(self._text):
            return None
        if not self._text.startswith(tag, start):
            raise self._error(f"<{self._tag}> of line {self._first} needs {tag} here")
        self._at = then
        return start + len(tag)

    def _in_path(self, start: int) -> int | None:
        end = self._text.find("</path>", start)
        self._path += self._text[start : end if end >= 0 else start + _LONGEST_PATH + 1]
        if len(self._path) > _LONGEST_PATH:
            raise self._error("<path> is not closed")
        if end < 0:
            return None
        self._path = self._path.strip() or self._given
        if not self._path:
            raise self._error("<path> names no file")
        self._blocks = SearchReplaceReader(path=self._path, call=self._call, is_fixed=True, after=self._count)
        self._at = _At.OPENING
        return end + len("</path>")

    def _in_search(self, start: int) -> int | None:
        end = self._read_code(self._search, SEARCH_END, start)
        if end is not None:
            self._at = _At.REPLACE
        return end

    def _in_replace(self, start: int) -> int | None:
        self._refuse_second_divider(start)
        end = self._read_code(self._replace, REPLACE_END, start)
        if end is not None:
            search, replace = self._search.text(self._first), self._replace.text(self._first)
            self._pieces.append(Replace(self._path, search, replace, self._call, self._first))
            self._count += 1
            self._at = _At.OUTSIDE
        return end

    def _read_code(self, code: TaggedCode, tags: TagPair, start: int) -> int | None:
        """Read the line as code; returns where the line goes on behind `tags`, None when the code goes on."""
        text = self._text
        if code.waiting:
            begin = _after_space(text, start)
            if begin == len(text):
                code.waiting.append(text)
                return None
            if text.startswith(tags.second, begin):
                self._preview(code.end())
                return begin + len(tags.second)
            self._preview(code.release())
        found = tags.both.search(text, start)
        if found is not None:
            self._preview(code.add(text[start : found.start()], is_cut=True))
            return found.end()
        maybe = tags.first_at_end.search(text, start)
        if maybe is not None:
            code.wait(text[start:], maybe.start() - start)
        else:
            self._preview(code.add(text[start:]))
        return None

    def _refuse_second_divider(self, start: int) -> None:
        """Raise when the code could also be divided at another place."""
        text = self._text
        is_divided = self._may_divide and text.startswith("<replace>", _after_space(text, start))
        end = REPLACE_END.both.search(text, start)
        if is_divided or SEARCH_END.both.search(text, start, end.start() if end else len(text)):
            raise self._error(f"it is not clear which </search> divides the edit of line {self._first}")
        if _after_space(text, start) < len(text):
            self._may_divide = end is None and SEARCH_END.first_at_end.search(text, start) is not None

    def _in_diff(self, start: int) -> int | None:
        text, blocks = self._text, self._blocks
        if not blocks.idle:
            last = _LAST_MARKER.match(text, start)
            if last is None:
                return self._feed(text[start:])
            self._feed(last[1])
            if not blocks.idle:
                raise self._error(f"it is not clear whether </diff> ends the edit of line {self._first}")
            return self._end_diff(last.end())
        end = text.find("</diff>", start)
        if end < 0:
            return self._feed(text[start:])
        self._feed(text[start:end])
        return self._end_diff(end + len("</diff>"))

    def _feed(self, line: str) -> None:
        pieces = self._blocks.line(line, self._line)
        self._pieces += pieces
        self._count += len(edits_of(pieces))

    def _end_diff(self, end: int) -> int:
        if not self._blocks.count:
            raise self._error(f"the diff of line {self._first} holds no SEARCH/REPLACE block")
        self._at = _At.CLOSING
        return end

    def _preview(self, lines: tuple[str, ...]) -> None:
        if lines:
            part = "search" if self._at is _At.SEARCH else "replace"
            self._pieces.append(EditPreview(self._path, self._count + 1, part, lines))

    def _error(self, message: str) -> EditFormatError:
        return EditFormatError(f"line {self._line}: {message}", self._line)


def _after_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start
