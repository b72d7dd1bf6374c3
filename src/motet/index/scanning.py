"""Files that the index has not read yet, looked at for one question: in memory, within a given time, then forgotten.

First the words of the question are counted in the bytes of as many files as there is time for, the most promising ones
first. Then the best of them are cut into chunks and scored as the index would, so that both can be ranked together.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from motet.index.catalog import Row
from motet.index.keeping import write_documents
from motet.index.membership import Member, decoded, kind_of, read
from motet.index.question import Question
from motet.index.ranking import Files
from motet.index.stores import Stores
from motet.index.text_store import Hit, Searched, TextStore, in_order
from motet.index.words import words

SECONDS = 0.15
_COUNTING = 0.6
"""Of the time, for counting in bytes."""
_BEST = 60
"""Files that are cut into chunks."""
_MOST_WORDS = 24
_MOST_FILES = 200
"""Of those that were only counted in."""
_BYTES_OF_WORD = 7
"""Of program text, for each word."""
_BYTES_OF_CHUNK = 1800
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")


@dataclass(slots=True)
class _Document:
    """How often each field has words of the question, and how many words it has in all."""

    file: int
    first: int
    last: int
    counts: dict[str, Mapping[str, int]]
    lengths: dict[str, int]


@dataclass(slots=True)
class Scanned:
    """What was found: path and kind of unread files by a number of their own, below zero, and their documents as the
    stores would have them. `size` and `count`: bytes and files that were looked at."""

    paths: dict[int, str]
    kinds: dict[int, str]
    chunks: list[_Document] = field(default_factory=list[_Document])
    files: list[_Document] = field(default_factory=list[_Document])
    size: int = 0
    count: int = 0


@dataclass(slots=True)
class _Counted:
    """A file: how often its bytes have each word."""

    id: int
    member: Member
    counts: tuple[int, ...]
    length: int


class _Collector:
    """Takes documents as a store does, and keeps of each how often it has `wanted` words."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self.found: list[_Document] = []

    def add(self, file: int, first: int, last: int, texts: Mapping[str, str]) -> None:
        counts: dict[str, Mapping[str, int]] = {}
        lengths: dict[str, int] = {}
        for name, text in texts.items():
            said = _WORD.findall(text.lower())
            lengths[name] = len(said)
            counts[name] = Counter(word for word in said if word in self._wanted)
        self.found.append(_Document(file, first, last, counts, lengths))


def scan(
    root: Path, members: Sequence[Member], question: Question, texts: Mapping[str, str], seconds: float
) -> Scanned:
    """What `members` say of `question`, as far as that can be seen in `seconds`; `texts`, by path, go before the disk."""
    began = time.monotonic()
    asked = question.words[:_MOST_WORDS]
    promising = _by_promise(members, [word for word, _ in asked])
    paths = {-at: member.path for at, member in enumerate(promising, 1)}
    found = Scanned(paths, {id: kind_of(path) for id, path in paths.items()})
    needles = [word.encode("utf-8", "replace") for word, _ in asked]
    counted: list[_Counted] = []
    for at, member in enumerate(promising, 1):
        if time.monotonic() - began > seconds * _COUNTING:
            break
        data = _data(root, member.path, texts).lower()
        counts = tuple(map(data.count, needles))
        found.size += len(data)
        found.count += 1
        if any(counts):
            counted.append(_Counted(-at, member, counts, len(data) // _BYTES_OF_WORD))
    best = _best(counted, found.count, [weight for _, weight in asked])
    wanted = frozenset(word for word, _ in asked).union(question.names)
    of_chunks, of_files = _Collector(wanted), _Collector(wanted)
    read_too = 0
    for one in best[:_BEST]:
        if time.monotonic() - began > seconds:
            break
        text = decoded(_data(root, one.member.path, texts))
        row = Row(one.member.path, one.id, 0, 0, lines=text.count("\n"))
        write_documents(row, text, of_chunks, of_files)
        read_too += 1
    found.chunks = of_chunks.found
    found.files = of_files.found + [_roughly(one, asked) for one in best[read_too:_MOST_FILES]]
    return found


def _data(root: Path, path: str, texts: Mapping[str, str]) -> bytes:
    if path in texts:
        return texts[path].encode("utf-8", "surrogatepass")
    data, left_out = read(root, path)
    return b"" if left_out else data


def _by_promise(members: Sequence[Member], asked: Sequence[str]) -> list[Member]:
    """Those whose path says most of the question first; of equals, those with fewer directories around them."""
    keys: list[tuple[int, int, str]] = []
    by_path = {member.path: member for member in members if not member.left_out}
    for path in by_path:
        low = path.lower()
        keys.append((-sum(word in low for word in asked), low.count("/"), path))
    return [by_path[path] for _, _, path in sorted(keys)]


def _best(counted: Sequence[_Counted], count: int, weights: Sequence[float]) -> list[_Counted]:
    """The best first, by BM25 over what was counted, and by words in the path."""
    if not counted:
        return []
    mean = sum(one.length for one in counted) / len(counted) or 1.0
    had = [sum(one.counts[at] > 0 for one in counted) for at in range(len(weights))]
    worth = [
        weight * math.log(1 + (count - often + 0.5) / (often + 0.5))
        for weight, often in zip(weights, had, strict=True)
    ]

    def score(one: _Counted) -> float:
        long = _K1 * (1 - _B + _B * one.length / mean)
        factor = 1.0 if kind_of(one.member.path) == "source" else 0.5
        return factor * sum(value * often / (often + long) for value, often in zip(worth, one.counts, strict=True))

    return sorted(counted, key=lambda one: (-score(one), one.member.path))


def _roughly(one: _Counted, asked: Sequence[tuple[str, float]]) -> _Document:
    """The document of a whole file that was only counted in."""
    body = {word: often for (word, _), often in zip(asked, one.counts, strict=True) if often}
    path = words(one.member.path)
    return _Document(
        one.id, 1, 1, {"body": body, "path": Counter(path)}, {"body": max(1, one.length), "path": len(path)}
    )


class Overlaid:
    """A store with documents in memory beside it, which stand for `seen` ones."""

    def __init__(self, store: Searched, documents: Sequence[_Document], seen: int) -> None:
        self._store = store
        self._documents = documents
        self._seen = max(seen, len(documents))

    @property
    def documents(self) -> int:
        """How many documents can be found, of those that were seen."""
        return self._store.documents + self._seen

    def frequency(self, field: str, word: str) -> int:
        """How many documents have `word`."""
        beside = sum(word in one.counts.get(field, ()) for one in self._documents)
        return min(self.documents, self._store.frequency(field, word) + beside)

    def search(self, wanted: Sequence[tuple[str, str, float]], limit: int) -> list[Hit]:
        """The `limit` best documents for (field, word, weight), by BM25 as the store reckons it."""
        hits = self._store.search(wanted, limit)
        count = self.documents
        means = {name: self._mean(name) for name, _, _ in wanted}
        worth: dict[tuple[str, str], float] = {}
        for name, word, _ in wanted:
            had = self.frequency(name, word)
            worth[name, word] = math.log(1 + (count - had + 0.5) / (had + 0.5))
        for one in self._documents:
            score = 0.0
            for name, word, weight in wanted:
                often = one.counts.get(name, {}).get(word, 0)
                if often:
                    long = _K1 * (1 - _B + _B * one.lengths[name] / means[name])
                    score += weight * worth[name, word] * often * (1 + _K1) / (often + long)
            if score:
                hits.append(Hit(one.file, one.first, one.last, score))
        return in_order(hits)[:limit]

    def _mean(self, name: str) -> float:
        return max(1.0, sum(one.lengths.get(name, 0) for one in self._documents) / max(1, len(self._documents)))


def overlaid(scanned: Scanned, stores: Stores, files: Files) -> tuple[Stores, Files]:
    """Both with what was `scanned` instead of what is kept of these files."""
    beside = set(scanned.paths.values())
    kept = {id: path for id, path in files.paths.items() if path not in beside}
    both = {
        "chunks": Overlaid(stores.chunks, scanned.chunks, scanned.size // _BYTES_OF_CHUNK),
        "files": Overlaid(stores.files, scanned.files, scanned.count),
    }
    searched = cast("dict[str, TextStore]", both)  # who ranks only searches
    return replace(stores, **searched), Files(kept | scanned.paths, {**files.kinds, **scanned.kinds}, files.churn)
