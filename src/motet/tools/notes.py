"""Notes for a project: what later chats about it should know. Each was accepted by the human, word for word.

They lie in the state directory, never in the project, where a stranger's clone could bring its own. A note is given to
models for half a year; then it only stands in the file, where its date can be changed.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from motet.errors import MotetError
from motet.storage.aside import set_aside

MOST_CHARACTERS = 20_000
"""Of all notes of a project: they are in every request of every chat."""
LIFE = timedelta(days=183)
"""How long a note is given to models."""
_DATED = re.compile(r"- (\d{4}-\d\d-\d\d): ")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class Notes:
    """The notes of the project at `project`, in `<state>/notes/<SHA-256 of its path>.md` (mode 0600)."""

    def __init__(self, state: Path, project: Path) -> None:
        name = hashlib.sha256(os.fsencode(project)).hexdigest()[:32]
        self.path = state / "notes" / f"{name}.md"
        self._project = project

    def read(self) -> str:
        """All notes; empty when there are none. Raises `MotetError`."""
        try:
            return self.path.read_text("utf-8")
        except FileNotFoundError:
            return ""
        except UnicodeError:
            return self._saved()
        except OSError as error:
            raise MotetError(f"{self.path}: the notes cannot be read ({_why(error)}); look at the file") from error

    def _saved(self) -> str:
        """The notes of a damaged file, which is set aside: what is no text in it is shown as U+FFFD."""
        try:
            text = set_aside(self.path, "the notes are", "what is text in it stays").read_text("utf-8", "replace")
            self._write(text)
        except OSError as error:
            raise MotetError(f"{self.path}: the notes are damaged and cannot be kept: {_why(error)}") from error
        return text

    def current(self, now: datetime | None = None) -> str:
        """The notes that models are given now: those of the last half year, and lines without a date. Raises
        `MotetError`."""
        oldest = ((now or datetime.now(UTC)) - LIFE).date()
        kept: list[str] = []
        is_current = True
        for line in self.read().splitlines(keepends=True):
            if line.startswith("- "):
                is_current = (_day(line) or oldest) >= oldest
            if is_current:
                kept.append(line)
        return "".join(kept)

    def entry(self, text: str, now: datetime | None = None) -> str:
        """The lines that `add` would write for `text`: dated, with everything visible that a human should see."""
        first, *rest = [visible(line).rstrip() for line in text.strip().split("\n")]
        day = (now or datetime.now(UTC)).date().isoformat()
        return "\n".join([f"- {day}: {first}", *(f"  {line}".rstrip() for line in rest)]) + "\n"

    def add(self, entry: str) -> None:
        """Add the lines `entry`. Raises `MotetError` when they do not fit or cannot be written."""
        try:
            with self._locked():
                before = self.read()
                after = before + ("" if not before or before.endswith("\n") else "\n") + entry
                if len(after) > MOST_CHARACTERS:
                    raise MotetError(
                        f"{self.path}: {len(after)} characters of notes are more than {MOST_CHARACTERS}; remove old ones"
                    )
                self._write(after)
        except OSError as error:
            raise MotetError(f"{self.path}: the note cannot be kept: {_why(error)}") from error

    def _write(self, text: str) -> None:
        temporary = self.path.with_suffix(f".{os.getpid()}")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise

    @contextmanager
    def _locked(self) -> Generator[None]:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _day(line: str) -> date | None:
    dated = _DATED.match(line)
    try:
        return date.fromisoformat(dated[1]) if dated else None
    except ValueError:
        return None


def visible(text: str) -> str:
    """`text` with control, direction and zero-width characters written as `<U+202E>`; a tab is a space."""
    return "".join(
        f"<U+{ord(each):04X}>" if unicodedata.category(each) in _INVISIBLE else each
        for each in text.replace("\t", " ")
    )


def _why(error: OSError) -> str:
    return error.strerror or str(error)
