"""Plainer ways to find a file, measured beside the index: BM25 over chunks alone, and keywords as with ripgrep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from motet.index.question import is_stop_word
from motet.index.weights import WEIGHTS

BM25 = replace(
    WEIGHTS, names=0, path=0, decay=0, whole=0, mention=0, defines=0, history=0, churn=0, tests=1, docs=1, data=1,
    first_line=1, quoted=1,
)  # fmt: skip
"""The same words in the same chunks; a file is its best chunk."""


class Keywords:
    """What a human or a model does with ripgrep: the words of the question, looked for in all files without case; the
    file that has most of them is first, and of equals the one that has them more often."""

    def __init__(self, root: Path, paths: Sequence[str]) -> None:
        self._texts = {path: (root / path).read_bytes().lower() for path in paths}

    def ranked(self, question: str) -> list[str]:
        """Paths that have a keyword, best first."""
        found = re.findall(r"[A-Za-z_]\w{2,}", question)
        keywords = {word.lower().encode() for word in found if not is_stop_word(word.lower())}
        scores: dict[str, tuple[int, int]] = {}
        for path, text in self._texts.items():
            counts = [count for word in keywords if (count := text.count(word))]
            if counts:
                scores[path] = (len(counts), sum(counts))
        return sorted(scores, key=lambda path: (-scores[path][0], -scores[path][1], path))
