"""The arguments of an edit tool as JSON within an answer, as logs show them.

Taken are `{path, diff}`, `{path, edits}`, `{path, old, new}`, `{patch}` with a patch in it, and any of the tools'
arguments when the object around them names the tool: `{"name": "whole_file", "arguments": {…}}`. Other JSON is an
example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from motet.edits.formats.arguments import LIST_NAMES, PATH_NAMES
from motet.edits.formats.edit_file import NEW_NAMES, OLD_NAMES
from motet.edits.formats.json_stream import JsonReader
from motet.edits.formats.json_value import Json, JsonDone
from motet.edits.formats.reader import Piece
from motet.edits.formats.regions import NumberedLine, shifted
from motet.edits.formats.tool_call import TOOL_CALL_FORMATS, ToolCallReader
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError

_BEGIN = re.compile(r"\s*(?:\[\s*)?\{\s*(?:\"|\Z)")
_TOOL_NAMES = ("name", "tool", "tool_name")
_ARGUMENTS = ("arguments", "input", "parameters", "args")


def may_be_json(line: str) -> bool:
    """Whether a JSON object, or a list of such, could begin with `line`."""
    return _BEGIN.match(line) is not None


class JsonRegion:
    """One JSON object. When it is no call of an edit tool, all its lines are its `tail`."""

    def __init__(self, path: str, call: str, after: int) -> None:
        self.done = False
        self.tail: list[NumberedLine] = []
        self._path, self._call = path, call
        self._after = after
        self._json = JsonReader()
        self._lines: list[NumberedLine] = []
        self._keys: set[str] = set()
        self._value: Json = None

    def line(self, text: str, number: int) -> list[Piece]:
        self._lines.append((text, number))
        try:
            self._read(f"{text}\n")
        except EditFormatError as error:
            return self._give_up(str(error))
        return self._finish() if self._json.is_done else []

    def end(self) -> list[Piece]:
        return [] if self.done else self._give_up("it does not end")

    def _read(self, text: str) -> None:
        for event in self._json.feed(text):
            match event.path:
                case (str() as key, *_):
                    self._keys.add(key)
                case () if isinstance(event, JsonDone):
                    self._value = event.value
                case _:
                    pass

    def _give_up(self, why: str) -> list[Piece]:
        """The lines are no JSON: prose, unless they began like a call."""
        if self._keys & PATH_NAMES and self._keys & {"diff", *LIST_NAMES}:
            first = self._lines[0][1]
            raise EditFormatError(f"line {first}: this looks like the arguments of an edit tool, but: {why}", first)
        self.done, self.tail = True, self._lines
        return []

    def _finish(self) -> list[Piece]:
        self.done = True
        tool = _tool_of(self._value) if isinstance(self._value, dict) else None
        if tool is None:
            self.tail = self._lines
            return []
        first = self._lines[0][1]
        reader = ToolCallReader(tool[0], path=self._path, call=self._call)
        try:
            pieces = reader.feed(tool[1]) + reader.finish()
        except EditFormatError as error:
            raise EditFormatError(f"in the call of line {first}: {error}", first) from None
        placed = [piece if isinstance(piece, EditPreview) else replace(piece, line=first) for piece in pieces]
        return shifted(placed, self._after)


def _tool_of(values: Mapping[str, Json]) -> tuple[str, str] | None:
    """The format of a call, and its arguments as JSON; None for another object."""
    if values.get("type") == "custom_tool_call":
        return None  # its input is no JSON
    named = next((values[name] for name in _TOOL_NAMES if name in values), None)
    arguments = next((values[name] for name in _ARGUMENTS if name in values), None)
    if isinstance(named, str) and named in TOOL_CALL_FORMATS and isinstance(arguments, (str, dict)):
        return named, arguments if isinstance(arguments, str) else json.dumps(arguments)
    format = _format_of(values)
    return (format, json.dumps(dict(values))) if format else None


def _format_of(values: Mapping[str, Json]) -> str:
    keys = set(values)
    if values.get("type") in ("create_file", "update_file", "delete_file"):
        return ""  # the lines of a patch, and no diff
    items = next((values[name] for name in LIST_NAMES if name in values), None)
    diff, patch = values.get("diff"), values.get("patch", values.get("input"))
    if not keys & PATH_NAMES:
        return "apply_patch" if isinstance(patch, str) and "*** Begin Patch" in patch else ""
    if isinstance(diff, str):
        return "replace_in_file" if " SEARCH" in diff else "udiff"
    if isinstance(items, list) and items and all(isinstance(item, dict) for item in items):
        has_old = any(isinstance(item, dict) and item.keys() & OLD_NAMES for item in items)
        return "edit_file" if has_old else "anchored"
    return "edit_file" if keys & OLD_NAMES and keys & NEW_NAMES else ""
