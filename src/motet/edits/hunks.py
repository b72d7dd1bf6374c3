"""Hunks: what differs between two versions of a file, in pieces that a person can judge one by one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from motet.edits.lines import Line, join_lines, split_lines
from motet.edits.outcome import count_lines
from motet.edits.regions import Regions
from motet.text.changes import changes
from motet.text.file import Replaced, spliced
from motet.text.merge import LineMap

_JOIN_DISTANCE = 3
"""Changes of one edit with at most this many unchanged lines between them are one hunk until it is split."""
_CONTEXT = 2
"""Unchanged lines shown on each side of a change."""


class LineNumbers:
    """The numbers of lines of `text`. Each is counted when it is asked for, from the nearest place before it that is
    known: what needs no number does not look through the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places, self._numbers = [0], [0]

    def at(self, start: int) -> int:
        """How many lines (CR LF, LF or CR) end before the character `start`."""
        known = bisect_right(self._places, start) - 1
        place, number = self._places[known], self._numbers[known]
        if place == start:
            return number
        number += count_lines(self._text, place, start)
        self._places.insert(known + 1, start)
        self._numbers.insert(known + 1, number)
        return number


@dataclass(frozen=True, slots=True)
class Hunk:
    """The lines `old` of the file before, from its character `start` on, become `new`.

    `parts` are the smallest changes inside, for splitting; a hunk of one part cannot be split. A hunk without any
    line stands for what happens to the file besides: it is created empty, moved, or removed while it is empty.
    `edits` are the numbers of the edits that it comes from, as far as that is known. `lines` tell the numbers of the
    lines of the file before.
    """

    start: int
    old: tuple[Line, ...]
    new: tuple[Line, ...]
    lines: LineNumbers = field(repr=False, compare=False)
    parts: tuple[Hunk, ...] = ()
    edits: frozenset[int] = frozenset()
    caution: str = ""
    """How loosely its place was found, for whoever decides; empty where that was given exactly."""

    @property
    def first(self) -> int:
        """The line of the file before, from 0, at which the hunk begins."""
        return self.lines.at(self.start)

    @property
    def last(self) -> int:
        """The line after the last one that it takes away; `first` where it only adds some."""
        return self.first + len(self.old)

    @property
    def end(self) -> int:
        """The character of the file before behind the last line that it takes away."""
        return self.start + sum(len(line.text) + len(line.end) for line in self.old)

    @property
    def line(self) -> int:
        """1-based line of the file before at which the hunk begins."""
        return self.first + 1

    @property
    def has_lines(self) -> bool:
        """Whether it takes any line away or adds one."""
        return bool(self.old or self.new)

    def moved(self, start: int, lines: LineNumbers) -> Hunk:
        """The same change of another text, in which the same lines stand from the character `start` on."""
        parts = tuple(part.moved(start + part.start - self.start, lines) for part in self.parts)
        return replace(self, start=start, lines=lines, parts=parts)


WITHOUT_LINES = Hunk(0, (), (), LineNumbers(""))
"""The hunk of a file that is created empty, or moved as it is."""


def remove_all(before: str) -> Hunk:
    """The hunk that takes away every line."""
    return Hunk(0, tuple(split_lines(before)), (), LineNumbers(before))


def find_hunks(before: str, after: str) -> tuple[Hunk, ...]:
    """The hunks from `before` to `after`; line ends count, so that a changed line end is a change."""
    numbers = LineNumbers(before)
    return _joined(before, _parts(0, split_lines(before), split_lines(after), frozenset(), numbers))


def hunks_of_edits(before: str, regions: Regions) -> tuple[Hunk, ...]:
    """The hunks of what each edit makes of `before`; the rest of it is not looked at.

    No hunk is of two edits, however near they are, but where both want one line or one changes what the other has
    written.
    """
    numbers = LineNumbers(before)
    return _joined(
        before,
        [
            part
            for one in regions.in_lines(before)
            for part in _parts(one.start, split_lines(one.old), split_lines(one.new), one.edits, numbers)
        ],
    )


def _parts(
    start: int, old: Sequence[Line], new: Sequence[Line], edits: frozenset[int], numbers: LineNumbers
) -> list[Hunk]:
    """The smallest changes from `old`, the lines of a file from the character `start` on, to `new`."""
    before = _whole(old)
    starts = list(accumulate(map(len, before), initial=start))
    return [
        Hunk(starts[first], tuple(old[first:last]), tuple(new[new_first:new_last]), numbers, (), edits)
        for tag, first, last, new_first, new_last in changes(before, _whole(new))
        if tag != "equal"
    ]


def _joined(before: str, parts: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """The changes of one edit that are near each other as one hunk."""
    groups: list[list[Hunk]] = []
    end = 0
    for part in parts:
        last = groups[-1][-1] if groups else None
        if last and part.edits == last.edits and count_lines(before, end, part.start) <= _JOIN_DISTANCE:
            groups[-1].append(part)
        else:
            groups.append([part])
        end = part.end
    return tuple(_join(before, group) for group in groups)


def _join(before: str, parts: Sequence[Hunk]) -> Hunk:
    if len(parts) == 1:
        return parts[0]
    old: list[Line] = []
    new: list[Line] = []
    position = parts[0].start
    for part in parts:
        between = split_lines(before[position : part.start])
        old += [*between, *part.old]
        new += [*between, *part.new]
        position = part.end
    return replace(parts[0], old=tuple(old), new=tuple(new), parts=tuple(parts))


def replaced_by(hunks: Sequence[Hunk]) -> list[Replaced]:
    """What `hunks`, which do not overlap, replace in the text before, in order."""
    # What is added before a line comes first, then what becomes of that line.
    return sorted(((one.start, one.end, join_lines(one.new)) for one in hunks), key=lambda each: each[:2])


def apply_hunks(before: str, hunks: Sequence[Hunk]) -> str:
    """`before` with `hunks`, which do not overlap, applied; any subset of `find_hunks`, in its order, is fine."""
    return "".join(spliced(before, replaced_by(hunks))) if hunks else before


def apply_hunks_at(now: str, placed: Sequence[tuple[int, Hunk]]) -> str:
    """`now` with hunks whose lines stand there from the given lines (0-based) on."""
    starts = _starts(now)
    return apply_hunks(now, [hunk.moved(starts[line], hunk.lines) for line, hunk in placed])


def carry_hunks(before: str, now: str, hunks: Sequence[Hunk]) -> list[Hunk | None]:
    """`hunks` of the text `before` as hunks of the text `now`; None for one that somebody else's change touches."""
    lines, numbers, starts = LineMap(before, now), LineNumbers(now), _starts(now)
    places = [lines.place(hunk.first, hunk.last) for hunk in hunks]
    return [
        None if place is None else hunk.moved(starts[place], numbers)
        for hunk, place in zip(hunks, places, strict=True)
    ]


def _starts(text: str) -> list[int]:
    """The characters at which the lines of `text` begin, and where it ends."""
    return list(accumulate((len(line.text) + len(line.end) for line in split_lines(text)), initial=0))


def describe_change(old: Sequence[Line], new: Sequence[Line]) -> str:
    """What became of `old`, as the body of a small unified diff."""
    return "\n".join(_diff(old, new))


def _diff(old: Sequence[Line], new: Sequence[Line]) -> Iterator[str]:
    opcodes = changes(_whole(old), _whole(new))
    for number, (tag, first, last, new_first, new_last) in enumerate(opcodes):
        if tag == "equal":
            yield from _context(old[first:last], is_first=number == 0, is_last=number == len(opcodes) - 1)
            continue
        yield from (f"-{line.text}" for line in old[first:last])
        yield from (f"+{line.text}" for line in new[new_first:new_last])


def _context(lines: Sequence[Line], *, is_first: bool, is_last: bool) -> Iterator[str]:
    """Unchanged lines next to a change; of a long run the middle is counted, not shown."""
    head = lines[: 0 if is_first else _CONTEXT]
    rest = lines[len(head) :]
    tail = rest[len(rest) if is_last else max(len(rest) - _CONTEXT, 0) :]
    left_out = len(rest) - len(tail)
    yield from (f" {line.text}" for line in head)
    if left_out:
        yield f"@@ {left_out} unchanged {'line' if left_out == 1 else 'lines'} @@"
    yield from (f" {line.text}" for line in tail)


def _whole(lines: Sequence[Line]) -> list[str]:
    return [line.text + line.end for line in lines]
