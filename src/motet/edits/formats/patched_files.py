"""The files that one patch names, so that it cannot ask for two things of one file that exclude each other."""

from __future__ import annotations

from motet.errors import EditFormatError


class PatchedFiles:
    """What is done to each path. Every method takes the 1-based line and raises `EditFormatError` on a
    contradiction. Updating one file several times is none; adding a file that was deleted before replaces it."""

    def __init__(self) -> None:
        self._done: dict[str, tuple[str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._done)

    def add(self, path: str, line: int) -> None:
        if self._done.get(path, ("", 0))[0] == "deleted":
            del self._done[path]
        self._note(path, "added", line)

    def delete(self, path: str, line: int) -> None:
        self._note(path, "deleted", line)

    def update(self, path: str, line: int) -> None:
        if self._done.get(path, ("updated", 0))[0] != "updated":
            self._note(path, "updated", line)
        self._done.setdefault(path, ("updated", line))

    def move(self, path: str, to: str, line: int) -> None:
        if self._done[path][0] == "moved away":
            self._note(path, "moved away", line)
        self._note(to, "the new name of another file", line)
        self._done[path] = ("moved away", line)

    def _note(self, path: str, what: str, line: int) -> None:
        before = self._done.get(path)
        if before is not None:
            raise EditFormatError(f"line {line}: {path!r} is {what} here and {before[0]} in line {before[1]}", line)
        self._done[path] = (what, line)
