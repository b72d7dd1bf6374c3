"""Tools: what a model may do besides talking. A tool is a value (`ToolSpec`) and one async function.

`Toolbox` runs the calls of one answer: every call gets exactly one result, whatever happens, and a tool that was
not handed over is never run. `EditDesk` is the road that every edit takes: propose, review, apply. It is imported when
it is first used, as the edit engine comes with it: many a question changes nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from motet.tools.edit_tool import BrokenCall, EditCall, EditTool
from motet.tools.reviewers import AcceptAll, ProposeOnly
from motet.tools.tool import Stopped, Tool, ToolInput, ToolOutput, ToolSpec
from motet.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from motet.tools.desk import EditDesk, Reviewer
    from motet.tools.report import DeskReport, FileReport

__all__ = [
    "AcceptAll",
    "BrokenCall",
    "DeskReport",
    "EditCall",
    "EditDesk",
    "EditTool",
    "FileReport",
    "ProposeOnly",
    "Reviewer",
    "Stopped",
    "Tool",
    "ToolInput",
    "ToolOutput",
    "ToolSpec",
    "Toolbox",
]

_WITH_THE_DESK = {"DeskReport": "report", "EditDesk": "desk", "FileReport": "report", "Reviewer": "desk"}


def __getattr__(name: str) -> object:
    if name in _WITH_THE_DESK:
        found: object = getattr(import_module(f"motet.tools.{_WITH_THE_DESK[name]}"), name)
        return found
    raise AttributeError(f"module 'motet.tools' has no attribute {name!r}")
