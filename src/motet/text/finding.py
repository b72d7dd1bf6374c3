"""Bytes looked for in bytes, by the C library's search where that is the faster one."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import cast

_LARGE = 1_000_000
"""Bytes from which on it matters; loading takes as long as some thirty searches save."""

Find = Callable[[bytes, int], int]


def finder(data: bytes) -> Find:
    """`find(wanted, begin)`, as `data.find` for 0 <= `begin`; in large `data` it takes two thirds of the time."""
    memmem = _memmem() if len(data) >= _LARGE else None
    if memmem is None:
        return data.find
    import ctypes

    first = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0

    def find(wanted: bytes, begin: int) -> int:
        if begin > len(data):
            return -1
        found = memmem(first + begin, len(data) - begin, wanted, len(wanted))
        return -1 if found is None else found - first

    return find


@functools.cache
def _memmem() -> Callable[[int, int, bytes, int], int | None] | None:
    """`memmem` of the GNU C library, which skips by pairs of bytes where `bytes.find` skips by single ones.

    Others' are slower than `bytes.find`, and only CPython's bytes stay where they are.
    """
    names = getattr(os, "confstr_names", {})
    if sys.implementation.name != "cpython" or "CS_GNU_LIBC_VERSION" not in names:
        return None
    try:
        is_gnu = (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (OSError, ValueError):  # musl does not know the name
        is_gnu = False
    if not is_gnu:
        return None
    import ctypes

    function = ctypes.CDLL(None).memmem
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    function.restype = ctypes.c_void_p
    return cast("Callable[[int, int, bytes, int], int | None]", function)
