"""Definitions by name over many files, parsing only those that may hold one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from motet.syntax import OUTLINE_KINDS, Definition, definitions, language_of
from motet.text import TextFile

_DEFINING = re.compile(
    r"\b(?:class|def|struct|union|enum|interface|type|namespace|module|function|const|let|var|define)\b[\s*]*$|\btypedef\b"
)
_USING = re.compile(r"[(=.#\"']")
_LINE_HEAD = 200


class FoundDefinition(NamedTuple):
    """A definition in a file of the workspace: 1-based inclusive lines."""

    file: TextFile
    first_line: int
    last_line: int


class DefinitionFinder:
    """Finds top-level definitions by name over many files, parsing only files that hold the name.

    `files` is read when the first name is looked up, as far as needed. Work is bounded: no more than
    `max_characters` are ever parsed, after that only files already parsed are searched.
    """

    def __init__(self, files: Iterable[TextFile], *, max_characters: int = 8_000_000) -> None:
        self._waiting = iter(files)
        self._files: list[TextFile] = []
        self._parsed: dict[str, list[Definition]] = {}
        self._characters_left = max_characters

    def find(self, name: str, *, limit: int = 3) -> list[FoundDefinition]:
        """Up to `limit` definitions of `name`, real ones before mere declarations and variables."""
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        hits: list[tuple[bool, FoundDefinition]] = []
        for file in self._all():
            if not _may_define(file.text, name, word):
                continue
            hits.extend(
                (each.kind not in OUTLINE_KINDS, FoundDefinition(file, each.first_line, each.last_line))
                for each in self._definitions(file)
                if each.name == name and each.depth == 0
            )
            if sum(not weak for weak, _ in hits) >= limit:
                break
        return [found for _, found in sorted(hits, key=lambda hit: hit[0])[:limit]]

    def _all(self) -> Iterator[TextFile]:
        yield from self._files
        for file in self._waiting:
            if language_of(file.path) is not None:
                self._files.append(file)
                yield file

    def _definitions(self, file: TextFile) -> list[Definition]:
        if file.path not in self._parsed:
            if len(file.text) > self._characters_left:
                return []
            self._characters_left -= len(file.text)
            self._parsed[file.path] = definitions(file.text, language_of(file.path))
        return self._parsed[file.path]


def _may_define(text: str, name: str, word: re.Pattern[str]) -> bool:
    """A quick look before a parse: a keyword before the name, or the name at the left margin as in C."""
    if name not in text:
        return False
    for match in word.finditer(text):
        begin = max(match.start() - _LINE_HEAD, 0)
        head = text[max(text.rfind("\n", begin, match.start()) + 1, begin) : match.start()]
        if _DEFINING.search(head) is not None:
            return True
        if not head[:1].isspace() and not head.startswith(("import ", "from ")) and not _USING.search(head):
            return True
    return False
