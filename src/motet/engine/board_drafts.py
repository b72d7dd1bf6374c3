"""What a human types for a board and has not sent, and what was sent and is not known to be stored: a file for each
board and process, so that nothing of it is lost when a process ends in the middle, and no two of them write to one."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from motet.board import BoardError
from motet.messages import new_id
from motet.paths import remedy
from motet.storage.aside import set_aside
from motet.storage.places import make_private, sync_directory


@dataclass(frozen=True, slots=True)
class Typed:
    """A text that is to be posted, under `key`: the same text under the same key is one post. `edits`: the id of the post whose new text
    it is; `under`: what was typed before that was begun."""

    text: str = ""
    key: str = ""
    edits: str = ""
    under: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a file holds."""

    typed: Typed = Typed()
    sent: tuple[Typed, ...] = ()


class BoardDraft:
    """The file of one board in one process; others leave it alone until `close`. Its methods raise `BoardError` when it
    cannot be read or written."""

    def __init__(self, directory: Path, board: str) -> None:
        self._directory = directory
        self._board = board
        self._path = directory / f"{board}.{new_id()}.json"
        self._lock = -1
        self.kept = Kept()

    def adopt(self) -> Kept:
        """What a process left that has ended, the newest first: its draft, and what it sent. It is this one's now; the
        next one that opens the board gets what is left."""
        for path in sorted(self._directory.glob(f"{self._board}.*.json"), reverse=True):
            if (lock := _locked(path)) < 0:
                continue
            if not path.exists():  # whoever had it has taken it away meanwhile
                os.close(lock)
                continue
            try:
                kept = _read(path)
            except ValueError:
                set_aside(path, "a draft for a board is", "look for your text in it")
                os.close(lock)
                continue
            self._path, self._lock, self.kept = path, lock, kept
            break
        return self.kept

    def type(self, typed: Typed) -> None:
        """Keep what is typed."""
        self._keep(replace(self.kept, typed=typed))

    def send(self, sent: Typed) -> None:
        """Keep what is sent until `posted`; what is typed is empty with that, if it was the same."""
        typed = Typed() if self.kept.typed.key == sent.key else self.kept.typed
        others = [one for one in self.kept.sent if one.key != sent.key]
        self._keep(Kept(typed, (*others, sent)))

    def posted(self, key: str) -> None:
        """It is stored on the board."""
        self._keep(replace(self.kept, sent=tuple(one for one in self.kept.sent if one.key != key)))

    def returned(self, sent: Typed) -> None:
        """It cannot be posted: it is typed again, above what was typed since."""
        typed, others = self.kept.typed, tuple(one for one in self.kept.sent if one.key != sent.key)
        is_new = bool(typed.text) and typed.key != sent.key
        typed = replace(typed, text=f"{sent.text}\n\n{typed.text}") if is_new else sent
        self._keep(Kept(typed, others))

    def close(self) -> None:
        """Let others have it; nothing is left of an empty one."""
        if self._lock >= 0:
            if not self.kept.typed.text and not self.kept.sent:
                with contextlib.suppress(OSError):
                    self._path.unlink()
                    _lock_of(self._path).unlink()
            os.close(self._lock)
            self._lock = -1

    def _keep(self, kept: Kept) -> None:
        if kept == self.kept:
            return
        text = json.dumps({"typed": asdict(kept.typed), "sent": [asdict(one) for one in kept.sent]})
        try:
            if self._lock < 0:
                make_private(_lock_of(self._path))
                self._lock = _locked(self._path)
            new = self._path.with_suffix(".new")
            make_private(new)
            with new.open("wb") as file:
                file.write(text.encode("utf-8", "surrogatepass"))
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path)
            sync_directory(self._path.parent)
        except OSError as error:
            raise BoardError(f"{self._path}: a draft cannot be kept: {error.strerror}; {remedy(error)}") from error
        self.kept = kept


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")


def _locked(path: Path) -> int:
    """The lock of a draft's file, held by this process from now on; -1: another one has it."""
    try:
        handle = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        try:
            handle = os.open(_lock_of(path), os.O_RDONLY | os.O_CLOEXEC)  # where nothing can be written
        except OSError:
            raise BoardError(f"{path}: a draft cannot be opened: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return -1
    return handle


def _read(path: Path) -> Kept:
    """What a file holds. Raises `BoardError` when it cannot be read, `ValueError` when it is damaged."""
    try:
        found = json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
        rows: Sequence[dict[str, str]] = [found["typed"], *found["sent"]]
        if not all(isinstance(value, str) for row in rows for value in row.values()):
            raise ValueError("not a draft")
        return Kept(Typed(**rows[0]), tuple(Typed(**one) for one in rows[1:]))
    except OSError as error:
        raise BoardError(f"{path}: a draft cannot be read: {error.strerror}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not a draft") from error
