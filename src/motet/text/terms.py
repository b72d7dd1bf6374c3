"""The terms by which text is found: of our own, so that an ordinary full-text index finds words in every script.

Text is compared in Unicode form NFKC, without case. Words of alphabets are terms; an identifier (`getUserName`,
`get_user_name`) is its parts, and the whole as well. Chinese, Japanese and Korean are written without spaces or with
particles attached: a run of them is each pair of neighbours (bigrams) and each character (unigrams), so a word of one
or two characters is found wherever it stands. Whoever changes what this module answers makes stored indexes anew.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_JOINED = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3"
    "\u1100-\u11ff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Han, Hiragana, Katakana, Bopomofo and Hangul: the letters (Unicode 15, blocks and script property)."""
_RUN = re.compile(f"[{_JOINED}]+")
_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W_A-Z]+")
_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef\ud800-\udfff]")
"""Characters that change nothing of a word: soft hyphens, joiners, variation selectors; halves of characters."""
_QUOTED = re.compile(r'"([^"]*)"?|(\S+)')
_STRETCH = 16 * 1024
"""Characters that are looked at in one go: a thread that does it stops no other for longer."""
_GAP = "_"
"""Stands between two runs, so that the pairs on both sides are no neighbours."""
_SHORTEST_BEGINNING = 3


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a text. `words`, in order: words, parts of identifiers, bigrams. `whole`: identifiers, unigrams."""

    words: list[str]
    whole: list[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A piece of a query: `words` next to each other among the words of a text, or `whole` among its whole terms.

    One of the two may be empty. `begins`: the last of `words` may be the beginning of a longer one. `text` is the
    piece, folded, as it would stand in a text.
    """

    words: tuple[str, ...]
    whole: str
    text: str
    begins: bool = False


def folded(text: str) -> str:
    """`text` as it is compared: NFKC, without case."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def terms(text: str) -> Terms:
    """All terms of `text`, repeated as often as they stand there."""
    found = Terms([], [])
    after_run = False
    for stretch in _stretches(text):
        after_run = _collect(stretch, found, after_run=after_run)
    return found


def wanted(query: str) -> list[Wanted]:
    """What a text must hold, all of it, to be found by `query`; nothing when the query has no word.

    Words in double quotes must stand next to each other. The last word, when it is not quoted, may be a beginning.
    """
    pieces = [(quoted, True) if quoted else (bare, False) for quoted, bare in _QUOTED.findall(query)]
    found: list[Wanted] = []
    for at, (piece, quoted) in enumerate(pieces):
        last = at == len(pieces) - 1 and not quoted and query.endswith(piece)
        found.extend(_wanted(piece, may_begin=last))
    return list(dict.fromkeys(found))


def _stretches(text: str) -> Iterator[str]:
    """`text` in pieces that end at a blank where there is one near."""
    begin = 0
    while len(text) - begin > _STRETCH:
        end = begin + _STRETCH
        for blank in ("\n", " "):
            cut = text.rfind(blank, begin + _STRETCH // 2, end)
            if cut > 0:
                end = cut + 1
                break
        yield text[begin:end]
        begin = end
    yield text[begin:]


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", _UNSEEN.sub("", text))


def _collect(text: str, found: Terms, *, after_run: bool) -> bool:
    """Add the terms of `text` to `found`; returns whether a run was the last thing in it."""
    words = found.words
    for match in _WORD.finditer(_normal(text)):
        word = match[0]
        if word.isascii():
            _add_word(word, found)
            after_run = False
            continue
        position = 0
        for run in _RUN.finditer(word):
            if run.start() > position:
                _add_word(word[position : run.start()], found)
                after_run = False
            if after_run:
                words.append(_GAP)
            joined = run[0]
            words.extend(map("".join, pairwise(joined)))
            found.whole.extend(joined)
            after_run = True
            position = run.end()
        if position < len(word):
            _add_word(word[position:], found)
            after_run = False
    return after_run


def _add_word(word: str, found: Terms) -> None:
    lower = word.casefold()
    if lower == word and "_" not in word:
        found.words.append(word)
        return
    parts = _PART.findall(word)
    if len(parts) > 1:
        found.words.extend(part.casefold() for part in parts)
        found.whole.append(lower)
    elif parts:
        found.words.append(lower.strip("_"))


def _wanted(piece: str, *, may_begin: bool) -> Iterator[Wanted]:
    """The words of `piece` as one sequence; single characters and identifiers in lower case are found as wholes."""
    found = Terms([], [])
    _collect(piece, found, after_run=False)
    text = folded(_UNSEEN.sub("", piece)).strip()
    normal = _normal(piece)
    if found.words:
        letter = normal[-1]
        begins = may_begin and len(found.words[-1]) >= _SHORTEST_BEGINNING and bool(re.match(r"\w", letter))
        begins = begins and not _RUN.match(letter)
        whole = found.words[0] if len(found.words) == 1 and not _RUN.search(found.words[0]) else ""
        yield Wanted(tuple(found.words), whole, text, begins)
    for run in _RUN.finditer(normal):
        if len(run[0]) == 1:
            yield Wanted((), run[0], text if run[0] == normal else run[0])
