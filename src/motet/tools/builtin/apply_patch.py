"""`apply_patch`: change, create, move and delete files by one patch (the form that Codex made known)."""

from __future__ import annotations

from pydantic import BaseModel, Field

from motet.tools.desk import EditDesk
from motet.tools.edit_tool import EditTool


class ApplyPatchInput(BaseModel):
    """Arguments of one call."""

    patch: str = Field(description="the patch, from `*** Begin Patch` to `*** End Patch`")


class ApplyPatch(EditTool):
    """The tool."""

    def __init__(self, desk: EditDesk) -> None:
        super().__init__(desk, "apply_patch", "apply_patch", ApplyPatchInput)
