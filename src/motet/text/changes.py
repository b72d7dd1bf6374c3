"""The changes between two texts, line by line: one good reading of them, or only what every reading agrees on."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

Opcode = tuple[str, int, int, int, int]
"""As difflib's: tag (`equal`, `replace`, `insert`, `delete`), then 0-based first and last line on either side."""
Pair = tuple[int, int]
_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_MOST_PAIRED = 400
"""Lines before times lines after up to which it is looked which of them became which, where they are not as many."""
_ALIKE = 0.3
"""Share of its characters that a line has to keep for single words of it to be the change."""

_READABLE_PAIRS = 250_000
"""Lines of the one side times lines of the other up to which difflib, whose result reads well, is fast enough."""
_MOST_PAIRS = 100_000_000
"""The same, up to which a shortest diff is found (12 MB, 60 ms); what is larger, without any unique line, is one
change."""
_MOST_EQUAL_PAIRS = 200_000
"""Pairs of equal lines that `certain_changes` looks at (0.1 s); where there are more, it is certain of nothing."""
_MOST_LINES = 10_000
"""Lines from the first change to the last, up to which it does without anchors."""


def changes(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    """Line opcodes (`equal`, `replace`, `insert`, `delete`) from `before` to `after`, as difflib's.

    The common head and tail, then the lines that are unique on both sides (Cohen's patience diff) divide the
    texts first, so that work grows with the files, not with their product.
    """
    opcodes: list[Opcode] = []
    for tag, a1, a2, b1, b2 in _divided(before, after, *_common(before, after)):
        if tag == "equal":
            _equal(opcodes, a1, b1, a2 - a1)
        else:
            _shifted(opcodes, _stretch(before[a1:a2], after[b1:b2]), a1, b1)
    return opcodes


def changed_words(before: Sequence[str], after: Sequence[str]) -> tuple[list[list[Pair]], list[list[Pair]]]:
    """What differs inside of lines that become others: for each line of `before`, and for each of `after`, its first
    character and the one behind its last (from 0) of each stretch. None of a line that stands for no other, or has
    little in common with it: all of that is new."""
    old: list[list[Pair]] = [[] for _ in before]
    new: list[list[Pair]] = [[] for _ in after]
    for i, j in _paired(before, after):
        words, others = _WORD.findall(before[i]), _WORD.findall(after[j])
        opcodes = changes(words, others)
        kept = sum(len("".join(words[a1:a2]).strip()) for tag, a1, a2, _, _ in opcodes if tag == "equal")
        if kept >= _ALIKE * max(len(before[i].strip()), len(after[j].strip())):
            old[i] = _stretches(words, [(a1, a2) for tag, a1, a2, _, _ in opcodes if tag != "equal"])
            new[j] = _stretches(others, [(b1, b2) for tag, _, _, b1, b2 in opcodes if tag != "equal"])
    return old, new


def _paired(before: Sequence[str], after: Sequence[str]) -> Iterator[Pair]:
    """Which line becomes which, in order."""
    if len(before) == len(after):
        yield from ((at, at) for at in range(len(before)))
        return
    if len(before) * len(after) > _MOST_PAIRED:
        return
    counts = [Counter(_WORD.findall(line.strip())) for line in after]
    first = 0
    for i, line in enumerate(before):
        words = Counter(_WORD.findall(line.strip()))
        alike = [((words & counts[j]).total(), -j) for j in range(first, len(after))]
        best, at = max(alike, default=(0, 0))
        if best and best >= _ALIKE * max(words.total(), counts[-at].total()):
            yield i, -at
            first = 1 - at


def _stretches(words: Sequence[str], changed: Sequence[Pair]) -> list[Pair]:
    """The characters of these words; stretches with nothing but white space between are one."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    found: list[Pair] = []
    for first, last in changed:
        if first == last:
            continue
        between = words[bisect_left(starts, found[-1][1]) : first] if found else ["x"]
        start = found.pop()[0] if not "".join(between).strip() else starts[first]
        found.append((start, starts[last]))
    return found


def certain_changes(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    """As `changes`, but only lines that every shortest diff keeps, at the same place, are `equal`.

    So a change covers all places it might mean: one line more among equal ones is a change of all of them. Where
    the texts are too large to know, lines that are unique on both sides are still taken as kept, if they are in
    the same order, and what repeats between them is one change.
    """
    opcodes: list[Opcode] = []
    left = _MOST_EQUAL_PAIRS
    for tag, a1, a2, b1, b2 in _divided(before, after, *_certain_ends(before, after), whole=left):
        if tag == "equal":
            _equal(opcodes, a1, b1, a2 - a1)
            continue
        a, b = before[a1:a2], after[b1:b2]
        left -= _equal_pairs(a, b)
        i = j = 0
        for next_i, next_j in _kept_by_all(a, b) if left >= 0 else ():
            _changed(opcodes, a1 + i, a1 + next_i, b1 + j, b1 + next_j)
            _equal(opcodes, a1 + next_i, b1 + next_j, 1)
            i, j = next_i + 1, next_j + 1
        _changed(opcodes, a1 + i, a2, b1 + j, b2)
    return opcodes


def _add(opcodes: list[Opcode], new: Opcode) -> None:
    """Append `new`; neighbours of one kind become one."""
    if opcodes and opcodes[-1][0] == new[0]:
        tag, first, _, new_first, _ = opcodes[-1]
        opcodes[-1] = (tag, first, new[2], new_first, new[4])
    else:
        opcodes.append(new)


def _equal(opcodes: list[Opcode], a: int, b: int, count: int) -> None:
    if count:
        _add(opcodes, ("equal", a, a + count, b, b + count))


def _changed(opcodes: list[Opcode], a1: int, a2: int, b1: int, b2: int) -> None:
    if a1 < a2 or b1 < b2:
        tag = "insert" if a1 == a2 else "delete" if b1 == b2 else "replace"
        _add(opcodes, (tag, a1, a2, b1, b2))


def _shifted(opcodes: list[Opcode], found: Sequence[Opcode], a: int, b: int) -> None:
    for tag, i1, i2, j1, j2 in found:
        _add(opcodes, (tag, a + i1, a + i2, b + j1, b + j2))


def _common(before: Sequence[str], after: Sequence[str]) -> Pair:
    """How many lines at the beginning, and of the rest at the end, are the same."""
    limit = min(len(before), len(after))
    head = next((index for index in range(limit) if before[index] != after[index]), limit)
    limit -= head
    tail = next((count for count in range(limit) if before[-1 - count] != after[-1 - count]), limit)
    return head, tail


def _certain_ends(before: Sequence[str], after: Sequence[str]) -> Pair:
    """How many lines of the common head and tail every shortest diff keeps.

    Up to the last line that is unique on both sides that is certain: a diff that parts with such a line can keep
    no more lines before it, and fewer after it.
    """
    head, tail = _common(before, after)
    if head == len(before) == len(after):
        return head, 0
    counts, new_counts = Counter(before), Counter(after)

    def unique(line: str) -> bool:
        return counts[line] == 1 == new_counts[line]

    return (
        next((index + 1 for index in reversed(range(head)) if unique(before[index])), 0),
        next((count + 1 for count in reversed(range(tail)) if unique(before[-1 - count])), 0),
    )


def _equal_pairs(before: Sequence[str], after: Sequence[str]) -> int:
    counts, new_counts = Counter(before), Counter(after)
    return sum(count * new_counts[line] for line, count in counts.items())


def _kept_by_all(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """The pairs of lines that belong to every longest common subsequence, in order.

    Every pair of equal lines gets its rank, the length of the longest chain of pairs that ends with it (Hunt and
    Szymanski 1977); backwards, those that a longest chain goes through are counted. One alone in its rank is in all.
    """
    places: dict[str, list[int]] = {}
    for index, line in enumerate(after):
        places.setdefault(line, []).append(index)
    ends: list[int] = []  # where, at the earliest, a chain of each length ends
    ranks: list[list[int]] = []
    for line in before:
        row = [bisect_left(ends, place) for place in places.get(line, ())]
        for rank, place in zip(reversed(row), reversed(places.get(line, [])), strict=True):
            ends[rank : rank + 1] = [place]
        ranks.append(row)
    furthest = [-1] * len(ends) + [len(after)]  # where, at the latest, a longest chain goes on from each rank
    found: list[list[Pair]] = [[] for _ in ends]
    for index in reversed(range(len(before))):
        for rank, place in zip(ranks[index], places.get(before[index], ()), strict=True):
            if place < furthest[rank + 1]:
                furthest[rank] = max(furthest[rank], place)
                found[rank].append((index, place))
    return [pairs[0] for pairs in found if len(pairs) == 1]


def _divided(before: Sequence[str], after: Sequence[str], head: int, tail: int, whole: int = 0) -> Iterator[Opcode]:
    """What is `equal`, `head` and `tail` first, and what is still to be looked into, as `replace`.

    Anchors divide the rest, if it has more than `whole` pairs of equal lines.
    """
    last_a, last_b = len(before) - tail, len(after) - tail
    a_lines, b_lines = before[head:last_a], after[head:last_b]
    a = b = start_a = start_b = 0
    yield "equal", 0, head, 0, head
    if not whole or len(a_lines) > _MOST_LINES or _equal_pairs(a_lines, b_lines) > whole:
        for i, j in _anchors(a_lines, b_lines):
            if i - a != j - b or (i != a and a_lines[a:i] != b_lines[b:j]):
                yield "equal", head + start_a, head + a, head + start_b, head + b
                yield "replace", head + a, head + i, head + b, head + j
                start_a, start_b = i, j
            a, b = i + 1, j + 1
    yield "equal", head + start_a, head + a, head + start_b, head + b
    yield "replace", head + a, last_a, head + b, last_b
    yield "equal", last_a, len(before), last_b, len(after)


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """The longest ascending run of pairs of lines that stand once on each side."""
    counts, new_counts = Counter(before), Counter(after)
    places = {line: index for index, line in enumerate(after) if new_counts[line] == 1}
    pairs = [(index, places[line]) for index, line in enumerate(before) if line in places and counts[line] == 1]
    if all(one[1] < other[1] for one, other in pairwise(pairs)):
        return pairs
    lasts: list[int] = []
    ends: list[tuple[Pair, int]] = []  # a pair, and the place in `ends` of the one that precedes it, or -1
    tops: list[int] = []
    for pair in pairs:
        depth = bisect_left(lasts, pair[1])
        ends.append((pair, tops[depth - 1] if depth else -1))
        lasts[depth : depth + 1] = [pair[1]]
        tops[depth : depth + 1] = [len(ends) - 1]
    anchors: list[Pair] = []
    top = tops[-1] if tops else -1
    while top >= 0:
        pair, top = ends[top]
        anchors.append(pair)
    return anchors[::-1]


def _stretch(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    """The opcodes of a stretch without anchors; its common head and tail are cut off first."""
    if not before and not after:
        return []
    head, tail = _common(before, after)
    a, b = before[head : len(before) - tail], after[head : len(after) - tail]
    opcodes: list[Opcode] = []
    _equal(opcodes, 0, 0, head)
    pairs = len(a) * len(b)
    if pairs == 0 or pairs > _MOST_PAIRS:
        _changed(opcodes, head, head + len(a), head, head + len(b))
    else:
        _shifted(opcodes, _readable(a, b) if pairs <= _READABLE_PAIRS else _shortest(a, b), head, head)
    _equal(opcodes, len(before) - tail, len(after) - tail, tail)
    return opcodes


def _readable(before: Sequence[str], after: Sequence[str]) -> Sequence[Opcode]:
    return SequenceMatcher(None, before, after, autojunk=False).get_opcodes()


def _shortest(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    from rapidfuzz.distance import Indel  # 20 ms to load, and hardly ever needed

    numbers: dict[str, int] = {}  # rapidfuzz compares hashes, and those of numbers do not collide
    a, b = ([numbers.setdefault(line, len(numbers)) for line in side] for side in (before, after))
    opcodes: list[Opcode] = []
    i = j = 0
    for found in Indel.opcodes(a, b):
        if found.tag == "equal":
            _changed(opcodes, i, found.src_start, j, found.dest_start)
            i, j = found.src_end, found.dest_end
            _equal(opcodes, found.src_start, found.dest_start, i - found.src_start)
    _changed(opcodes, i, len(a), j, len(b))
    return opcodes
