"""Two texts side by side: which of their lines stand for each other, and what differs between them.

Lines are compared without the white space around them.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

from rapidfuzz import process
from rapidfuzz.distance import Indel, LCSseq, Postfix, Prefix

LONGEST_LINE = 64 * 1024
"""Longer lines, in characters, are like no other."""
FILE, SEARCH = "\0", "\1"
"""What stands for those of the file, and for those of a search text."""
CLOSELY = 1_000
"""Longer lines, in characters, are compared only by what they begin and end with."""
MOST_PAIRS = 6_000
"""Pairs of lines up to which every line is compared with every line."""

ALIKE = 0.55
"""Lines less similar than this have nothing to do with each other."""
_MOST_CELLS = 100_000_000
"""Pairs of lines above which not even equal lines are aligned."""
_LEFT_OUT = 3.0
"""What a file line left out between aligned lines weighs, in characters."""
_SHOWN, _WIDTH, _LOOKED_AT = 38, 160, 200
"""Lines of a small diff, characters of each, and lines that are compared for it, about."""

Pair = tuple[int, int, float]
"""0-based line of the search text, 0-based line of the file, similarity."""


def keys_of(lines: Sequence[str], side: str) -> list[str]:
    """What is compared of each line: for those that are like no other only the `side` they are on."""
    return [line.strip() if len(line) <= LONGEST_LINE else side for line in lines]


def similarity(one: str, other: str) -> float:
    """The share of the characters of two lines that need not be inserted or removed, 0 to 1; 0 below `ALIKE`."""
    if one == other:
        return 1.0
    if max(len(one), len(other)) <= CLOSELY:
        return Indel.normalized_similarity(one, other, score_cutoff=ALIKE)
    head = Prefix.similarity(one, other)
    tail = min(Postfix.similarity(one, other), min(len(one), len(other)) - head)
    same = 2 * (head + tail) / (len(one) + len(other))
    return same if same >= ALIKE else 0.0


def align(search: Sequence[str], lines: Sequence[str], place: int = 0) -> list[Pair]:
    """The lines of both texts that stand for each other, in order; `place` is the number of the first of `lines`."""
    cells = len(search) * len(lines)
    if cells <= MOST_PAIRS or cells > _MOST_CELLS:
        return _align_each(search, lines, 0, place)
    pairs: list[Pair] = []
    i = j = 0
    for block in LCSseq.opcodes(search, lines):
        if block.tag == "equal":
            first, begin, size = block.src_start, block.dest_start, block.src_end - block.src_start
            pairs += _align_each(search[i:first], lines[j:begin], i, place + j)
            pairs += [(first + k, place + begin + k, 1.0) for k in range(size)]
            i, j = first + size, begin + size
    return pairs + _align_each(search[i:], lines[j:], i, place + j)


def _align_each(search: Sequence[str], lines: Sequence[str], first: int, place: int) -> list[Pair]:
    """The pairs that count most together: a pair for its similarity and length, a file line left out in between
    against it. (Needleman and Wunsch 1970, with free ends on the side of the file.)"""
    if not search or not lines:
        return []
    if not is_small(search, lines):
        return in_order(search, lines, first, place)
    width = len(lines) + 1
    best = [0.0] * width
    kept: list[list[float]] = []  # the similarity where a pair was the best choice, 0 elsewhere
    rows = [best]
    for key in search:
        above, best, chosen = best, [0.0], [0.0] * width
        alike = _alike(key, lines)
        last = 0.0
        for j, over in enumerate(above[1:], 1):
            last = max(over, last - _LEFT_OUT)
            if (same := alike.get(j - 1)) and (
                paired := above[j - 1] + same * (len(key) + len(lines[j - 1]) + 2)
            ) >= last:
                last, chosen[j] = paired, same
            best.append(last)
        rows.append(best)
        kept.append(chosen)
    pairs: list[Pair] = []
    i, j = len(search), max(range(width), key=best.__getitem__)
    while i and j:
        if same := kept[i - 1][j]:
            pairs.append((first + i - 1, place + j - 1, same))
            i, j = i - 1, j - 1
        elif rows[i][j] == rows[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _alike(key: str, lines: Sequence[str]) -> dict[int, float]:
    """Which of `lines` are similar to `key`, and how much."""
    if max(len(key), *map(len, lines)) > CLOSELY:
        return {at: same for at, line in enumerate(lines) if (same := similarity(key, line))}
    found = process.extract_iter(key, lines, scorer=Indel.normalized_similarity, score_cutoff=ALIKE)
    return {at: same for _, same, at in found}


def is_small(search: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether every line can be compared with every line."""
    characters = (sum(map(len, search)) + len(search)) * (sum(map(len, lines)) + len(lines))
    return len(search) * len(lines) <= MOST_PAIRS and characters <= _MOST_CELLS


def in_order(search: Sequence[str], lines: Sequence[str], first: int, place: int) -> list[Pair]:
    """Each line of `search` beside the one at its distance from `place`, those that have nothing in common left out."""
    pairs = ((first + k, place + k, similarity(*both)) for k, both in enumerate(zip(search, lines, strict=False)))
    return [pair for pair in pairs if pair[2]]


def indent_of(line: str) -> str:
    """The blanks that `line` begins with."""
    return line[: len(line) - len(line.lstrip())]


def small_diff(search: Sequence[str], found: Sequence[str]) -> str:
    """What differs between a search text (`-`) and the lines of a file (`+`), at most some 40 lines.

    One equal line before and after is shown, `@@` stands for more of them, and a line with `?` names what cannot be
    seen. Long lines are cut around their first difference. Empty when nothing differs.
    """
    same = _first_difference(search, found)
    start = max(same - 1, 0)
    rows = _rows(search[start : same + _LOOKED_AT], found[start : same + _LOOKED_AT])
    whole = max(len(search), len(found)) <= same + _LOOKED_AT
    differing = [at for at, (one, other) in enumerate(rows) if one != other]
    near = sorted({at for middle in differing for at in range(max(middle - 1, 0), min(middle + 2, len(rows)))})
    shown: list[str] = []
    for number, at in enumerate(near):
        if len(shown) >= _SHOWN:
            whole = at > differing[-1]
            break
        if number and at > near[number - 1] + 1:
            shown.append("@@")
        shown += _draw(*rows[at])
    return "\n".join(shown if whole else [*shown, "@@ and more"])


def _first_difference(search: Sequence[str], found: Sequence[str]) -> int:
    pairs = enumerate(zip(search, found, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(search), len(found)))


def _rows(search: Sequence[str], found: Sequence[str]) -> list[tuple[str | None, str | None]]:
    """The lines of both texts side by side; None where there is no counterpart."""
    rows: list[tuple[str | None, str | None]] = []
    i = j = 0
    for one, other, _ in (*align(keys_of(search, SEARCH), keys_of(found, FILE)), (len(search), len(found), 0.0)):
        rows += [(line, None) for line in search[i:one]]
        rows += [(None, line) for line in found[j:other]]
        rows += zip(search[one : one + 1], found[other : other + 1], strict=True)
        i, j = one + 1, other + 1
    return rows


def _draw(one: str | None, other: str | None) -> list[str]:
    if one is None or other is None:
        return [f"-{_cut(one)}" if one is not None else f"+{_cut(other or '')}"]
    if one == other:
        return [f" {_cut(one)}"]
    at = Prefix.similarity(one, other)
    return [f"-{_cut(one, at)}", f"+{_cut(other, at)}", *(f"? {note}" for note in _unseen(one, other))]


def _cut(line: str, at: int = 0) -> str:
    start = max(at - _WIDTH // 3, 0) if len(line) > _WIDTH else 0
    end = start + _WIDTH
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _unseen(one: str, other: str) -> Iterator[str]:
    """What differs between two lines and cannot be seen, or looks alike; first the model's, then the file's."""
    ends = [line[len(line.rstrip()) :] if line.strip() else "" for line in (one, other)]
    indents = [indent_of(one), indent_of(other)]
    if ends[0] != ends[1]:
        yield f"at its end: {_white(ends[0])}; in the file: {_white(ends[1])}"
    if indents[0] != indents[1] and {*indents[0], *indents[1]} != {" "}:
        yield f"indentation: {_white(indents[0])}; in the file: {_white(indents[1])}"
    ours, theirs = ([*dict.fromkeys(line.strip()[:CLOSELY])] for line in (one, other))
    special = [_odd(ours, theirs), _odd(theirs, ours)]
    if any(special):
        for odd, mine, other_side in ((special[0], ours, theirs), (special[1], theirs, ours)):
            odd += [c for c in mine if c.isascii() and c in string.punctuation and c not in other_side]
        told = [", ".join(map(_name, odd[:3])) for odd in special]
        yield "; ".join(part for part in (told[0], told[1] and f"in the file: {told[1]}") if part)


def _odd(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Characters of only one line that are not plain; many letters are another language, which can be seen."""
    odd = [c for c in ours if not (c.isascii() and c.isprintable()) and c not in theirs]
    return odd if len(odd) <= 3 else [c for c in odd if not c.isalpha()]


def _white(white: str) -> str:
    runs = [(c, len([*run])) for c, run in groupby(white)]
    return ", ".join(f"{count} {_name(c)}{'s' if count > 1 else ''}" for c, count in runs) or "nothing"


def _name(character: str) -> str:
    plain = {" ": "space", "\t": "tab"}.get(character)
    return plain or f"U+{ord(character):04X} {unicodedata.name(character, '').lower()}".rstrip()
