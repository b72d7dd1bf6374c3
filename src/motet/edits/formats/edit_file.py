"""The tool call `edit_file {path, edits:[{old, new, replace_all?, near?}]}`: characters to find, characters to put.

A single pair may stand beside `path` without `edits`; an entry with a `path` of its own is for that file. Taken as
well: `old_string`/`new_string`, `oldText`/`newText`, `search`/`replace` and their like.
"""

from __future__ import annotations

import re

from motet.edits.edit import Near, Replace
from motet.edits.formats.anchors import read_anchor
from motet.edits.formats.arguments import PATH_NAMES, Arguments
from motet.edits.formats.json_value import Json

OLD_NAMES = frozenset(
    ["old", "old_string", "oldString", "old_text", "oldText", "old_str", "oldStr", "search", "find"]
)
NEW_NAMES = frozenset(
    ["new", "new_string", "newString", "new_text", "newText", "new_str", "newStr", "replace", "replacement"]
)
_ALL_NAMES = frozenset(("replace_all", "replaceAll"))
_NEAR_NAMES = frozenset(("near", "line", "line_number"))
_LINE = re.compile(
    r"(?:(?:near|around|at)[ ])?(?:lines?[ ]?|L)?([0-9]{1,9})(?:[ ]?-[ ]?L?[0-9]{1,9})?", re.IGNORECASE
)


def read_edit(arguments: Arguments, path: str, call: str, line: int) -> Replace:
    """The edit of one pair; `path` is the file of the call, which may be empty."""
    return Replace(
        arguments.text(PATH_NAMES, "") or path,
        arguments.text(OLD_NAMES, called="old"),
        arguments.text(NEW_NAMES, called="new"),
        call,
        line,
        _near(arguments, arguments.value(_NEAR_NAMES)),
        inline=True,
        replace_all=arguments.flag(_ALL_NAMES),
    )


def _near(arguments: Arguments, value: Json) -> Near:
    """A line number, `line 12`, an anchor, or the symbols or lines that stand before the place, outermost first."""
    match value:
        case None | "" | bool():
            return Near()
        case int() if 0 <= value < 1_000_000_000:
            return Near(value)
        case float() if value.is_integer() and 0 <= value < 1_000_000_000:
            return Near(int(value))
        case str():
            return _near_text(value.strip())
        case list() if all(isinstance(header, str) for header in value):
            return Near(headers=tuple(str(header).strip() for header in value if header))
        case _:
            raise arguments.error("'near' has to be a line number, an anchor or a line above the place")


def _near_text(text: str) -> Near:
    anchor = read_anchor(text)
    if anchor is not None:
        return Near(anchor.line, hash=anchor.hash)
    number = _LINE.fullmatch(text)
    if number is not None:
        return Near(int(number[1]))
    return Near(headers=(text,)) if text else Near()
