"""Names of those who take part, and the addresses they are called by: `reviewer-def34`."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b

from motet.errors import UsageError
from motet.text.terms import folded
from motet.visible import visible

RESERVED = frozenset({"all", "human", "role"})
_ALIKE = str.maketrans("01ıɩаеорсухіјѕһԁհոսοαεικνρτυχ", "oliiaeopcyxijshdhnuoaeikvptux")
"""Characters of other scripts, and digits, that look like a Latin letter (Unicode's confusables, those that are whole
letters)."""
LONGEST_NAME = 40
"""Characters."""
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: without i, l, o and u, which look like others."""
_SUFFIX = 5


@lru_cache(4096)
def key(name: str) -> str:
    """`name` as it is compared: NFKC, without case."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFKC", folded(name))


@lru_cache(4096)
def is_name_character(character: str) -> bool:
    """Whether it may stand in a name: a letter, a digit or a mark of any script, `-`, `_`."""
    if character.isascii():
        return character.isalnum() or character in "-_"
    return unicodedata.category(character) in {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl"}


@lru_cache(4096)
def look(name: str) -> str:
    """`name` as it looks at a glance: two that look the same have the same."""
    return key(name).translate(_ALIKE).replace("l", "i")


_RESERVED_LOOKS = frozenset(map(look, RESERVED))


def check_name(text: str) -> str:
    """`text` in the form in which a name is kept (NFKC). Raises `UsageError` when it cannot be one."""
    name = unicodedata.normalize("NFKC", text)
    if len(name) > LONGEST_NAME:
        raise UsageError(
            f"{visible(name[:LONGEST_NAME])}… cannot be a name: it has {len(name)} characters; {LONGEST_NAME} are the most"
        )
    if look(name) in _RESERVED_LOOKS:
        raise UsageError(f"{visible(name)} cannot be a name: it has a meaning behind @; choose another word")
    is_whole = name[:1].isalnum() and not name.endswith(("-", "_"))
    if not is_whole or visible(name) != name or not all(map(is_name_character, name)):
        raise UsageError(
            f"{visible(name)!r} cannot be a name: take letters, digits, - and _, with a letter or digit at both ends"
        )
    return name


def address(name: str, id: str, taken: Callable[[str], bool]) -> str:
    """`<name>-<5 characters>`, the same for the same name and stable `id`; longer where that is another's.

    `taken` is asked with the `key` of an address. Raises `UsageError` for what cannot be a name, and when every length
    is taken.
    """
    name = check_name(name)
    number = int.from_bytes(blake2b(id.encode(), digest_size=20).digest())
    suffix = "".join(_LETTERS[number >> shift & 31] for shift in range(155, -1, -5))
    for length in range(_SUFFIX, len(suffix) + 1):
        if not taken(key(found := f"{name}-{suffix[:length]}")):
            return found
    raise UsageError(f"{visible(name)} with the id {visible(id)} is registered already; take another name")
