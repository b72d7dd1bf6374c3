"""`:Motet changes` and `:Motet undo`: what motet has written in this editor, and taking it back."""

from __future__ import annotations

from motet.nvim.rpc import Peer
from motet.nvim.workspace import NvimWorkspace
from motet.nvim.writes import Writes
from motet.text import TextFile
from motet.text.merge import LineMap
from motet.visible import visible


async def undo(files: NvimWorkspace, peer: Peer) -> None:
    """Take the newest turn back. Raises as `NvimWorkspace.undo`."""
    for line in await files.undo():
        peer.tell("notice", 0, "info", line)


async def list_changes(files: NvimWorkspace, writes: Writes, peer: Peer) -> None:
    """Have the editor list each change where it stands now."""
    rows: list[tuple[str, int, str]] = []
    for path, (before, after) in writes.changed().items():
        now, _ = await files.look(path)
        rows += [(str(files.root / path), line, text) for line, text in _changes(before, after, now)]
    if rows:
        peer.tell("changes", rows)
    else:
        peer.tell("notice", 0, "info", "nothing was changed in this editor yet")


def _changes(before: TextFile, after: TextFile, now: TextFile | None) -> list[tuple[int, str]]:
    """Line (from 1) and what it is about."""
    lines = LineMap(after.text, now.text if now is not None else "")
    found: list[tuple[int, str]] = []
    shift = 0
    from motet.edits.hunks import find_hunks  # 70 ms; a chat opens without

    for hunk in find_hunks(before.text, after.text):
        first = hunk.first + shift
        shift += len(hunk.new) - len(hunk.old)
        place = lines.place(first, first + len(hunk.new))
        shown = next((line.text.strip() for line in (*hunk.new, *hunk.old) if line.text.strip()), "")
        found.append((1 + (first if place is None else place), f"+{len(hunk.new)} -{len(hunk.old)} {visible(shown)}"))
    return found
