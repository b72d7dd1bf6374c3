"""Small files of the user's, written whole or not at all, by one process at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from motet.errors import SettingsError

PRIVATE = 0o600


@contextmanager
def held(path: Path) -> Generator[None]:
    """Nobody else changes `path` meanwhile: its directory, made if need be, is locked. Raises `SettingsError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        # Some network file systems know no locks; there the last writer wins.
        with contextlib.suppress(OSError):
            fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def write(path: Path, text: str, mode: int | None = None) -> None:
    """Put `text` in the place of `path`, at once. `mode`: as before where None, 0600 for a new file.

    A link stays a link: what it leads to is replaced. Raises `SettingsError`.
    """
    import tempfile  # keys are read on the way of every quick command, and never written there

    target = path.resolve()
    try:
        wanted = stat.S_IMODE(target.stat().st_mode) if mode is None and target.exists() else mode or PRIVATE
        # Made with mode 0600: nobody else ever reads half of a secret.
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fchmod(file.fileno(), wanted)
                os.fsync(file.fileno())
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> SettingsError:
    return SettingsError(f"{path}: cannot be written ({error.strerror}); nothing was changed")
