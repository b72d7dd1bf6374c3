"""What a model would read and a human would not see, taken out of a page's text.

Zero-width, direction, tag and filler characters carry instructions past the human who looks at the page.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_SUSPECT = re.compile("[^\t\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u03ff\u3001-\u3163\u4e00-\u9fff\uac00-\ud7a3]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_SOFT_HYPHEN = "\u00ad"
_JOINERS = frozenset("\u200c\u200d")
_JOINED = frozenset({"So", "Sk", "Lo", "Mn", "Mc", "Me"})
_LINE_ENDS = {"\u2028": "\n", "\u2029": "\n", "\u0085": "\n", "\u000b": "\n", "\u000c": "\n"}


@dataclass(frozen=True, slots=True)
class Seen:
    """A text in which everything can be seen, and how many characters were taken out; soft hyphens are not counted."""

    text: str
    removed: int


def only_visible(text: str) -> Seen:
    """`text` without characters that show nothing.

    A joiner stays inside emoji, Arabic and Indic words, and a variation selector behind the sign it belongs to.
    """
    removed = 0

    def shown(match: re.Match[str]) -> str:
        nonlocal removed
        character = match[0]
        if character == _SOFT_HYPHEN:
            return ""
        if (instead := _LINE_ENDS.get(character)) is not None:
            return instead
        if not _hides(character, text[match.start() - 1] if match.start() else ""):
            return character
        removed += 1
        return ""

    return Seen(_SUSPECT.sub(shown, text), removed)


def _hides(character: str, before: str) -> bool:
    if character in _JOINERS:
        return not before or unicodedata.category(before) not in _JOINED
    if "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        # One belongs to the sign before it; several in a row are a message of their own.
        return not (
            before.strip() and (before in "#*0123456789" or unicodedata.category(before) in {"So", "Lo", "Sm"})
        )
    return character in _FILLERS or unicodedata.category(character) in _HIDDEN
