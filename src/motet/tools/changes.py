"""What differs from the last commit, as git says, without running anything that the repository configures.

`motet.git` switches off every setting of a fixed name that names a program. Filters have names of the repository's
choice and would run on whatever is compared, so each that is configured is switched off by its name; nothing is
compared inside submodules.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from motet.errors import ProcessError
from motet.git import work_tree
from motet.git.safe import git

_PATHS_AT_ONCE = 500
_KINDS = {"A": "added", "D": "deleted", "M": "modified", "T": "retyped", "U": "conflict"}
_COMPARE = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all")
_PLAIN = ("--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--diff-algorithm=myers", "--no-indent-heuristic")


@dataclass(frozen=True, slots=True)
class Change:
    """One changed file, relative to the workspace. `kind`: added, deleted, modified, retyped, conflict, untracked."""

    path: str
    kind: str


async def changes(root: Path, *, staged: bool = False) -> list[Change]:
    """What has changed below `root` since the last commit, sorted. Raises `ProcessError`."""
    repository, prefix = _repository(root)
    safe = await _without_filters(repository)
    base = await _base(repository)
    cached = ("--cached",) if staged else ()
    # Without the refresh, what was only touched would be named as well.
    safe += ["-c", "diff.autoRefreshIndex=true"]
    answer = await git(repository, *safe, "diff", *cached, "--name-status", "-z", *_COMPARE, base, "--", prefix)
    fields = [os.fsdecode(field) for field in answer.split(b"\0")]
    found = {
        path: _KINDS.get(status[:1], "modified") for status, path in zip(fields[0::2], fields[1::2], strict=False)
    }
    if not staged:
        new = await git(repository, *safe, "ls-files", "-z", "--others", "--exclude-standard", "--", prefix)
        found |= {os.fsdecode(path): "untracked" for path in new.split(b"\0") if path}
    below = "" if prefix == "./" else f"{prefix}/"
    inside = {path.removeprefix(below): kind for path, kind in found.items() if path.startswith(below)}
    return [Change(path, inside[path]) for path in sorted(inside)]


async def diff(root: Path, paths: Sequence[str], *, staged: bool = False) -> str:
    """The unified diff of `paths` (relative to `root`; none of none) against the last commit. Raises `ProcessError`."""
    if not paths:
        return ""
    repository, prefix = _repository(root)
    safe = await _without_filters(repository)
    cached = ("--cached",) if staged else ()
    names = [path if prefix == "./" else f"{prefix}/{path}" for path in paths]
    base = await _base(repository)
    answer = await git(
        repository, *safe, "diff", *cached, "--relative" if prefix == "./" else f"--relative={prefix}/",
        *_COMPARE, *_PLAIN, base, "--", *names,
    )  # fmt: skip
    return answer.decode("utf-8", "replace")


async def readable_diff(root: Path, may_see: Callable[[str], bool], *, staged: bool = False) -> str:
    """The unified diff of all that git knows below `root`, but for files that are not to be seen (secrets). Raises
    `ProcessError`."""
    found = await changes(root, staged=staged)
    seen = [one.path for one in found if one.kind != "untracked" and may_see(one.path)]
    pieces = [
        await diff(root, seen[first : first + _PATHS_AT_ONCE], staged=staged)
        for first in range(0, len(seen), _PATHS_AT_ONCE)
    ]
    return "".join(pieces)


def _repository(root: Path) -> tuple[Path, str]:
    """The repository around the workspace, and the workspace's place in it."""
    repository = work_tree(root)
    if repository is None:
        raise ProcessError("the workspace is in no git repository, so nothing is known about changes")
    prefix = root.relative_to(repository).as_posix()
    return repository, prefix if prefix != "." else "./"


async def _without_filters(repository: Path) -> list[str]:
    """Options that switch off every filter that is configured."""
    answer = await git(repository, "config", "--list", "--name-only", "-z")
    names = {os.fsdecode(name) for name in answer.split(b"\0") if name.lower().startswith(b"filter.")}
    options: list[str] = []
    for driver in sorted({name[len("filter.") :].rpartition(".")[0] for name in names}):
        if "=" in driver:
            raise ProcessError(f"this repository configures a filter {driver!r} that cannot be switched off")
        for setting in ("clean=", "smudge=", "process=", "required=false"):
            options += ["-c", f"filter.{driver}.{setting}"]
    return options


async def _base(repository: Path) -> str:
    """The last commit; before the first one, the empty tree."""
    try:
        return (await git(repository, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")).decode("ascii").strip()
    except ProcessError:
        return (await git(repository, "hash-object", "-t", "tree", "--stdin")).decode("ascii").strip()
