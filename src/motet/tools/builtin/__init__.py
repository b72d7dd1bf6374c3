"""The tools that come with motet, one module each.

`edit_tool` gives the one that edits files in a format; a model gets one of them, whichever it is best at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from motet.errors import UsageError
from motet.tools.builtin.apply_patch import ApplyPatch
from motet.tools.builtin.edit_anchored import EditAnchored
from motet.tools.builtin.edit_file import EditFile
from motet.tools.builtin.replace_in_file import ReplaceInFile
from motet.tools.builtin.write_file import WriteFile
from motet.tools.desk import EditDesk
from motet.tools.edit_tool import EditTool

EDIT_TOOLS: Mapping[str, Callable[[EditDesk], EditTool]] = {
    "replace_in_file": ReplaceInFile,
    "edit_file": EditFile,
    "whole_file": WriteFile,
    "apply_patch": ApplyPatch,
    "anchored": EditAnchored,
}
"""By the name of a format, its tool. The other formats are written as text and need none."""


def edit_tool(format: str, desk: EditDesk) -> EditTool:
    """The tool that edits files in `format`. Raises `UsageError` for a format that has no tool."""
    if format not in EDIT_TOOLS:
        raise UsageError(f"{format!r} is no edit format with a tool; choose one of {', '.join(EDIT_TOOLS)}")
    return EDIT_TOOLS[format](desk)


__all__ = [
    "EDIT_TOOLS",
    "ApplyPatch",
    "EditAnchored",
    "EditFile",
    "ReplaceInFile",
    "WriteFile",
    "edit_tool",
]
