"""What the calls of all tools that edit one file have in common."""

from __future__ import annotations

from pydantic import BaseModel, Field


class FileInput(BaseModel):
    """Arguments of a call that edits one file."""

    path: str = Field(description="path of the file, relative to the workspace")
