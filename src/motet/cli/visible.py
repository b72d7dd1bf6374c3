"""The one way for foreign text to a terminal: printable characters pass, everything else is shown as a symbol.

Text of models, tools, files and servers could otherwise move the cursor, set the title, fill the clipboard, or
reorder what stands there (control characters, bidirectional overrides, zero-width and tag characters).
"""

from __future__ import annotations

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_KEPT = frozenset("\n\t")
# The joiners make single emoji and Indic and Persian words; alone they cannot reorder or hide text.
_JOINERS = frozenset("\u200c\u200d")


def visible(text: str) -> str:
    """`text` with every character that is not plainly visible shown as `␛`-like symbols or `<U+202E>`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in _KEPT or character in _JOINERS or unicodedata.category(character) not in _HIDDEN:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"<U+{code:04X}>"
