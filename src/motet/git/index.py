"""Git's index: what it says about the files, apart from when git last looked at them.

Format: gitformat-index(5), versions 2 to 4.
"""

from __future__ import annotations

from collections.abc import Iterator

_HEAD = 12
_STAT = 40
"""Bytes of times, numbers and size that each entry begins with; the mode stands at 24."""
_EXTENDED = 0x4000


def same_index(one: bytes, other: bytes) -> bool:
    """Whether two indexes name the same files with the same contents, modes, stages and flags. What cannot be
    understood is the same only byte for byte."""
    if one == other:
        return True
    for hash_size in (20, 32):
        try:
            return list(_said(one, hash_size)) == list(_said(other, hash_size))
        except (IndexError, ValueError):
            continue
    return False


def _said(data: bytes, hash_size: int) -> Iterator[bytes]:
    """The entries without what changes with a look, and the extensions that are no mere speed-up."""
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("not an index")
    end = len(data) - hash_size
    at, name = _HEAD, b""
    for _ in range(count):
        fixed = at + _STAT + hash_size
        flags = int.from_bytes(data[fixed : fixed + 2], "big")
        names = fixed + (4 if version >= 3 and flags & _EXTENDED else 2)
        if version == 4:
            cut, names = _number(data, names)
            stop = data.index(b"\0", names, end)
            name = name[: len(name) - cut] + data[names:stop]
            following = stop + 1
        else:
            stop = data.index(b"\0", names, end)
            name = data[names:stop]
            following = at + (stop - at + 8) // 8 * 8
        yield (
            data[at + 24 : at + 28]
            + data[at + _STAT : fixed]
            + data[fixed : fixed + (4 if flags & _EXTENDED else 2)]
            + name
        )
        at = following
    yield from _extensions(data[at:end])


def _extensions(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "big")
        if len(kind) < 4 or at + 8 + size > len(data):
            raise ValueError("an extension is cut off")
        if not kind[:1].isupper():  # git must understand these
            yield kind + data[at + 8 : at + 8 + size]
        at += 8 + size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """The number at `at`, in git's own way of writing one, and where it ends."""
    value = data[at] & 127
    while data[at] & 128:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 127)
    return value, at + 1
