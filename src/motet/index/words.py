"""Text as the index compares it: identifiers in parts, scripts without spaces in pairs of neighbours.

What is stored and what is asked go through the same function, so a word is found however it was joined: `getUserName`,
`get_user_name` and `get user name` are the same three words. Words are not stemmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_JOINT = re.compile(r"(?=[A-Z])(?<=[A-Za-z0-9])(?:(?<![A-Z])|(?=[A-Z][a-z]))")
"""Between two characters: in `aB`, and before the `B` of `ABc`."""
_FOREIGN = re.compile(r"\w*[^\W\x00-\x7f]\w*")
_WORD = re.compile(r"[^\W_]+")
_STRETCH = 64 * 1024
"""Characters that are looked at in one go: a thread that does it stops no other for longer."""
LONGEST = 40
"""Bytes of the longest word that is kept."""


def spread(text: str) -> str:
    """`text` with blanks where an identifier has its joints; foreign words in the terms of `motet.text.terms`."""
    if len(text) > _STRETCH:
        return "".join(map(_spread, _stretches(text)))
    return _spread(text)


def words(text: str) -> list[str]:
    """The words of `text` in lower case, in order, as they stand in the index."""
    return [word for word in _WORD.findall(spread(text).lower()) if len(word.encode()) < LONGEST]


def _spread(text: str) -> str:
    if not text.isascii():
        text = _FOREIGN.sub(_foreign, text.encode("utf-8", "replace").decode())  # no halves of characters
    return _JOINT.sub(" ", text)


def _foreign(found: re.Match[str]) -> str:
    from motet.text.terms import terms  # not for text in ASCII alone

    answer = terms(found[0])
    return f" {' '.join(answer.words or answer.whole)} "


def _stretches(text: str) -> Iterator[str]:
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin + _STRETCH) + 1 or len(text)
        end = min(end, begin + 2 * _STRETCH)
        yield text[begin:end]
        begin = end
