"""`create_file`: a new file."""

from __future__ import annotations

from pydantic import BaseModel, Field

from motet.edits import Edit, Write
from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.file_input import FileInput
from motet.tools.file_tool import FileTool
from motet.tools.kit import Kit
from motet.tools.tool import ToolSpec


class CreateFileInput(FileInput):
    """Arguments of one call."""

    content: str = Field("", description="the whole text of the new file")


class CreateFile(FileTool):
    """The tool."""

    spec = ToolSpec("create_file", prompt("create_file"), CreateFileInput, frozenset({Effect.WRITE}))

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit.desk)

    def edit(self, value: BaseModel, call: str) -> Edit:
        """See `FileTool`."""
        assert isinstance(value, CreateFileInput)
        return Write(value.path, value.content, create=True, call=call)
