"""From a row to edits: each format of the cases by the parser, or the kind of edit, that is nearest to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from editcases.case import UNNAMED, BrokenRow, Case
from editcases.dialect import parsed as read_as
from editcases.peers import peer_of
from motet.edits import Delete, Edit, Insert, Move, Near, Replace, Write, parse
from motet.errors import EditFormatError


def edits_of(case: Case) -> list[Edit]:
    """What the row asks for. Raises `EditFormatError` for a text that cannot be understood, `BrokenRow` for a row
    that says too little, `KeyError` for a format that is not ours."""
    if case.expect == "error" and (odd := _odd_argument(case.row)):
        raise EditFormatError(f"line 1: the call: {odd!r} is missing, or no such value", 1)
    return _FORMATS[case.format](case)


def parsed(case: Case, format_: str, text: str | None = None, path: str = "") -> list[Edit]:
    """The row's own text, or `text`, read as `format_`."""
    text = case.get("edit_text", str) if text is None else text
    return read_as(text, format_, path=path, dialect=peer_of(case).dialect)


def says_nothing(error: EditFormatError) -> bool:
    """Whether `error` is what an empty answer is told: nothing is malformed, there is just no edit."""
    return str(error) in {_told_of_nothing(format_) for format_ in ("search_replace", "replace_in_file", "udiff")}


@cache
def _told_of_nothing(format_: str) -> str:
    try:
        parse("", format_, path=UNNAMED)
    except EditFormatError as error:
        return str(error)
    return ""


def search_of(case: Case, new: str, *, inline: bool = True) -> Replace:
    """The row's search text with another new text, to see which place it finds."""
    search, near = case.get("search", str), Near(at_end=bool(case.row.get("eof")))
    return Replace(case.path, search if inline else _lines(search), new, near=near, inline=inline)


def _blocks(case: Case) -> list[Edit]:
    """A row with the text of one file is a call that names it, else the answer names its files."""
    alone = case.row.get("dialect") in _CALLED if case.op == "parse" else case.is_alone
    return parsed(case, "replace_in_file", path=case.path) if alone else parsed(case, "search_replace")


def _udiff(case: Case) -> list[Edit]:
    return _for_the_one(case, parsed(case, "udiff", path=case.path))


def _whole_file(case: Case) -> list[Edit]:
    return _for_the_one(case, parsed(case, "whole_file", path=case.path if case.is_alone else ""))


def _apply_patch(case: Case) -> list[Edit]:
    return _for_the_one(case, parsed(case, "apply_patch", path=case.path if case.is_alone else ""))


def _for_the_one(case: Case, edits: list[Edit]) -> list[Edit]:
    """A diff for the text of one file may name it as the model pleased."""
    named = not case.is_alone or any(edit.path == case.path for edit in edits)
    return edits if named else [replace(edit, path=case.path) for edit in edits]


def _chunks(case: Case) -> list[Edit]:
    """Hunks of `apply_patch` that have been parsed already."""
    edits: list[Edit] = []
    for chunk in case.get("chunks", list):
        header, old, new, at_end = _fields(case, chunk, "changeContext", "oldLines", "newLines", "isEndOfFile")
        if not isinstance(old, list) or not isinstance(new, list):
            raise BrokenRow(f"{case.file}:{case.line}: `oldLines` and `newLines` should be lists")
        near = Near(headers=(header,) if header else (), at_end=bool(at_end))
        if old:
            edits.append(Replace(case.path, _joined(old), _joined(new), near=near))
        else:
            edits.append(Insert(case.path, _joined(new), Near(headers=near.headers, at_end=not near.headers)))
    return edits


def _str_replace(case: Case) -> list[Edit]:
    whole_lines = case.row.get("granularity") == "whole_lines"
    return [_replacement(case, case.row, inline=not whole_lines)]


def _multi_str_replace(case: Case) -> list[Edit]:
    return [_replacement(case, edit, inline=True) for edit in case.get("edits", list)]


def _replacement(case: Case, row: dict[str, Any], *, inline: bool) -> Replace:
    fields = _fields(case, row, "search", "replace", "path")
    search, new, path = fields[0] or "", fields[1], fields[2] or case.path
    if not isinstance(search, str) or not isinstance(new, str) or (fields[0] is None and case.before):
        raise BrokenRow(f"{case.file}:{case.line}: `search` and `replace` should be texts")
    if not isinstance(path, str):
        raise BrokenRow(f"{case.file}:{case.line}: `path` should be a text")
    every = bool(row.get("replace_all") or case.option("replace_all", bool, False))
    every = every or case.option("allow_multiple", bool, False) or expected_replacements(case) > 1
    match row.get("near"):
        case int() as line:
            near = Near(line=line)
        case str() as header:
            near = Near(headers=(header,))
        case _:
            near = Near()
    return Replace(path, search, new, near=near, inline=inline, replace_all=every)


def expected_replacements(case: Case) -> int:
    """How many places the search text must have by the peer's own call; 1 when it does not say."""
    return case.option("expected_replacements", int, 1)


def _insert_line(case: Case) -> list[Edit]:
    before = case.row.get("insert_line")
    line = case.get("insert_line_after", int) + 1 if before is None else case.get("insert_line", int)
    return [Insert(case.path, _lines(case.get("insert_text", str)) or "\n", Near(line=line))]


def _patch_hunks(case: Case) -> list[Edit]:
    """A call with an operation on one file, and hunks as `apply_patch` has them."""
    edit = case.get("edit", dict)
    path, operation, diff, rename = (str(edit.get(name) or "") for name in ("path", "op", "diff", "rename"))
    match operation:
        case "create":
            return [Write(path, _joined(_unmarked(diff.split("\n"))), create=True)]
        case "delete":
            return [Delete(path)]
        case _:
            is_udiff = re.search(r"^(?:@@ -\d|--- )", diff, re.MULTILINE)
            text = diff if not diff or re.search("^@@", diff, re.MULTILINE) else f"@@\n{diff}"
            hunks = parsed(case, "udiff" if is_udiff else "apply_patch", text, path)
            if len({hunk.path for hunk in hunks}) > 1:
                raise EditFormatError("line 1: a call for one file holds hunks for several", 1)
            return [*([Move(path, rename)] if rename else []), *(replace(hunk, path=path) for hunk in hunks)]


def _unmarked(lines: list[str]) -> list[str]:
    """The lines of a new file without the `+`, or `+ `, that all of them may have."""
    mark = next((mark for mark in ("+ ", "+") if all(line.startswith(mark) for line in lines)), "")
    return [line.removeprefix(mark) for line in lines]


def _odd_argument(row: dict[str, Any]) -> str:
    """The first argument that a call was made without (null), or with a value of another kind."""
    kinds = {"insert_line": int, "insert_line_after": int, "edits": list}
    texts = dict.fromkeys(("search", "replace", "insert_text", "edit_text"), str)
    odd = (name for name, kind in {**kinds, **texts}.items() if name in row and not isinstance(row[name], kind))
    return next(odd, "")


def _fields(case: Case, row: object, *names: str) -> list[Any]:
    if not isinstance(row, dict):
        raise BrokenRow(f"{case.file}:{case.line}: each edit and chunk should be an object")
    return [row.get(name) for name in names]


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _lines(text: str) -> str:
    """`text` as whole lines."""
    return text if not text or text.endswith("\n") else f"{text}\n"


_FORMATS: dict[str, Callable[[Case], list[Edit]]] = {
    "search_replace_blocks": _blocks,
    "unified_diff": _udiff,
    "apply_patch": _apply_patch,
    "apply_patch_chunks": _chunks,
    "str_replace": _str_replace,
    "multi_str_replace": _multi_str_replace,
    "insert_line": _insert_line,
    "patch_hunks": _patch_hunks,
    "whole_file": _whole_file,
    "xml": lambda case: parsed(case, "xml"),
    "anchored": lambda case: parsed(case, "anchored"),
    "line_sequence": lambda case: [search_of(case, "", inline=False)],
}
_CALLED = {"cline", "roo"}
"""Dialects whose blocks come in a call that names the file."""
_OPERATIONS = {
    "apply": {"after", "error", "partial", "contains", "match_found"},
    "parse": {"blocks", "valid", "invalid"},
    "locate": {"located", "not_found", "ambiguous"},
}
_NEAREST = {"patch_hunks", "line_sequence"}
_MODEL = {"generate", "task"}


def nearest(case: Case) -> str:
    """What the row's format or operation is called when it is not one of ours, but runs through the nearest of ours:
    it is reported, and may not go wrong, but a refusal is no miss. Empty for the others."""
    if case.format == "str_replace" and "prefix_suffix_anchor" in case.tags:
        return "str_replace by its first and last characters"
    return case.format if case.format in _NEAREST else ""


def foreign(case: Case) -> str:
    """Why the row is not run, in the words of the list of what is not supported; empty when it is."""
    if _MODEL & {case.format, case.op}:
        return f"{case.format} (needs a model)"
    if case.format not in _FORMATS:
        return case.format or "a format without a name"
    if case.op not in _OPERATIONS:
        return f"{case.op} of {case.format}"
    if case.expect not in _OPERATIONS[case.op]:
        return f"{case.op} of {case.format} expecting {case.expect}"
    if case.has_other_precondition:
        return f"{case.op} of {case.format} after something else"
    return ""
