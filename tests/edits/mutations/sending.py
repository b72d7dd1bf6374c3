"""Edits as sent: as values, or as text in one of the formats and read from there."""

from __future__ import annotations

import json
from random import Random

from edits.mutations.damage import Written
from edits.mutations.scene import Change, Scene

from motet import edits
from motet.edits import Edit, Near, Replace
from motet.edits.formats.anchored import anchor_of, starts

FORMATS = ("values", "search_replace", "replace_in_file", "edit_file", "xml", "udiff", "apply_patch")
"""`values` are edits that no parser has read. `anchored` has no search text to damage, and is asked for by name."""


def send(scene: Scene, written: Written, format: str, rng: Random) -> tuple[str, list[Edit]]:
    """The answer and the edits that are read from it. Raises `EditFormatError`, as `parse` does."""
    if format == "values":
        found: list[Edit] = [_value(scene, written, change, number) for number, change in enumerate(written.changes)]
        return "", found
    answer = _RENDER[format](scene, written, rng)
    path = scene.path if format == "replace_in_file" else ""
    return answer, edits.parse(answer, format, path=path)


def texts(written: Written, change: Change) -> tuple[str, str]:
    """Search text and new text of one edit."""
    search, replace = change.search, change.replace
    if written.cut:
        kept = bool(replace) and replace[-1] == search[-1]
        replace = [*replace[:-1], replace[-1].rstrip()[: -written.cut]] if kept else replace
        search = [*search[:-1], search[-1].rstrip()[: -written.cut]]
    return _text(written, search), _text(written, replace)


def _text(written: Written, lines: list[str]) -> str:
    # Without its last line end a text of one empty line could not be told from no text.
    end = written.newline if written.ended or (lines and not lines[-1]) else ""
    return written.newline.join(lines) + end if lines else ""


def _value(scene: Scene, written: Written, change: Change, number: int) -> Replace:
    search, replace = texts(written, change)
    return Replace(scene.path, search, replace, line=number + 1, near=Near(line=change.hint))


# --- formats ---------------------------------------------------------------------------------------------------


def _lines(written: Written, *lines: str) -> str:
    return "".join(line + written.newline for line in lines)


def _blocks(written: Written) -> str:
    parts: list[str] = []
    for change in written.changes:
        search, replace = (
            text if not text or text.endswith(written.newline) else text + written.newline
            for text in texts(written, change)
        )
        parts += [
            _lines(written, "<<<<<<< SEARCH"), search, _lines(written, "======="), replace,
            _lines(written, ">>>>>>> REPLACE"),
        ]  # fmt: skip
    return "".join(parts)


def _search_replace(scene: Scene, written: Written, rng: Random) -> str:
    fence = "`" * 5
    if rng.random() < 0.5:
        return f"Here is the change.\n\n{scene.path}\n" + _blocks(written) + "\nThat is all.\n"
    return f"{scene.path}\n{fence}\n{_blocks(written)}{fence}\n"


def _replace_in_file(scene: Scene, written: Written, rng: Random) -> str:
    return _blocks(written)


def _edit_file(scene: Scene, written: Written, rng: Random) -> str:
    ended = rng.random() < 0.5
    found: list[dict[str, str | dict[str, int]]] = []
    for change in written.changes:
        old, new = texts(written, change)
        # A last blank line without its line end would be no line any more.
        if not ended and new and change.search[-1] and change.replace[-1]:
            old, new = old.removesuffix(written.newline), new.removesuffix(written.newline)
        found.append({"old": old, "new": new, **({"near": change.hint} if change.hint else {})})
    return json.dumps({"path": scene.path, "edits": found}, ensure_ascii=rng.random() < 0.5)


def _xml(scene: Scene, written: Written, rng: Random) -> str:
    parts: list[str] = []
    for change in written.changes:
        search, replace = texts(written, change)
        parts.append(
            f"<replace_file>\n<path>{scene.path}</path>\n<search>\n{search}</search>\n"
            f"<replace>\n{replace}</replace>\n</replace_file>\n"
        )
    if rng.random() < 0.5:
        return (
            f"<replace_in_file>\n<path>{scene.path}</path>\n<diff>\n{_blocks(written)}</diff>\n</replace_in_file>\n"
        )
    return "".join(parts)


def _udiff(scene: Scene, written: Written, rng: Random) -> str:
    answer = _lines(written, f"--- a/{scene.path}", f"+++ b/{scene.path}")
    for change in written.changes:
        start = change.hint or change.first + 1
        head = f"@@ -{start},{len(change.search)} +{start},{len(change.replace)} @@"
        answer += _lines(written, head, *_signed(change, rng))
    return answer


def _apply_patch(scene: Scene, written: Written, rng: Random) -> str:
    answer = _lines(written, "*** Begin Patch", f"*** Update File: {scene.path}")
    for change in written.changes:
        answer += _lines(written, "@@", *_signed(change, rng))
    return answer + _lines(written, "*** End Patch")


def _anchored(scene: Scene, written: Written, rng: Random) -> str:
    answer = _lines(written, f"file {scene.path}")
    for change in written.changes:
        last = change.first + len(change.search) - 1
        shown = ((change.first, written.anchors[0]), (last, written.anchors[1]))
        first, last = (f"{line + 1 + by}:{anchor_of(scene.lines[line], line + 1).hash}" for line, by in shown)
        new = [_escaped(line) for line in change.replace]
        answer += _lines(written, f"replace {first}..{last}", *new, "end replace")
    return answer


def _escaped(line: str) -> str:
    bare = line.lstrip("\\ \t")
    reads_like_an_edit = bare.startswith(("replace ", "delete ", "insert ")) and starts(bare)
    return f"\\{line}" if reads_like_an_edit or bare.rstrip() in ("end replace", "end insert", "end delete") else line


def _signed(change: Change, rng: Random) -> list[str]:
    bare = rng.random() < 0.2  # a blank line of context often comes without its space
    return [
        entry.sign + entry.text if entry.text or not bare or entry.sign != " " else "" for entry in change.entries
    ]


_RENDER = {
    "search_replace": _search_replace,
    "replace_in_file": _replace_in_file,
    "edit_file": _edit_file,
    "xml": _xml,
    "udiff": _udiff,
    "apply_patch": _apply_patch,
    "anchored": _anchored,
}
