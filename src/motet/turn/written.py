"""What one turn does about edits in the texts of its answers, and whether it has written anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from motet.messages import ToolCall
from motet.tools import Toolbox, ToolOutput
from motet.turn.events import TurnEnded
from motet.turn.text_calls import calls_of, read_text
from motet.turn.unmade import claims_edit
from motet.workspace.places import KnownPaths


class Written:
    """What a turn does about edits in the texts of its answers, and what it has written."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._reports = self._count()
        self._before = self._reports
        self._answer, self._elements = "", False
        self._acted = False
        self._ended = TurnEnded()

    def begin(self, answer: str, *, elements: bool) -> None:
        """An answer is whole, and none of its calls has run. `elements`: whether its text may hold calls."""
        self._before = self._count()
        self._answer, self._elements = answer, elements

    async def calls(self) -> list[ToolCall]:
        """What the text of the answer asks for, as calls; what can only be told is kept for the end."""
        tool = self._toolbox.edit_tool
        is_path = KnownPaths(tool.desk.workspace.root) if tool is not None else None
        found = read_text(self._answer, elements=self._elements, about=self._toolbox.about, is_path=is_path)
        if tool is None:
            if found.edits or found.broken or found.quoted:
                self._ended = replace(self._ended, left=found.edits, broken=found.broken, quoted=found.quoted)
            return calls_of(replace(found, broken=""), ())
        if not found.edits and not found.quoted:
            return calls_of(found, ())
        from motet.tools.in_text import sift

        if found.quoted:
            quoted = await sift(tool.desk, found.quoted, turn=self._reports, answer=self._before)
            self._ended = replace(self._ended, quoted=quoted.fresh)
        about = self._toolbox.about
        sifted = await sift(tool.desk, found.edits, about=about, turn=self._reports, answer=self._before)
        if sifted.doubtful or sifted.repeated:
            self._ended = replace(self._ended, doubtful=sifted.doubtful, repeated=sifted.repeated)
        return calls_of(found, sifted.fresh)

    def heed(self, done: Sequence[tuple[ToolCall, ToolOutput]]) -> None:
        """Note the calls of an answer that may have changed something besides edits."""
        if any(not output.is_error and self._toolbox.acts_elsewhere(call) for call, output in done):
            self._acted = True

    def ended(self) -> TurnEnded:
        """The end of the turn with this answer."""
        tool = self._toolbox.edit_tool
        if tool is None:
            return self._ended
        reports = tool.desk.reports[self._reports :]
        paths = {report.path for report in reports}
        doubtful = tuple(edit for edit in self._ended.doubtful if tool.desk.normalise(edit.path) not in paths)
        written = self._acted or any(report.was_written for report in reports)
        return replace(self._ended, doubtful=doubtful, unmade=not written and claims_edit(self._answer))

    def _count(self) -> int:
        tool = self._toolbox.edit_tool
        return len(tool.desk.reports) if tool is not None else 0
