"""The tools that come with motet, one module each, imported when its tool is first made.

`edit_tool` gives the one that edits files in a format; a model gets one of them, whichever it is best at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from motet.errors import UsageError

if TYPE_CHECKING:
    from motet.tools.desk import EditDesk
    from motet.tools.edit_tool import EditTool

EDIT_TOOLS: Mapping[str, str] = {
    "replace_in_file": "replace_in_file",
    "edit_file": "edit_file",
    "whole_file": "write_file",
    "apply_patch": "apply_patch",
    "anchored": "edit_anchored",
}
"""By the name of a format, that of its tool and of the tool's module. The other formats are written as text and need
none."""

_CLASSES = {
    "replace_in_file": "ReplaceInFile",
    "edit_file": "EditFile",
    "write_file": "WriteFile",
    "apply_patch": "ApplyPatch",
    "edit_anchored": "EditAnchored",
}


def edit_tool(format: str, desk: EditDesk) -> EditTool:
    """The tool that edits files in `format`. Raises `UsageError` for a format that has no tool."""
    if format not in EDIT_TOOLS:
        raise UsageError(f"{format!r} is no edit format with a tool; choose one of {', '.join(EDIT_TOOLS)}")
    name = EDIT_TOOLS[format]
    make: Callable[[EditDesk], EditTool] = getattr(import_module(f"motet.tools.builtin.{name}"), _CLASSES[name])
    return make(desk)


__all__ = ["EDIT_TOOLS", "edit_tool"]
