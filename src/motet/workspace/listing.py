"""Which files belong to a project: as git sees it in a work tree, else by its `.gitignore` files."""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from collections.abc import Collection, Iterator, Sequence
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


Stamp = str
"""When a file was changed in nanoseconds, and its size in bytes, with a blank between. It is one text: the collector of
garbage looks through tens of thousands of pairs again and again."""


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
    names = await known_to_git(root, directory)
    return await asyncio.to_thread(lambda: list(walk(root, directory))) if names is None else names


async def candidates_among(root: Path, paths: Sequence[str]) -> list[str] | None:
    """Those of `candidates` that are one of `paths` or lie below one; None when git does not say. `paths` may be gone."""
    if git.work_tree(root) != root:
        return await asyncio.to_thread(lambda: sorted(_walk_among(root, paths)))
    try:
        names = await git.list_files(root, paths)
        if await asyncio.to_thread(_attributes_above, root, names):
            left_out = await git.with_attribute(root, names, _NOT_OURS)
            return [name for name in names if name not in left_out]
    except ProcessError as error:
        _log.info("%s: git does not list some paths: %s", root, error)
        return None
    return names


async def directories(root: Path, below: Sequence[str], known: Collection[str]) -> list[str]:
    """The directories `below` (empty: `root`) and all in them that no ignore rule hides and that are the project's own,
    also empty ones; relative to `root`, which is the empty name. Those in `known` are not hidden."""
    by_git = git.work_tree(root) == root
    found: list[str] = []
    own = [one for one in below if _is_own(root / one, by_git=by_git)]
    level = await _seen(root, own, known, by_git=by_git) if below else [""]
    while level:
        found += level
        inside = await asyncio.to_thread(_children, root, level, by_git=by_git)
        level = await _seen(root, inside, known, by_git=by_git)
    return found


async def _seen(root: Path, names: Sequence[str], known: Collection[str], *, by_git: bool) -> list[str]:
    unsure = [name for name in names if name not in known]
    if by_git:
        try:
            hidden = {name.rstrip("/") for name in await git.ignored(root, [f"{name}/" for name in unsure])}
        except ProcessError as error:
            _log.info("%s: git does not say what is ignored: %s", root, error)
            hidden = set[str]()
    else:
        hidden = await asyncio.to_thread(lambda: {name for name in unsure if _is_hidden(root, name, "/")})
    return [name for name in names if name not in hidden]


def _children(root: Path, level: Sequence[str], *, by_git: bool) -> list[str]:
    found: list[str] = []
    for parent in level:
        prefix = f"{parent}/" if parent else ""
        try:
            entries = list(os.scandir(root / parent))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and _is_own(Path(entry.path), by_git=by_git):
                found.append(prefix + entry.name)
    return found


def _is_own(directory: Path, *, by_git: bool) -> bool:
    """Whether a directory is neither vendored nor a repository of its own. By its path: a link is a file to git."""
    if is_left_out(directory.name) or directory.is_symlink() or not directory.is_dir():
        return False
    return not ((directory / "pyvenv.cfg").exists() or (by_git and (directory / ".git").exists()))


def _walk_among(root: Path, paths: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        try:
            mode = (root / path).lstat().st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            if not _is_hidden(root, path, "/"):
                found.update(walk(root, path))
        elif stat.S_ISREG(mode) and not _is_hidden(root, path):
            found.add(path)
    return found


def _is_hidden(root: Path, path: str, end: str = "") -> bool:
    """Whether a rule on the way to `path` hides it; `end` is `/` for a directory."""
    rules: _Rules = []
    parts = path.split("/")
    for depth in range(len(parts)):
        prefix = "".join(f"{part}/" for part in parts[:depth])
        if prefix and _ignored(prefix, rules):
            return True
        rules = _with_own_rules(root, prefix, rules)
    return _ignored(path + end, rules)


def _attributes_above(root: Path, names: Sequence[str]) -> bool:
    above = {""}
    for name in names:
        parent = name.rpartition("/")[0]
        while parent not in above:
            above.add(parent)
            parent = parent.rpartition("/")[0]
    return any((root / parent / ".gitattributes").exists() for parent in above)


async def _below(root: Path, directory: str) -> list[str]:
    return await asyncio.to_thread(_own, root, directory, await candidates(root, directory))


def _own(root: Path, directory: str, names: list[str]) -> list[str]:
    keep = Filter(root, directory)
    return [name for name in names if keep.takes(name)]


async def known_to_git(root: Path, directory: str = ".") -> list[str] | None:
    """What git lists below `directory`, without what its attributes call generated or vendored; None when git is of no
    help."""
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
    return any(name.endswith(".gitattributes") for name in names) or any(
        (place / ".gitattributes").exists() for place in on_the_way if place.is_relative_to(root)
    )


def walk(root: Path, directory: str = ".") -> Iterator[str]:
    """Files below `directory` that no `.gitignore` of the project hides; links and vendored trees are passed over.

    Directories that cannot be read are passed over as well.
    """
    for prefix, files in _walked(root, directory):
        for entry in files:
            yield prefix + entry.name


def standing(root: Path) -> dict[str, Stamp]:
    """Those files of `walk` that are the project's own. Says what `Filter` does, in one look at each directory: there may
    be tens of thousands of files."""
    found: dict[str, Stamp] = {}
    for prefix, files in _walked(root, "."):
        for entry in files:
            name = entry.name
            if is_left_out(name):
                continue
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # gone
            found[prefix + name] = f"{info.st_mtime_ns} {info.st_size}"
    return found


def _walked(root: Path, directory: str) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Each directory, as the beginning of the paths in it, and its files, to be looked at before the next one. Environments
    of Python are passed over, unless it is `directory` itself."""
    start = "" if directory == "." else f"{directory}/"
    todo = [(start, _rules_above(root, start))]
    while todo:
        prefix, rules = todo.pop()
        try:
            place = os.open(f"{root}/{prefix}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue
        try:  # by its number: that way the system looks up one name for each file, and not a whole path
            entries = list(os.scandir(place))
            names = [entry.name for entry in entries]
            if "pyvenv.cfg" in names and prefix != start and (root / prefix / "pyvenv.cfg").exists():
                continue
            if ".gitignore" in names:
                rules = _with_own_rules(root, prefix, rules)
            files: list[os.DirEntry[str]] = []
            for entry in entries:
                path = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not is_left_out(entry.name) and not (rules and _ignored(f"{path}/", rules)):
                        todo.append((f"{path}/", rules))
                elif entry.is_file(follow_symlinks=False) and not (rules and _ignored(path, rules)):
                    files.append(entry)
            yield prefix, files
        except OSError:
            continue
        finally:
            os.close(place)


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
