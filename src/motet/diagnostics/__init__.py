"""What compilers, linters, test runners and language servers complain about, and the text form of it for a model.

`DiagnosticsService` asks language servers and checkers, `render_file` writes a file and its problems within a
budget, `compare` tells what a change solved and what it broke.
"""

from motet.diagnostics.checkers import Checker
from motet.diagnostics.compare import Change, compare, summary
from motet.diagnostics.locate import Surroundings
from motet.diagnostics.outline import DefinitionFinder
from motet.diagnostics.progress import Doing, Progress
from motet.diagnostics.render import Rendered, pack, render_file
from motet.diagnostics.servers import BUILT_IN, ServerSpec
from motet.diagnostics.service import DiagnosticsService, Report

__all__ = [
    "BUILT_IN",
    "Change",
    "Checker",
    "DefinitionFinder",
    "DiagnosticsService",
    "Doing",
    "Progress",
    "Rendered",
    "Report",
    "ServerSpec",
    "Surroundings",
    "compare",
    "pack",
    "render_file",
    "summary",
]
