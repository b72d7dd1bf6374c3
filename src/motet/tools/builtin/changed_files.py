"""`changed_files`: what differs from the last commit."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.changes import Change, changes, diff
from motet.tools.globs import path_filter
from motet.tools.kit import Kit
from motet.tools.reading import MOST_CHARACTERS, counted, fitting, may_see
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_LISTED = 200
_MOST_DIFFED = 100
"""Files whose diff is asked for."""


class ChangedFilesInput(BaseModel):
    """Arguments of one call."""

    paths: list[str] = Field(
        default_factory=list[str], description="look only here: files, directories or patterns as in `src/**/*.py`"
    )
    diff: bool = Field(True, description="show what changed in them, not only their names")
    staged: bool = Field(False, description="only what is staged for the next commit")


class ChangedFiles(OneByOne):
    """The tool. Nothing that a repository configures is run, and secrets are in no diff."""

    spec = ToolSpec("changed_files", prompt("changed_files"), ChangedFilesInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, ChangedFilesInput)
        root = self._kit.workspace.root
        fits = path_filter([self._kit.desk.normalise(path) for path in value.paths])
        found = [
            each
            for each in await changes(root, staged=value.staged)
            if fits(each.path) and may_see(self._kit, each.path)
        ]
        if not found:
            return ToolOutput("nothing is staged" if value.staged else "nothing has changed since the last commit")
        head = f"{counted(len(found), 'changed file')}"
        lines = [f"{each.kind:<9} {shown(each.path)}" for each in found[:_MOST_LISTED]]
        if len(found) > len(lines):
            lines.append(f"({len(found) - len(lines)} more; name `paths`)")
        text = "\n".join([head, *lines])
        if value.diff:
            text += await self._diff(found, value.staged, MOST_CHARACTERS - len(text))
        return ToolOutput(text, shown="\n".join([head, *lines]))

    async def _diff(self, found: Sequence[Change], staged: bool, room: int) -> str:
        tracked = [each.path for each in found if each.kind != "untracked"]
        if not tracked:
            return ""
        text = await diff(self._kit.workspace.root, tracked[:_MOST_DIFFED], staged=staged)
        lines, complete = fitting(text.rstrip("\n").split("\n"), max(room, 1_000))
        complete = complete and len(tracked) <= _MOST_DIFFED
        return "\n\n" + "\n".join(lines) + ("" if complete else "\n(cut here; name `paths` to see the rest)")
