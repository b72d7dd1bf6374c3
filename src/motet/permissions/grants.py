"""Answers that last: what a human allowed for a project, kept in the state directory.

A grant is bound to the project's path, unless it was given for always, and to a hash of the definition, where there
is one (what the project itself defines, the directory that a command runs in): one changed byte and the question
comes again. The file is replaced whole; two processes that grant at the same
moment both keep their grant.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from motet.errors import MotetError
from motet.paths import remedy
from motet.permissions.action import Action
from motet.storage.aside import set_aside


@dataclass(frozen=True, slots=True)
class Grant:
    """One lasting permission. `definition` is the SHA-256 of `Action.definition`, or empty; `project` is empty for one
    that holds everywhere."""

    project: str
    action: str
    definition: str = ""


class _Damaged(Exception):
    """The file is not what was written."""


class GrantStore:
    """The grants of one user, in `<state>/grants.json` (mode 0600)."""

    def __init__(self, state: Path) -> None:
        self._path = state / "grants.json"

    def holds(self, project: Path, action: Action) -> bool:
        """Whether `action` was allowed for `project`, or for always, and its definition is still the same."""
        try:
            kept = self._read()
        except _Damaged:
            with self._locked():
                kept = self._whole()
        return _grant(project, action) in kept or _grant(None, action) in kept

    def add(self, project: Path | None, action: Action) -> None:
        """Remember that `action` is allowed for `project`; None: in every project."""
        with self._locked():
            self._write([*self._whole(), _grant(project, action)])

    def forget(self, project: Path | None) -> int:
        """Forget all grants for `project`, or with None those for always; returns how many there were."""
        with self._locked():
            before = self._whole()
            name = "" if project is None else str(project)
            kept = [grant for grant in before if grant.project != name]
            self._write(kept)
            return len(before) - len(kept)

    def _whole(self) -> list[Grant]:
        """The grants; a damaged file is set aside, and nothing that it says is believed. Under the lock."""
        try:
            return self._read()
        except _Damaged:
            set_aside(self._path, "the grants are", "what was allowed is asked again")
            return []

    def _read(self) -> list[Grant]:
        try:
            rows: object = json.loads(self._path.read_bytes())
            if not isinstance(rows, list):
                raise _Damaged
            found = cast("list[dict[str, object]]", rows)
            return [Grant(str(row["project"]), str(row["action"]), str(row.get("definition", ""))) for row in found]
        except FileNotFoundError:
            return []
        except OSError as error:
            advice = "move it away" if error.errno == errno.EISDIR else "make it readable"
            raise MotetError(f"{self._path}: cannot read the grants: {error.strerror}; {advice}") from error
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise _Damaged from error

    def _write(self, grants: list[Grant]) -> None:
        unique = list(dict.fromkeys(grants))
        temporary = self._path.with_suffix(f".{os.getpid()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump([asdict(grant) for grant in unique], file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._path)

    @contextmanager
    def _locked(self) -> Generator[None]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._path.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            told = f"{self._path}: cannot keep the grants: {error.strerror}; {remedy(error, 'make it writable')}"
            raise MotetError(told) from error


def _grant(project: Path | None, action: Action) -> Grant:
    definition = (
        hashlib.sha256(action.definition.encode("utf-8", "surrogatepass")).hexdigest() if action.definition else ""
    )
    return Grant("" if project is None else str(project), str(action), definition)
