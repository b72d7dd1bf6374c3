"""Edits written to the disk through the workspace, beside the same bytes written durably without it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from measure.project import modules
from measure.run import BenchError, place
from measure.table import Measured

from editspeed.answers import search_replace_file
from editspeed.check import PATH
from editspeed.disk import Disk
from editspeed.rounds import in_milliseconds
from editspeed.texts import generated, snippet
from motet import edits
from motet.text import TextFile


def writes(rounds: int, lines: int) -> list[Measured]:
    """One planned edit written through the workspace, beside a durable write of the same bytes."""
    rows: list[Measured] = []
    for count in [size for size in (100, 1_000, 10_000) if size < lines] + [lines]:
        one = snippet(generated(count), 0.5)
        with place() as here:
            disk = Disk(here.root, {PATH: one.text.encode()})
            ours, turns, processor, theirs = _write_in_turns(disk, one.after, rounds)
            disk.close()
        what = f"write of {count:,} lines"
        beside = in_milliseconds(theirs)
        rows += [
            Measured(f"{what}, with its checkpoint", "ms", in_milliseconds(ours), 3, "durable write", beside),
            Measured(f"{what}: a whole turn of it", "ms", in_milliseconds(turns), None, "durable write", beside),
            Measured(f"{what}: processor time", "ms", in_milliseconds(processor)),
        ]
    return rows


def _write_in_turns(disk: Disk, after: str, rounds: int) -> tuple[list[float], ...]:
    """Seconds: of the write in a new checkpoint, of its whole turn, of its processor time, and of the write without
    motet; the first two rounds do not count. Each round writes something new, so that none is in the store before."""
    ours: list[float] = []
    turns: list[float] = []
    processor: list[float] = []
    theirs: list[float] = []

    def plain(new: bytes) -> None:
        started = time.perf_counter()
        disk.write_plain([(PATH, new)])
        theirs.append(time.perf_counter() - started)

    for turn in range(rounds + 2):
        old = disk.read([PATH])[PATH]
        new = after.replace("# changed", f"# changed {turn}", 1).encode()
        if turn % 2:
            plain(new)
        started = time.perf_counter()
        disk.begin("bench")
        wall, used = time.perf_counter(), time.process_time()
        disk.write([(old, new)])
        ours.append(time.perf_counter() - wall)
        processor.append(time.process_time() - used)
        disk.finish()
        turns.append(time.perf_counter() - started)
        if not turn % 2:
            plain(new)
        if disk.read([PATH])[PATH].data != disk.plain(PATH):
            raise BenchError("the two ways have not written the same")
    return tuple(seconds[2:] for seconds in (ours, turns, processor, theirs))


def many_files(rounds: int) -> list[Measured]:
    """100 edits over 100 files from one answer, to the disk, beside writing those files durably."""
    originals = {module.path: module.text for module in modules(106)[:100]}
    snippets = {path: snippet(text, 0.5) for path, text in originals.items()}
    there = "".join(search_replace_file(path, *_block(one.search, one.replace)) for path, one in snippets.items())
    back = "".join(search_replace_file(path, *_block(one.replace, one.search)) for path, one in snippets.items())
    news = {path: one.after for path, one in snippets.items()}
    ours: list[float] = []
    theirs: list[float] = []
    processor: list[float] = []
    with place() as here:
        disk = Disk(here.root, {path: text.encode() for path, text in originals.items()})
        for turn in range(rounds + 1):
            before = disk.read(list(originals))
            answer, expected = (back, originals) if turn % 2 else (there, news)
            plain = [(path, text.encode()) for path, text in expected.items()]
            if turn % 2:
                theirs.append(_clocked(lambda news=plain: disk.write_plain(news)))
            started, used = time.perf_counter(), time.process_time()
            accepted = _accepted(answer, before)
            processor.append(time.process_time() - used)
            disk.begin("bench")
            disk.write(accepted)
            disk.finish()
            ours.append(time.perf_counter() - started)
            if not turn % 2:
                theirs.append(_clocked(lambda news=plain: disk.write_plain(news)))
            for path, file in disk.read(list(originals)).items():
                if file.text != expected[path]:
                    raise BenchError(f"{path}: not what was expected")
        disk.close()
    what = "100 edits over 100 files"
    beside = in_milliseconds(theirs[1:])
    return [
        Measured(f"{what}, from answer to disk", "ms", in_milliseconds(ours[1:]), 3, "durable writes", beside),
        Measured(f"{what}: processor time before writing", "ms", in_milliseconds(processor[1:])),
    ]


def _block(search: str, replace: str) -> tuple[list[str], list[str]]:
    return search.removesuffix("\n").split("\n"), replace.removesuffix("\n").split("\n")


def _accepted(answer: str, before: Mapping[str, TextFile]) -> list[tuple[TextFile, bytes]]:
    plan = edits.plan(before, edits.parse(answer, "search_replace"))
    accepted: list[tuple[TextFile, bytes]] = []
    for proposal in plan.proposals():
        decided = proposal.decide_pending(edits.Decision.ACCEPTED)
        accepted.append((before[proposal.path], decided.accepted()))
    if len(accepted) != len(before):
        refused = [refusal.describe() for file in plan.files for refusal in file.refusals]
        raise BenchError(f"{len(accepted)} of {len(before)} files: {refused[:1]}")
    return accepted


def _clocked(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
