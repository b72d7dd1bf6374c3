"""Which files are indexed, and why another is not: one answer for the index, `motet index why` and the tests."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from motet.permissions.secrets import is_secret
from motet.workspace import listing
from motet.workspace.generated import HEAD_BYTES, Filter, says_generated
from motet.workspace.listing import Stamp

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MOST_BYTES = 512_000
OWN_RULES = ".motetignore"
Rules = list[tuple[str, "GitIgnoreSpec"]]
"""What the files of own rules say, each with the beginning of the paths that it speaks of."""

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


class Member(NamedTuple):  # tens of thousands are made for an update
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

    files = await list_standing(root)
    return await asyncio.to_thread(judged, root, files)


async def list_standing(root: Path) -> dict[str, Stamp]:
    """The stamps of all files of `list_members` by path, in no order."""
    import asyncio

    names = await listing.known_to_git(root)
    return await asyncio.to_thread(_standing, root, names)


async def list_some(root: Path, paths: Sequence[str]) -> list[Member] | None:
    """Those of `list_members` that are one of `paths` or lie below one. None: only the whole list tells."""
    import asyncio

    rules = await asyncio.to_thread(_rules_above, root, paths)
    names = await listing.candidates_among(root, [*paths, *rules])
    if names is None:
        return None
    found = await asyncio.to_thread(lambda: judged(root, _standing(root, names)))
    wanted = set(paths)
    return [member for member in found if any(name in wanted for name in _with_parents(member.path))]


def judged(root: Path, files: Mapping[str, Stamp], rules: Rules | None = None) -> list[Member]:
    """The `files` (see `list_standing`) by path, each with why it is left out. `rules`: those that hold, when not all files of
    the project are here."""
    rules = own_rules(root, files) if rules is None else rules
    found: list[Member] = []
    for path in sorted(files):
        mtime, size = map(int, files[path].split(" "))
        left_out = by_name(path) or (IGNORED if rules and _is_ignored(path, rules) else "")
        found.append(Member(path, mtime, size, left_out or by_size(size)))
    return found


def differs(member: Member, read: Stamp | None, left_out: str | None) -> bool:
    """Whether `member` is not as it is known: `read` with this stamp, or unread and `left_out` by its name."""
    return left_out != member.left_out if member.left_out else read != f"{member.mtime} {member.size}"


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


def _standing(root: Path, names: Sequence[str] | None) -> dict[str, Stamp]:
    """Those of the listed `names` that are regular files of the project. None: git lists none, and they are looked for."""
    if names is None:
        return listing.standing(root)
    keep = Filter(root, ".")
    found: dict[str, Stamp] = {}
    for name in names:
        info = keep.stands(name)
        if info is not None:
            found[name] = f"{info.st_mtime_ns} {info.st_size}"
    return found


def own_rules(root: Path, names: Iterable[str]) -> Rules:
    """What the files of own rules among `names` say; nothing where there is none."""
    found: Rules = []
    for name in sorted(name for name in names if name.endswith(OWN_RULES)):
        prefix, _, last = name.rpartition("/")
        if last == OWN_RULES:
            data, left_out = read(root, name)
            if not left_out:
                found.append((f"{prefix}/" if prefix else "", listing.specification(decoded(data).splitlines())))
    return found


def is_ruled_out(root: Path, path: str) -> bool:
    """Whether own rules, as they are now, leave `path` out."""
    rules = own_rules(root, _rules_above(root, [path]))
    return bool(rules) and _is_ignored(path, rules)


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


def _is_ignored(path: str, rules: Rules) -> bool:
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
