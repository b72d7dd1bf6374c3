"""`edit_file`: replace texts of one file, each given as it stands there and as it should stand."""

from __future__ import annotations

from pydantic import BaseModel, Field

from motet.tools.desk import EditDesk
from motet.tools.edit_tool import EditTool
from motet.tools.file_input import FileInput


class TextPair(BaseModel):
    """One replacement."""

    old: str = Field(description="the text exactly as it stands in the file, unique in it; empty for a new file")
    new: str = Field(description="the text to stand there instead")
    replace_all: bool = Field(False, description="replace the old text everywhere")
    near: int | str | None = Field(
        None, description="where the old text stands several times: the line number, or a line or symbol above it"
    )


class EditFileInput(FileInput):
    """Arguments of one call."""

    edits: list[TextPair] = Field(description="the replacements, in any order", min_length=1)


class EditFile(EditTool):
    """The tool."""

    def __init__(self, desk: EditDesk) -> None:
        super().__init__(desk, "edit_file", "edit_file", EditFileInput)
