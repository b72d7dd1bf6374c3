"""The matching ladder: where in a text do these lines stand? The first rung that has any spot decides.

A rung with several spots is a refusal, not a reason to try a looser one. Never on any rung: without regard to
case or to all white space, by first and last line alone, or the first of many. What each rung forgives is told in
`docs/edits.md`; rung 8 (elision) is in `elision.py`, rung 9 (approximate) in `nearest.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress, count, groupby, pairwise
from operator import eq

from motet.edits.decorations import undecorated
from motet.edits.indent import UNSHIFTED, IndentShift, exact_body, find_shift
from motet.edits.lookalikes import fold
from motet.edits.outcome import Rung
from motet.edits.stretches import Stretch, starts, stretches, stretches_by
from motet.edits.view import LONG_LINE, View
from motet.text.changes import Opcode, changes

MOST_PLACES = 50_000
"""Places of a part of a line that are told apart; of more, only the number counts."""


@dataclass(frozen=True, slots=True)
class Needle:
    """What to look for and what to put there: lines without their ends. `signs` as a hunk has them (`Replace`)."""

    search: tuple[str, ...]
    replace: tuple[str, ...]
    signs: str = ""

    @classmethod
    def of(cls, search: str, replace: str, signs: str = "") -> Needle:
        """From two texts of whole lines."""
        return cls(lines_of(search), lines_of(replace), signs)

    def changes(self) -> list[Opcode]:
        """Which lines stay and which do not: context stays, and of the lines between what both texts have there."""
        counts = (len(self.signs) - self.signs.count("+"), len(self.signs) - self.signs.count("-"))
        if counts != (len(self.search), len(self.replace)):
            return changes(self.search, self.replace)
        opcodes: list[Opcode] = []
        i = j = 0
        for is_context, run in groupby(self.signs, " ".__eq__):
            signs = "".join(run)
            a, b = len(signs) - signs.count("+"), len(signs) - signs.count("-")
            found = (
                [("equal", 0, a, 0, b)] if is_context else changes(self.search[i : i + a], self.replace[j : j + b])
            )
            opcodes += [(tag, i + i1, i + i2, j + j1, j + j2) for tag, i1, i2, j1, j2 in found]
            i, j = i + a, j + b
        return opcodes


@dataclass(frozen=True, slots=True)
class Fit:
    """How the search lines fit the lines of the text that they are found at.

    `shift` turns their indentation into the text's. `pairs` says for each search line which of those lines it is,
    0-based (None: a blank line that is not there); without it they correspond one to one.
    """

    shift: IndentShift = UNSHIFTED
    pairs: tuple[int | None, ...] | None = None


AS_GIVEN = Fit()
"""One to one, indented alike."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Characters `start` up to `end` of the text; `fit` when the lines do not stand there just as they were given."""

    start: int
    end: int
    fit: Fit | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """All spots on the strictest rung that has any; `needle` is what was looked for there in the end."""

    rung: Rung
    needle: Needle
    spots: tuple[Spot, ...]


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


def spot_of(view: View, at: int, count: int, fit: Fit | None = None) -> Spot:
    """The spot of `count` whole lines, the first of which begins at offset `at` of `view.flat`."""
    first = view.line_at(at)
    return Spot(*view.span(first, first + count), fit)


def find_drifted(view: View, needle: Needle) -> Found | None:
    """Spots of lines that do not stand in the text exactly, on rungs 3 and 4."""
    found = stretches(view, [line.strip() for line in needle.search])
    plain = [line.rstrip() for line in needle.search]
    spots = [Spot(one.start, one.end, AS_GIVEN) for one in found if plain == list(map(str.rstrip, one.lines))]
    if spots:
        return Found(Rung.TRAILING_SPACE, needle, tuple(spots))
    if _has_long_line(needle.search):
        return None
    return _found(Rung.INDENTATION, needle, _shifted(needle.search, found))


def find_loose(view: View, needle: Needle) -> Found | None:
    """Spots on rungs 5 to 7, which forgive what copying and retyping do to a text."""
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
        spots = [spot_of(view, at, len(search), AS_GIVEN) for at in find_exact(view, text)] if search else []
        found = _found(Rung.DECORATIONS, cleaned, spots) or find_drifted(view, cleaned)
        if found is not None:
            return Found(Rung.DECORATIONS, cleaned, found.spots)
    return None


def _look_alike(view: View, needle: Needle) -> Found | None:
    if view.flat.isascii() and all(line.isascii() for line in needle.search):
        return None
    wanted = [fold(line).strip() for line in needle.search]
    if not _may_stand(view, wanted, lambda line: fold(line).strip()):
        return None
    found = stretches_by(view, view.folded_keys, wanted)
    return _found(Rung.LOOK_ALIKES, needle, _shifted(needle.search, found, _folded_body))


def _squeezed(view: View, needle: Needle) -> Found | None:
    """Blank lines are left out on both sides, runs of white space inside a line count as one space."""
    wanted = [(index, _squeeze(line)) for index, line in enumerate(needle.search)]
    wanted = [(index, key) for index, key in wanted if key]
    if not wanted or not _may_stand(view, [key for _, key in wanted], _squeeze):
        return None
    keys = list(filter(None, view.squeezed))
    present = list(compress(count(), view.squeezed))  # the numbers of their lines
    spots: list[Spot] = []
    shift_to = _shifts([needle.search[index] for index, _ in wanted], _squeezed_body)
    for start in starts(keys, [key for _, key in wanted]):
        numbers = present[start : start + len(wanted)]
        shift = shift_to(tuple(view.lines[number] for number in numbers))
        if shift is not None:
            fit = Fit(shift, _paired(needle, [index for index, _ in wanted], numbers, view))
            spots.append(Spot(*view.span(numbers[0], numbers[-1] + 1), fit))
    if len(spots) * len(needle.search) > _MOST_ALIGNED or any(_divides_blank_lines(needle, one.fit) for one in spots):
        return None
    return _found(Rung.FOLDED, needle, spots)


def _divides_blank_lines(needle: Needle, fit: Fit | None) -> bool:
    """Whether text and search text have other blank lines just where the edit changes something: nobody knows which
    of them are meant. Blank lines before or after everything else in the search text divide nothing."""
    pairs = fit and fit.pairs
    if pairs is None or pairs == tuple(range(len(pairs))):
        return False
    search = needle.search
    numbers = [-1 if pair is None else pair for pair in pairs]
    gaps = {index for index, (one, next_) in enumerate(pairwise(numbers), 1) if one >= 0 and next_ > one + 1}
    if any(search[index - 1] == search[index] for index in gaps):
        return True  # a line stands twice: which one is it?
    inner = range(*_inside(pairs))
    changed = [change for change in needle.changes() if change[0] != "equal"]
    if len(inner) < len(search) and _moves_a_line(needle, changed):
        return True  # past the blank line that is not there?
    for _, first, last, new_first, new_last in changed:
        removed = [line for index, line in enumerate(search[first:last], first) if index in inner]
        added = needle.replace[new_first:new_last]
        is_at_edge = first < inner.start or last > inner.stop or _is_beside(first, last, inner, len(search))
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


def _moves_a_line(needle: Needle, changed: Sequence[Opcode]) -> bool:
    """Whether a line goes in one place and comes in another."""
    gone = {line for _, first, last, _, _ in changed for line in needle.search[first:last] if line.strip()}
    return any(line in gone for _, _, _, first, last in changed for line in needle.replace[first:last])


def _is_beside(first: int, last: int, inner: range, count: int) -> bool:
    """Whether new lines are to go between a blank line that is not there and what is."""
    return first == last and (0 < inner.start == first or last == inner.stop < count)


def _inside(pairs: Sequence[int | None]) -> tuple[int, int]:
    """Without the lines at both ends that have no pair."""
    present = [index for index, pair in enumerate(pairs) if pair is not None]
    return present[0], present[-1] + 1


def _paired(needle: Needle, wanted: Sequence[int], numbers: Sequence[int], view: View) -> tuple[int | None, ...]:
    """For each search line the text's line: blank ones pair with blank ones where they can."""
    first, last = numbers[0], numbers[-1] + 1
    pairs: list[int | None] = [None] * len(needle.search)
    for index, number in zip(wanted, numbers, strict=True):
        pairs[index] = number - first
    for index in range(1, len(pairs)):
        before = pairs[index - 1]
        if pairs[index] is None and before is not None and first + before + 1 < last:
            after = first + before + 1
            pairs[index] = after - first if not view.keys[after] else None
    return tuple(pairs)


def _may_stand(view: View, wanted: Sequence[str], key: Callable[[str], str]) -> bool:
    """Whether lines of which `key` makes those that are `wanted` may be in the text, blank ones apart. Looks only
    around one of the longest words of these, if it is rare; that tells most texts apart at once."""
    keys = [one for one in wanted if one]
    words = sorted({(word, index) for index, one in enumerate(keys) for word in one.split()}, key=_longest_first)
    for word, index in words[:_TRIED_WORDS]:
        places = view.places(word, _FEW + 1)
        if len(places) <= _FEW and word not in view.folded_rest:
            return any(_agrees(view, at, keys, index, key) for at in places)
    return True


def _agrees(view: View, at: int, keys: Sequence[str], index: int, key: Callable[[str], str]) -> bool:
    """Whether the lines around offset `at`, which is in line `index` of those with `keys`, have these."""
    below = filter(None, map(key, view.lines_below(at)))
    above = filter(None, map(key, view.lines_above(at)))
    return all(map(eq, keys[index:], below)) and all(map(eq, reversed(keys[:index]), above))


def _longest_first(word: tuple[str, int]) -> tuple[int, tuple[str, int]]:
    return -len(word[0]), word


def _folded_body(line: str) -> str:
    return fold(exact_body(line))


def _squeeze(line: str) -> str:
    """`line` folded, with every run of white space as one space; a very long line as it is."""
    return " ".join(fold(line).split()) if len(line) < LONG_LINE else line


def _squeezed_body(line: str) -> str:
    body = _folded_body(line)
    return body[:1].replace("\t", " ") + " ".join(body.split())


def _shifted(search: Sequence[str], found: Sequence[Stretch], body: Callable[[str], str] = exact_body) -> list[Spot]:
    shift_to = _shifts(search, body)
    shifts = ((one, shift_to(one.lines)) for one in found)
    return [Spot(one.start, one.end, Fit(shift)) for one, shift in shifts if shift is not None]


def _shifts(search: Sequence[str], body: Callable[[str], str]) -> Callable[[tuple[str, ...]], IndentShift | None]:
    """`find_shift` for this search text, which knows again lines that it has seen: a file may repeat itself."""

    @cache
    def shift_to(found: tuple[str, ...]) -> IndentShift | None:
        return find_shift(search, found, body)

    return shift_to


def _found(rung: Rung, needle: Needle, spots: Sequence[Spot]) -> Found | None:
    return Found(rung, needle, tuple(spots)) if spots else None


def _has_long_line(lines: Sequence[str]) -> bool:
    return any(len(line) > LONG_LINE for line in lines)


_MOST_ALIGNED = 20_000
"""Lines of all hits together for which it is looked at which blank lines they lack."""
_TRIED_WORDS = 12
"""The longest words of a search text, of which one that is rare tells where to look."""
_FEW = 30
"""Places of a word that is rare."""
