"""Calls of the editing tools of other programs, as their logs and the providers' responses show them.

Anthropic's text editor tool (`command`: `str_replace`, `create`, `insert`), which OpenHands has, too; `Edit`, `MultiEdit`
and `Write` of Claude Code; `apply_diff`, `write_to_file`, `insert_content` and `search_and_replace` of Cline and Roo;
`replace` and `write_file` of Gemini; `apply_patch_call` of the Responses API; patches that Codex gives to a shell, and the
`changes` that it announces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from motet.edits.edit import Delete, Edit, Insert, Move, Near, Write
from motet.edits.formats.apply_patch import ApplyPatchReader
from motet.edits.formats.arguments import PATH_NAMES, Arguments
from motet.edits.formats.json_stream import JsonReader
from motet.edits.formats.json_value import Json, JsonDone
from motet.edits.formats.reader import Piece, edits_of, read
from motet.edits.formats.tool_call import TOOL_CALL_FORMATS, ToolCallReader
from motet.edits.formats.udiff import UdiffReader
from motet.errors import EditFormatError

_EDITORS = frozenset(("str_replace_based_edit_tool", "str_replace_editor", "text_editor"))
_FOREIGN = {
    "apply_diff": "replace_in_file",
    "create_file": "whole_file",
    "edit": "edit_file",
    "multi_edit": "edit_file",
    "multiedit": "edit_file",
    "replace": "edit_file",
    "search_and_replace": "edit_file",
    "str_replace": "edit_file",
    "write": "whole_file",
    "write_file": "whole_file",
    "write_to_file": "whole_file",
}
_COMMANDS = frozenset(("str_replace", "create", "insert"))
_OPERATIONS = frozenset(("create_file", "update_file", "delete_file"))
_WITHIN = (
    *("content", "tool_calls", "choices", "message", "output", "function_call"),
    *("payload", "item", "msg", "response", "action", "params"),
)
_SIGNS = (
    *('"tool_use"', '"function"', '"function_call"', '"command"', '"file_path"'),
    *("apply_patch", '"unified_diff"', '"diff"', '"changes"', *(f'"{name}"' for name in _FOREIGN)),
)
_DEEPEST = 8
_BEGIN, _END = "*** Begin Patch", "*** End Patch"


def calls_within(lines: Sequence[tuple[str, int]], *, path: str = "", call: str = "") -> list[Piece]:
    """The edits of all calls in the JSON object that `lines` (with their 1-based numbers) hold, or the list of such: a provider's response,
    one block of it, or the bare arguments. Empty for another object and for what is no JSON.

    Raises `EditFormatError` for a call of an editing tool that cannot be understood.
    """
    text, first = "\n".join(text for text, _ in lines), lines[0][1]
    if not any(sign in text for sign in _SIGNS):
        return []
    if text.lstrip().startswith("["):
        text = f'{{"content": {text.strip()}}}'
    reader = JsonReader()
    try:
        done = [event.value for event in reader.feed(text) if isinstance(event, JsonDone) and event.path == ()]
        reader.end()
    except EditFormatError:
        return []
    found: list[Piece] = []
    for name, arguments in _calls(done[0], _DEEPEST):
        try:
            found += edits_of_call(name, arguments, path, call)
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
        case {"type": "custom_tool_call", "name": str() as name, "input": str() as text}:
            yield name, {"input": text}
        case {"operation": dict() as operation} if operation.get("type") in _OPERATIONS:
            yield "apply_patch_call", operation
        case {"type": str() as name, "path": str(), **rest} if name in _OPERATIONS and (
            is_outermost or "diff" in rest
        ):
            yield "apply_patch_call", value
        case {"changes": dict() as files} if any(map(_is_announced, files.values())):
            yield "changes", files
        case {"command": list()} if not is_outermost or "type" not in value:
            yield "shell", value
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


def _is_announced(change: Json) -> bool:
    """Whether this is what Codex says of one file that it is about to change."""
    return isinstance(change, dict) and (
        bool(change.keys() & {"add", "update", "delete"}) or change.get("type") in ("add", "update", "delete")
    )


def is_known(name: str) -> bool:
    """Whether this is the name of a tool that edits files."""
    return name in TOOL_CALL_FORMATS or name in _EDITORS or name.lower() in _FOREIGN or name in ("insert_content",)


def edits_of_call(name: str, values: Mapping[str, Json], path: str = "", call: str = "") -> list[Piece]:
    """The edits of one call; none when it is no editing tool's."""
    match name:
        case "apply_patch_call":
            return _operation(values, call)
        case "changes":
            return [edit for path, change in values.items() for edit in _announced(path, change, call)]
        case "insert_content":
            return [_insertion(Arguments(_with_line(values), "the call", 1), path, call)]
        case "shell" | "local_shell" | "container.exec" | "exec_command":
            return _patches(values, call)
        case "search_and_replace":
            values = _plain_search(values)
        case _:
            pass
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
    reader = ToolCallReader(known, path=path, call=call)
    return reader.feed(json.dumps(dict(values))) + reader.finish()


def _insertion(arguments: Arguments, path: str, call: str) -> Edit:
    """`insert`: the text goes below the line `insert_line`, 0 for the top of the file."""
    path = arguments.text(PATH_NAMES, "") or path
    line = arguments.value(("insert_line",))
    text = arguments.text(("insert_text", "new_str"), called="insert_text")
    if not path:
        raise arguments.error("no path says which file it is for")
    if arguments.flag(("at_end",)) and text:
        return Insert(path, text if text.endswith(("\n", "\r")) else f"{text}\n", Near(at_end=True), call)
    if not isinstance(line, int) or isinstance(line, bool) or line < 0 or not text:
        raise arguments.error("'insert' needs a line number in 'insert_line', and new lines in 'insert_text'")
    return Insert(path, text if text.endswith(("\n", "\r")) else f"{text}\n", Near(line=line + 1), call)


def _with_line(values: Mapping[str, Json]) -> Mapping[str, Json]:
    """`insert_content` of Roo as `insert`: its line is the one that goes down, and 0 is the end."""
    line = values.get("line")
    number = int(line) if isinstance(line, str) and line.strip().isdecimal() else line
    below = number - 1 if isinstance(number, int) and number else number
    at_end = {"at_end": True} if number == 0 else {}
    text = values.get("content")
    return {**values, "insert_line": below, "insert_text": text, **at_end}


def _plain_search(values: Mapping[str, Json]) -> Mapping[str, Json]:
    """`search_and_replace` of Roo, which replaces all that it finds; without what motet never does."""
    arguments = Arguments(values, "the call", 1)
    for name in ("use_regex", "ignore_case"):
        if arguments.flag((name,)):
            raise arguments.error(f"'{name}' is not done: give the text as it stands in the file")
    for name in ("start_line", "end_line"):
        if arguments.value((name,)) not in (None, ""):
            raise arguments.error(f"'{name}' is not done: take enough lines that the text stands in one place")
    return {"replace": "", **values, "replace_all": True}


def _operation(values: Mapping[str, Json], call: str) -> list[Piece]:
    """`apply_patch_call` of the Responses API: one file, and the lines of a patch without its markers."""
    arguments = Arguments(values, "the call", 1)
    path, kind = arguments.text(("path",)), arguments.text(("type",), called="type")
    if kind == "delete_file":
        return [Delete(path, call)]
    diff = arguments.text(("diff",), called="diff").strip("\n")
    head = f"*** {'Add' if kind == 'create_file' else 'Update'} File: {path}"
    if _BEGIN not in diff:
        diff = f"{_BEGIN}\n{head}\n{diff}\n{_END}"
    return [*read(ApplyPatchReader(call=call), diff)]


def _patches(values: Mapping[str, Json], call: str) -> list[Piece]:
    """The patches in a command that Codex gives to a shell."""
    command = values.get("command", values.get("cmd"))
    words = command if isinstance(command, list) else [command]
    text = "\n".join(word for word in words if isinstance(word, str))
    if "apply_patch" not in text and "applypatch" not in text:
        return []
    edits: list[Piece] = []
    at = text.find(_BEGIN)
    while at >= 0 and (end := text.find(f"\n{_END}", at)) >= 0:
        end += len(_END) + 1
        edits += read(ApplyPatchReader(call=call), text[at:end])
        at = text.find(_BEGIN, end)
    return edits


def _announced(path: str, change: Json, call: str) -> list[Edit]:
    """What Codex is about to do with one file."""
    if not isinstance(change, dict):
        return []
    kind = next((name for name in ("add", "update", "delete") if name in change or change.get("type") == name), "")
    values = change.get(kind, change)
    arguments = Arguments(values if isinstance(values, dict) else {}, "the call", 1)
    match kind:
        case "add":
            return [Write(path, arguments.text(("content",), called="content"), True, call)]
        case "delete":
            return [Delete(path, call)]
        case "update":
            diff = arguments.text(("unified_diff",), called="unified_diff")
            moved = arguments.text(("move_path",), "")
            return [
                *([Move(path, moved, call)] if moved else []),
                *read(UdiffReader(path=path, call=call), diff),
            ]
        case _:
            return []
