"""Answers of a model, in the formats that it may use, as long as one wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count

from editspeed.texts import generated


def _blocks(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Search and replace texts of twelve lines each, with the path they are for."""
    lines = text.split("\n")
    for number in count():
        at = number * 12 % (len(lines) - 12)
        old = lines[at : at + 12]
        yield f"part_{number % 7}/module_{number}.py", old, [*old[:5], f"    changed = {number}", *old[6:]]


def block(old: list[str], new: list[str]) -> str:
    """One SEARCH/REPLACE block, without its path."""
    return "\n".join(["<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", ""])


def search_replace_file(path: str, old: list[str], new: list[str]) -> str:
    """One edit in a fence, with its path before it."""
    return f"Now {path} has to follow.\n\n{path}\n```python\n{block(old, new)}```\n\n"


def _xml_file(path: str, old: list[str], new: list[str]) -> str:
    search, replace = "\n".join(old), "\n".join(new)
    return (
        f"<replace_file>\n<path>{path}</path>\n<search>\n{search}\n</search>\n"
        f"<replace>\n{replace}\n</replace>\n</replace_file>\n\n"
    )


def _udiff_file(path: str, old: list[str], new: list[str]) -> str:
    lines = [" " + line for line in old]
    lines[5:6] = ["-" + old[5], "+" + new[5]]
    return "\n".join([f"--- a/{path}", f"+++ b/{path}", f"@@ -10,{len(old)} +10,{len(new)} @@", *lines, ""])


def _apply_patch_file(path: str, old: list[str], new: list[str]) -> str:
    lines = [" " + line for line in old]
    lines[5:6] = ["-" + old[5], "+" + new[5]]
    return "\n".join([f"*** Update File: {path}", "@@", *lines, ""])


def _until(size: int, one: Callable[[str, list[str], list[str]], str]) -> str:
    parts: list[str] = []
    length = 0
    for path, old, new in _blocks(generated(10_000)):
        parts.append(one(path, old, new))
        length += len(parts[-1])
        if length >= size:
            break
    return "".join(parts)


def search_replace(size: int) -> str:
    """Prose, fences, blocks: many files."""
    return _until(size, search_replace_file)


def xml(size: int) -> str:
    """Calls in text, each with its path, what is looked for and what comes there."""
    return _until(size, _xml_file)


def udiff(size: int) -> str:
    """A unified diff of many files in one fence."""
    return "```diff\n" + _until(size, _udiff_file) + "```\n"


def apply_patch(size: int) -> str:
    """One patch of many files."""
    return "*** Begin Patch\n" + _until(size, _apply_patch_file) + "*** End Patch\n"


def whole_file(size: int) -> str:
    """Large files, each in a fence."""
    body = generated(2_000)
    files = size // len(body) + 1
    each = body[: max(1, size // files)]
    return "".join(f"module_{number}.py\n```python\n{each}\n```\n\n" for number in range(files))


def replace_in_file(size: int) -> str:
    """The arguments of one tool call, as JSON."""
    diff = _until(size, lambda _path, old, new: block(old, new))
    return json.dumps({"path": "module.py", "diff": diff})


def edit_file(size: int) -> str:
    """The arguments of one tool call with a list of edits, as JSON."""
    edits: list[dict[str, str]] = []
    length = 0
    for _, old, new in _blocks(generated(10_000)):
        edits.append({"old": "\n".join(old), "new": "\n".join(new)})
        length += len(edits[-1]["old"]) + len(edits[-1]["new"])
        if length >= size:
            break
    return json.dumps({"path": "module.py", "edits": edits})


ANSWERS: dict[str, Callable[[int], str]] = {
    "search_replace": search_replace,
    "xml": xml,
    "udiff": udiff,
    "apply_patch": apply_patch,
    "whole_file": whole_file,
    "replace_in_file": replace_in_file,
    "edit_file": edit_file,
    "auto": search_replace,
}
"""By format: an answer of about so many characters."""
