"""Files and places in the order in which they answer a question, each with what speaks for it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from motet.index import history
from motet.index.question import Question
from motet.index.standing import standing
from motet.index.stores import Stores
from motet.index.text_store import Hit
from motet.index.weights import Weights
from motet.index.words import LONGEST, words

_CHUNKS, _FILES = 300, 100
_BEST = 3
_MOST_WITHIN = 200
_WORD = re.compile("[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A file: its score, what made it up by name of the feature, and its best chunks, best first."""

    path: str
    id: int
    kind: str
    score: float
    parts: dict[str, float]
    chunks: tuple[Hit, ...]


@dataclass(slots=True)
class _Candidate:
    parts: dict[str, float] = field(default_factory=dict)
    chunks: list[Hit] = field(default_factory=list)


class Files:
    """The files of an index at one moment: path and kind (see `membership.kind_of`) of each by number, and what a name in
    a question may mean among them. What a question does not need is not looked at: there may be tens of thousands."""

    def __init__(self, paths: Mapping[int, str], kinds: Mapping[int, str], churn: Mapping[str, float]) -> None:
        self.paths = paths
        self.kinds = kinds
        self.churn = churn

    def after(self, gone: Iterable[int], paths: Mapping[int, str], kinds: Mapping[int, str]) -> Files:
        """These without the files `gone`, with new ones."""
        kept = dict(self.paths)
        for id in gone:
            kept.pop(id, None)
        return Files({**kept, **paths}, {**self.kinds, **kinds}, self.churn)

    def standing(self, id: int) -> str:
        """What the file `id` is for."""
        return standing(self.paths[id], self.kinds[id])

    def id_of(self, path: str) -> int | None:
        """The number of `path`."""
        return self._ids.get(path)

    def named(self, question: Question) -> dict[int, float]:
        """Files whose path, module or own name the question says: 1 when there is no doubt, less when it fits several."""
        found: dict[int, float] = {}
        for path, (_, share) in question.paths.items():
            for id in self._ending_with(path.lstrip("./")):
                found[id] = max(found.get(id, 0.0), share)
        for module in question.modules:
            for id, share in self._module(module.split(".")):
                found[id] = max(found.get(id, 0.0), share)
        spoken = question.title
        for word in spoken:
            for stem, ids in self._by_word.get(word, ()):
                if spoken.issuperset(words(stem)):
                    share = 0.6 / len(ids) ** 0.5
                    for id in ids:
                        found[id] = max(found.get(id, 0.0), share)
        return found

    def within(self, scope: frozenset[str]) -> dict[int, float]:
        """Source files that `scope` names, 1, or of which it names a directory, less; none when that is too many."""
        found: dict[int, float] = {}
        for word in scope:
            for part, ids in self._by_directory.get(word, ()):
                if scope.issuperset(words(part)):
                    found.update(dict.fromkeys(ids, 0.5))
            for stem, ids in self._by_word.get(word, ()):
                if scope.issuperset(words(stem)):
                    found.update((id, 1.0) for id in ids if self.standing(id) == "source")
        return found if len(found) <= _MOST_WITHIN else {}

    def _ending_with(self, path: str) -> list[int]:
        name = path.rpartition("/")[2]
        ids = self._by_name.get(_stem(name), [])
        fits = [id for id in ids if f"/{self.paths[id]}".endswith(f"/{path}") or path.endswith(f"/{self.paths[id]}")]
        return fits if len(fits) <= 5 else []

    def _module(self, parts: Sequence[str]) -> Iterable[tuple[int, float]]:
        for length in range(len(parts), 0, -1):
            tail = "/".join(parts[:length]).lower()
            ids = self._by_name.get(parts[length - 1].lower(), [])
            fits = [id for id in ids if self._is_module(self.paths[id], tail)]
            if fits:
                share = 1.0 if length > 1 else 0.5
                return [(id, share / len(fits) ** 0.5) for id in fits]
        return []

    def _is_module(self, path: str, tail: str) -> bool:
        module = path.lower().rpartition(".")[0].removesuffix("/__init__").removesuffix("/index").removesuffix("/mod")
        return f"/{module}".endswith(f"/{tail}")

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {path: id for id, path in self.paths.items()}

    @cached_property
    def _by_word(self) -> dict[str, list[tuple[str, list[int]]]]:
        """By the first word of a file's name: that name, and the files that have it."""
        found: dict[str, list[tuple[str, list[int]]]] = {}
        for stem, ids in self._by_name.items():
            if len(stem) > 2 and (first := _first_word(stem)):
                found.setdefault(first, []).append((stem, ids))
        return found

    @cached_property
    def _by_directory(self) -> dict[str, list[tuple[str, list[int]]]]:
        """By the first word of a directory's name: that name, and the files below directories that have it."""
        below: dict[str, list[int]] = {}
        for id, path in self.paths.items():
            for part in set(path.split("/")[:-1]):
                below.setdefault(part, []).append(id)
        found: dict[str, list[tuple[str, list[int]]]] = {}
        for part, ids in below.items():
            if len(ids) <= _MOST_WITHIN and (parts := words(part)):
                found.setdefault(parts[0], []).append((part, ids))
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """The files of each name, without its end and in lower case."""
        same: defaultdict[str, list[int]] = defaultdict(list)
        for id, path in self.paths.items():
            same[path.rpartition("/")[2]].append(id)
        found: defaultdict[str, list[int]] = defaultdict(list)
        for name, ids in same.items():
            stem = _stem(name)
            if stem not in ("__init__", "index", "mod"):
                found[stem.strip("_")] += ids
                continue
            for id in ids:
                found[self.paths[id].rpartition("/")[0].rpartition("/")[2].lower().strip("_")].append(id)
        return found


def rank(
    question: Question, stores: Stores, files: Files, weights: Weights, raised: Mapping[str, float]
) -> list[Ranked]:
    """All files that have something of `question`, best first. `raised`: paths that count for more (open, recent)."""
    candidates: dict[int, _Candidate] = {}
    _add_chunks(candidates, question, stores, files, weights)
    _add_wholes(candidates, question, stores, files, weights)
    if weights.mention:
        for id, share in files.named(question).items():
            _part(candidates, id, "mention", weights.mention * share)
    if weights.scope and question.scope:
        for id, share in files.within(question.scope).items():
            _part(candidates, id, "scope", weights.scope * share)
    if weights.history:
        for path, share in history.prior(stores, question.words).items():
            if (id := files.id_of(path)) is not None:
                _part(candidates, id, "history", weights.history * share)
    for id, candidate in candidates.items():
        path = files.paths[id]
        if weights.churn and path in files.churn:
            candidate.parts["churn"] = weights.churn * files.churn[path]
        if path in raised:
            candidate.parts["near"] = raised[path]
    ranked = [_ranked(files, id, candidate, question, weights) for id, candidate in candidates.items()]
    return sorted(ranked, key=lambda file: (-round(file.score, 6), file.path))


def _add_chunks(
    candidates: dict[int, _Candidate], question: Question, stores: Stores, files: Files, weights: Weights
) -> None:
    wanted = [
        (name, word, factor * weight)
        for name, factor in (("body", weights.body), ("names", weights.names), ("path", weights.path))
        if factor
        for word, weight in question.words
    ]
    if weights.defines:
        wanted += [("names", name, weights.defines) for name in question.names]
    hits = [hit for hit in stores.chunks.search(wanted, _CHUNKS) if hit.file in files.paths]
    best = hits[0].score if hits else 1.0
    for hit in hits:
        candidates.setdefault(hit.file, _Candidate()).chunks.append(hit)
    scale = sum(weights.decay**at for at in range(_BEST))
    for candidate in candidates.values():
        sums = sum(hit.score * weights.decay**at for at, hit in enumerate(candidate.chunks[:_BEST]))
        candidate.parts["text"] = sums / best / scale


def _add_wholes(
    candidates: dict[int, _Candidate], question: Question, stores: Stores, files: Files, weights: Weights
) -> None:
    if not weights.whole:
        return
    wanted = [
        (name, word, weight * factor)
        for name, factor in (("body", 1.0), ("path", weights.path))
        if factor
        for word, weight in question.words
    ]
    hits = [hit for hit in stores.files.search(wanted, _FILES) if hit.file in files.paths]
    for hit in hits:
        _part(candidates, hit.file, "whole", weights.whole * hit.score / hits[0].score)


def _ranked(files: Files, id: int, candidate: _Candidate, question: Question, weights: Weights) -> Ranked:
    path, kind = files.paths[id], files.standing(id)
    factor = 1.0
    if kind == "test" and not question.wants_tests:
        factor = weights.tests
    elif kind == "docs" and not question.wants_docs:
        factor = weights.docs
    elif kind == "data":
        factor = weights.data
    elif kind == "build":
        factor = weights.build
    elif kind == "source" and (question.wants_tests or question.wants_docs):
        factor = weights.asked_away
    score = sum(candidate.parts.values()) * factor
    return Ranked(path, id, kind, score, candidate.parts, tuple(candidate.chunks))


def _part(candidates: dict[int, _Candidate], id: int, name: str, value: float) -> None:
    candidates.setdefault(id, _Candidate()).parts[name] = value


def _stem(name: str) -> str:
    return (name.rpartition(".")[0] or name).lower()


def _first_word(stem: str) -> str:
    """The first of its `words`; `stem` is in lower case."""
    found = _WORD.search(stem) if stem.isascii() else None
    if found is not None and len(found[0]) < LONGEST:
        return found[0]
    return next(iter(words(stem)), "")
