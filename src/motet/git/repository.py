"""Where a work tree begins, and the files git knows or would add there."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

_LEADS_OUT = re.compile(r"(?:\A|/)\.{0,2}/|(?:\A|/)\.{1,2}\Z")
"""A part of a path is empty, `.` or `..`; a slash at its end is none."""


def work_tree(start: Path) -> Path | None:
    """The root of the work tree around `start` (a file or a directory), or None. Starts no program.

    A `.git` counts when it is a repository (it holds a HEAD) or names one (`gitdir: …`), and belongs to this
    user or to root: a stranger's `/tmp/.git` does not make `/tmp` a workspace.
    """
    place = Path(os.path.realpath(start))
    for directory in (place, *place.parents):
        if _is_repository(directory / ".git"):
            return directory
    return None


def main_work_tree(start: Path) -> Path | None:
    """The main work tree of the repository whose work tree is around `start`; itself where it is the main one. None
    outside of a repository. Starts no program.

    A linked work tree names its repository, and counts only when that names it back: nobody joins another repository
    by writing its path into a file (gitrepository-layout(5), `worktrees/<id>/gitdir`, `commondir`).
    """
    root = work_tree(start)
    if root is None or (root / ".git").is_dir():
        return root
    try:
        named = (root / ".git").read_text("utf-8").removeprefix("gitdir:").strip()
        own = Path(os.path.realpath(root / named))
        back = Path((own / "gitdir").read_text("utf-8").strip())
        common = Path(os.path.realpath(own / (own / "commondir").read_text("utf-8").strip()))
    except (OSError, UnicodeDecodeError, ValueError):
        return root
    is_linked = os.path.realpath(own / back) == os.path.realpath(root / ".git") and common.name == ".git"
    return common.parent if is_linked else root


async def find_root(start: Path) -> Path | None:
    """As `work_tree`, for callers that wait."""
    return work_tree(start)


async def list_files(root: Path, subpaths: Sequence[str] = ()) -> list[str]:
    """Tracked files and untracked ones that no ignore rule hides, sorted, relative to `root` with `/`.

    `subpaths` limits the answer to these files and directories. Names are text with undecodable bytes kept as
    surrogate escapes (`os.fsencode` gives the bytes back). A name that a tampered index would place outside
    of `root` is left out. Links and submodules are in the list; telling them apart is the caller's work.
    Raises `ProcessError`.
    """
    answer = await _git(
        root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *map(_argument, subpaths)
    )
    names = {name for name in os.fsdecode(answer).split("\0") if name}
    return sorted(name for name in names if not _LEADS_OUT.search(name))


async def with_attribute(root: Path, paths: Sequence[str], attributes: Sequence[str]) -> set[str]:
    """Those of `paths` for which `.gitattributes` sets one of `attributes`. Raises `ProcessError`."""
    if not paths:
        return set()
    names = b"".join(os.fsencode(path) + b"\0" for path in paths)
    answer = await _git(root, "check-attr", "-z", "--stdin", *attributes, stdin=names)
    fields = answer.split(b"\0")
    return {
        os.fsdecode(path)
        for path, value in zip(fields[0::3], fields[2::3], strict=False)
        if value in (b"set", b"true")
    }


async def ignored(root: Path, paths: Sequence[str]) -> set[str]:
    """Those of `paths` that an ignore rule hides; a directory ends with `/`. Raises `ProcessError`."""
    if not paths:
        return set()
    names = b"".join(os.fsencode(path) + b"\0" for path in paths)
    answer = await _git(root, "check-ignore", "-z", "--stdin", stdin=names, codes=(0, 1))
    return {os.fsdecode(name) for name in answer.split(b"\0") if name}


async def watched_places(root: Path) -> list[str]:
    """Where git notes what is tracked, and what is ignored besides the rules in the tree: the directory of `index` and
    that of `info/exclude`, absolute. Raises `ProcessError`."""
    answer = await _git(root, "rev-parse", "--path-format=absolute", "--git-dir", "--git-path", "info")
    return [os.fsdecode(line) for line in answer.splitlines()]


def _is_repository(dot_git: Path) -> bool:
    try:
        info = dot_git.stat()
        if info.st_uid not in _trusted_users():
            return False
        if stat.S_ISDIR(info.st_mode):
            return stat.S_ISREG((dot_git / "HEAD").stat().st_mode)
        if not stat.S_ISREG(info.st_mode):
            return False
        with dot_git.open("rb") as file:
            return file.read(8) == b"gitdir: "
    except (OSError, ValueError):
        return False


def _trusted_users() -> set[int]:
    invoker = os.environ.get("SUDO_UID", "")
    return {0, os.geteuid()} | ({int(invoker)} if invoker.isdecimal() else set())


def _argument(subpath: str) -> str:
    return subpath if subpath not in ("", ".") else "./"


async def commits_since(root: Path, known: str, most: int, start: str = "HEAD") -> tuple[str, bytes, bool]:
    """The name of the commit `start`, the commits since `known` (newest first, `most` at most, no merges), and whether
    `known` is empty or no ancestor, so that these are all there are. Raises `ProcessError`, also where there is none.

    Each commit is `\\x01 name \\x1f seconds \\x1f message \\x1f` and the paths that it changed, each with a NUL behind.
    """
    newest = (await _git(root, "rev-parse", "--verify", "--quiet", f"{start}^{{commit}}")).decode().strip()
    if newest == known:
        return newest, b"", False
    is_ancestor = (
        known and known == (await _git(root, "merge-base", known, newest, codes=(0, 1, 128))).decode().strip()
    )
    answer = await _git(
        root, "log", "-z", "--no-merges", "--no-renames", "--name-only", "--no-show-signature", "--no-ext-diff",
        "--no-textconv", f"--max-count={most}", "--format=tformat:%x01%H%x1f%ct%x1f%B%x1f",
        f"{known}..{newest}" if is_ancestor else newest, "--",
    )  # fmt: skip
    return newest, answer, not is_ancestor


async def _git(root: Path, *arguments: str, stdin: bytes = b"", codes: Sequence[int] = (0,)) -> bytes:
    """What git says. To find a work tree starts no program, and needs nothing that could."""
    from motet.git.safe import git

    return await git(root, *arguments, stdin=stdin, codes=codes)
