"""`delete_file`: remove a file; it can be brought back."""

from __future__ import annotations

from pydantic import BaseModel

from motet.edits import Delete, Edit
from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.file_input import FileInput
from motet.tools.file_tool import FileTool
from motet.tools.kit import Kit
from motet.tools.tool import ToolSpec


class DeleteFile(FileTool):
    """The tool."""

    spec = ToolSpec("delete_file", prompt("delete_file"), FileInput, frozenset({Effect.WRITE}))

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit.desk)

    def edit(self, value: BaseModel, call: str) -> Edit:
        """See `FileTool`."""
        assert isinstance(value, FileInput)
        return Delete(value.path, call)
