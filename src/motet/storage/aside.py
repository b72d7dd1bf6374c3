"""A damaged file is kept beside its place, whole, and there is one line about it.

This is the road of every store: of one that is read as a whole by `set_aside`, and it begins anew; of a database by
`motet.storage.salvage`, which saves what can be read.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from motet.storage.places import sync_directory


def tell(line: str) -> None:
    """Have `line` shown to whoever is there: as a warning in the log of `motet.storage`, which front ends show."""
    import logging  # not where all is well

    from motet.visible import one_line

    logging.getLogger(__name__).warning("%s", one_line(line))


def set_aside(path: Path, damaged: str, then: str) -> Path:
    """Rename the file at `path`, and say so: `damaged` ("the grants are") and what follows, `then`. Returns the new name.
    Nobody else may be writing there. Raises `OSError`."""
    aside = name_beside(path)
    path.rename(aside)
    with contextlib.suppress(OSError):
        sync_directory(path.parent)
    tell(f"{path}: {damaged} damaged; the file is kept as {aside.name}; {then}")
    return aside


def name_beside(path: Path) -> Path:
    """The name under which a damaged file at `path` is kept."""
    name = f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    aside, number = path.with_name(name), 1
    while os.path.lexists(aside):  # never over one that is kept already
        number += 1
        aside = path.with_name(f"{name}-{number}")
    return aside
