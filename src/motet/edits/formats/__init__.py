"""What models write, one module a format. Every parser turns text into `Edit`s or raises `EditFormatError`."""

from motet.edits.formats.replace_in_file import parse_replace_in_file
from motet.edits.formats.search_replace import parse_search_replace

__all__ = ["parse_replace_in_file", "parse_search_replace"]
