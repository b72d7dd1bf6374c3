"""Tools whose calls create, delete or move a file: edits like any other, so they go over the desk together."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from motet.edits import Edit
from motet.tools.desk import EditDesk
from motet.tools.tool import ToolInput, ToolOutput, ToolSpec


class FileTool:
    """Makes one edit of each call. The desk proposes them to the human, remembers what stood there, and says what
    became of them."""

    spec: ToolSpec

    def __init__(self, desk: EditDesk) -> None:
        self.desk = desk

    async def run(self, calls: Sequence[ToolInput]) -> list[ToolOutput]:
        """See `Tool`."""
        edits = [self.edit(call.value, call.id) for call in calls]
        report = await self.desk.submit(edits)
        return [
            ToolOutput(report.describe([edit.path]), report.of(edit.path).is_error, files=(edit.path,))
            for edit in edits
        ]

    def edit(self, value: BaseModel, call: str) -> Edit:
        """The edit that the call `call` asks for."""
        raise NotImplementedError
