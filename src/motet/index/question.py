"""A question as the index understands it: words with weights, and what it names of the project."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from motet.index.reports import named_paths, said
from motet.index.weights import Weights
from motet.index.words import words

MOST_WORDS = 64
_NEAR = 400
"""Characters after the first line in which a name that is written as code still says what it is about."""
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
    a about after all also am an and any are as at be because been before being but by can could did do does
    doing don down each for from further had has have having he her here him his how i if in into is it its
    itself just let like ll me more most my no nor not now of off on once only or other our out over own
    please s same she should so some such t than that the their them then there these they this those through
    to too under until up use used using very was we were what when where which while who why will with would
    you your re ve add added adds fix fixed fixes fixing make makes made update updated handled handle find
    show tell code
        """,
    )
)
_CODE = re.compile(
    r"`+([^`\n]+)`+|\b([A-Za-z_]\w*(?:(?:\.|::|->)\w+)+|\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+(?=\(\)))"
)
_DOTTED = re.compile(r"\b([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)")
_SCOPE = re.compile(r"\s*(?:\[([^\]\n]{2,40})\][:\s]|(?:\w+\(([^)\n]{2,40})\)!?|([\w./ -]{2,40}?)):\s)")
_TESTS = re.compile(
    r"^(?:which|what|where|how)\b.{0,40}\btest(?:s|ed)?\b|^(?:unit )?tests? (?:for|of|that|which)\b|テスト", re.I
)
_DOCS = re.compile(
    r"^(?:which|what|where|how)\b.{0,40}\b(?:documented|docs?|documentation|readme|changelog)\b|文書|ドキュメント",
    re.I,
)
"""Asked of the first line."""


@dataclass(frozen=True, slots=True)
class Question:
    """`words`: each with its weight, the heaviest first. `names`: what is written as code, joined, in lower case.

    `title`: the words of its first line, and of those after it that are code. `scope`: those that say what part of the
    project it is about, as in `parser: …` and `[parser] …`. `paths`: what looks like a path or a file's name, with a
    line or 0, and how much it is named, 1 at most. `modules`: dotted names.
    """

    text: str
    words: tuple[tuple[str, float], ...]
    names: tuple[str, ...]
    title: frozenset[str]
    scope: frozenset[str]
    paths: Mapping[str, tuple[int, float]]
    modules: tuple[str, ...]
    wants_tests: bool
    wants_docs: bool


def understand(text: str, weights: Weights) -> Question:
    """What `text` asks for. A question of stop words alone keeps them."""
    first, _, rest = text.strip().partition("\n")
    if not rest and len(first) > 100:  # a message in one line: its first sentence is its title
        cut = re.search(r"[.!?:] |\s\*\s", first)
        first, rest = (first[: cut.end()], first[cut.end() :]) if cut else (first, "")
    title = words(first)
    counts: dict[str, float] = {}
    for found, factor in ((title, weights.first_line), (words(said(rest)), 1.0)):
        for word in found:
            counts[word] = counts.get(word, 0.0) + factor
    code = [one or other for one, other in _CODE.findall(text)]
    quoted = {word for piece in code for word in words(piece)}
    kept = {
        word: count for word, count in counts.items() if word not in _STOP and (len(word) > 1 or not word.isascii())
    }
    kept = kept or counts
    weighed = [
        (word, (1 + math.log(count)) * (weights.quoted if word in quoted else 1.0)) for word, count in kept.items()
    ]
    weighed.sort(key=lambda item: (-item[1], item[0]))
    scope = _SCOPE.match(first)
    return Question(
        text=text,
        words=tuple(weighed[:MOST_WORDS]),
        names=tuple(
            sorted(
                {re.sub(r"[\W_]+", "", name).lower() for piece in code for name in re.findall(r"\w+", piece)} - {""}
            )
        ),
        title=frozenset(title).union(quoted.intersection(words(rest[:_NEAR]))),
        scope=frozenset(words(" ".join(filter(None, scope.groups())))) if scope else frozenset(),
        paths=named_paths(text),
        modules=tuple(dict.fromkeys(_DOTTED.findall(text))),
        wants_tests=_TESTS.search(first) is not None,
        wants_docs=_DOCS.search(first) is not None,
    )


def is_stop_word(word: str) -> bool:
    """Whether `word`, in lower case, says nothing of what is asked."""
    return word in _STOP
