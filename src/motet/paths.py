"""The places of motet's own files: XDG directories, the same for every front end. Nothing is created here."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path


def config_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`$XDG_CONFIG_HOME/motet`: settings that the user writes."""
    return _xdg(environ, "XDG_CONFIG_HOME", ".config")


def state_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`$XDG_STATE_HOME/motet`: grants, checkpoints, logs."""
    return _xdg(environ, "XDG_STATE_HOME", ".local/state")


def index_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """The indexes of all projects. They can be made anew from the files at any time."""
    return state_dir(environ) / "index"


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    """The user's settings file; it may not exist."""
    return config_dir(environ) / "config.toml"


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the system says where a disk, a quota or a limit is used up."""
ANOTHER_PLACE = "choose another place with XDG_STATE_HOME"


def remedy(error: OSError, usual: str = "make the directory writable") -> str:
    """What a user can do when `error` keeps motet from writing to its own places; `usual` where it is neither a disk
    that is full nor one that is read-only."""
    if error.errno in NO_ROOM:
        return "free some space there"
    return ANOTHER_PLACE if error.errno == errno.EROFS else usual


PROJECT_FILE = ".motet.toml"
"""A project's settings file, in the workspace root. It can only restrict."""


def _xdg(environ: Mapping[str, str], variable: str, default: str) -> Path:
    # XDG Base Directory Specification 0.8: a relative value is invalid and is ignored. platformdirs would answer
    # ~/Library on macOS, where the users of a terminal tool look in ~/.config.
    base = environ.get(variable, "")
    home = Path(environ.get("HOME") or Path.home())
    return (Path(base) if base.startswith("/") else home / default) / "motet"
