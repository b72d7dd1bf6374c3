"""Files that the command line names to be shared: `PATH`, or `PATH:10-40` for some lines of it, meant from where the
user stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from motet.chat import Chat
from motet.cli.terminal import Terminal
from motet.context import share_path
from motet.engine.filling import sources_of
from motet.errors import UsageError
from motet.workspace import resolve_user_path

_RANGE = re.compile(r"(.+?):(\d{1,9})(?:-(\d{1,9}))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file of the workspace; `lines`: first and last of those that are meant, from 1, None for all."""

    path: str
    lines: tuple[int, int] | None = None

    @property
    def typed(self) -> str:
        """As it could be typed at the root of the workspace."""
        return self.path if self.lines is None else f"{self.path}:{self.lines[0]}-{self.lines[1]}"


def given_files(root: Path, typed: Sequence[str]) -> list[GivenFile]:
    """The files that were `typed`, each once. Raises `UsageError` for one that is not there or lies outside of
    `root`."""
    return list(dict.fromkeys(_given(root, text) for text in typed))


def _given(root: Path, text: str) -> GivenFile:
    found = _RANGE.match(text)
    try:
        return GivenFile(resolve_user_path(root, Path.cwd(), text))
    except UsageError:
        if found is None:
            raise
    first, last = int(found[2]), int(found[3] or found[2])
    if not 1 <= first <= last:
        raise UsageError(f"{text}: lines are counted from 1, as in {found[1]}:10-40")
    return GivenFile(resolve_user_path(root, Path.cwd(), found[1]), (first, last))


async def share_files(chat: Chat, files: Sequence[GivenFile], terminal: Terminal) -> None:
    """Share `files` with the next message. Raises `UsageError` for what cannot be shared, `PermissionDenied`."""
    sources = sources_of(chat)
    for file in files:
        await sources.require(file.path)
        shared = await share_path(file.path, sources, lines=file.lines, source="the command line")
        if not shared.messages:
            raise UsageError("; ".join(shared.notices) or f"{file.typed}: cannot be shared")
        for line in shared.notices:
            terminal.line(line, "yellow", hang=2)
        chat.share.attach(*shared.messages)
