"""What a command puts out, without the secrets in it: before it is shown to a model, and before it is kept.

No wall keeps an approved command from printing what is staged in git, or what it was told; what it prints is looked at
here. What is encoded, or was cut in two, is not found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from motet.permissions.redact import redact, secret_values
from motet.permissions.secrets import is_secret

_MOST_BYTES = 64 * 1024
"""Of one file of secrets, whose values are looked for."""
_BLOCK = 128 * 1024
"""Characters that are looked through in one go: others wait no longer than that takes."""
_HEAD = re.compile(
    r"(?:diff --git \"?a/(?P<old>.+?)\"? \"?b/(?P<new>.+?)\"?|diff --(?:cc|combined) (?P<both>.+))\r?\n?\Z"
)


def masked(text: str, known: Iterable[str] = ()) -> str:
    """`text` without what looks like a key, every text in `known`, and what a diff says of a file of secrets."""
    if "diff --" in text:
        text = "".join(_without_secret_files(text.splitlines(keepends=True)))
    return redact(text, known).text


def values_in(places: Iterable[Path]) -> tuple[str, ...]:
    """The values that these files of secrets set; those that cannot be read have none. Blocks."""
    found: dict[str, None] = {}
    for place in places:
        with suppress(OSError), open(place, "rb", opener=_regular) as file:
            found |= dict.fromkeys(secret_values(file.read(_MOST_BYTES).decode("utf-8", "replace")))
    return tuple(found)


def mask_file(file: Path, known: Iterable[str]) -> None:
    """The same for a file of output, in its place. Blocks. Raises `OSError`."""
    known, fresh = tuple(known), file.with_suffix(".masked")
    with suppress(FileNotFoundError), file.open("r", encoding="utf-8", errors="replace", newline="") as source:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
            block: list[str] = []
            size = 0
            for line in _without_secret_files(source):
                block.append(line)
                size += len(line)
                if size > _BLOCK:
                    target.write(redact("".join(block), known).text.encode())
                    block, size = [], 0
            target.write(redact("".join(block), known).text.encode())
        fresh.replace(file)


def _regular(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)


def _without_secret_files(lines: Iterable[str]) -> Iterator[str]:
    secret = ""
    for line in lines:
        head = _HEAD.match(line)
        if head is not None:
            names = (name for name in head.groups() if name)
            secret = next((name for name in names if is_secret(name)), "")
            yield line
            if secret:
                yield f"[left out: {secret} is a file of secrets]\n"
        elif not secret or _ends(line):
            secret = ""
            yield line


def _ends(line: str) -> bool:
    """Whether a line that is no part of a diff follows one: the next commit of a log."""
    return line.startswith("commit ")
