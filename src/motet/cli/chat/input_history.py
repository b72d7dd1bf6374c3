"""What was sent in a project, to be found again with the arrow keys and Ctrl-R: one JSON string a line, 0600."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from motet.errors import WorkspaceError

_MOST_BYTES = 1_000_000
"""Of the file's end that are read."""
_LONGEST = 100_000
"""Characters of a text that is kept here; a longer one is in the stored chat."""


def history_file(state: Path, root: Path) -> Path:
    """Where the history of the project at `root` is kept below the state directory."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]
    return state / "input_history" / name


class InputHistory(History):
    """The history in `file`. What is only cleared is remembered until the end, what is `sent` also on the disk.

    Several processes may use one file. A damaged line is passed over.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def load_history_strings(self) -> Iterable[str]:
        """The newest first; nothing when the file cannot be read."""
        try:
            with self._file.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - _MOST_BYTES, 0))
                lines = file.read().split(b"\n")
        except OSError:
            return
        before = None
        for line in reversed(lines[1:] if size > _MOST_BYTES else lines):
            text = _text(line)
            if text and text != before:
                before = text
                yield text

    def store_string(self, string: str) -> None:
        """Nothing: see `sent`."""

    def sent(self, text: str) -> None:
        """Keep `text`, which has been sent. Raises `WorkspaceError` when it cannot be written."""
        if not text.strip() or len(text) > _LONGEST:
            return
        data = json.dumps(text).encode() + b"\n"
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                size = os.fstat(descriptor).st_size
                if size and os.pread(descriptor, 1, size - 1) != b"\n":
                    data = b"\n" + data  # a process died while it wrote
                os.write(descriptor, data)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise WorkspaceError(f"{self._file}: {error.strerror}; the input history is not kept") from error


def _text(line: bytes) -> str:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return value if isinstance(value, str) else ""
