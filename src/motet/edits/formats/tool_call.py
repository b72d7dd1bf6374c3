"""Tool calls that edit files, read while their JSON arguments are still arriving.

| call | arguments |
|---|---|
| `replace_in_file` | `path`, `diff`: SEARCH/REPLACE blocks |
| `edit_file` | `path`, `edits`: `[{old, new, replace_all?, near?}]` |
| `whole_file` | `path`, `content` |
| `apply_patch` | `patch` |
| `udiff` | `diff`, and `path` where it names no file |
| `anchored` | `path`, `edits`: `[{replace | insert_after | delete, text?}]` |

`calls_within` also knows the editing tools of other programs, as their logs and the providers' responses show them:
Anthropic's text editor tool (`command`: `str_replace`, `create`, `insert`), and `Edit`, `MultiEdit` and `Write` of
Claude Code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from motet.edits.dialect import MOTET, Dialect
from motet.edits.edit import Edit, Insert, Near
from motet.edits.formats.arguments import PATH_NAMES, Arguments
from motet.edits.formats.call_items import ITEM_FORMATS, ItemCall
from motet.edits.formats.call_text import TEXT_FORMATS, TextCall
from motet.edits.formats.json_stream import JsonReader
from motet.edits.formats.json_value import Json, JsonDone
from motet.edits.formats.reader import Piece, edits_of
from motet.errors import EditFormatError

TOOL_CALL_FORMATS = (*TEXT_FORMATS, *ITEM_FORMATS)

_EDITORS = frozenset(("str_replace_based_edit_tool", "str_replace_editor", "text_editor"))
_FOREIGN = {"edit": "edit_file", "multiedit": "edit_file", "multi_edit": "edit_file", "write": "whole_file"}
_COMMANDS = frozenset(("str_replace", "create", "insert"))
_WITHIN = ("content", "tool_calls", "choices", "message", "output", "function_call")
_SIGNS = ('"tool_use"', '"function"', '"function_call"', '"command"', '"file_path"')
_DEEPEST = 8


class ToolCallReader:
    """Reads the arguments of one call in pieces of any size. `path` is the file meant when the arguments name none.

    A preview comes as soon as a line of an edit is complete and its path is known; an edit, as soon as it is. Raises
    `EditFormatError` for arguments that cannot be understood, and `ValueError` for a `format` that is not one of
    `TOOL_CALL_FORMATS`.
    """

    def __init__(self, format: str, *, path: str = "", call: str = "", dialect: Dialect = MOTET) -> None:
        if format in TEXT_FORMATS:
            self._call = TextCall(TEXT_FORMATS[format], path, call, dialect)
        elif format in ITEM_FORMATS:
            self._call = ItemCall(ITEM_FORMATS[format], path, call)
        else:
            raise ValueError(f"no tool call has the format {format!r}")
        self._json = JsonReader()
        self._held: list[str] = []

    def feed(self, chunk: str) -> list[Piece]:
        """What `chunk` completes."""
        # Inside a string no line ends without one of these, so there is nothing to tell yet.
        if self._json.is_in_string and "\\" not in chunk and '"' not in chunk and "\n" not in chunk:
            self._held.append(chunk)
            return []
        if self._held:
            chunk = "".join(self._held) + chunk
            self._held = []
        return [piece for event in self._json.events(chunk) for piece in self._call.take(event)]

    def finish(self) -> list[Piece]:
        """The arguments are over; nothing is left to say when they were complete."""
        self._json.feed("".join(self._held))
        self._json.end()
        return []


def calls_within(
    lines: Sequence[tuple[str, int]], *, path: str = "", call: str = "", dialect: Dialect = MOTET
) -> list[Piece]:
    """The edits of all calls in the JSON object that `lines` (with their 1-based numbers) hold: a provider's response,
    one block of it, or the bare arguments. Empty for another object and for what is no JSON.

    Raises `EditFormatError` for a call of an editing tool that cannot be understood.
    """
    text, first = "\n".join(text for text, _ in lines), lines[0][1]
    if not any(sign in text for sign in _SIGNS):
        return []
    reader = JsonReader()
    try:
        done = [event.value for event in reader.feed(text) if isinstance(event, JsonDone) and event.path == ()]
        reader.end()
    except EditFormatError:
        return []
    found: list[Piece] = []
    for name, arguments in _calls(done[0], _DEEPEST):
        try:
            found += _edits(name, arguments, path, call, dialect)
        except EditFormatError as error:
            raise EditFormatError(f"in the call of line {first}: {error}", first) from None
    return [replace(edit, line=first) for edit in edits_of(found)]


def _calls(value: Json, deepest: int, is_outermost: bool = True) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """The calls in `value`, in order, by the name of their tool; the name is empty for bare arguments."""
    match value:
        case list() if deepest:
            for item in value:
                yield from _calls(item, deepest - 1, False)
        case {"type": "tool_use", "name": str() as name, "input": dict() as arguments}:
            yield name, arguments
        case {"function": {"name": str() as name, "arguments": (str() | dict()) as arguments}}:
            yield name, _object(arguments)
        case {"type": "function_call", "name": str() as name, "arguments": str() as arguments}:
            yield name, _object(arguments)
        case {"name": str() as name, **rest} if is_outermost and (named := _arguments(rest)) is not None:
            yield name, named
        case dict() if is_outermost and _is_bare(value):
            yield "", value
        case dict() if deepest:
            for key in _WITHIN:
                yield from _calls(value.get(key), deepest - 1, False)
        case _:
            return


def _arguments(values: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """What a call is given, when it stands beside the name of its tool."""
    for key in ("arguments", "input", "parameters", "args"):
        match values.get(key):
            case dict() as arguments:
                return arguments
            case str() as text:
                return _object(text)
            case _:
                continue
    return None


def _object(arguments: str | dict[str, Json]) -> Mapping[str, Json]:
    """Arguments that may be a string that holds their JSON; nothing for one that holds something else."""
    if not isinstance(arguments, str):
        return arguments
    reader = JsonReader()
    try:
        values = [event.value for event in reader.feed(arguments) if isinstance(event, JsonDone) and not event.path]
        reader.end()
    except EditFormatError:
        return {}
    return values[0] if isinstance(values[0], dict) else {}


def _is_bare(values: Mapping[str, Json]) -> bool:
    """Whether these are the arguments of a tool that has no other: the text editor's, or those of `Write`."""
    is_command = values.get("command") in _COMMANDS and bool(values.keys() & PATH_NAMES)
    return is_command or set(values) == {"file_path", "content"}


def _edits(name: str, values: Mapping[str, Json], path: str, call: str, dialect: Dialect) -> list[Piece]:
    """The edits of one call; none when it is no editing tool's."""
    known = name if name in TOOL_CALL_FORMATS else _FOREIGN.get(name.lower(), "")
    if not known and (name in _EDITORS or values.get("command") in _COMMANDS):
        match values.get("command"):
            case "str_replace":
                known, values = "edit_file", {"new_str": "", **values}
            case "create":
                known = "whole_file"
            case "insert":
                return [_insertion(Arguments(values, "the call", 1), path, call)]
            case _:
                return []  # it only looks
    elif not known and name:
        return []
    if not known:
        known = "whole_file"
    reader = ToolCallReader(known, path=path, call=call, dialect=dialect)
    return reader.feed(json.dumps(dict(values))) + reader.finish()


def _insertion(arguments: Arguments, path: str, call: str) -> Edit:
    """`insert`: the text goes below the line `insert_line`, 0 for the top of the file."""
    path = arguments.text(PATH_NAMES, "") or path
    line = arguments.value(("insert_line",))
    text = arguments.text(("insert_text", "new_str"), called="insert_text")
    if not path:
        raise arguments.error("no path says which file it is for")
    if not isinstance(line, int) or isinstance(line, bool) or line < 0 or not text:
        raise arguments.error("'insert' needs a line number in 'insert_line', and new lines in 'insert_text'")
    return Insert(path, text if text.endswith(("\n", "\r")) else f"{text}\n", Near(line=line + 1), call)
