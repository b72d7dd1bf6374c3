"""The head of one file in a unified diff: which file is meant, and what happens to it besides its hunks.

Sources: GNU diffutils, "Detailed Description of Unified Format"; git, "Generating patch text with -p".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NOWHERE = "/dev/null"

_TIMESTAMP = re.compile(r"\s\d{4}-\d\d-\d\d[ T]\d\d:.*$")
_PREFIXED = re.compile(r"[abciow]/(?=.)")
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_CONTROL = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')

_IGNORED = ("index ", "similarity index ", "dissimilarity index ", "====", "Index: ")
_UNREADABLE = {
    "GIT binary patch": "a binary patch cannot be applied",
    "Binary files ": "the diff does not hold the new content of this binary file",
    "copy from ": "a copy of a file cannot be applied",
    "copy to ": "a copy of a file cannot be applied",
}


@dataclass(slots=True)
class FileHead:
    """What stands before the hunks of a file. `line`: 1-based, where it begins. `old`, `new`: the names after `---`
    and `+++`, or after `diff --git`; None where there is none."""

    line: int
    old: str | None = None
    new: str | None = None
    has_minus: bool = False
    has_plus: bool = False
    moved_from: str = ""
    moved_to: str = ""
    is_new: bool = False
    is_deleted: bool = False
    changes_mode: bool = False

    @classmethod
    def of_git(cls, text: str, line: int) -> FileHead:
        """A head that begins with `diff --git a/old b/new`, of which `text` are the two names."""
        old, new = _two_names(text.strip())
        return cls(line, old, new)

    @property
    def creates(self) -> bool:
        return self.is_new or (self.has_minus and self.old == NOWHERE)

    @property
    def deletes(self) -> bool:
        return self.is_deleted or (self.has_plus and self.new == NOWHERE)

    @property
    def is_certain(self) -> bool:
        """Whether it is certainly the head of a file, and no `--- line` of prose."""
        return self.has_plus or not self.has_minus

    @property
    def path(self) -> str:
        """The file meant, without the `a/` and `b/` of git; of a renamed file, the name it had. Where `---` and
        `+++` differ and nothing speaks of renaming, the second counts."""
        return self.moved_from or _path(self.old, self.new).removeprefix("./")

    def minus(self, text: str) -> None:
        """The line `--- text`."""
        self.old, self.has_minus = _name(text), True

    def plus(self, text: str) -> None:
        """The line `+++ text`."""
        self.new, self.has_plus = _name(text), True

    def extend(self, line: str) -> bool:
        """Take a line such as `rename to x`. False when it is none; raises `ValueError` for what no edit can say."""
        for start, why in _UNREADABLE.items():
            if line.startswith(start):
                raise ValueError(why)
        match line.split(" ", 2):
            case ["rename", "from", name]:
                self.moved_from = _unquoted(name.strip())
            case ["rename", "to", name]:
                self.moved_to = _unquoted(name.strip())
            case ["new", "file", _]:
                self.is_new = True
            case ["deleted", "file", _]:
                self.is_deleted = True
            case ["old" | "new", "mode", _]:
                self.changes_mode = True
            case _:
                return line.startswith(_IGNORED)
        return True


def _name(text: str) -> str:
    text = text.strip(" ")
    quoted = _QUOTED.match(text)
    if quoted is not None:
        return _unquoted(quoted[0])
    return _TIMESTAMP.sub("", text.partition("\t")[0]).strip()


def _unquoted(name: str) -> str:
    """A name as git writes it when it holds special characters: `"na\\303\\257ve"` (bytes in octal)."""
    quoted = _QUOTED.fullmatch(name)
    if quoted is None:
        return name
    pieces: list[bytes] = []
    end = 0
    for found in _ESCAPE.finditer(quoted[1]):
        pieces += quoted[1][end : found.start()].encode("utf-8", "surrogatepass"), _unescaped(found[1])
        end = found.end()
    pieces.append(quoted[1][end:].encode("utf-8", "surrogatepass"))
    return b"".join(pieces).decode("utf-8", "replace")


def _unescaped(code: str) -> bytes:
    if code[0] in "01234567":
        return bytes([int(code, 8) & 0xFF])
    return bytes([_CONTROL[code]]) if code in _CONTROL else code.encode("utf-8", "surrogatepass")


def _two_names(text: str) -> tuple[str | None, str | None]:
    """The names of `diff --git`: quoted, or the two halves that are equal after their prefixes, or two words."""
    quoted = [_unquoted(found[0]) for found in _QUOTED.finditer(text)]
    if len(quoted) == 2:
        return quoted[0], quoted[1]
    half = len(text) // 2
    old, new = text[:half], text[half + 1 :]
    if text[half : half + 1] == " " and old[2:] == new[2:]:
        return old, new
    old, _, new = text.partition(" b/")
    if new:
        return old, f"b/{new}"
    words = text.split()
    return (words[0], words[1]) if len(words) == 2 else (None, None)


def _path(old: str | None, new: str | None) -> str:
    old = None if old == NOWHERE else old
    new = None if new == NOWHERE else new
    if old is None or new is None:
        return _without_prefix(new or old or "")
    bare = _without_prefix(new)
    if (old[:2], new[:2]) == ("a/", "b/") or (_without_prefix(old) == bare and old != new):
        return bare
    return new


def _without_prefix(name: str) -> str:
    return name[2:] if _PREFIXED.match(name) else name
