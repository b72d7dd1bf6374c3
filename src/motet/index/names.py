"""What the words of a question may name among the files of a project."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property

from motet.index.question import Question
from motet.index.words import LONGEST, words

_MOST_WITHIN = 200
_WORD = re.compile("[a-z0-9]+")
Named = list[tuple[str, list[str]]]
"""Names, each with the paths that have it."""


class Names:
    """The names of the files `paths` (with `/`, relative to the project) and of their directories.

    What a question does not need is not looked at: there may be tens of thousands.
    """

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths

    def meant(self, question: Question) -> dict[str, float]:
        """Files whose path, module or own name the question says: 1 when there is no doubt, less when it fits several."""
        found: dict[str, float] = {}
        for path, (_, share) in question.paths.items():
            for named in self._ending_with(path.lstrip("./")):
                found[named] = max(found.get(named, 0.0), share)
        for module in question.modules:
            for named, share in self._module(module.split(".")):
                found[named] = max(found.get(named, 0.0), share)
        spoken = question.title
        for word in spoken:
            for stem, paths in self._by_word.get(word, ()):
                if spoken.issuperset(words(stem)):
                    share = 0.6 / len(paths) ** 0.5
                    for named in paths:
                        found[named] = max(found.get(named, 0.0), share)
        return found

    def within(self, scope: frozenset[str], is_source: Callable[[str], bool]) -> dict[str, float]:
        """Source files that `scope` names, 1, or of which it names a directory, less; none when that is too many."""
        found: dict[str, float] = {}
        for word in scope:
            for part, paths in self._by_directory.get(word, ()):
                if scope.issuperset(words(part)):
                    found.update(dict.fromkeys(paths, 0.5))
            for stem, paths in self._by_word.get(word, ()):
                if scope.issuperset(words(stem)):
                    found.update((path, 1.0) for path in paths if is_source(path))
        return found if len(found) <= _MOST_WITHIN else {}

    def _ending_with(self, path: str) -> list[str]:
        name = path.rpartition("/")[2]
        known = self._by_name.get(_stem(name), [])
        fits = [each for each in known if f"/{each}".endswith(f"/{path}") or path.endswith(f"/{each}")]
        return fits if len(fits) <= 5 else []

    def _module(self, parts: Sequence[str]) -> Iterable[tuple[str, float]]:
        for length in range(len(parts), 0, -1):
            tail = "/".join(parts[:length]).lower()
            known = self._by_name.get(parts[length - 1].lower(), [])
            fits = [path for path in known if _is_module(path, tail)]
            if fits:
                share = 1.0 if length > 1 else 0.5
                return [(path, share / len(fits) ** 0.5) for path in fits]
        return []

    @cached_property
    def _by_word(self) -> dict[str, Named]:
        """By the first word of a file's name: that name, and the files that have it."""
        found: defaultdict[str, Named] = defaultdict(list)
        for stem, paths in self._by_name.items():
            if len(stem) > 2 and (first := _first_word(stem)):
                found[first].append((stem, paths))
        return found

    @cached_property
    def _by_directory(self) -> dict[str, Named]:
        """By the first word of a directory's name: that name, and the files below directories that have it."""
        below: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            for part in set(path.split("/")[:-1]):
                below[part].append(path)
        found: defaultdict[str, Named] = defaultdict(list)
        for part, paths in below.items():
            if len(paths) <= _MOST_WITHIN and (parts := words(part)):
                found[parts[0]].append((part, paths))
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The files of each name, without its end and in lower case."""
        same: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            same[path.rpartition("/")[2]].append(path)
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name, paths in same.items():
            stem = _stem(name)
            if stem not in ("__init__", "index", "mod"):
                found[stem.strip("_")] += paths
                continue
            for path in paths:
                found[path.rpartition("/")[0].rpartition("/")[2].lower().strip("_")].append(path)
        return found


def _is_module(path: str, tail: str) -> bool:
    module = path.lower().rpartition(".")[0].removesuffix("/__init__").removesuffix("/index").removesuffix("/mod")
    return f"/{module}".endswith(f"/{tail}")


def _stem(name: str) -> str:
    return (name.rpartition(".")[0] or name).lower()


def _first_word(stem: str) -> str:
    """The first of its `words`; `stem` is in lower case."""
    found = _WORD.search(stem) if stem.isascii() else None
    if found is not None and len(found[0]) < LONGEST:
        return found[0]
    return next(iter(words(stem)), "")
