"""The workspace of an editor: the files on the disk, and over them what stands in its buffers and is not saved.

- A loaded buffer with unsaved text is the file: it is read, and it alone is written, in one step of undo. It stays
  modified, and the disk stays as it is, until the human saves. What was written so is taken back by `NvimWorkspace.undo`.
- Everything else is the disk's: written whole, after a checkpoint. A loaded buffer follows at once, line by line, as one
  step of undo, so that no mark, fold or cursor elsewhere moves; it counts as written, and `u` makes it modified. What
  the human typed in that moment is merged, and stays unsaved; where both touch the same lines, the human's text stays
  in the buffer and the file keeps what was written: the editor warns before it is overwritten.

The editor is asked, and never asks: a write is a compare-and-swap on the buffer's change number.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import cast

from motet.errors import FileMissing, MotetError, StaleFile, UndoRefused
from motet.nvim.rpc import Peer
from motet.nvim.snapshot import Snapshot
from motet.nvim.writes import Turn, Writes
from motet.text import TextFile
from motet.text.merge import merge
from motet.workspace import Checkpoint, DiskWorkspace
from motet.workspace.guard import normal
from motet.workspace.snapshots import Watch

_GONE = "{} was undone already; once more brings it back"
_TRIES = 5
"""Times that a buffer in which somebody types is looked at anew."""
_FRESH = 0.1
"""Seconds for which the list of unsaved files is taken as it was; a write never relies on it."""


class NvimWorkspace:
    """See `Workspace`, and above. `tell` gets what the human should know, a line each."""

    def __init__(self, disk: DiskWorkspace, peer: Peer, writes: Writes, tell: Callable[[str], None]) -> None:
        self._disk = disk
        self._peer = peer
        self._writes = writes
        self._tell = tell
        self._turn = Turn("edit")
        self._unsaved: set[str] = set()
        self._asked = float("-inf")

    @property
    def root(self) -> Path:
        """See `Workspace.root`."""
        return self._disk.root

    @property
    def encoding(self) -> str:
        """See `Workspace.encoding`."""
        return self._disk.encoding

    async def read(self, path: str) -> TextFile:
        """See `Workspace.read`: unsaved text wins."""
        held = await self._held(path) if await self._may_be_unsaved(path) else None
        return held.file(normal(path)) if held is not None else await self._disk.read(path)

    async def look(self, path: str) -> tuple[TextFile | None, Snapshot | None]:
        """The file as `read` gives it, None when there is none, and its buffer, when it is loaded. A buffer without
        unsaved text whose file was changed by somebody else gets that text first."""
        for _ in range(_TRIES):
            found = await self.snapshot(path)
            if found is not None and found.is_modified:
                return found.file(normal(path)), found
            try:
                file = await self._disk.read(path)
            except FileMissing:
                return None, found
            if found is None or found.spans_to(found.becoming(file)) == []:
                return file, found
            await self._change(found, file, written=True)
        raise StaleFile(f"{path}: somebody else keeps changing it; try again")

    async def snapshot(self, path: str) -> Snapshot | None:
        """The loaded buffer of a file, if there is one."""
        real = self.real(path)
        return None if real is None else Snapshot.read(await self._peer.lua("snapshot", real))

    def real(self, path: str) -> str | None:
        """Where a path leads to; None for what leads out of the workspace."""
        real = os.path.realpath(self.root / normal(path))
        return real if Path(real).is_relative_to(self.root) else None

    async def write(self, file: TextFile, new: bytes) -> TextFile:
        """See `Workspace.write`. Raises `PermissionDenied` for a protected place without a yes."""
        [outcome] = await self.write_many([(file, new)])
        if isinstance(outcome, MotetError):
            raise outcome
        return outcome

    async def write_many(self, news: Sequence[tuple[TextFile, bytes]]) -> list[TextFile | MotetError]:
        """See `Workspace.write_many`."""
        outcomes: dict[int, TextFile | MotetError] = {}
        for number, (file, new) in enumerate(news):
            try:
                if (after := await self._write_unsaved(file, new)) is not None:
                    outcomes[number] = after
            except MotetError as error:
                outcomes[number] = error
        rest = [number for number in range(len(news)) if number not in outcomes]
        written = await self._disk.write_many([news[number] for number in rest])
        for number, outcome in zip(rest, written, strict=True):
            outcomes[number] = outcome
            if isinstance(outcome, TextFile):
                await self._wrote(news[number][0], outcome)
        return [outcomes[number] for number in range(len(news))]

    async def create(self, path: str, data: bytes, *, moved_from: str | None = None) -> TextFile:
        """See `Workspace.create`."""
        if await self._held(path) is not None:
            raise StaleFile(f"{path}: exists already, not saved yet, in the editor; read it first")
        after = await self._disk.create(path, data, moved_from=moved_from)
        await self._wrote(TextFile.new(after.path), after)
        return after

    async def delete(self, file: TextFile) -> None:
        """See `Workspace.delete`. A file with unsaved text is not removed; a buffer of it stays open."""
        if await self._held(file.path) is not None:
            raise StaleFile(f"{file.path}: not removed: the editor holds text of it that is not saved")
        await self._disk.delete(file)
        self._turn.saved.append((file, TextFile.new(file.path)))
        self._writes.add(self._turn)

    async def list_files(self, paths: Sequence[str | PurePath] = ()) -> list[str]:
        """See `Workspace.list_files`."""
        return await self._disk.list_files(paths)

    async def before_command(self, label: str) -> Watch | None:
        """See `Workspace.before_command`: a command sees the files, and not what is unsaved."""
        return await self._disk.before_command(label)

    async def after_command(self, watch: Watch) -> None:
        """See `Workspace.after_command`."""
        await self._disk.after_command(watch)

    def after_command_later(self, watch: Watch, ended: Awaitable[object]) -> None:
        """See `Workspace.after_command_later`."""
        self._disk.after_command_later(watch, ended)

    async def begin(self, label: str) -> Checkpoint:
        """See `KeptWorkspace.begin`."""
        checkpoint = await self._disk.begin(label)
        self._turn = Turn(label, checkpoint)
        return checkpoint

    async def finish(self) -> None:
        """See `KeptWorkspace.finish`."""
        await self._disk.finish()
        self._turn = Turn("edit")

    async def undo(self) -> list[str]:
        """Take back the newest turn that stands, in files and in buffers; what was done, a line each. Raises
        `UndoRefused`, `WorkspaceError`, `PermissionDenied`; then nothing is changed, or the message says what."""
        turn = self._writes.newest_unsaved()
        standing = next((info for info in await self._disk.history() if not info.undone), None)
        number = turn.checkpoint.number if turn is not None and turn.checkpoint is not None else None
        if turn is None or (standing is not None and standing.time > turn.time and standing.id != str(number)):
            return await self._undo_files(None)
        files = str(number) if standing is not None and standing.id == str(number) else None
        if files is not None:
            await self._disk.undo(files, dry_run=True)
        await self.begin(f"undo of {turn.label}")
        undoing = self._turn
        try:
            buffers, gone = await self._undo_buffers(turn)
        finally:
            await self.finish()
        self._writes.forget(turn)
        told = await self._undo_files(files) if files is not None else []
        unsaved = {after.path for _, after in undoing.unsaved}
        undoing.unsaved += [pair for pair in _turned(turn.unsaved) if self.real(pair[0].path) in gone]
        self._writes.add(undoing)  # the newest, which the next undo takes back
        told += [f"restored {path}{', which is not saved' if path in unsaved else ''}" for path in buffers]
        return [*told, *map(_GONE.format, gone.values())]

    # --- buffers -----------------------------------------------------------------------------------------------

    async def _may_be_unsaved(self, path: str) -> bool:
        now = asyncio.get_running_loop().time()
        if now - self._asked > _FRESH:
            self._unsaved = {*cast("list[str]", await self._peer.lua("unsaved"))}
            self._asked = now
        return bool(self._unsaved) and self.real(path) in self._unsaved

    async def _held(self, path: str) -> Snapshot | None:
        """The buffer of a file, if it holds unsaved text."""
        found = await self.snapshot(path)
        return found if found is not None and found.is_modified else None

    async def _write_unsaved(self, file: TextFile, new: bytes) -> TextFile | None:
        """Write into the buffer that holds `file` unsaved; None when there is none."""
        for _ in range(_TRIES):
            held = await self._held(file.path)
            if held is None:
                return None
            if held.file(normal(file.path)).data != file.data:
                raise StaleFile(f"{file.path}: changed in the editor since it was read; read it again")
            after = replace(file, path=normal(file.path)).again(new)
            await self._disk.require(file.path)
            if await self._change(held, after, written=False):
                self._turn.unsaved.append((file, after))
                self._writes.add(self._turn)
                self._peer.tell("wrote", self.real(file.path))
                return after
        raise StaleFile(f"{file.path}: somebody else keeps changing it; read it again")

    async def _wrote(self, before: TextFile, after: TextFile) -> None:
        self._turn.saved.append((before, after))
        self._writes.add(self._turn)
        await self._settle(before, after)
        self._peer.tell("wrote", self.real(after.path))

    async def _settle(self, was: TextFile, now: TextFile) -> None:
        """Have the loaded buffer of a file follow what was written to the disk."""
        try:
            for _ in range(_TRIES):
                found = await self.snapshot(now.path)
                if found is None:
                    return
                target = now
                if found.is_modified:
                    merged = merge(was.text, now.text, found.file(now.path).text)
                    if merged.conflicts:
                        break
                    target = now.with_text(merged.text)
                if await self._change(found, target, written=target.data == now.data, known=True):
                    return
        except MotetError as error:
            self._tell(f"{now.path}: written to the disk, but the editor could not show it: {error}")
            return
        self._tell(f"{now.path}: written to the disk; what you typed there meanwhile is in the same lines and stays")

    async def _change(self, found: Snapshot, file: TextFile, *, written: bool, known: bool = False) -> bool:
        """Make the buffer hold `file`; false when it has changed meanwhile."""
        wanted = found.becoming(file)
        options: dict[str, object] = {
            "fileformat": wanted.format, "fileencoding": wanted.encoding, "bomb": wanted.has_bom, "endofline": wanted.ends,
        }  # fmt: skip
        if not wanted.ends and not written:
            options["fixendofline"] = False
        spans = found.spans_to(wanted)
        done = await self._peer.lua("change", found.buffer, found.tick, spans, options, written, written or known)
        return done is True

    # --- undo --------------------------------------------------------------------------------------------------

    async def _undo_buffers(self, turn: Turn) -> tuple[list[str], dict[str | None, str]]:
        """Take back what `turn` wrote into buffers; their paths, and, by real path, those from which the human had taken
        it already. What was taken back once stays so."""
        for _ in range(_TRIES):
            try:
                steps = await self._without(turn.unsaved)
                done = [(now, without) for now, without in steps if without != now.data]
                for now, without in done:
                    await self.write(now, without)
            except StaleFile:
                continue  # somebody types there
            gone = {self.real(now.path): now.path for now, without in steps if without == now.data}
            return [now.path for now, _ in done], gone
        raise StaleFile(f"{turn.unsaved[-1][1].path}: somebody else keeps changing it; undo again")

    async def _undo_files(self, id: str | None) -> list[str]:
        plan = await self._disk.undo(id, dry_run=True)
        paths = (*plan.restored, *plan.merged)
        before = {path: await self.on_disk(path) for path in paths}
        report = await self._disk.undo(id)
        for path in paths:
            was, now = before[path], await self.on_disk(path)
            if now is not None:
                await self._settle(was or TextFile.new(path), now)
        done = (("restored", report.restored), ("merged", report.merged), ("removed", report.removed))
        if told := [f"{what} {path}" for what, files in done for path in files]:
            return told
        if gone := _turned(self._writes.saved_in(report.ids)):  # the human has taken it back, and saved that
            self._writes.add(Turn(f"undo of {', '.join(report.labels)}", unsaved=gone))
            return [_GONE.format(path) for path in dict.fromkeys(after.path for after, _ in gone)]
        return ["nothing had to be changed"]

    async def on_disk(self, path: str) -> TextFile | None:
        """The file without what is not saved; None: there is none."""
        try:
            return await self._disk.read(path)
        except FileMissing:
            return None

    async def _without(self, written: Sequence[tuple[TextFile, TextFile]]) -> list[tuple[TextFile, bytes]]:
        """Each file that was `written`, before and after, as it is now, and without those changes. Raises `UndoRefused`."""
        found: dict[str | None, tuple[TextFile, str]] = {}
        for before, after in reversed(written):
            place = self.real(after.path)
            now, text = found.get(place) or ((read := await self.read(after.path)), read.text)
            merged = merge(after.text, before.text, text)
            if merged.conflicts:
                raise UndoRefused(f"{after.path}: not undone, nothing is changed: these lines were changed since")
            found[place] = now, merged.text
        return [(now, now.encode(text)) for now, text in found.values()]


def _turned(written: Sequence[tuple[TextFile, TextFile]]) -> list[tuple[TextFile, TextFile]]:
    """What takes that back, in order: each file after, and before."""
    return [(after, before) for before, after in reversed(written)]
