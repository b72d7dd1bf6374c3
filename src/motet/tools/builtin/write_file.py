"""`write_file`: create a file, or replace all that stands in it."""

from __future__ import annotations

from pydantic import Field

from motet.tools.desk import EditDesk
from motet.tools.edit_tool import EditTool
from motet.tools.file_input import FileInput


class WriteFileInput(FileInput):
    """Arguments of one call."""

    content: str = Field(description="the whole new text of the file")


class WriteFile(EditTool):
    """The tool."""

    def __init__(self, desk: EditDesk) -> None:
        super().__init__(desk, "whole_file", "write_file", WriteFileInput)
