"""Around the commands of a chat: nothing runs that could not be taken back, unless the human says so."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Sequence

from motet.errors import ProcessError, WorkspaceError
from motet.permissions.commands import only_reads
from motet.tools.kit import Kit, Question, Told
from motet.visible import one_line
from motet.workspace.snapshots import Watch

_RUN, _DO_NOT = "run it all the same", "do not run it"


class Snapshots:
    """Takes a snapshot before a command of the tool `tool`, and tells the human what it does not hold."""

    def __init__(self, kit: Kit, tool: str) -> None:
        self._kit = kit
        self._tool = tool
        self._told = ""

    async def before(self, words: Sequence[str]) -> Watch | None:
        """The snapshot under which `words` run; None for what only reads. Where none can be taken the human is asked.
        Raises `ProcessError` when they do not say that it is to run all the same."""
        if only_reads(words):
            return None
        command = one_line(shlex.join(words))
        try:
            watch = await self._kit.workspace.before_command(command)
        except WorkspaceError as error:
            await self._ask(command, error)
            return None
        if watch is not None and (left := str(watch.left_out)) != self._told:
            self._told = left
            if left:
                self._note(f"not in the snapshot before commands, so `motet undo` cannot bring it back: {left}")
        return watch

    async def again(self, words: Sequence[str]) -> Watch | None:
        """The snapshot for the time in which the output of a running session is waited for, if one can be taken."""
        try:
            return await self._kit.workspace.before_command(one_line(shlex.join(words)))
        except WorkspaceError as error:
            self._note(f"what {one_line(words[0])} does meanwhile cannot be taken back: {error}")
            return None

    async def after(self, watch: Watch | None) -> None:
        """Record what the command changed."""
        if watch is None:
            return
        try:
            await self._kit.workspace.after_command(watch)
        except WorkspaceError as error:
            self._note(f"what the command changed is kept, but not listed yet; `motet undo` will do that: {error}")

    def later(self, watch: Watch | None, ended: Awaitable[object] | None = None) -> None:
        """The same once `ended` is done, and without waiting for it."""
        if watch is not None:
            self._kit.workspace.after_command_later(watch, ended or _nothing())

    async def _ask(self, command: str, error: WorkspaceError) -> None:
        question = f"`{command}` could not be taken back: {error}. Run it all the same?"
        answers = await self._kit.human.answer([Question(question, (_DO_NOT, _RUN), safe=_DO_NOT)])
        if not answers or answers[0] != _RUN:
            raise ProcessError(
                f"not run, because it could not be taken back: {error}; mend that, or set snapshots.commands = false"
            ) from error

    def _note(self, text: str) -> None:
        self._kit.tell(Told(self._tool, "note", text))


async def _nothing() -> None:
    """It has ended already."""
