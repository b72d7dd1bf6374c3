"""What a git diff says of files besides their lines: mode bits and links, which no edit changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FILE = re.compile(r"diff --git a/(.+) b/(.+)")
_MODE = re.compile(r"(new file|deleted file|new|old) mode ([0-7]{6})\r?")
_LINK = "120000"
_PLAIN = "100644"


@dataclass(frozen=True, slots=True)
class GitModes:
    """`changed`: files whose mode the diff changes, or makes other than that of a plain file. `links`: those that are
    symbolic links in it; their text is where they lead to."""

    changed: tuple[str, ...] = ()
    links: frozenset[str] = frozenset()


def modes_in(answer: str) -> GitModes:
    """The modes that the git diffs in `answer` speak of."""
    if "diff --git " not in answer or " mode " not in answer:
        return GitModes()
    path = ""
    changed: dict[str, None] = {}
    links: set[str] = set()
    for line in answer.split("\n"):
        file = _FILE.fullmatch(line.rstrip("\r"))
        if file is not None:
            path = file[2]
        elif path and (mode := _MODE.fullmatch(line)) is not None:
            if mode[2] == _LINK:
                links |= {path}
            elif mode[1] == "new" or (mode[1] == "new file" and mode[2] != _PLAIN):
                changed[path] = None
        elif line.startswith("@@"):
            path = ""
    return GitModes(tuple(changed), frozenset(links))
