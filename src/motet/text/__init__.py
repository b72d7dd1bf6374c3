"""Values about text: files as bytes and characters, places in them, diagnostics about them. No I/O.

Each part is imported when it is first used: who only wants words needs no positions.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from motet.text.diagnostic import Diagnostic, Severity, SuggestedFix, TextEdit, bounded_message
    from motet.text.file import MAX_TEXT_BYTES, TextFile
    from motet.text.position import LineIndex, Position, PositionEncoding, Range

__all__ = [
    "MAX_TEXT_BYTES",
    "Diagnostic",
    "LineIndex",
    "Position",
    "PositionEncoding",
    "Range",
    "Severity",
    "SuggestedFix",
    "TextEdit",
    "TextFile",
    "bounded_message",
]

_MODULES = {
    "diagnostic": ("Diagnostic", "Severity", "SuggestedFix", "TextEdit", "bounded_message"),
    "file": ("MAX_TEXT_BYTES", "TextFile"),
    "position": ("LineIndex", "Position", "PositionEncoding", "Range"),
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _WHERE:
        found: object = getattr(import_module(f"motet.text.{_WHERE[name]}"), name)
        return found
    raise AttributeError(f"module 'motet.text' has no attribute {name!r}")
