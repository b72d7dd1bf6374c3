"""Tools: what a model may do besides talking. A tool is a value (`ToolSpec`) and one async function.

`Toolbox` runs the calls of one answer: every call gets exactly one result, whatever happens, and a tool that was
not handed over is never run. `EditDesk` is the road that every edit takes: propose, review, apply.
"""

from motet.tools.desk import EditDesk, Reviewer
from motet.tools.edit_tool import EditCall, EditTool
from motet.tools.report import DeskReport, FileReport
from motet.tools.tool import Tool, ToolInput, ToolOutput, ToolSpec
from motet.tools.toolbox import Toolbox

__all__ = [
    "DeskReport",
    "EditCall",
    "EditDesk",
    "EditTool",
    "FileReport",
    "Reviewer",
    "Tool",
    "ToolInput",
    "ToolOutput",
    "ToolSpec",
    "Toolbox",
]
