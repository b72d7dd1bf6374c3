"""What went wrong, whole: the one line that was shown, and where in the program it came from. Never a key.

    {"at": "2026-01-31T12:00:00.123Z", "where": "ask", "text": "acme: …", "trace": "Traceback (most recent …"}

In `<state>/errors.jsonl`, of at most 1 MB. With `MOTET_DEBUG` in the environment the trace is on stderr at once.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from motet.errors import MotetError
from motet.logfile import LogFile
from motet.permissions.redact import redact
from motet.tasks import on_failure
from motet.visible import one_line

DEBUG = "MOTET_DEBUG"
"""The variable that `motet --debug` sets, for everything that runs below."""
_MAX_BYTES = 1000 * 1000
_LONGEST_TRACE = 20_000
"""Characters: the end is kept, which says what was raised."""
_MARK = "_motet_logged"
"""What ended a turn may end the command as well."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One error. `where`: the command, or `chat` and an id; `text`: what the user was told."""

    at: datetime
    where: str
    text: str
    trace: str


class FaultLog:
    """The log of one user."""

    def __init__(self, state: Path, environ: Mapping[str, str] = os.environ) -> None:
        self._log = LogFile(state, "errors", max_bytes=_MAX_BYTES)
        self._environ = environ

    def add(self, error: BaseException, where: str) -> None:
        """Write down `error`, once. A log that cannot be written changes nothing: the user was told what happened."""
        if getattr(error, _MARK, False):
            return
        with suppress(AttributeError):
            setattr(error, _MARK, True)
        text = redact(str(error) or repr(error)).text
        trace = redact("".join(traceback.format_exception(error))).text[-_LONGEST_TRACE:]
        if self._environ.get(DEBUG):
            sys.stderr.write(trace)
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        row = {"at": at, "where": where, "text": text, "trace": trace}
        with suppress(OSError):
            self._log.append(json.dumps(row).encode("ascii"))

    def catch(self, where: str, tell: Callable[[str], None], *, but: tuple[type[MotetError], ...] = ()) -> None:
        """Write down what is raised in tasks and callbacks of the running loop and caught by nobody, and `tell` it in
        one line; nothing of what is one of `but`."""

        def failed(error: BaseException) -> None:
            if isinstance(error, but):
                return
            self.add(error, where)
            tell(one_line(redact(str(error)).text) if isinstance(error, MotetError) else self.line(error))

        on_failure(failed)

    def line(self, error: BaseException) -> str:
        """What a human is told of a defect: what was raised, and where the log is."""
        path = str(self._log.path).replace(str(Path.home()), "~", 1)
        return f"a defect of motet, {one_line(redact(repr(error)).text)}; {path} has the rest"

    def read(self) -> Iterator[Fault]:
        """All that is there, oldest first; a line that is damaged is passed over. Raises `MotetError`."""
        try:
            for line in self._log.lines():
                with suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):
                    row = cast("Mapping[str, object]", json.loads(line))
                    at = datetime.fromisoformat(str(row["at"]))
                    yield Fault(at, str(row["where"]), str(row["text"]), str(row["trace"]))
        except OSError as error:
            raise MotetError(f"{error.filename}: cannot read the log: {error.strerror}; make it readable") from error
