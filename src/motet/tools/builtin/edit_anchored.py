"""`edit_anchored`: replace, insert and delete lines by the anchors with which the file was shown."""

from __future__ import annotations

from pydantic import BaseModel, Field

from motet.tools.desk import EditDesk
from motet.tools.edit_tool import EditTool
from motet.tools.file_input import FileInput


class AnchoredItem(BaseModel):
    """One edit: exactly one of `replace`, `insert_after` and `delete`."""

    replace: str | None = Field(None, description="the lines to replace: `12:a3f`, or `12:a3f..15:f0z`")
    insert_after: str | None = Field(None, description="the line to insert below: `12:a3f`, or `0` for the top")
    delete: str | None = Field(None, description="the lines to delete: `12:a3f`, or `12:a3f..15:f0z`")
    text: str | None = Field(None, description="the new lines, without anchors; not with `delete`")


class EditAnchoredInput(FileInput):
    """Arguments of one call."""

    edits: list[AnchoredItem] = Field(description="the edits, in any order", min_length=1)


class EditAnchored(EditTool):
    """The tool."""

    def __init__(self, desk: EditDesk) -> None:
        super().__init__(desk, "anchored", "edit_anchored", EditAnchoredInput)
