"""From a transcript back to what it shows. The form is described in `markers` and `render`, that of files without
markers in `plain`.
"""

from __future__ import annotations

import re

from motet.chat.transcript.assemble import Assembler
from motet.chat.transcript.fences import FENCE
from motet.chat.transcript.markers import VERSION, Kind, Place, marker_at, next_marker, opening
from motet.chat.transcript.plain import parse_plain
from motet.chat.transcript.render import FENCED, HEADINGS
from motet.chat.transcript.values import Parsed

_FENCE = re.compile(r"(`{3,})[a-z]*\r?\n")
_BLANK_LINE = re.compile(r"\r?\n")
_NOTHING = "\ufeff\r\n\t "


def parse(text: str) -> Parsed:
    """Read a transcript; takes any text, in time in proportion to its length.

    `parse(render(…))` gives back every text byte for byte, but for line ends at the end of the draft. A block that a
    human has edited loses the line ends at its end, too.

    Where the head of a transcript is found, or a marker before anything else, markers tell the structure; any other
    text is read as plain Markdown.
    """
    first = next_marker(text, 0)
    if first and (first.marker.kind == Kind.TRANSCRIPT or not text[: first.start].strip(_NOTHING)):
        return _Reader(text, first).read()
    return parse_plain(text.removeprefix("\ufeff"))


class _Reader:
    """Reads one document, from marker to marker."""

    def __init__(self, text: str, first: Place) -> None:
        self._text = text
        self._first = first
        self._nonce = first.marker.nonce
        self._notes: list[str] = []
        self._counted = (0, 1)

    def read(self) -> Parsed:
        """The whole document."""
        if self._text[: self._first.start].strip(_NOTHING):
            self._notes.append("the text above the first marker was left out")
        assembler = Assembler()
        place: Place | None = self._first
        start, title = None, ""
        while place is not None:
            kind = place.marker.kind
            if kind == Kind.TRANSCRIPT:
                self._version(place)
                title = title or place.marker.attributes.get("title", "")
                text, place = "", next_marker(self._text, place.end, self._nonce)
            else:
                if kind == Kind.DRAFT:
                    start = place.start
                in_draft = start is not None and kind in {Kind.DRAFT, Kind.TEXT}
                whole = in_draft and place.marker.length is None
                text, following = self._rest(place) if whole else self._body(place)
                if not assembler.add(place.marker, text):
                    self._note(place, f"a part of an unknown kind ({kind}) was left out")
                place = following
        return Parsed(assembler.turns, assembler.draft, tuple(self._notes), start, title)

    def _version(self, place: Place) -> None:
        version = place.marker.attributes.get("version", "")
        if version != str(VERSION):
            self._note(place, "this transcript was written by another version of motet; parts may be missing")

    def _rest(self, place: Place) -> tuple[str, None]:
        """The text of the draft: all that is left."""
        at, _ = self._frame(place)
        return self._text[at:].rstrip("\r\n"), None

    def _body(self, place: Place) -> tuple[str, Place | None]:
        """The text of the block that begins at `place`, and the next marker."""
        at, fence = self._frame(place)
        length = place.marker.length
        if length is not None:
            tail = f"\n{fence}\n\n" if fence else "\n\n" if length else ""
            following, fits = self._behind(at + length, tail)
            if fits:
                return self._text[at : at + length], following
        following = next_marker(self._text, at, self._nonce)
        text = self._text[at : following.start if following else len(self._text)].rstrip("\r\n")
        if fence and (text == fence or text.endswith(f"\n{fence}")):
            text = text[: -len(fence) - 1].removesuffix("\r")
        if length is not None and len(text) != length:
            self._note(place, f"this text was edited (it had {length} characters)")
        return text, following

    def _behind(self, at: int, tail: str) -> tuple[Place | None, bool]:
        """The marker behind `tail` at `at`, and whether the document goes on, or ends, just like that."""
        text = self._text
        for blank in ("", "\n"):  # the draft stands below one more blank line
            if text.startswith(tail + blank + opening(self._nonce), at):
                place = marker_at(text, at + len(tail) + len(blank))
                return place, place is not None
        ends = at <= len(text) <= at + len(tail) + 2 and text[at:].rstrip("\r\n") == tail.rstrip("\n")
        return None, ends

    def _frame(self, place: Place) -> tuple[int, str]:
        """Where the text of a block begins, and the fence around it."""
        at, text = place.end, self._text
        close = place.marker.attributes.get("close", "")
        close = close if FENCE.fullmatch(close) else ""
        heading = HEADINGS.get(place.marker.kind)  # pyright: ignore[reportArgumentType, reportCallIssue]
        if heading is None:
            return at, close
        if text.startswith(heading, at):
            at = text.find("\n", at) + 1 or len(text)
        blank = _BLANK_LINE.match(text, at)
        at = blank.end() if blank else at
        found = _FENCE.match(text, at) if place.marker.kind in FENCED else None
        return (found.end(), found[1]) if found else (at, close)

    def _note(self, place: Place, what: str) -> None:
        offset, line = self._counted
        line += self._text.count("\n", offset, place.start)
        self._counted = (place.start, line)
        self._notes.append(f"line {line}: {what}")
