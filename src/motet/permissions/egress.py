"""What left this machine: one line of JSON for each request, never its content and never a key.

    {"at": "2026-01-31T12:00:00.123Z", "provider": "anthropic", "host": "api.anthropic.com", "bytes": 1234,
     "files": ["src/a.py"], "chat": "01J…", "project": "/home/u/p"}

In `<state>/egress.jsonl`, of at most 10 MB.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from motet.errors import MotetError
from motet.logfile import LogFile
from motet.paths import remedy

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
        self._log = LogFile(state, "egress", max_bytes=max_bytes)

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
        try:
            self._log.append(json.dumps(row).encode("ascii"))
        except OSError as error:
            advice = f"{remedy(error, 'make it writable')}; nothing was sent"
            raise MotetError(f"{self._log.path}: cannot log what is sent: {error.strerror}; {advice}") from error

    def read(self) -> Iterator[Egress]:
        """All that is there, oldest first; a line that is damaged is passed over. Raises `MotetError`."""
        try:
            for line in self._log.lines():
                with suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):
                    yield _read(line)
        except OSError as error:
            raise MotetError(f"{error.filename}: cannot read the log: {error.strerror}; make it readable") from error


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
