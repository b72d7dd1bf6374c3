"""`replace_in_file`: replace parts of one file by SEARCH/REPLACE blocks (the form that Cline made known)."""

from __future__ import annotations

from pydantic import Field

from motet.tools.desk import EditDesk
from motet.tools.edit_tool import EditTool
from motet.tools.file_input import FileInput


class ReplaceInFileInput(FileInput):
    """Arguments of one call."""

    diff: str = Field(description="one or more SEARCH/REPLACE blocks")


class ReplaceInFile(EditTool):
    """The tool."""

    def __init__(self, desk: EditDesk) -> None:
        super().__init__(desk, "replace_in_file", "replace_in_file", ReplaceInFileInput)
