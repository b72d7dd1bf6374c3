"""`move_file`: give a file another path."""

from __future__ import annotations

from pydantic import BaseModel, Field

from motet.edits import Edit, Move
from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.file_input import FileInput
from motet.tools.file_tool import FileTool
from motet.tools.kit import Kit
from motet.tools.tool import ToolSpec


class MoveFileInput(FileInput):
    """Arguments of one call."""

    to: str = Field(description="the new path, relative to the workspace; nothing may stand there")


class MoveFile(FileTool):
    """The tool."""

    spec = ToolSpec("move_file", prompt("move_file"), MoveFileInput, frozenset({Effect.WRITE}))

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit.desk)

    def edit(self, value: BaseModel, call: str) -> Edit:
        """See `FileTool`."""
        assert isinstance(value, MoveFileInput)
        return Move(value.path, value.to, call)
