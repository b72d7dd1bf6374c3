"""The matching ladder: where in a text do these lines stand? The first rung that has any hit decides.

A rung with several hits is a refusal, not a reason to try a looser one. Never on any rung: without regard to
case or to all white space, by first and last line alone, or the first of many. What each rung forgives is told in
`docs/edits.md`; rung 8 (elision) is in `elision.py`, rung 9 (approximate) in `nearest.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress, count, pairwise

from motet.edits.decorations import undecorated
from motet.edits.indent import UNSHIFTED, IndentShift, exact_body, find_shift
from motet.edits.lookalikes import fold
from motet.edits.outcome import Rung
from motet.edits.view import LONG_LINE, View
from motet.text.changes import changes

MOST_PLACES = 50_000
"""Places of a part of a line that are told apart; of more, only the number counts."""


@dataclass(frozen=True, slots=True)
class Needle:
    """What to look for and what to put there: lines without their ends."""

    search: tuple[str, ...]
    replace: tuple[str, ...]

    @classmethod
    def of(cls, search: str, replace: str) -> Needle:
        """From two texts of whole lines."""
        return cls(lines_of(search), lines_of(replace))


@dataclass(frozen=True, slots=True)
class Hit:
    """The search lines stand in lines `first` up to `last` (0-based, end exclusive) of the text.

    `shift` turns their indentation into the text's. `pairs` says for each search line which line of the text it
    is, counted from `first` (None: a blank line that is not there); without it they correspond one to one.
    """

    first: int
    last: int
    shift: IndentShift = UNSHIFTED
    pairs: tuple[int | None, ...] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """All hits on the strictest rung that has any; `needle` is what was looked for there in the end."""

    rung: Rung
    needle: Needle
    hits: tuple[Hit, ...]


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of `text`, which end at LF, CR LF or CR, without their ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(lines)


def find_exact(view: View, search: str) -> list[int]:
    """Offsets in `view.flat` at which `search`, whole lines ended by LF, stands as whole lines."""
    flat = view.flat
    starts = [0] if flat.startswith(search) else []
    starts += [at + 1 for at in view.places("\n" + search)]
    if not flat.endswith("\n") and flat.endswith(search[:-1]):
        last = len(flat) - len(search) + 1
        if flat and (last == 0 or flat[last - 1] == "\n"):
            starts.append(last)
    return starts


def find_within(view: View, search: str, *, all: bool = False) -> list[int]:
    """Offsets in `view.flat` at which `search` stands, inside lines too; of very many only the first
    `MOST_PLACES` + 1, unless `all` are wanted."""
    return view.places(search) if all else view.places(search, MOST_PLACES + 1)


def find_drifted(view: View, needle: Needle) -> Found | None:
    """Hits of lines that do not stand in the text exactly, on rungs 3 and 4."""
    starts = _starts(view.keys, [line.strip() for line in needle.search])
    if not starts:
        return None
    size = len(needle.search)
    plain = [line.rstrip() for line in needle.search]
    hits = [Hit(at, at + size) for at in starts if plain == list(map(str.rstrip, view.lines[at : at + size]))]
    if hits:
        return Found(Rung.TRAILING_SPACE, needle, tuple(hits))
    if _has_long_line(needle.search):
        return None
    return _found(Rung.INDENTATION, needle, _shifted(needle.search, view.lines, starts))


def find_loose(view: View, needle: Needle) -> Found | None:
    """Hits on rungs 5 to 7, which forgive what copying and retyping do to a text."""
    if not needle.search or _has_long_line(needle.search):
        return None
    for rung in (_decorated, _look_alike, _squeezed):
        found = rung(view, needle)
        if found is not None:
            return found
    return None


def _decorated(view: View, needle: Needle) -> Found | None:
    for search, replace in undecorated(needle.search, needle.replace):
        cleaned = Needle(search, replace)
        text = "".join(line + "\n" for line in search)
        hits = [Hit(line, line + len(search)) for line in map(view.line_at, find_exact(view, text))] if search else []
        found = _found(Rung.DECORATIONS, cleaned, hits) or find_drifted(view, cleaned)
        if found is not None:
            return Found(Rung.DECORATIONS, cleaned, found.hits)
    return None


def _look_alike(view: View, needle: Needle) -> Found | None:
    if view.flat.isascii() and all(line.isascii() for line in needle.search):
        return None
    starts = _starts(view.folded_keys, [fold(line).strip() for line in needle.search])
    return _found(Rung.LOOK_ALIKES, needle, _shifted(needle.search, view.lines, starts, _folded_body))


def _squeezed(view: View, needle: Needle) -> Found | None:
    """Blank lines are left out on both sides, runs of white space inside a line count as one space."""
    wanted = [(index, " ".join(fold(line).split())) for index, line in enumerate(needle.search)]
    wanted = [(index, key) for index, key in wanted if key]
    if not wanted or not _may_stand(view, [key for _, key in wanted]):
        return None
    keys = list(filter(None, view.squeezed))
    present = list(compress(count(), view.squeezed))  # the numbers of their lines
    hits: list[Hit] = []
    shift_to = _shifts([needle.search[index] for index, _ in wanted], _squeezed_body)
    for start in _starts(keys, [key for _, key in wanted]):
        numbers = present[start : start + len(wanted)]
        shift = shift_to(tuple(view.lines[number] for number in numbers))
        if shift is not None:
            hits.append(_aligned(needle, [index for index, _ in wanted], numbers, view, shift))
    if len(hits) * len(needle.search) > _MOST_ALIGNED or any(_divides_blank_lines(needle, hit) for hit in hits):
        return None
    return _found(Rung.FOLDED, needle, hits)


def _divides_blank_lines(needle: Needle, hit: Hit) -> bool:
    """Whether text and search text have other blank lines just where the edit changes something: nobody knows which
    of them are meant. Blank lines before or after everything else in the search text divide nothing."""
    pairs = hit.pairs
    if pairs is None or (hit.last - hit.first == len(pairs) and None not in pairs):
        return False
    search = needle.search
    numbers = [-1 if pair is None else pair for pair in pairs]
    gaps = {index for index, (one, next_) in enumerate(pairwise(numbers), 1) if one >= 0 and next_ > one + 1}
    if any(search[index - 1] == search[index] for index in gaps):
        return True  # a line stands twice: which one is it?
    inner = range(*_inside(pairs))
    for tag, first, last, new_first, new_last in changes(search, needle.replace):
        if tag == "equal":
            continue
        removed = [line for index, line in enumerate(search[first:last], first) if index in inner]
        added = needle.replace[new_first:new_last]
        is_at_edge = first < inner.start or last > inner.stop
        if is_at_edge and added and len(removed) != len(added):
            return True
        if is_at_edge and not removed:
            continue
        if not all(map(str.strip, (*removed, *added))):
            return True
        around = [index for index in range(max(first - 1, 0), last + 1) if index in inner]
        uneven = any(pairs[index] is None or (index in gaps and index > around[0]) for index in around)
        if uneven and len(removed) != len(added):
            return True
    return False


def _inside(pairs: Sequence[int | None]) -> tuple[int, int]:
    """Without the lines at both ends that have no pair."""
    present = [index for index, pair in enumerate(pairs) if pair is not None]
    return present[0], present[-1] + 1


def _aligned(needle: Needle, wanted: Sequence[int], numbers: Sequence[int], view: View, shift: IndentShift) -> Hit:
    """The hit with, for each search line, the text's line: blank ones pair with blank ones where they can."""
    first, last = numbers[0], numbers[-1] + 1
    pairs: list[int | None] = [None] * len(needle.search)
    for index, number in zip(wanted, numbers, strict=True):
        pairs[index] = number - first
    for index in range(1, len(pairs)):
        before = pairs[index - 1]
        if pairs[index] is None and before is not None and first + before + 1 < last:
            after = first + before + 1
            pairs[index] = after - first if not view.keys[after] else None
    return Hit(first, last, shift, tuple(pairs))


def _may_stand(view: View, keys: Sequence[str]) -> bool:
    """Whether the longest words of the search text are in the text at all; that tells most texts apart at once."""
    words = sorted({word for key in keys for word in key.split()}, key=len, reverse=True)[:_TRIED_WORDS]
    return not view.flat.isascii() or all(word in view.flat for word in words)


def _starts(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where `wanted` stands in `lines`. Looks only around its rarest line, so cost grows with the text."""
    if not wanted or len(wanted) > len(lines):
        return []
    longest = sorted(range(len(wanted)), key=lambda index: -len(wanted[index]))[:_TRIED_FOR_RAREST]
    counts = {index: lines.count(wanted[index]) for index in longest}
    rarest = min(counts, key=counts.__getitem__)
    if not counts[rarest]:
        return []
    if counts[rarest] * len(wanted) > _MOST_COMPARED:
        return []
    return [
        at - rarest
        for at in _places(lines, wanted[rarest])
        if at >= rarest and lines[at - rarest : at - rarest + len(wanted)] == wanted
    ]


def _places(lines: Sequence[str], wanted: str) -> Iterator[int]:
    at = -1
    try:
        while True:
            at = lines.index(wanted, at + 1)
            yield at
    except ValueError:
        return


def _folded_body(line: str) -> str:
    return fold(exact_body(line))


def _squeezed_body(line: str) -> str:
    body = _folded_body(line)
    return body[:1].replace("\t", " ") + " ".join(body.split())


def _shifted(
    search: Sequence[str], lines: Sequence[str], starts: Sequence[int], body: Callable[[str], str] = exact_body
) -> list[Hit]:
    shift_to = _shifts(search, body)
    hits: list[Hit] = []
    for start in starts:
        shift = shift_to(tuple(lines[start : start + len(search)]))
        if shift is not None:
            hits.append(Hit(start, start + len(search), shift))
    return hits


def _shifts(search: Sequence[str], body: Callable[[str], str]) -> Callable[[tuple[str, ...]], IndentShift | None]:
    """`find_shift` for this search text, which knows again lines that it has seen: a file may repeat itself."""

    @cache
    def shift_to(found: tuple[str, ...]) -> IndentShift | None:
        return find_shift(search, found, body)

    return shift_to


def _found(rung: Rung, needle: Needle, hits: Sequence[Hit]) -> Found | None:
    return Found(rung, needle, tuple(hits)) if hits else None


def _has_long_line(lines: Sequence[str]) -> bool:
    return any(len(line) > LONG_LINE for line in lines)


_MOST_ALIGNED = 20_000
"""Lines of all hits together for which it is looked at which blank lines they lack."""
_MOST_COMPARED = 20_000_000
"""Lines that are compared at most to find a text which does not stand exactly; of a file that repeats itself so often
nobody could say which place is meant."""
_TRIED_WORDS = 12
"""The longest words of a search text, of which each has to stand in the text before its lines are compared."""
_TRIED_FOR_RAREST = 3
"""The longest lines of a search text, of which the rarest one leads the search."""
