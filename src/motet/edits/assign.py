"""Several edits together: places that each alone leaves open can be certain when all are looked at."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int]
_MOST_STEPS = 2_000_000


def only_assignment(choices: Sequence[Sequence[Span]]) -> list[int] | None:
    """For each edit the index of its place, when exactly one choice of places keeps the order of the edits and lets
    none overlap; None when there is no such choice, or more than one.

    `choices` holds the sorted places (start, end exclusive) of each edit, in the order in which they were written.
    Counting goes from the last edit to the first, over the places in order: the work is their number.
    """
    if sum(map(len, choices)) > _MOST_STEPS or not all(choices):
        return None
    ways: list[list[int]] = []
    for index in range(len(choices) - 1, -1, -1):
        ways.append(_ways(choices[index], choices[index + 1] if ways else (), ways[-1] if ways else None))
    ways.reverse()
    if sum(ways[0]) != 1:
        return None
    picked: list[int] = []
    end = -1
    for spans, counts in zip(choices, ways, strict=True):
        place = next(i for i, (span, count) in enumerate(zip(spans, counts, strict=True)) if count and span[0] >= end)
        picked.append(place)
        end = spans[place][1]
    return picked


def _ways(spans: Sequence[Span], later: Sequence[Span], later_ways: Sequence[int] | None) -> list[int]:
    """For each place, in how many ways (2 stands for *several*) the edits after this one can be placed behind it."""
    if later_ways is None:
        return [1] * len(spans)
    counts = [0] * len(spans)
    total, at = 0, len(later)
    for index in range(len(spans) - 1, -1, -1):
        while at > 0 and later[at - 1][0] >= spans[index][1]:
            at -= 1
            total = min(total + later_ways[at], 2)
        counts[index] = total
    return counts
