"""What a program said: all of it in a file, head and tail in memory."""

from __future__ import annotations

import codecs
import os
from pathlib import Path


class Capture:
    """Takes output as it comes. What a model or a human has not read yet is counted from `mark`.

    The file is made with the first output that does not fit in memory, for its owner only.
    """

    def __init__(self, file: Path, characters: int) -> None:
        self.file = file
        self._limit = characters
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = ""
        self._tail = ""
        self._length = 0
        self._read = 0
        self._descriptor: int | None = None
        self._problem = ""

    def add(self, data: bytes) -> str:
        """Keep `data`; returns its text."""
        text = self._decoder.decode(data)
        room = self._limit - len(self._head)
        if len(text) > room and self._descriptor is None and not self._problem:
            self._open()
        self._store(text)
        self._head += text[: max(room, 0)]
        self._tail = (self._tail + text)[-self._limit :]
        self._length += len(text)
        return text

    def unread(self) -> str:
        """What came since the last call, shortened to the limit: head and tail, and where the whole is."""
        start, self._read = self._read, self._length
        size = self._length - start
        if size <= self._limit:
            return self._tail[len(self._tail) - size :] if size else ""
        half = self._limit // 2
        head = self._head[start : start + half] if start + half <= len(self._head) else ""
        where = f"the whole is in {self.file}" if not self._problem else self._problem
        note = f"[{size - len(head) - half} characters left out here; {where}]"
        return f"{head}\n{note}\n{self._tail[-half:]}"

    def close(self) -> None:
        """No more will come."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._descriptor = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            self._problem = f"the whole could not be kept in {self.file}: {error.strerror}"
            return
        self._store(self._head)

    def _store(self, text: str) -> None:
        if self._descriptor is None:
            return
        data = text.encode("utf-8", "surrogatepass")
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            self._problem = f"the whole could not be kept in {self.file}: {error.strerror}"
            self.close()
