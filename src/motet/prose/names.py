"""Where a name begins and ends in running text, also in text without spaces between words."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_SPACELESS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0xA4CF),  # CJK: radicals, punctuation, kana, ideographs, Yi
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),  # full-width and half-width forms
    (0x1B000, 0x1B2FF),
    (0x20000, 0x3FFFF),
)
_BEFORE = frozenset("\\@#/.&$=?%")
_GLUE = frozenset("-.:/@#")


@lru_cache(4096)
def is_spaceless(character: str) -> bool:
    """Whether it belongs to a script that sets no spaces between words, such as Japanese."""
    return character > "\u0dff" and any(first <= ord(character) <= last for first, last in _SPACELESS)


def begins(text: str, at: int) -> bool:
    """Whether a symbol may begin at `at`: not inside a word, an address, a path, nor behind a backslash."""
    before = text[at - 1] if at else " "
    return not (is_word(before) or before in _BEFORE)


def continues(text: str, at: int) -> bool:
    """Whether what stands at `at` goes on with the name before it: a letter, or `.`, `-`, `:`, `/`, `@` or `#` and then one."""
    if at >= len(text):
        return False
    if text[at] in _GLUE:
        return at + 1 < len(text) and is_word(text[at + 1])
    return is_word(text[at])


@lru_cache(4096)
def is_word(character: str) -> bool:
    """Whether it makes words in a script with spaces."""
    if character == "_" or (character.isascii() and character.isalnum()):
        return True
    if character.isascii() or is_spaceless(character):
        return False
    return character.isalnum() or unicodedata.category(character)[0] == "M"
