"""Which files belong to a project: as git sees it in a work tree, else by its `.gitignore` files."""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from motet import git
from motet.errors import OutsideWorkspace, ProcessError, WorkspaceError
from motet.workspace.failures import reason, shown
from motet.workspace.generated import Filter, is_left_out

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_log = logging.getLogger(__name__)

_NOT_OURS = ("linguist-generated", "linguist-vendored")
_MAX_IGNORE_BYTES = 1024 * 1024

_Rules = list[tuple[str, "GitIgnoreSpec"]]


async def list_files(root: Path, paths: Sequence[str | PurePath] = ()) -> list[str]:
    """Files of the project, sorted, relative to `root` with `/`; `paths` are relative to `root` or absolute.

    A file that `paths` names is taken whatever the rules say; in a directory that it names, the rules for what
    lies on the way to it do not count. Links are not followed, and not listed. Raises `OutsideWorkspace`, and
    `WorkspaceError` for a path that does not exist.
    """
    found: set[str] = set()
    for path in paths or (".",):
        real, is_directory = await asyncio.to_thread(_explicit, root, path)
        found |= set(await _below(root, real)) if is_directory else {real}
    return sorted(found)


def _explicit(root: Path, path: str | PurePath) -> tuple[str, bool]:
    try:
        real = Path(os.path.realpath(root / path, strict=True))
        mode = real.stat().st_mode
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "not a valid file name"
        raise WorkspaceError(f"{shown(path)}: {why}") from error
    if not real.is_relative_to(root):
        raise OutsideWorkspace(f"{shown(path)}: outside of the workspace {shown(root)}")
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise WorkspaceError(f"{shown(path)}: not a regular file")
    return real.relative_to(root).as_posix(), stat.S_ISDIR(mode)


async def candidates(root: Path, directory: str = ".") -> list[str]:
    """What no ignore rule hides below `directory`, before anything is looked at: links, vendored trees and files that
    are gone may be among it."""
    names = await _known_to_git(root, directory)
    return await asyncio.to_thread(lambda: list(walk(root, directory))) if names is None else names


async def _below(root: Path, directory: str) -> list[str]:
    return await asyncio.to_thread(_own, root, directory, await candidates(root, directory))


def _own(root: Path, directory: str, names: list[str]) -> list[str]:
    keep = Filter(root, directory)
    return [name for name in names if keep.takes(name)]


async def _known_to_git(root: Path, directory: str) -> list[str] | None:
    """What git lists, without what its attributes call generated or vendored; None when git is of no help."""
    if git.work_tree(root) != root:
        return None
    try:
        names = await git.list_files(root, [directory])
        if directory != "." and all(name in (directory, f"{directory}/") for name in names):
            return None  # ignored, or a repository of its own: git says nothing of it, but the user named it
        if await asyncio.to_thread(_has_attributes, root, directory, names):
            left_out = await git.with_attribute(root, names, _NOT_OURS)
            return [name for name in names if name not in left_out]
    except ProcessError as error:
        _log.info("files are listed without git: %s", error)
        return None
    return names


def _has_attributes(root: Path, directory: str, names: list[str]) -> bool:
    on_the_way = (root / directory, *(root / directory).parents)
    return any(name.rpartition("/")[2] == ".gitattributes" for name in names) or any(
        (place / ".gitattributes").exists() for place in on_the_way if place.is_relative_to(root)
    )


def walk(root: Path, directory: str = ".") -> Iterator[str]:
    """Files below `directory` that no `.gitignore` of the project hides; links and vendored trees are passed over.

    Directories that cannot be read are passed over as well.
    """
    start = "" if directory == "." else f"{directory}/"
    todo = [(start, _rules_above(root, start))]
    while todo:
        prefix, rules = todo.pop()
        rules = _with_own_rules(root, prefix, rules)
        try:
            entries = list(os.scandir(root / prefix))
        except OSError:
            continue
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if not is_left_out(entry.name) and not _ignored(f"{path}/", rules):
                    todo.append((f"{path}/", rules))
            elif entry.is_file(follow_symlinks=False) and not _ignored(path, rules):
                yield path


def _rules_above(root: Path, start: str) -> _Rules:
    """The rules on the way to `start`; none when they hide it, for then the user named what is ignored."""
    rules: _Rules = []
    prefix = ""
    for part in start.split("/")[:-1]:
        rules = _with_own_rules(root, prefix, rules)
        prefix += f"{part}/"
        if _ignored(prefix, rules):
            return []
    return rules


def _with_own_rules(root: Path, prefix: str, rules: _Rules) -> _Rules:
    path = root / prefix / ".gitignore"
    try:
        info = path.lstat()
        if not stat.S_ISREG(info.st_mode) or info.st_size > _MAX_IGNORE_BYTES:
            return rules
        lines = path.read_bytes().decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return rules
    return [*rules, (prefix, specification(lines))]


def specification(lines: list[str]) -> GitIgnoreSpec:
    """The rules in `lines`, as git reads them; a line that is none is passed over."""
    from pathspec import GitIgnoreSpec

    def is_valid(line: str) -> bool:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            return False  # git passes over such a line, too
        return True

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(filter(is_valid, lines))


def _ignored(path: str, rules: _Rules) -> bool:
    for prefix, spec in reversed(rules):
        included = spec.check_file(path[len(prefix) :]).include
        if included is not None:
            return included
    return False
