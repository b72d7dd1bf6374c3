"""The one way for foreign text to a terminal: what can be seen passes, everything else is shown as a symbol.

Text of models, tools, files and servers could otherwise move the cursor, set the title, fill the clipboard,
reorder what stands there or hide in it (control characters, bidirectional overrides, zero-width, blank and tag
characters).
"""

from __future__ import annotations

import json
import re
import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_KEPT = frozenset("\n\t")
# Drawn as nothing, or as a blank, although their category says letter, mark or symbol.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\U000e0100-\U000e01ef]")
_JOINERS = frozenset("\u200c\u200d")
_EMOJI_STYLE = frozenset("\ufe00\ufe01\ufe0e\ufe0f")
_UNSEEN = re.compile("[^\x20-\x7e]")


def visible(text: str) -> str:
    """`text` with every character that is not plainly visible shown as `␛`-like symbols or `<U+202E>`.

    Line ends and tabs stay. A joiner stays where it makes one sign of two: in emoji, Arabic and Indic words.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character, text[at - 1] if at else "") for at, character in enumerate(text))


def one_line(text: str) -> str:
    """`text` as `visible`, and as one line: its line ends and tabs are shown too."""
    return visible(text).replace("\n", "␊").replace("\t", "␉")


def as_json(value: object, indent: int | None = None) -> str:
    """`value` as JSON that is safe on a terminal: what is not plainly visible is escaped, the rest stays readable."""
    return _UNSEEN.sub(_escaped, json.dumps(value, ensure_ascii=False, indent=indent))


def _shown(character: str, before: str) -> str:
    if " " <= character <= "~" or character in _KEPT:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"<U+{code:04X}>" if _is_hidden(character, before) else character


def _is_hidden(character: str, before: str) -> bool:
    if character in _JOINERS:
        # Behind a Latin letter or a blank a joiner makes nothing: there it only hides.
        return not before or unicodedata.category(before) not in {"So", "Sk", "Lo", "Mn", "Mc", "Me"}
    if character in _EMOJI_STYLE:
        return not before or unicodedata.category(before) not in {
            "So",
            "Sm",
            "Sk",
            "Po",
            "Nd",
            "No",
            "Me",
            "Pd",
            "Lo",
        }
    return unicodedata.category(character) in _HIDDEN or _BLANK.match(character) is not None


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if character == "\n" or not (_is_hidden(character, "") or character == "\x7f"):
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(units[at : at + 2]):04x}" for at in range(0, len(units), 2))
