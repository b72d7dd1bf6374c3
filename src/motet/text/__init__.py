"""Values about text: files as bytes and characters, places in them, diagnostics about them. No I/O."""

from motet.text.diagnostic import Diagnostic, Severity, SuggestedFix, TextEdit
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
]
