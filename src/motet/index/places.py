"""Ranked files as places: the best lines of each, and the reasons in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from motet.index.membership import by_name, decoded, is_ruled_out, read
from motet.index.question import Question
from motet.index.ranking import Ranked
from motet.index.values import Found
from motet.index.words import words

_MOST_WORDS = 5
_SAID = {
    "mention": "the question names it",
    "scope": "the part of the project that the question names",
    "history": "commits like the question changed it",
    "near": "open or recent",
    "whole": "the file as a whole speaks of it",
}
_DEFINITION = re.compile(r"^\s*(?:\w+\s+)*(?:def|class|func|function|fn|struct|trait|interface|type|enum|#define)\b")


def place(root: Path, ranked: Ranked, question: Question, texts: Mapping[str, str]) -> Found | None:
    """The best place of a file, as it holds now; None when the file is gone or may no longer be shown."""
    text = held(root, ranked.path, texts)
    if text is None:
        return None
    lines = text.split("\n")
    first, last = (ranked.chunks[0].first, ranked.chunks[0].last) if ranked.chunks else (1, min(len(lines), 40))
    asked = next(
        (line for path, (line, _) in question.paths.items() if line and f"/{ranked.path}".endswith(f"/{path}")), 0
    )
    if 0 < asked <= len(lines):
        first, last = max(1, asked - 15), min(len(lines), asked + 15)
    first, last = min(first, len(lines)), max(1, min(last, len(lines)))
    weights = dict(question.words)
    line = asked or first + _best_line(lines[first - 1 : last], weights)
    line = max(1, min(line, len(lines)))
    seen = set(words("\n".join(lines[first - 1 : last])))
    said = [word for word, _ in question.words if word in seen][:_MOST_WORDS]
    return Found(
        ranked.path, first, last, line, lines[line - 1].strip(), ranked.score, ranked.kind, _reasons(ranked, said)
    )


def held(root: Path, path: str, texts: Mapping[str, str]) -> str | None:
    """What a file holds, by `texts` or else on disk; None when it is gone or no longer one to index, by its name, by own
    rules or by what it holds."""
    if by_name(path) or is_ruled_out(root, path):
        return None
    if path in texts:
        return texts[path]
    data, left_out = read(root, path)
    return None if left_out else decoded(data)


def _best_line(lines: Sequence[str], weights: Mapping[str, float]) -> int:
    best, best_score = 0, 0.0
    for at, line in enumerate(lines):
        score = sum(weights.get(word, 0.0) for word in set(words(line)))
        if score and _DEFINITION.match(line):
            score *= 1.5
        if score > best_score:
            best, best_score = at, score
    return best


def _reasons(ranked: Ranked, said: Sequence[str]) -> tuple[str, ...]:
    reasons = [f"has {', '.join(said)}"] if said else []
    parts = sorted(ranked.parts.items(), key=lambda part: -part[1])
    reasons += [_SAID[name] for name, value in parts if name in _SAID and value > (0.3 if name == "whole" else 0.05)]
    return tuple(reasons or ["its path has words of the question"])
