"""What compilers, linters, test runners and language servers complain about, and the text form of it for a model.

`DiagnosticsService` asks language servers and checkers, `render_file` writes a file and its problems within a
budget, `compare` tells what a change solved and what it broke. Each part is imported when it is first used: every
start in a project with programs of its own looks up which servers there are, and needs no more.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from motet.diagnostics.checkers import Checker
    from motet.diagnostics.comparison import Change, compare, summary
    from motet.diagnostics.finder import DefinitionFinder
    from motet.diagnostics.locate import Surroundings
    from motet.diagnostics.progress import Doing, Progress
    from motet.diagnostics.question import Answers, Question
    from motet.diagnostics.references import Place, References, Uses
    from motet.diagnostics.render import Rendered, names_wanted, pack, render_file
    from motet.diagnostics.servers import BUILT_IN, ServerSpec
    from motet.diagnostics.service import DiagnosticsService, Report
    from motet.diagnostics.symbols import Named, Outlined, Symbol, Symbols

__all__ = [
    "BUILT_IN",
    "Answers",
    "Change",
    "Checker",
    "DefinitionFinder",
    "DiagnosticsService",
    "Doing",
    "Named",
    "Outlined",
    "Place",
    "Progress",
    "Question",
    "References",
    "Rendered",
    "Report",
    "ServerSpec",
    "Surroundings",
    "Symbol",
    "Symbols",
    "Uses",
    "compare",
    "names_wanted",
    "pack",
    "render_file",
    "summary",
]

_MODULES = {
    "checkers": ("Checker",),
    "comparison": ("Change", "compare", "summary"),
    "locate": ("Surroundings",),
    "finder": ("DefinitionFinder",),
    "progress": ("Doing", "Progress"),
    "question": ("Answers", "Question"),
    "references": ("Place", "References", "Uses"),
    "render": ("Rendered", "names_wanted", "pack", "render_file"),
    "servers": ("BUILT_IN", "ServerSpec"),
    "service": ("DiagnosticsService", "Report"),
    "symbols": ("Named", "Outlined", "Symbol", "Symbols"),
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _WHERE:
        found: object = getattr(import_module(f"motet.diagnostics.{_WHERE[name]}"), name)
        return found
    raise AttributeError(f"module 'motet.diagnostics' has no attribute {name!r}")
