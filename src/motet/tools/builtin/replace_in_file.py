"""`replace_in_file`: replace parts of one file by SEARCH/REPLACE blocks (the form that Cline made known)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from motet.edits import Edit, parse_replace_in_file
from motet.errors import EditFormatError
from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.desk import EditDesk, FileReport
from motet.tools.tool import ToolInput, ToolOutput, ToolSpec


class ReplaceInFileInput(BaseModel):
    """Arguments of one call."""

    path: str = Field(description="path of the file, relative to the workspace")
    diff: str = Field(description="one or more SEARCH/REPLACE blocks")


class ReplaceInFile:
    """The tool. All calls of one answer are planned together by the edit desk."""

    def __init__(self, desk: EditDesk) -> None:
        self._desk = desk
        self.spec = ToolSpec(
            "replace_in_file", prompt("replace_in_file"), ReplaceInFileInput, frozenset({Effect.WRITE})
        )

    async def run(self, calls: Sequence[ToolInput]) -> list[ToolOutput]:
        """One output a call; calls to the same file share its fate and its report."""
        edits: list[Edit] = []
        errors: dict[str, ToolOutput] = {}
        paths: dict[str, str] = {}
        for call in calls:
            assert isinstance(call.value, ReplaceInFileInput)  # checked by the toolbox
            paths[call.id] = self._desk.normalise(call.value.path)
            try:
                edits += parse_replace_in_file(call.value.path, call.value.diff, call.id)
            except EditFormatError as error:
                errors[call.id] = ToolOutput(f"{paths[call.id]}: refused (bad_format): {error}", is_error=True)
        report = await self._desk.submit(edits)
        return [errors.get(call.id) or _output(report.of(paths[call.id])) for call in calls]


def _output(file: FileReport) -> ToolOutput:
    return ToolOutput(file.describe(), file.is_error)
