"""Proposals reviewed where the files are open: the editor shows them and says what the human does; here is what that
means.

A buffer keeps its text until a hunk is taken, which is written at once, a step of undo of its own. So nothing is ever
half applied, and stopping leaves each file with just the hunks that were taken.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from motet.edits import Decision, Hunk, Proposal
from motet.edits.lines import join_lines
from motet.errors import FileMissing, MotetError, StaleFile
from motet.nvim.rpc import Peer
from motet.nvim.sheet import Sheet
from motet.nvim.snapshot import Snapshot
from motet.nvim.workspace import NvimWorkspace
from motet.tasks import background
from motet.text.changes import changed_words
from motet.tools import Stopped
from motet.visible import visible

_TRIES = 3
"""Times that a hunk is tried to be written while somebody else writes the file."""


@dataclass(slots=True)
class _Open:
    """A sheet on the table."""

    number: int
    files: NvimWorkspace
    sheet: Sheet
    names: list[str]
    """What the editor calls each hunk; the parts of a hunk that is split get names of their own."""
    decided: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def of(cls, number: int, files: NvimWorkspace, proposal: Proposal) -> _Open:
        names = [f"{number}.{index}" for index in range(len(proposal.hunks))]
        return cls(number, files, Sheet.of(proposal), names)

    def split(self, index: int) -> None:
        """Put the parts of a hunk in its place."""
        sheet = self.sheet.split(index)
        count = 1 + len(sheet.proposal.hunks) - len(self.sheet.proposal.hunks)
        parts = [f"{self.names[index]}.{part}" for part in range(count)]
        self.sheet, self.names[index : index + 1] = sheet, parts

    @property
    def path(self) -> str:
        return self.sheet.proposal.path

    @property
    def result(self) -> Proposal:
        """What the desk is told."""
        sheet = self.sheet
        return replace(sheet.proposal, written=sheet.now) if sheet.is_written else sheet.proposal


class Reviews:
    """The proposals of every chat that wait for the human, one after the other in the order in which they came."""

    def __init__(self, peer: Peer, tell: Callable[[str, str], None]) -> None:
        """`tell` gets a level and a line."""
        self._peer = peer
        self._tell = tell
        self._numbers = itertools.count(1)
        self._open: dict[int, _Open] = {}
        self._one_at_a_time = asyncio.Lock()

    async def review(self, files: NvimWorkspace, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Show `proposals`, and wait until each hunk is decided."""
        fresh = [_Open.of(next(self._numbers), files, proposal) for proposal in proposals]
        self._open |= {one.number: one for one in fresh}
        try:
            async with self._one_at_a_time:
                for path in dict.fromkeys(one.path for one in fresh):
                    await self._show(path)
            self._tell("info", _waiting(fresh))
            for one in fresh:
                await one.decided.wait()
            return [one.result for one in fresh]
        except asyncio.CancelledError as stopped:
            done = [
                one.sheet.proposal.describe() for one in fresh if one.sheet.is_written and one.sheet.proposal.taken
            ]
            raise (Stopped("\n".join(done)) if done else stopped) from None
        finally:
            for one in fresh:
                del self._open[one.number]
            for one in fresh:
                self._draw(one.files, one.path, 0)

    def heard(self, act: str, arguments: Sequence[object]) -> None:
        """What the human does with a hunk (`sheet.hunk`), with all hunks of a file, or in a file that has some."""
        match act, arguments:
            case "accept", [str(hunk)]:
                self._start(self._accept(hunk))
            case "reject", [str(hunk), str(remark)]:
                self._start(self._reject(hunk, remark))
            case "split", [str(hunk)]:
                self._start(self._split(hunk))
            case "amend", [str(hunk)]:
                self._amend(hunk)
            case "amended", [str(hunk), str(text)]:
                self._start(self._amended(hunk, text))
            case "accept_file", [str(path)]:
                self._start(self._accept_file(path))
            case "reject_file", [str(path), str(remark)]:
                self._start(self._reject_file(path, remark))
            case "beside", [str(path)]:
                self._start(self._beside(path))
            case "changed", [str(path)]:
                self._start(self._changed(path))
            case _:
                self._tell("error", f"review: {act} means nothing here: are both halves of one version?")

    # --- what the human does -----------------------------------------------------------------------------------

    async def _accept(self, hunk: str) -> None:
        one, index = self._found(hunk)
        if one is not None:
            await self._take(one, [index], lambda sheet: sheet.decide(index, Decision.ACCEPTED))

    async def _reject(self, hunk: str, remark: str) -> None:
        one, index = self._found(hunk)
        if one is not None:
            one.sheet = one.sheet.decide(index, Decision.REJECTED, remark)
            await self._show(one.path)

    async def _split(self, name: str) -> None:
        one, index = self._found(name)
        if one is None:
            return
        if one.sheet.places[index] is None:
            self._tell("info", "these lines are others now: the change cannot be split")
        elif not one.sheet.proposal.hunks[index].hunk.parts:
            self._tell("info", "this change cannot be split: no unchanged line is in it")
        else:
            one.split(index)
            await self._show(one.path)

    def _amend(self, name: str) -> None:
        """Have the human rewrite the new lines of a hunk."""
        one, index = self._found(name)
        if one is None:
            return
        hunk = one.sheet.proposal.hunks[index].hunk
        if one.sheet.proposal.deletes or not hunk.has_lines:
            self._tell("info", "there are no new lines to change: take it, or leave it")
            return
        place = one.sheet.places[index]
        first = hunk.first if place is None else place
        title = f"{one.path}:{hunk.line}"
        said = f"{visible(one.path)}, {_amending(hunk, first)}"
        self._peer.tell("amend", name, title, one.path, [line.text for line in hunk.new], said)

    async def _amended(self, hunk: str, text: str) -> None:
        one, index = self._found(hunk)
        if one is None:
            self._peer.tell("amended", hunk, False)
            self._tell("warn", "this change does not wait any more; what you wrote stays in its window")
            return
        try:
            await self._take_amended(one, index, text)
        finally:
            self._peer.tell("amended", hunk, index not in one.sheet.pending)

    async def _take_amended(self, one: _Open, index: int, text: str) -> None:
        proposed = one.sheet.proposal.hunks[index].hunk.new
        if proposed and not text.strip():
            self._tell("info", "nothing is left; the change is as it was")
            return
        if text == (join_lines(list(proposed)).replace("\r\n", "\n") or "\n"):
            await self._take(one, [index], lambda sheet: sheet.decide(index, Decision.ACCEPTED))
            return
        await self._take(one, [index], lambda sheet: sheet.amend(index, text))

    async def _accept_file(self, real: str) -> None:
        for one in self._of(real):
            pending = one.sheet.pending

            def all_of(sheet: Sheet, pending: Sequence[int] = pending) -> Sheet:
                for index in pending:
                    if sheet.places[index] is not None:
                        sheet = sheet.decide(index, Decision.ACCEPTED)
                return sheet

            await self._take(one, pending, all_of)

    async def _reject_file(self, real: str, remark: str) -> None:
        for one in self._of(real):
            for number, index in enumerate(one.sheet.pending):
                one.sheet = one.sheet.decide(index, Decision.REJECTED, "" if number else remark)
            await self._show(one.path)

    async def _beside(self, real: str) -> None:
        """Show a file, and beside it what is proposed."""
        for one in [one for one in self._of(real) if one.sheet.pending][:1]:
            await self._look(one)
            text = one.sheet.text_with(one.sheet.pending)
            if not one.sheet.is_written and one.sheet.proposal.deletes:
                text = ""
            lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
            self._peer.tell("beside", real, one.path, lines)

    async def _changed(self, real: str) -> None:
        for path in dict.fromkeys(one.path for one in self._of(real)):
            await self._show(path)

    # --- what comes of it --------------------------------------------------------------------------------------

    async def _take(self, one: _Open, indexes: Sequence[int], decide: Callable[[Sheet], Sheet]) -> None:
        """Take hunks, and write them where that is ours to do."""
        await self._look(one)
        lost = [index for index in indexes if one.sheet.places[index] is None]
        if len(lost) < len(indexes):
            wanted = decide(one.sheet)
            if one.sheet.is_written:
                await self._write(one, indexes, wanted.proposal)
            one.sheet = replace(one.sheet, proposal=wanted.proposal)
        await self._show(one.path)
        if lost:
            self._tell("warn", _lost(one, lost))

    async def _write(self, one: _Open, indexes: Sequence[int], wanted: Proposal) -> None:
        for _ in range(_TRIES):
            now = one.sheet.now
            assert now is not None  # its hunks have a place in it
            after = now.with_text(one.sheet.text_with(indexes, wanted))
            try:
                await one.files.write(now, after.data)
                return
            except StaleFile:
                await self._look(one)
                if any(one.sheet.places[index] is None for index in indexes):
                    raise
        raise StaleFile(f"{one.path}: somebody else keeps changing it; try again")

    async def _look(self, one: _Open) -> int:
        """Compare with the file as it is; the change number of its buffer, if it has one."""
        file, held = await one.files.look(one.path)
        one.sheet = one.sheet.with_file(file)
        if held is None:
            return 0
        if one.sheet.is_written and any(one.sheet.places[index] is None for index in one.sheet.pending):
            one.sheet = one.sheet.anchored(await self._marks(one, held))
        return held.tick

    async def _marks(self, one: _Open, held: Snapshot) -> dict[int, tuple[int, int]]:
        """Where the editor has moved the hunks to, as the human typed."""
        told = cast("tuple[int, list[tuple[str, int, int]]]", await self._peer.lua("marks", one.files.real(one.path)))
        if told[0] != held.tick:
            return {}
        return {one.names.index(name): (first, last) for name, first, last in told[1] if name in one.names}

    async def _show(self, path: str) -> None:
        """Show what waits in a file, all that is proposed for it; who has nothing left to wait for is told."""
        tick = 0
        here = [one for one in self._open.values() if one.path == path]
        for one in here:
            tick = await self._look(one)
            if not one.sheet.pending:
                one.decided.set()
        if here:
            self._draw(here[0].files, path, tick)
        rest = [one for one in self._open.values() if one.sheet.pending]
        if rest and here and all(one.path != path for one in rest):
            self._tell("info", _waiting(rest))

    def _draw(self, files: NvimWorkspace, path: str, tick: int) -> None:
        real = files.real(path)
        if real is None:
            return
        waiting = [one for one in self._open.values() if one.path == path]
        rows = [_row(one, index) for one in waiting for index in one.sheet.pending]
        self._peer.tell("review", real, path, tick, rows)

    def _found(self, hunk: str) -> tuple[_Open | None, int]:
        """A hunk by its name, if it still waits."""
        one = self._open.get(int(hunk.partition(".")[0]))
        index = one.names.index(hunk) if one is not None and hunk in one.names else -1
        return (one, index) if one is not None and index in one.sheet.pending else (None, 0)

    def _of(self, real: str) -> list[_Open]:
        return [one for one in self._open.values() if one.files.real(one.path) == real]

    def _start(self, work: Coroutine[object, object, None]) -> None:
        async def in_turn() -> None:
            try:
                async with self._one_at_a_time:
                    await work
            except FileMissing as error:
                self._tell("error", f"{error}; it waits for your decision as before")
            except MotetError as error:
                self._tell("error", str(error))

        background(in_turn())


def _waiting(fresh: Sequence[_Open]) -> str:
    hunks = sum(len(one.sheet.pending) for one in fresh)
    paths = list(dict.fromkeys(one.path for one in fresh))
    files = paths[0] if len(paths) == 1 else f"{len(paths)} files"
    return f"{hunks} {'change waits' if hunks == 1 else 'changes wait'} for you in {files}: `:Motet review`"


def _lost(one: _Open, lost: Sequence[int]) -> str:
    lines = ", ".join(str(one.sheet.proposal.hunks[index].hunk.line) for index in lost)
    return f"{one.path}: the lines of the change at line {lines} are others now, so it is not made; put it in by hand, or leave it out"


def _amending(hunk: Hunk, first: int) -> str:
    """What the lines that the human rewrites stand for; `first` is the hunk's first row, from 0."""
    last = first + len(hunk.old)
    where = f"line {last}" if len(hunk.old) == 1 else f"lines {first + 1}-{last}"
    if not hunk.old:
        return f"new after line {first}: `:w` takes what stands here"
    if not hunk.new:
        return f"{where} to go: `:w` lets them go, or takes what you write instead"
    return f"instead of {where}: `:w` takes what stands here"


def _row(one: _Open, index: int) -> dict[str, object]:
    """What the editor draws of a hunk: rows from 0, changes inside of it relative to its first row."""
    proposal, place = one.sheet.proposal, one.sheet.places[index]
    hunk = proposal.hunks[index].hunk
    note = "removes the file" if proposal.deletes else "makes the file" if proposal.before is None else ""
    if proposal.moves_to:
        note = f"moves the file to {proposal.moves_to}"
    elif proposal.approximate and not any(one.hunk.caution for one in proposal.hunks):
        note = "its place is only nearly right"
    return {
        "id": one.names[index],
        "row": hunk.first if place is None else place,
        "count": len(hunk.old),
        "stale": place is None,
        "note": visible(note),
        "caution": visible(hunk.caution),
        "number": index + 1,
        "total": len(proposal.hunks),
        "parts": [_part(hunk, part) for part in (hunk.parts or (hunk,))],
        "text": visible(next((line.text.strip() for line in (*hunk.new, *hunk.old) if line.text.strip()), note)),
    }


def _part(hunk: Hunk, part: Hunk) -> list[object]:
    old, new = [line.text for line in part.old], [visible(line.text) for line in part.new]
    gone, come = changed_words(old, new)
    return [part.first - hunk.first, len(old), new, _in_bytes(old, gone), _in_bytes(new, come)]


def _in_bytes(lines: Sequence[str], stretches: Sequence[Sequence[tuple[int, int]]]) -> list[list[int]]:
    """Stretches of characters as the editor counts them: line, first byte and the one behind the last, from 0."""
    return [
        [number, *(len(line[:at].encode("utf-8", "surrogatepass")) for at in stretch)]
        for number, (line, found) in enumerate(zip(lines, stretches, strict=True))
        for stretch in found
    ]
