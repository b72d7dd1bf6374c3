"""Characters of a text and their bytes in UTF-8, told from each other without counting from the beginning.

Each character takes one byte or more. So its byte stands at the character's own number, or behind that by as many
bytes at most as the text has more bytes than characters. What stands there only once is the place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_AROUND = 100
"""Characters, or bytes, by which a place is known again on the other side."""


def bytes_of(text: str, data: bytes, begin: int, places: Sequence[int]) -> Iterator[int]:
    """The offsets in `data` of the characters `places` of `text`, both ascending; byte `begin` is the first of it."""
    at, offset = _near_character(text, data, begin, places[0]) if places else (0, begin)
    for place in places:
        offset += len(text[at:place].encode())
        at = place
        yield offset


def characters_of(text: str, data: bytes, begin: int, offsets: Sequence[int]) -> Iterator[int]:
    """The characters of `text` that begin at `offsets` of `data`; the reverse of `bytes_of`."""
    at, offset = _near_byte(text, data, begin, offsets[0]) if offsets else (0, begin)
    for place in offsets:
        at += len(data[offset:place].decode())
        offset = place
        yield at


def _near_character(text: str, data: bytes, begin: int, place: int) -> tuple[int, int]:
    """A character not behind `place`, and its byte: one near to it, or the first where that is not certain."""
    start = max(place - _AROUND, 0)
    around = text[start : place + _AROUND].encode()
    first = begin + start
    last = begin + start + _surplus(text, data, begin) + len(around)
    found = data.find(around, first, last)
    return (start, found) if data.find(around, found + 1, last) < 0 else (0, begin)


def _near_byte(text: str, data: bytes, begin: int, offset: int) -> tuple[int, int]:
    """The character at byte `offset`, and that; or the first character and its byte where that is not certain."""
    around = data[offset : offset + _AROUND].decode(errors="ignore")  # the last character may be cut
    first = max(offset - begin - _surplus(text, data, begin), 0)
    last = offset - begin + len(around)
    found = text.find(around, first, last)
    return (found, offset) if text.find(around, found + 1, last) < 0 else (0, begin)


def _surplus(text: str, data: bytes, begin: int) -> int:
    return len(data) - begin - len(text)
