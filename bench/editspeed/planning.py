"""Edits that have a place: exact ones beside the least that could be done, and those whose indentation drifted."""

from __future__ import annotations

from collections.abc import Callable

from measure.table import Measured

from editspeed.check import PATH, decoded, expect_after, planned
from editspeed.road import PLACES
from editspeed.rounds import Allowed, alone, in_microseconds, in_milliseconds, in_turns
from editspeed.texts import KINDS, Snippet, library, snippet
from motet.edits import Replace, Rung
from motet.syntax import MAX_PARSED_CHARACTERS
from motet.text import TextFile


def exact_edits(rounds: int, lines: int) -> list[Measured]:
    """Planning an exact edit, beside finding the bytes and building the new ones."""
    rows: list[Measured] = []
    for kind, make in KINDS.items():
        for count in [size for size in (100, 1_000, 10_000) if size < lines and kind == "generated"] + [lines]:
            repeat = max(1, 5_000 // count)
            file = decoded(make(count))
            at_places = [(name, *_exact(file, snippet(make(count), share))) for name, share in PLACES.items()]
            taken = in_turns(
                rounds, *(work for _, ours, theirs in at_places for work in (ours, theirs)), repeat=repeat
            )
            rows.append(
                max(
                    (
                        Allowed(
                            f"exact edit in {count:,} lines ({kind}), {name}, plan alone",
                            "µs",
                            in_microseconds(taken[2 * at]),
                            1.5,
                            "find and splice",
                            in_microseconds(taken[2 * at + 1]),
                            free=200,
                        )
                        for at, (name, _, _) in enumerate(at_places)
                    ),
                    key=lambda row: row.ratio or 0.0,
                )
            )
    return rows


def _exact(file: TextFile, one: Snippet) -> tuple[Callable[[], object], Callable[[], object]]:
    edit = Replace(PATH, one.search, one.replace)
    old, new = one.search.encode(), one.replace.encode()
    expect_after(planned(file, edit), one.after, Rung.EXACT)

    def ours() -> object:
        after = planned(file, edit).files[0].after
        return after and after.data

    def theirs() -> object:
        data = file.data
        at = data.find(old)
        return data[:at] + new + data[at + len(old) :]

    return ours, theirs


def drift(rounds: int, lines: int) -> list[Measured]:
    """An edit whose indentation is wrong; the syntax check apart."""
    rows: list[Measured] = []
    for kind, make in KINDS.items():
        one = snippet(make(lines), 0.6)
        file, edit = decoded(one.text), Replace(PATH, *one.deeper)
        expect_after(planned(file, edit), one.after, Rung.INDENTATION)
        rows.append(
            Measured(
                f"indentation drift in {lines:,} lines ({kind})",
                "ms",
                alone(rounds, lambda file=file, edit=edit: planned(file, edit)),
                40,
            )
        )
    if len(library(lines)) > MAX_PARSED_CHARACTERS:
        rows[-1] = _noted(rows[-1], "too large to be parsed")
    count = min(lines, 10_000)
    one = snippet(library(count), 0.6)
    file, edit = decoded(one.text), Replace(PATH, *one.deeper)
    unparsed = TextFile.decode("module.unknown", one.text.encode())
    other = Replace("module.unknown", *one.deeper)
    expect_after(planned(file, edit), one.after, Rung.INDENTATION)
    whole, matched = in_turns(rounds, lambda: planned(file, edit), lambda: planned(unparsed, other))
    rows.append(
        Measured(f"indentation drift in {count:,} lines (library), not parsed", "ms", in_milliseconds(matched))
    )
    check = [one - two for one, two in zip(in_milliseconds(whole), in_milliseconds(matched), strict=True)]
    rows.append(Measured("its syntax check, before and after", "ms", check))
    return rows


def _noted(row: Measured, note: str) -> Measured:
    return Measured(f"{row.what}, {note}", row.unit, row.values, row.at_most)
