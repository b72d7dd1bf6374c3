"""What left this machine: one line of JSON for each request, never its content and never a key.

    {"at": "2026-01-31T12:00:00.123Z", "provider": "anthropic", "host": "api.anthropic.com", "bytes": 1234,
     "files": ["src/a.py"], "chat": "01J…", "project": "/home/u/p"}

In `<state>/egress.jsonl`, mode 0600. A file of more than 10 MB becomes `egress.1.jsonl`, in place of the one before.
Several processes may write at the same time: each line is one write to the end of the file, and a lock stands
around the renaming.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from motet.errors import MotetError

MAX_BYTES = 10 * 1000 * 1000
"""Of one file, before a new one is begun."""


@dataclass(frozen=True, slots=True)
class Egress:
    """One request. `bytes`: of its body, before it was encrypted or packed. `files`: whose text was in it, as paths in
    `project` or absolute. `provider` is `web` for a page that was fetched."""

    at: datetime
    provider: str
    host: str
    bytes: int
    files: tuple[str, ...] = ()
    chat: str = ""
    project: str = ""


class EgressLog:
    """The log of one user; nothing is opened before the first line."""

    def __init__(self, state: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._path = state / "egress.jsonl"
        self._old = state / "egress.1.jsonl"
        self._max_bytes = max_bytes

    def add(
        self,
        provider: str,
        host: str,
        bytes: int,
        files: tuple[str, ...] = (),
        *,
        chat: str = "",
        project: str = "",
        at: datetime | None = None,
    ) -> None:
        """Write down that a request leaves. Raises `MotetError` when that cannot be done: then nothing may leave."""
        row = {
            "at": (at or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "provider": provider,
            "host": host,
            "bytes": bytes,
            "files": list(dict.fromkeys(files)),
            "chat": chat,
            "project": project,
        }
        line = json.dumps(row).encode("ascii") + b"\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._append(line)
        except OSError as error:
            advice = "make it writable; nothing was sent"
            raise MotetError(f"{self._path}: cannot log what is sent: {error.strerror}; {advice}") from error

    def read(self) -> Iterator[Egress]:
        """All that is there, oldest first; a line that is damaged is passed over. Raises `MotetError`."""
        for path in (self._old, self._path):
            try:
                with path.open("rb") as file:
                    for line in file:
                        with suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):
                            yield _read(line)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise MotetError(f"{path}: cannot read the log: {error.strerror}; make it readable") from error

    def _append(self, line: bytes) -> None:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            if size and size + len(line) > self._max_bytes and self._is_current(descriptor):
                self._path.replace(self._old)
            if self._is_current(descriptor):
                _write(descriptor, line, size)
                return
        finally:
            os.close(descriptor)
        self._append(line)  # it was renamed, by us or by another process since it was opened

    def _is_current(self, descriptor: int) -> bool:
        with suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        return False


def _write(descriptor: int, line: bytes, size: int) -> None:
    """Write the whole line behind `size` bytes, or leave none of it. Raises `OSError`."""
    if os.write(descriptor, line) < len(line):
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _read(line: bytes) -> Egress:
    row = cast("Mapping[str, object]", json.loads(line))
    return Egress(
        datetime.fromisoformat(str(row["at"])),
        str(row["provider"]),
        str(row["host"]),
        int(str(row["bytes"])),
        tuple(str(file) for file in cast("list[object]", row.get("files", []))),
        str(row.get("chat", "")),
        str(row.get("project", "")),
    )
