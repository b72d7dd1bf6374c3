"""Answers fed character by character."""

from __future__ import annotations

from collections.abc import Sequence

from measure.run import BenchError
from measure.table import Measured

from editspeed.answers import ANSWERS
from editspeed.check import PATH
from editspeed.rounds import in_milliseconds, in_turns
from motet import edits


def streaming(rounds: int, size: int) -> list[Measured]:
    """Answers fed character by character."""
    rows: list[Measured] = []
    for name, make in ANSWERS.items():
        one, two = make(size), make(2 * size)
        if _fed(name, one, list(one)) != _fed(name, one, [one]):
            raise BenchError(f"{name}: another result when fed character by character")
        whole, by_one, twice = in_turns(
            rounds,
            lambda name=name, one=one: _fed(name, one, [one]),
            lambda name=name, one=one: _fed(name, one, one),
            lambda name=name, two=two: _fed(name, two, two),
        )
        above = [1e6 * (slow - quick) / len(one) for slow, quick in zip(by_one, whole, strict=True)]
        longer = len(two) / len(one) / 2
        what = f"{name}, {size // 1000} kB"
        rows += [
            Measured(f"{what}, above feeding it whole, a character", "µs", above, 1),
            Measured(f"{what} twice, by characters", "ms", [one / longer for one in in_milliseconds(twice)], 2.2, "once", in_milliseconds(by_one)),
        ]  # fmt: skip
    return rows


def _fed(name: str, answer: str, chunks: Sequence[str]) -> list[edits.Edit]:
    parser = edits.StreamParser(name, path=PATH)
    pieces: list[edits.EditPreview | edits.Edit] = []
    for chunk in chunks:
        pieces += parser.feed(chunk)
    pieces += parser.finish()
    found = [piece for piece in pieces if not isinstance(piece, edits.EditPreview)]
    if not found:
        raise BenchError(f"{name}: no edits in {len(answer):,} characters")
    return found
