"""Characters that look alike, made one. For comparison only: nothing that is written passes through here."""

from __future__ import annotations

import unicodedata

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u2035\uff07"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u2036\uff02"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

_TABLE: dict[int, str | None] = {
    **dict.fromkeys(map(ord, _SPACES), " "),
    **dict.fromkeys(map(ord, _DASHES), "-"),
    **dict.fromkeys(map(ord, _SINGLE_QUOTES), "'"),
    **dict.fromkeys(map(ord, _DOUBLE_QUOTES), '"'),
    **dict.fromkeys(map(ord, _INVISIBLE), None),
    ord("\u2026"): "...",
}


def fold(line: str) -> str:
    """`line` with quotes, dashes and spaces in their ASCII form, in Unicode normal form C (UAX #15)."""
    if line.isascii():
        return line
    return unicodedata.normalize("NFC", line).translate(_TABLE)
