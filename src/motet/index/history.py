"""What the project's own history says: commits whose messages are like the question changed files worth looking at."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from motet import git
from motet.errors import ProcessError
from motet.index.stores import Stores
from motet.index.words import spread

_log = logging.getLogger(__name__)

MOST_FILES = 12
"""A commit of more files says nothing of any of them."""
MOST_COMMITS = 4000
_ALIKE = 30
_RECENT = 400


@dataclass(frozen=True, slots=True)
class Commit:
    """`made`: seconds since the epoch."""

    name: str
    made: int
    message: str
    paths: tuple[str, ...]


async def read_commits(root: Path, known: str, start: str = "HEAD") -> tuple[str, list[Commit], bool]:
    """The newest commit, those since `known`, oldest first, and whether `known` is no longer among the ancestors, so
    that these are all. Nothing where there is no history."""
    if git.work_tree(root) != root:
        return "", [], False
    try:
        newest, since, all_new = await git.commits_since(root, known, MOST_COMMITS, start)
    except ProcessError as error:
        _log.info("%s: no history: %s", root, error)
        return "", [], False
    return newest, _parse(since), all_new


def _parse(answer: bytes) -> list[Commit]:
    found: list[Commit] = []
    for entry in answer.split(b"\x01")[1:]:
        parts = entry.split(b"\x1f")
        if len(parts) != 4 or not parts[1].isdigit():
            continue  # a message with control characters: it says nothing
        name, made, message, changed = parts
        paths = tuple(os.fsdecode(path) for path in changed.strip(b"\0\n").split(b"\0") if path)
        if 0 < len(paths) <= MOST_FILES:
            found.append(Commit(name.decode(), int(made), message.decode("utf-8", "replace"), paths))
    found.reverse()
    return found


def keep(stores: Stores, newest: str, commits: Sequence[Commit], *, all_new: bool) -> None:
    """Keep `commits`; `all_new`: instead of all that were kept."""
    catalog, store = stores.catalog, stores.commits
    if all_new:
        store.remove(range(1, catalog.last_commit() + 1))
        catalog.clear_commits()
    if newest and newest != catalog.about("newest commit"):
        first = catalog.last_commit() + 1
        numbered = list(enumerate(commits, first))
        for id, commit in numbered:
            store.remove([id])  # of a process that was killed before the catalog knew it
            store.add(id, 0, 0, {"body": spread(commit.message)})
        store.commit()
        catalog.add_commits([(id, one.name, one.made, one.paths) for id, one in numbered], newest)


def prior(stores: Stores, wanted: Sequence[tuple[str, float]]) -> dict[str, float]:
    """For paths: how much commits that are like the words `wanted` changed them; the best is 1."""
    hits = stores.commits.search([("body", word, weight) for word, weight in wanted], _ALIKE)
    if not hits:
        return {}
    changed = stores.catalog.changed_by([hit.file for hit in hits])
    scores: dict[str, float] = {}
    best = hits[0].score
    for hit in hits:
        paths = changed.get(hit.file, [])
        for path in paths:
            scores[path] = scores.get(path, 0.0) + (hit.score / best) ** 2 / len(paths) ** 0.5
    top = max(scores.values(), default=1.0)
    return {path: score / top for path, score in scores.items()}


def churn(stores: Stores) -> dict[str, float]:
    """For paths: how often they were changed lately; the most changed is 1."""
    counts = stores.catalog.churn(_RECENT)
    top = max(counts.values(), default=1)
    return {path: count / top for path, count in counts.items()}
