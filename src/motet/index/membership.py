"""Which files are indexed, and why another is not: one answer for the index, `motet index why` and the tests."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from motet.permissions.secrets import is_secret
from motet.workspace.generated import HEAD_BYTES, Filter, says_generated
from motet.workspace.listing import candidates, candidates_among

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MOST_BYTES = 512_000
OWN_RULES = ".motetignore"

SECRET = "its name says that it holds secrets"
LOCK = "a lock file"
MINIFIED = "minified"
BINARY = "not text"
LARGE = f"larger than {MOST_BYTES // 1000} kB"
GENERATED = "its first lines say that it is generated"
UNREADABLE = "it cannot be read"
IGNORED = f"a rule in {OWN_RULES}"
VENDORED = "vendored or built, or behind a link"
UNLISTED = "an ignore rule of git, or a repository of its own"

_LOCKS = frozenset({
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "pdm.lock", "uv.lock",
    "pipfile.lock", "cargo.lock", "go.sum", "composer.lock", "gemfile.lock", "packages.lock.json", "flake.lock",
    "pubspec.lock", "podfile.lock", "mix.lock", "bun.lock", "bun.lockb", "deno.lock", "gradle.lockfile",
})  # fmt: skip
_BINARY = frozenset(
    re.findall(
        r"\w+",
        """
        png jpg jpeg gif webp ico bmp tif tiff psd pdf zip gz tgz bz2 xz zst 7z rar jar war whl egg so dylib
        dll exe o a lib obj pyc pyo class wasm mo ttf otf woff woff2 eot mp3 mp4 ogg wav flac avi mov mkv webm
        sqlite db parquet npy npz pkl bin dat iso dmg pack idx
        """,
    )
)
_MINIFIABLE = frozenset({"js", "css", "mjs", "cjs", "html", "json", "svg"})
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|__tests__|specs?|e2e|fixtures|testlib|testsuite)/|(?:^|/)(?:test_[^/]*|conftest\.py)$"
    r"|(?:_test|_spec|\.test|\.spec|Tests?|_tests)\.[A-Za-z]+$"
)
_DOCS = re.compile(
    r"(?:^|/)(?:docs?|documentation|changelogs?|man|licenses?)/|\.(?:md|rst|txt|adoc|org|markdown)$"
    r"|(?:^|/)(?:CHANGES|CHANGELOG|AUTHORS|README|LICENSE|COPYING|NEWS|HISTORY)[^/]*$"
)
_DATA = re.compile(
    r"\.(?:json|jsonl|csv|tsv|svg|po|pot|xml|lock|snap|out|log|ya?ml|toml|ini|cfg|properties|html?|css)$", re.I
)


class Member(NamedTuple):  # tens of thousands are made to see that nothing changed
    """A file that may be indexed: `mtime` in nanoseconds, `size` in bytes; `left_out` says why not, by its name."""

    path: str
    mtime: int
    size: int
    left_out: str = ""


def suffix(path: str) -> str:
    """The end of the name, in lower case, without its dot."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def kind_of(path: str) -> str:
    """`source`, `test`, `docs` or `data`."""
    if _TESTS.search(path):
        return "test"
    if _DOCS.search(path):
        return "docs"
    return "data" if _DATA.search(path) else "source"


async def list_members(root: Path) -> list[Member]:
    """All files that git (or a walk) lists and that are the project's own, by path. Reads no file but rules."""
    import asyncio

    names = await candidates(root)
    return await asyncio.to_thread(members, root, names)


async def list_some(root: Path, paths: Sequence[str]) -> list[Member] | None:
    """Those of `list_members` that are one of `paths` or lie below one. None: only the whole list tells."""
    import asyncio

    rules = await asyncio.to_thread(_rules_above, root, paths)
    names = await candidates_among(root, [*paths, *rules])
    if names is None:
        return None
    found = await asyncio.to_thread(members, root, names)
    wanted = set(paths)
    return [member for member in found if any(name in wanted for name in _with_parents(member.path))]


def members(root: Path, names: list[str]) -> list[Member]:
    """Those of the listed `names` that are regular files of the project, by path."""
    keep = Filter(root, ".")
    rules = _own_rules(root, names)
    found: list[Member] = []
    for name in sorted(names):
        info = keep.stands(name)
        if info is not None:
            left_out = by_name(name) or (IGNORED if _is_ignored(name, rules) else "")
            found.append(Member(name, info.st_mtime_ns, info.st_size, left_out or by_size(info.st_size)))
    return found


def by_name(path: str) -> str:
    """Why a file with this name is left out, whatever it holds; empty when it is not."""
    if is_secret(path):
        return SECRET
    name = path.rpartition("/")[2].lower()
    if name in _LOCKS:
        return LOCK
    _, dot, end = name.rpartition(".")
    return BINARY if dot and end in _BINARY else ""


def by_size(size: int) -> str:
    """Why a file of `size` bytes is left out; empty when it is not."""
    return LARGE if size > MOST_BYTES else ""


def read(root: Path, path: str) -> tuple[bytes, str]:
    """What the file holds, and why it is left out all the same; empty when it is not. Follows no link."""
    try:
        handle = os.open(root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return b"", VENDORED
            data = file.read(MOST_BYTES + 1)
    except OSError:
        return b"", UNREADABLE
    return data, by_content(path, data)


def by_content(path: str, data: bytes) -> str:
    """Why a file that holds `data` is left out; empty when it is not."""
    if len(data) > MOST_BYTES:
        return LARGE
    if b"\0" in data[:8192]:
        return BINARY
    if suffix(path) in _MINIFIABLE and len(data) > 4096 and len(data) > 400 * (data.count(b"\n") + 1):
        return MINIFIED
    return GENERATED if says_generated(data[:HEAD_BYTES]) else ""


def decoded(data: bytes) -> str:
    """`data` as text with `\\n` line ends. What is not UTF-8 is read as Latin-1: words of ASCII are found in any case."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n") if "\r" in text else text


def _own_rules(root: Path, names: list[str]) -> list[tuple[str, GitIgnoreSpec]]:
    found: list[tuple[str, GitIgnoreSpec]] = []
    for name in sorted(name for name in names if name.endswith(OWN_RULES)):
        prefix, _, last = name.rpartition("/")
        if last == OWN_RULES:
            data, left_out = read(root, name)
            if not left_out:
                from motet.workspace.listing import specification

                found.append((f"{prefix}/" if prefix else "", specification(decoded(data).splitlines())))
    return found


def _rules_above(root: Path, paths: Sequence[str]) -> list[str]:
    """Files of own rules on the way to `paths`."""
    parents = {parent for path in paths for parent in _with_parents(path)[1:]}
    found = (f"{parent}/{OWN_RULES}" if parent else OWN_RULES for parent in sorted(parents))
    return [path for path in found if os.path.lexists(root / path)]


def _with_parents(path: str) -> list[str]:
    """`path`, and the directories it lies in; the last is the empty name."""
    found = [path]
    while found[-1]:
        found.append(found[-1].rpartition("/")[0])
    return found


def _is_ignored(path: str, rules: list[tuple[str, GitIgnoreSpec]]) -> bool:
    for prefix, spec in reversed(rules):
        if path.startswith(prefix):
            included = spec.check_file(path[len(prefix) :]).include
            if included is not None:
                return included
    return False


def why_not_listed(root: Path, path: str) -> str:
    """Why no list of the project has `path`."""
    try:
        info = (root / path).lstat()
    except OSError as error:
        return (error.strerror or str(error)).lower()
    if stat.S_ISLNK(info.st_mode):
        return "a link"
    if stat.S_ISDIR(info.st_mode):
        return "a directory"
    return VENDORED if Filter(root, ".").stands(path) is None else UNLISTED
