"""The files of a project with what they define and import: who imports whom, and which of them a question means."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from motet.index.map_facts import Facts
from motet.index.map_resolve import Resolver
from motet.index.membership import kind_of
from motet.index.question import Question, understand
from motet.index.weights import WEIGHTS
from motet.index.words import words

_IN_PATH = 1.6
_IN_NAMES = 1.0
_NEIGHBOUR = 0.35
_PRIOR = 0.08
_AROUND = 10.0
_LESS = 0.4
"""What a file that defines nothing counts, beside others."""
_MOST_SHOWN = 300
"""Files of which the names that a question means are looked up."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A file with its place in a map. `wanted`: names of it to show first; `asked`: a file in the middle imports it."""

    path: str
    score: float
    wanted: tuple[str, ...] = ()
    asked: bool = False


class Graph:
    """`facts` by path. Answers are the same for the same files, in every process."""

    def __init__(self, facts: Mapping[str, Facts], manifests: Mapping[str, str] | None = None) -> None:
        self.facts = {path: facts[path] for path in sorted(facts)}
        resolver = Resolver(self.facts, manifests)
        self.imports = {path: resolver.targets(path, each) for path, each in self.facts.items() if each.imports}
        self.importers: dict[str, list[str]] = defaultdict(list)
        for path, targets in self.imports.items():
            for target in targets:
                self.importers[target].append(path)
        self._with_word: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for path, each in self.facts.items():
            in_path = frozenset(words(path.rpartition(".")[0]))
            for word in in_path.union(each.words):
                self._with_word[word].append((path, (_IN_PATH if word in in_path else 0.0) + _IN_NAMES))

    def ranked(
        self, question: str = "", around: Sequence[str] = (), raised: Mapping[str, float] | None = None
    ) -> list[Placed]:
        """All files, best first: what the files `around` import, what imports them, what has words of `question`, and
        what many files import. `raised`: what paths count for more (1: as much as the best word)."""
        asked = self._asked(around)
        asking = understand(question, WEIGHTS)
        kinds = {"source": 1.0, "test": WEIGHTS.tests, "docs": WEIGHTS.docs, "data": WEIGHTS.data}
        kinds |= {"test": 1.0} if asking.wants_tests else {}
        score = defaultdict(float, self._by_words(asking))
        for path, value in (raised or {}).items():
            if path in self.facts:
                score[path] += value
        for path, value in list(score.items()):
            for other in (*self.imports.get(path, ()), *self.importers.get(path, ())):
                score[other] += _NEIGHBOUR * value / (2 + len(self.importers.get(other, ())))
        for path, value in self._near(around, asked).items():
            score[path] += value
        placed: list[Placed] = []
        for path, each in self.facts.items():
            says_nothing = not each.names and not each.imports and not score.get(path) and path not in self.importers
            if path in around or says_nothing:
                continue
            known = math.log1p(len(self.importers.get(path, ())))
            total = (score.get(path, 0.0) + _PRIOR * known) * (1.0 if each.names else _LESS) * kinds[kind_of(path)]
            placed.append(Placed(path, total, asked.get(path, ()), path in asked))
        placed.sort(key=lambda one: (not one.asked, -one.score, one.path))
        wanted = frozenset(word for word, _ in asking.words)
        return [*(self._with_names(one, wanted) for one in placed[:_MOST_SHOWN]), *placed[_MOST_SHOWN:]]

    def _with_names(self, one: Placed, wanted: frozenset[str]) -> Placed:
        """The same, with the names that the question means."""
        facts = self.facts[one.path]
        if wanted.isdisjoint(facts.words):
            return one
        meant = sorted(
            (-len(wanted.intersection(words(each.name))), at, each.name) for at, each in enumerate(facts.names)
        )
        return replace(one, wanted=(*one.wanted, *(name for shared, _, name in meant if shared)))

    def _asked(self, around: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """What the files `around` import, with the names taken."""
        found: dict[str, dict[str, None]] = {}
        for path in around:
            for target, names in self.imports.get(path, {}).items():
                found.setdefault(target, {}).update(dict.fromkeys(names))
        return {path: tuple(names) for path, names in found.items()}

    def _near(self, around: Sequence[str], asked: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Files around the middle: whoever imports it, what its imports pass on, the files beside it."""
        score: dict[str, float] = defaultdict(float)
        for path in asked:
            score[path] += _AROUND
            for target, names in self.imports.get(path, {}).items():
                passed_on = not set(names).isdisjoint(asked[path]) or path.endswith("/__init__.py")
                score[target] += _AROUND * (0.3 if passed_on else 0.03)
        for path in around:
            for importer in self.importers.get(path, ()):
                score[importer] += _AROUND * 0.2
            directory = path.rpartition("/")[0]
            for other in self.facts if around else ():
                if other.rpartition("/")[0] == directory:
                    score[other] += _AROUND * 0.02
        return score

    def _by_words(self, asking: Question) -> dict[str, float]:
        """1 for the file that has most of the question's words, rare ones counting more."""
        score: dict[str, float] = defaultdict(float)
        for word, weight in asking.words:
            holders = self._with_word.get(word, ())
            rare = math.log(1 + len(self.facts) / (1 + len(holders)))
            for path, value in holders:
                score[path] += weight * rare * value
        most = max(score.values(), default=1.0)
        return {path: value / most for path, value in score.items()}
