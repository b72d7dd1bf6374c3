"""The project that a command about the code looks through."""

from __future__ import annotations

from pathlib import Path

from motet.errors import UsageError
from motet.workspace import find_workspace, why_no_project


def project_root() -> Path:
    """The root of the project around the directory in which the user stands. Raises `UsageError` where there is none: in
    a directory that is gone, and in a home directory, which nobody wants to be looked through as a whole."""
    try:
        here = Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the directory in which you are is gone; go into another one") from error
    root = find_workspace(here)
    if why := why_no_project(root):
        raise UsageError(why)
    return root
