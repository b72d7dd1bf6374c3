"""Hunks: what differs between two versions of a file, in pieces that a person can judge one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from motet.edits.lines import Line, join_lines, split_lines
from motet.text.changes import changes
from motet.text.merge import LineMap

_JOIN_DISTANCE = 3
"""Changes with at most this many unchanged lines between them are one hunk until it is split."""
_CONTEXT = 2
"""Unchanged lines shown on each side of a change."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `first` up to `last` (0-based, end exclusive) of the file before become `new`.

    `parts` are the smallest changes inside, for splitting; a hunk of one part cannot be split. A hunk without any
    line stands for what happens to the file besides: it is created empty, moved, or removed while it is empty.
    """

    first: int
    last: int
    old: tuple[Line, ...]
    new: tuple[Line, ...]
    parts: tuple[Hunk, ...] = ()

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


def find_hunks(before: str, after: str) -> tuple[Hunk, ...]:
    """The hunks from `before` to `after`; line ends count, so that a changed line end is a change."""
    old, new = split_lines(before), split_lines(after)
    parts = [
        Hunk(first, last, tuple(old[first:last]), tuple(new[new_first:new_last]))
        for tag, first, last, new_first, new_last in changes(_whole(old), _whole(new))
        if tag != "equal"
    ]
    groups: list[list[Hunk]] = []
    for part in parts:
        if groups and part.first - groups[-1][-1].last <= _JOIN_DISTANCE:
            groups[-1].append(part)
        else:
            groups.append([part])
    return tuple(_join(old, group) for group in groups)


def apply_hunks(before: str, hunks: Sequence[Hunk]) -> str:
    """`before` with `hunks`, which do not overlap, applied; any subset of `find_hunks` is fine."""
    lines = split_lines(before)
    for hunk in sorted(hunks, key=lambda hunk: hunk.first, reverse=True):
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
    return Hunk(first, last, tuple(old[first:last]), tuple(new), tuple(parts))
