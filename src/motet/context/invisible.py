"""Characters that a human does not see and a model reads: shown with their code points."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# They make one sign of two in emoji and in Arabic and Indic words; elsewhere they only hide.
_JOINERS = frozenset("\u200c\u200d\ufe00\ufe01\ufe0e\ufe0f")
_JOINED = frozenset({"So", "Sk", "Sm", "Lo", "Mn", "Mc", "Me", "Po", "Nd", "No", "Pd"})


def reveal(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` with bidirectional, zero-width, tag and blank characters as `<U+202E>`; and the code points, each once, in
    order."""
    found: dict[str, None] = {}

    def shown(match: re.Match[str]) -> str:
        character = match[0]
        if character in _JOINERS and match.start() and _joins(text[match.start() - 1], character):
            return character
        point = f"U+{ord(character):04X}"
        found[point] = None
        return f"<{point}>"

    return _INVISIBLE.sub(shown, text), tuple(found)


def _joins(before: str, character: str) -> bool:
    category = unicodedata.category(before)
    if character == "\u200d" and before == "\ufe0f":
        return True
    if category in {"Po", "Nd", "Pd"}:
        return character == "\ufe0f"
    return category in _JOINED
