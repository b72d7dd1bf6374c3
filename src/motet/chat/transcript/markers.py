"""The invisible markers that carry a transcript's structure, so that nobody's text is ever read for structure.

A marker is an HTML comment on a line of its own:

    <!-- motet 5f3a9c01 reasoning 1234 id=01K… -->

- `5f3a9c01`, the nonce, is the same in the whole document and stands in no text of it at the time of rendering.
- `reasoning` is the kind of the block that begins here; it ends where the next marker of this document begins.
- `1234` is the length in characters (code points) of the block's text. Where a marker of the document, or its end,
  stands right behind a text of this length, the length is true whatever the text holds, look-alikes included. Where
  not, a human has edited the block, and its text ends at the next marker. `-` means the length is not known.
- Attributes follow; their values are percent-encoded, so that none can end the comment.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, unquote

VERSION = 1
"""Of the form; it stands in the first marker."""


class Kind(StrEnum):
    """What a block is."""

    TRANSCRIPT = "transcript"
    """The head of the document; without text."""
    ME = "me"
    """A turn of the human; its text, unless a context block comes between."""
    CONTEXT = "context"
    TEXT = "text"
    """The human's text behind a context block."""
    MOTET = "motet"
    """A turn of the model; with an id, its answer's text, too."""
    REASONING = "reasoning"
    RESPONSE = "response"
    CALL = "call"
    RESULT = "result"
    OUTPUT = "output"
    """What became of edits that were written as text."""
    ASIDE = "aside"
    NOTICE = "notice"
    INTERRUPTED = "interrupted"
    DRAFT = "draft"


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker. `length` is None when not known."""

    nonce: str
    kind: str
    length: int | None
    attributes: Mapping[str, str]

    def __str__(self) -> str:
        values = "".join(f" {name}={_encoded(value)}" for name, value in self.attributes.items())
        return f"{opening(self.nonce)}{self.kind} {'-' if self.length is None else self.length}{values} -->"


@dataclass(frozen=True, slots=True)
class Place:
    """A marker in a text: it begins at `start`, and its line ends before `end`, in characters."""

    marker: Marker
    start: int
    end: int


def opening(nonce: str) -> str:
    """How every marker of a document begins."""
    return f"<!-- motet {nonce} "


def nonce_for(seed: str, texts: Iterable[str]) -> str:
    """A nonce that is in none of `texts`; the same for the same seed and texts."""
    texts = tuple(texts)
    number = 0
    while True:
        nonce = hashlib.sha256(f"{number} {seed}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
        if not any(nonce in text for text in texts):
            return nonce
        number += 1


def marker_at(text: str, at: int) -> Place | None:
    """The marker on the line that begins at `at`."""
    found = _MARKER.match(text, at)
    if found is None:
        return None
    pairs = (pair.partition("=") for pair in found[4].split())
    attributes = {name: unquote(value) for name, _, value in pairs}
    length = None if found[3] == "-" else int(found[3])
    return Place(Marker(found[1], found[2], length, attributes), found.start(), found.end())


def next_marker(text: str, at: int, nonce: str = "") -> Place | None:
    """The first marker at or behind `at`; of this document, when a nonce is given."""
    sought = opening(nonce) if nonce else "<!-- motet "
    while (at := text.find(sought, at)) >= 0:
        if at == 0 or text[at - 1] == "\n" or (at == 1 and text[0] == "\ufeff"):
            place = marker_at(text, at)
            if place:
                return place
        at += len(sought)
    return None


_MARKER = re.compile(
    r"<!-- motet ([0-9a-f]{8}) ([a-z]{1,20}) (\d{1,12}|-)((?: [a-z]+=[^\s<>]*)*) -->[ \t]*\r?(?:\n|\Z)", re.ASCII
)


def _encoded(value: str) -> str:
    return quote(value, safe="/:@+,`~", errors="surrogatepass")
