"""Checkpoints of the first format, a JSON file each with contents in a store of their own, become journals.

They do not hold what motet left in a file, so they can be taken back, but not merged.
"""

from __future__ import annotations

import json
import shutil
import zlib
from pathlib import Path
from typing import Any, cast

from motet.workspace.change import Change
from motet.workspace.journal import Journal
from motet.workspace.manifest import Entry, Manifest, Saved, hash_of
from motet.workspace.retention import journal_path


def is_there(home: Path) -> bool:
    """Whether a workspace has checkpoints of that format."""
    return any(home.glob("*.json"))


def convert(store: Path, home: Path) -> None:
    """Convert those of one workspace, under the store's lock; what cannot be read stays as it is. Raises `OSError`."""
    for path in home.glob("*.json"):
        try:
            manifest = _manifest(json.loads(path.read_bytes()))
        except (ValueError, TypeError, KeyError):
            continue
        target = journal_path(home, manifest.number)
        if not target.exists():
            saved = [(entry.path, entry.before.hash) for entry in manifest.entries if entry.before]
            contents = ((path, _content(store / "blobs" / name[:2] / name, name)) for path, name in saved)
            Journal.create(target, manifest, [Change(path, data, None) for path, data in contents])
        path.unlink()
    if not any((store / "workspaces").glob("*/*.json")):
        shutil.rmtree(store / "blobs", ignore_errors=True)


def _content(blob: Path, name: str) -> bytes | None:
    try:
        data = zlib.decompress(blob.read_bytes())
    except (FileNotFoundError, zlib.error):
        return None
    return data if hash_of(data) == name else None


def _manifest(row: dict[str, Any]) -> Manifest:
    if row["version"] != 1:
        raise ValueError("another format")
    entries = (_entry(entry, row["undoes"]) for entry in cast("list[dict[str, Any]]", row["entries"]))
    return Manifest(row["number"], row["root"], row["time"], row["label"], row["finished"], tuple(entries))


def _entry(row: dict[str, Any], undoes: int | None) -> Entry:
    before = None if row["before"] is None else Saved(row["before"]["hash"], row["before"]["mode"])
    return Entry(row["path"], before, tuple(row["after"]), tuple(row["made"]), row["undone"], undoes)
