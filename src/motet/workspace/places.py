"""From what a user types, and from where, to a workspace and to paths in it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from motet.errors import UsageError
from motet.git import work_tree
from motet.workspace.failures import reason, shown

_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")


def find_workspace(start: Path) -> Path:
    """The root of the git work tree around `start`, else `start` itself; without links in its path."""
    return work_tree(start) or Path(os.path.realpath(start))


def why_no_project(root: Path) -> str:
    """Why `root` is not looked through as a whole: it is a home directory, or lies above one, and nobody said that the
    files there belong together. Empty where it may be; a `.motetignore` in it says so too."""
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 (never raises)
    if not home.is_relative_to(root) or (root / ".motetignore").exists():
        return ""
    what = "your home directory" if root == home else "above your home directory"
    return (
        f"{shown(root)} is {what} and no project: its files are not searched as a whole. Go into a project, or write a "
        ".motetignore there that says what is left out"
    )


def with_slashes(root: Path, path: str) -> str:
    """`path` with `/` for each `\\`, as Windows writes it; as it is where a file or directory has that very name, or where
    the `\\` may begin an escape with which a name that is no text is shown."""
    if "\\" not in path or os.path.lexists(root / path):
        return path
    slashed = path.replace("\\", "/")
    is_escaped = _ESCAPE.search(path) is not None and not os.path.lexists(root / slashed.partition("/")[0])
    return path if is_escaped else slashed


@dataclass(frozen=True, slots=True)
class KnownPaths:
    """Whether a text with blanks names a file in `directory`, or a new one in a directory of it whose name has one."""

    directory: Path

    def __call__(self, text: str) -> bool:
        path = with_slashes(self.directory, text)
        folder = os.path.dirname(path)  # noqa: PTH120 (text of an answer, in which anything may stand)
        is_new = " " in folder and os.path.isdir(self.directory / folder)  # noqa: PTH112 (never raises)
        return is_new or os.path.isfile(self.directory / path)  # noqa: PTH113


def resolve_user_path(root: Path, cwd: Path, text: str) -> str:
    """The workspace path of what a user typed in `cwd`: relative, absolute or with `~`; `.` for the root itself.

    Raises `UsageError` when there is no such file or directory, or when it lies outside of `root`.
    """
    if not text or "\0" in text:
        raise UsageError(f"{shown(text) or '(empty path)'}: not a path")
    typed = Path(os.path.realpath(cwd)) / Path(os.path.expanduser(text))  # noqa: PTH111 (keeps an unknown ~name)
    place = Path(os.path.realpath(typed.parent)) / typed.name
    base = Path(os.path.realpath(root))
    try:
        target = place.resolve(strict=True)
    except OSError as error:
        raise UsageError(f"{shown(text)}: {reason(error)}") from error
    except (RuntimeError, ValueError) as error:
        raise UsageError(f"{shown(text)}: not a path that can be followed") from error
    for candidate in (place, target):
        if not candidate.is_relative_to(base):
            raise UsageError(f"{shown(text)}: outside of the workspace {shown(base)}")
    return target.relative_to(base).as_posix() if place.name in ("", "..") else place.relative_to(base).as_posix()
