"""What the editor's own sources complain about, as the loop of `motet fix` asks for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from motet.diagnostics import Report
from motet.nvim.editor import NvimEditor
from motet.nvim.rpc import Peer
from motet.text import Diagnostic, Severity, TextFile

_QUIET = 0.4
"""Seconds without a change after which what the editor says counts as its answer."""
_ANSWER = 4.0
"""Seconds that sources get to say anything about a text that has changed: silence may be their answer too."""
_LONGEST = 30.0
"""Seconds after which what is there counts, though it still changes."""
_STEP = 0.05
SOURCE = "Neovim"


class EditorDiagnostics:
    """See `DiagnosticsService.check`. Files are loaded into buffers, so that servers hear of what changes in them.

    The first look at a version of a file that the editor shows already is its truth; after a change it is what the
    editor says once it has said something new and then nothing more.
    """

    checker_names: frozenset[str] = frozenset()

    def __init__(self, peer: Peer, editor: NvimEditor, severity: Severity) -> None:
        self._peer = peer
        self._editor = editor
        self._severity = severity
        self._seen: dict[str, TextFile] = {}

    async def check(self, files: Sequence[TextFile], *, checkers: bool = True) -> Report:
        """What is wrong with these versions of `files`."""
        paths = {file.path for file in files}
        await self._peer.lua("load", [str(self._editor.absolute(path)) for path in sorted(paths)])
        changed = any(file.path in self._seen and self._seen[file.path].data != file.data for file in files)
        self._seen |= {file.path: file for file in files}
        found = await self._settled(paths) if changed else await self._now(paths)
        return Report(found, (SOURCE,), ())

    async def _now(self, paths: set[str]) -> tuple[Diagnostic, ...]:
        found = [one for one in await self._editor.diagnostics() or () if one.path in paths]
        wanted = [one for one in found if one.severity <= self._severity]
        return tuple(sorted(wanted, key=lambda one: (one.path, one.range, one.severity, one.source)))

    async def _settled(self, paths: set[str]) -> tuple[Diagnostic, ...]:
        loop = asyncio.get_running_loop()
        begun = changed = loop.time()
        first = found = await self._now(paths)
        while (now := loop.time()) - begun < _LONGEST:
            patience = _QUIET if found != first else _ANSWER
            if now - changed >= patience:
                break
            await asyncio.sleep(_STEP)
            before, found = found, await self._now(paths)
            changed = loop.time() if found != before else changed
        return found
