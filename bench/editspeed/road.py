"""Edits on the road that each of them takes: from the answer of a model to the bytes that are to be written."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

from measure.run import BenchError
from measure.table import Measured

from editspeed.answers import search_replace_file
from editspeed.check import PATH, decoded
from editspeed.rounds import Allowed, alone, in_microseconds, in_turns
from editspeed.texts import KINDS, Snippet, generated, snippet
from motet import edits
from motet.edits import Decision
from motet.text import TextFile

PLACES = {"beginning": 0.02, "middle": 0.5, "end": 0.98}
_BLOCKS = 20


def from_answer_to_bytes(rounds: int, lines: int) -> list[Measured]:
    """Exact edits, one that drifted, one that is refused, the blocks of a long answer, and the memory that it takes."""
    rows: list[Measured] = []
    for kind, make in KINDS.items():
        for count in [size for size in (100, 1_000, 10_000) if size < lines and kind == "generated"] + [lines]:
            rows.append(_slowest_place(f"{count:,} lines ({kind})", make(count), rounds, max(1, 5_000 // count)))
    for kind, make in KINDS.items():
        one = snippet(make(lines), 0.6)
        drifted = _road(decoded(one.text), _answer(*one.deeper), one.after)
        missed = _refused(decoded(one.text), _answer(one.damaged(0.5), one.replace))
        what = f"in {lines:,} lines ({kind}), from answer to"
        rows.append(Measured(f"indentation drift {what} bytes", "ms", alone(rounds, drifted), 40))
        rows.append(Measured(f"not found {what} explanation", "ms", alone(rounds, missed), 100))
    return [*rows, _parsed(rounds), _memory(generated(lines), lines)]


def _answer(search: str, replace: str) -> str:
    return search_replace_file(PATH, _lines(search), _lines(replace))


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _slowest_place(what: str, text: str, rounds: int, repeat: int) -> Measured:
    file = decoded(text)
    at_places = [(name, snippet(text, share)) for name, share in PLACES.items()]
    works: list[Callable[[], object]] = []
    for _, one in at_places:
        works += [_road(file, _answer(one.search, one.replace), one.after), _floor(file, one)]
    taken = in_turns(rounds, *works, repeat=repeat)
    rows = [
        Allowed(
            f"exact edit in {what}, {name}, from answer to bytes",
            "µs",
            in_microseconds(taken[2 * at]),
            3,
            "find and splice",
            in_microseconds(taken[2 * at + 1]),
            free=300,
        )
        for at, (name, _) in enumerate(at_places)
    ]
    return max(rows, key=lambda row: row.ratio or 0.0)


def _road(file: TextFile, answer: str, after: str) -> Callable[[], bytes]:
    """Parsed, planned, proposed, taken as it is: the bytes, which have to be those of `after`."""

    def work() -> bytes:
        plan = edits.plan({file.path: file}, edits.parse(answer))
        [proposal] = plan.proposals()
        return proposal.decide_pending(Decision.ACCEPTED).accepted()

    if work() != after.encode():
        raise BenchError("accepted, but other bytes than expected")
    return work


def _refused(file: TextFile, answer: str) -> Callable[[], object]:
    def work() -> str:
        plan = edits.plan({file.path: file}, edits.parse(answer))
        if plan.proposals() or not plan.refusals:
            raise BenchError("not refused")
        return plan.refusals[0].describe()

    work()
    return work


def _floor(file: TextFile, one: Snippet) -> Callable[[], bytes]:
    """The least that has to be done: the place looked for, and the bytes built anew."""
    old, new, data = one.search.encode(), one.replace.encode(), file.data

    def work() -> bytes:
        at = data.find(old)
        return data[:at] + new + data[at + len(old) :]

    return work


def _parsed(rounds: int) -> Measured:
    text = generated(1_000)
    parts = [snippet(text, (number + 0.5) / _BLOCKS) for number in range(_BLOCKS)]
    answer = "".join(_answer(one.search, one.replace) for one in parts)
    if len(edits.parse(answer)) != _BLOCKS:
        raise BenchError(f"not {_BLOCKS} blocks")
    seconds = in_turns(rounds, lambda: edits.parse(answer), repeat=20)[0]
    return Measured(f"{_BLOCKS} blocks parsed", "ms", [1_000 * one for one in seconds], 1)


def _memory(text: str, lines: int) -> Measured:
    """The most memory that is taken at a time, the file read, beside the file's bytes."""
    one = snippet(text, 0.6)
    answer, after = _answer(one.search, one.replace), one.after.encode()
    _road(decoded(text), answer, one.after)  # what is loaded at the first edit is no part of it
    tracemalloc.start()
    try:
        file = decoded(text)
        plan = edits.plan({file.path: file}, edits.parse(answer))
        accepted = [one.decide_pending(Decision.ACCEPTED).accepted() for one in plan.proposals()]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    if accepted != [after]:
        raise BenchError("accepted, but other bytes than expected")
    what = f"most memory for an exact edit in {lines:,} lines"
    return Measured(what, "MB", [peak / 1e6], 4, "the file", [len(file.data) / 1e6])
