"""What models write, one module a format. Every parser turns text into `Edit`s or raises `EditFormatError`.

`parse` reads an answer as a whole, `StreamParser` while it arrives.
"""

from motet.edits.formats.replace_in_file import parse_replace_in_file
from motet.edits.formats.search_replace import parse_search_replace
from motet.edits.formats.stream import FORMATS, StreamParser, parse

__all__ = ["FORMATS", "StreamParser", "parse", "parse_replace_in_file", "parse_search_replace"]
