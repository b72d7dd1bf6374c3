"""For tests of the index: projects on disk, and what an index holds, to compare with another."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from motet.index.following import Following
from motet.index.membership import list_members
from motet.index.project import ProjectIndex
from motet.index.stores import Stores


def put(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write `files` below `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def git(root: Path, *arguments: str) -> str:
    """What git says."""
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def paths(index: ProjectIndex, question: str, limit: int = 10) -> list[str]:
    """Paths that answer `question`, best first, after the files were read."""

    async def ask() -> list[str]:
        return [place.path for place in (await index.search(question, limit, patience=60)).found]

    return asyncio.run(ask())


def members_of(root: Path) -> list[str]:
    """Files that are indexed as far as names and rules tell."""
    return [member.path for member in asyncio.run(list_members(root)) if not member.left_out]


def holds(stores: Stores, words: list[str], *, scored: bool = True) -> dict[str, object]:
    """All that the index says: files with hash, kind and lines, and for each of `words` the passages that have it,
    where `scored` with their scores."""
    rows = stores.catalog.rows().values()
    names = {row.id: row.path for row in rows if row.id}
    said: dict[str, object] = {row.path: (row.hash, row.kind, row.lines, row.left_out) for row in rows}
    for store, fields in ((stores.chunks, ("body", "names", "path")), (stores.files, ("body", "path"))):
        store.reload()
        for field in fields:
            for word in words:
                hits = store.search([(field, word, 1.0)], 10_000)
                said[f"{field} {len(fields)} {word}"] = sorted(
                    (names.get(hit.file, "?"), hit.first, hit.last, round(hit.score, 4) if scored else 0.0)
                    for hit in hits
                )
    return said


async def settled(following: Following) -> None:
    """Wait until all that happened to the files until now is in the index."""
    end = time.monotonic() + 60
    while not await following.settle():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
