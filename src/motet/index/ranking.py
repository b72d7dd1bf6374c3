"""Files and places in the order in which they answer a question, each with what speaks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from motet.index import history
from motet.index.names import Names
from motet.index.question import Question
from motet.index.standing import standing
from motet.index.stores import Stores
from motet.index.text_store import Hit
from motet.index.weights import Weights

_CHUNKS, _FILES = 300, 100
_BEST = 3


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
    """The files of an index at one moment: path and kind (see `membership.kind_of`) of each by number, and their names."""

    def __init__(
        self,
        paths: Mapping[int, str],
        kinds: Mapping[int, str],
        churn: Mapping[str, float],
        names: Names | None = None,
    ) -> None:
        self.paths = paths
        self.kinds = kinds
        self.churn = churn
        self._names = names or Names(paths.values())

    def after(self, gone: Iterable[int], paths: Mapping[int, str], kinds: Mapping[int, str]) -> Files:
        """These without the files `gone`, with new ones."""
        kept = dict(self.paths)
        left = {kept.pop(id, "") for id in gone} - {""}
        names = self._names if left == set(paths.values()) else None  # a save, mostly
        return Files({**kept, **paths}, {**self.kinds, **kinds}, self.churn, names)

    def standing(self, id: int) -> str:
        """What the file `id` is for."""
        return standing(self.paths[id], self.kinds[id])

    def id_of(self, path: str) -> int | None:
        """The number of `path`."""
        return self._ids.get(path)

    def named(self, question: Question) -> dict[int, float]:
        """Files that the question names (see `Names.meant`)."""
        return {self._ids[path]: share for path, share in self._names.meant(question).items()}

    def within(self, scope: frozenset[str]) -> dict[int, float]:
        """Source files that `scope` speaks of (see `Names.within`)."""
        found = self._names.within(scope, lambda path: self.standing(self._ids[path]) == "source")
        return {self._ids[path]: share for path, share in found.items()}

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {path: id for id, path in self.paths.items()}


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
