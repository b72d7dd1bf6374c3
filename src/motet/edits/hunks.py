"""Hunks: what differs between two versions of a file, in pieces that a person can judge one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from motet.edits.lines import Line, join_lines, split_lines
from motet.edits.regions import Regions
from motet.text.changes import changes
from motet.text.merge import LineMap

_JOIN_DISTANCE = 3
"""Changes of one edit with at most this many unchanged lines between them are one hunk until it is split."""
_CONTEXT = 2
"""Unchanged lines shown on each side of a change."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `first` up to `last` (0-based, end exclusive) of the file before become `new`.

    `parts` are the smallest changes inside, for splitting; a hunk of one part cannot be split. A hunk without any
    line stands for what happens to the file besides: it is created empty, moved, or removed while it is empty.
    `edits` are the numbers of the edits that it comes from, as far as that is known.
    """

    first: int
    last: int
    old: tuple[Line, ...]
    new: tuple[Line, ...]
    parts: tuple[Hunk, ...] = ()
    edits: frozenset[int] = frozenset()

    @property
    def line(self) -> int:
        """1-based line of the file before at which the hunk begins."""
        return self.first + 1

    @property
    def has_lines(self) -> bool:
        """Whether it takes any line away or adds one."""
        return bool(self.old or self.new)

    def shifted(self, by: int) -> Hunk:
        """The same change, `by` lines further down."""
        parts = tuple(part.shifted(by) for part in self.parts)
        return replace(self, first=self.first + by, last=self.last + by, parts=parts)


WITHOUT_LINES = Hunk(0, 0, (), ())
"""The hunk of a file that is created empty, or moved as it is."""


def remove_all(before: str) -> Hunk:
    """The hunk that takes away every line."""
    lines = split_lines(before)
    return Hunk(0, len(lines), tuple(lines), ())


def find_hunks(before: str, after: str, regions: Regions | None = None) -> tuple[Hunk, ...]:
    """The hunks from `before` to `after`; line ends count, so that a changed line end is a change.

    `regions`: what each edit makes of `before`, if that is all that makes `after` of it. No hunk is then of two edits,
    however near they are, but where both want one line or one changes what the other has written.
    """
    old = split_lines(before)
    if regions is None or not regions.all or not regions.make(before, after):
        parts = list(_parts(0, old, split_lines(after), frozenset()))
    else:
        parts = [
            part
            for one in regions.in_lines(before)
            for part in _parts(one.first, split_lines(one.old), split_lines(one.new), one.edits)
        ]
    groups: list[list[Hunk]] = []
    for part in parts:
        last = groups[-1][-1] if groups else None
        if last and part.edits == last.edits and part.first - last.last <= _JOIN_DISTANCE:
            groups[-1].append(part)
        else:
            groups.append([part])
    return tuple(_join(old, group) for group in groups)


def _parts(at: int, old: Sequence[Line], new: Sequence[Line], edits: frozenset[int]) -> Iterator[Hunk]:
    """The smallest changes from `old`, the lines of a file from `at` on, to `new`."""
    for tag, first, last, new_first, new_last in changes(_whole(old), _whole(new)):
        if tag != "equal":
            yield Hunk(at + first, at + last, tuple(old[first:last]), tuple(new[new_first:new_last]), (), edits)


def apply_hunks(before: str, hunks: Sequence[Hunk]) -> str:
    """`before` with `hunks`, which do not overlap, applied; any subset of `find_hunks`, in its order, is fine."""
    lines = split_lines(before)
    # What is added before a line comes first, then what becomes of that line.
    in_order = sorted(hunks, key=lambda hunk: (hunk.first, hunk.last))
    for hunk in reversed(in_order):
        lines[hunk.first : hunk.last] = hunk.new
    return join_lines(lines)


def carry_hunks(before: str, now: str, hunks: Sequence[Hunk]) -> list[Hunk | None]:
    """`hunks` of the text `before` as hunks of the text `now`; None for one that somebody else's change touches."""
    lines = LineMap(before, now)
    places = [lines.place(hunk.first, hunk.last) for hunk in hunks]
    return [
        None if place is None else hunk.shifted(place - hunk.first) for hunk, place in zip(hunks, places, strict=True)
    ]


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


def _join(old: Sequence[Line], parts: Sequence[Hunk]) -> Hunk:
    if len(parts) == 1:
        return parts[0]
    first, last = parts[0].first, parts[-1].last
    new: list[Line] = []
    position = first
    for part in parts:
        new += [*old[position : part.first], *part.new]
        position = part.last
    return Hunk(first, last, tuple(old[first:last]), tuple(new), tuple(parts), parts[0].edits)
