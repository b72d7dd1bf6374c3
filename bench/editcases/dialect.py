"""How other tools read an edit where they contradict motet: what is given to motet otherwise, and what is made of it.

motet itself has one reading (`docs/edits.md` gives the reasons). Here the text of an answer, its edits, and the files
afterwards are put into the form that the peer would give them, so that what is compared is the finding of places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from motet.edits import Edit, Match, Move, Plan, Refusal, RefusalReason, Replace, Rung, Write, parse, plan
from motet.edits.indent import UNSHIFTED
from motet.edits.lines import join_lines, split_lines
from motet.edits.match import Fit, Needle
from motet.edits.splice import newline_at, splice
from motet.edits.view import View
from motet.errors import EditFormatError
from motet.text import TextFile

_MARKER = re.compile(r"[ ]{0,3}(?:(?P<open><{3,}|-{3,})(?P<space> ?)SEARCH>?|(?P<middle>={3,9})"
                     r"|(?P<close>>{3,}|\+{3,})(?P<gap> ?)REPLACE>?)(?P<rest>[ \t]*)")  # fmt: skip
_UPDATE = re.compile(r"^\*\*\* Update File: *(.+?) *$", re.MULTILINE)


@dataclass(frozen=True)
class Dialect:
    """One choice for each contradiction; the first one is motet's.

    - `final_newline`: a file without one keeps it so, or gets one (Codex, opencode), or is left with whatever the edit
      of its last line makes of it (Cline's blocks, whose lines all end).
    - `added_file`: a file that a patch adds ends with a line end, or without (Cline, opencode's library).
    - `existing`: creating or moving onto a file that exists is refused, or overwrites it (Codex, opencode).
    - `atomic`: each file of an answer stands alone, or all files together (opencode).
    - `empty_search`: creates a file or fills an empty one; elsewhere it appends (aider), goes to the top (Continue) or
      stands for the whole file (Cline, opencode).
    - `line_ends`: each line keeps its own, or the file becomes LF throughout (tools that edit a normalised document), or
      those of a new file become like its first one (Cline's editor).
    - `unclosed`: a block without its closing marker is refused, or ends where the answer ends (Cline); or only a patch
      without the marker of its beginning is taken (Cline).
    - `indentation`: where the search text is indented otherwise than the file, the new text is indented by the same
      change, or stands as it was written (Cline, Codex).
    - `headers`: a `@@` header that stands nowhere in the file is no hint, or its chunk is refused (Codex).
    - `repeated`: a patch may update one file in several sections, or may not (Cline).
    - `exact`: the search text may drift as the ladder allows, or has to stand exactly (Anthropic's and OpenHands'
      editors).
    - `strict_markers`: white space after a `=======`, or none before SEARCH and REPLACE, makes it a line of text; three
      characters are enough (Cline).
    """

    final_newline: Literal["keep", "add", "as_edited"] = "keep"
    added_file: Literal["newline", "bare"] = "newline"
    existing: Literal["refuse", "overwrite"] = "refuse"
    atomic: Literal["file", "answer"] = "file"
    empty_search: Literal["create", "append", "prepend", "whole_file"] = "create"
    line_ends: Literal["keep", "lf", "first"] = "keep"
    unclosed: Literal["refuse", "accept", "unopened"] = "refuse"
    indentation: Literal["shift", "as_written"] = "shift"
    headers: Literal["hint", "required"] = "hint"
    repeated: Literal["accept", "refuse"] = "accept"
    exact: bool = False
    strict_markers: bool = False


MOTET = Dialect()


def parsed(text: str, format_: str, *, path: str = "", dialect: Dialect = MOTET) -> list[Edit]:
    """The edits of an answer, read as the peer reads it. Raises `EditFormatError`."""
    if dialect.strict_markers:
        text = "\n".join(map(_as_marker, text.split("\n")))
    if format_ == "apply_patch":
        text = _patch(text, dialect)
    try:
        edits = parse(text, format_, path=path)
    except EditFormatError as error:
        if dialect.unclosed != "accept" or "no REPLACE marker" not in str(error):
            raise
        edits = parse(text.removesuffix("\n") + "\n>>>>>>> REPLACE", format_, path=path)
    if format_ == "apply_patch" and dialect.added_file == "bare":
        return [replace(one, text=one.text.removesuffix("\n")) if isinstance(one, Write) else one for one in edits]
    return edits


def _as_marker(line: str) -> str:
    """A marker as motet knows it, or a line of text that looks like one, written as such."""
    found = _MARKER.fullmatch(line.removesuffix("\r"))
    if found is None:
        return line
    if bool(found["rest"]) if found["middle"] else "" in (found["space"], found["gap"]):
        return f"\\{line}"
    return line.replace(
        mark := found["open"] or found["middle"] or found["close"], max(mark, mark[0] * 7, key=len), 1
    )


def _patch(text: str, dialect: Dialect) -> str:
    names = _UPDATE.findall(text)
    if dialect.repeated == "refuse" and len(set(names)) < len(names):
        raise EditFormatError("line 1: a file is updated twice", 1)
    if dialect.unclosed == "unopened" and "*** Begin Patch" not in text:
        end = "" if "*** End Patch" in text else "\n*** End Patch\n"
        return f"*** Begin Patch\n{text}{end}"
    return text


@dataclass(frozen=True)
class Planned:
    """The files as the peer would leave them, and what became of each edit."""

    files: Mapping[str, TextFile]
    refusals: tuple[Refusal, ...]
    matches: tuple[Match, ...]


def planned(
    files: Mapping[str, TextFile],
    edits: Sequence[Edit],
    dialect: Dialect = MOTET,
    *,
    shown: Mapping[str, TextFile] | None = None,
    partial: bool = False,
) -> Planned:
    """Plan the edits of an answer as the peer applies them. A place that only a human may take is none."""
    edits = [_given(edit, files, dialect) for edit in edits]
    moves = [edit for edit in edits if isinstance(edit, Move) and edit.to != edit.path]
    targets = {edit.to for edit in moves if dialect.existing == "overwrite"}
    known = {path: file for path, file in files.items() if path not in targets}

    def made_of(edits: Sequence[Edit]) -> Plan:
        return plan(known, edits, shown=shown, partial=partial)

    made = made_of(edits)
    if dialect.indentation == "as_written":
        made = made_of(_as_written(made, edits))
    refusals = [one for file in made.files for one in file.outcomes if isinstance(one, Refusal)]
    matches = [one for file in made.files for one in file.outcomes if isinstance(one, Match)]
    left = dict(files)
    for file in made.files:
        odd = [one for one in file.outcomes if isinstance(one, Match) and _is_none(one, file.before, dialect)]
        refusals += [Refusal(one.edit, RefusalReason.NOT_FOUND, "not as the peer has it", "") for one in odd]
        if odd:
            continue
        if file.after is None or file.after.path != file.path:
            left.pop(file.path, None)
        if file.after is not None:
            left[file.after.path] = _finished(file.before, file.after, dialect)
    if dialect.atomic == "answer" and refusals:
        left = dict(files)
    return Planned(left, tuple(refusals), tuple(matches))


def _given(edit: Edit, files: Mapping[str, TextFile], dialect: Dialect) -> Edit:
    """The edit in motet's words."""
    text = files[edit.path].text if edit.path in files else ""
    match edit:
        case Write(create=True) if edit.path in files and dialect.existing == "overwrite":
            return replace(edit, create=False)
        case Replace(search="") if text and edit.replace and split_lines(text) != split_lines(edit.replace):
            return _for_no_search(edit, text, dialect)
        case Replace(final_newline=None) if dialect.final_newline == "as_edited" and edit.search != edit.replace:
            return replace(edit, final_newline=True)
        case _:
            return edit


def _for_no_search(edit: Replace, text: str, dialect: Dialect) -> Edit:
    new = edit.replace if edit.inline or edit.replace.endswith("\n") else f"{edit.replace}\n"
    end = "" if text[-1] in "\r\n" else "\n"
    whole: dict[str, Callable[[], str]] = {
        "append": lambda: text + end + new,
        "prepend": lambda: new + text,
        "whole_file": lambda: new,
    }
    make = whole.get(dialect.empty_search)
    return edit if make is None else Write(edit.path, make())


def _as_written(made: Plan, edits: Sequence[Edit]) -> list[Edit]:
    """The edits with the lines that were found indented otherwise, and new lines as they were written."""
    known: dict[tuple[str, int, str, str], Edit] = {}
    for file in made.files:
        for one in file.outcomes:
            if not isinstance(one, Match) or not isinstance(one.edit, Replace) or len(one.places) != 1:
                continue
            place, edit = one.places[0], one.edit
            if one.rung < Rung.INDENTATION or file.before is None or place.text != file.before.text:
                continue
            old = split_lines(place.text[place.start : place.end])
            needle = Needle.of(edit.search, edit.replace, edit.signs)
            if len(old) != len(needle.search):
                continue
            new = splice(old, needle, Fit(UNSHIFTED), newline_at(place.text, place.start))
            if new is not None:
                search, text = _flat(join_lines(old)), _flat(join_lines(new))
                known[_key(edit)] = replace(edit, search=search, replace=text, signs="")
    return [known.get(_key(edit), edit) if isinstance(edit, Replace) else edit for edit in edits]


def _key(edit: Replace) -> tuple[str, int, str, str]:
    return edit.path, edit.line, edit.search, edit.replace


def _flat(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_none(match: Match, before: TextFile | None, dialect: Dialect) -> bool:
    """Whether the peer would not find that place."""
    edit = match.edit
    if before is None or not isinstance(edit, Replace):
        return False
    if dialect.exact and edit.search and (match.rung > Rung.LINE_ENDS or not before.text):
        return True
    return dialect.headers == "required" and bool(missing_header(View.of(before), edit.near.headers))


def missing_header(view: View, headers: Sequence[str]) -> str:
    """The first of `headers` that stands in no line of the text; empty when there is none."""
    return next((one for one in headers if not any(one.strip() in key for key in view.keys)), "")


def _finished(before: TextFile | None, after: TextFile, dialect: Dialect) -> TextFile:
    """The file as the peer writes it."""
    if before is not None and after.data == before.data:
        return after
    text = after.text
    if dialect.line_ends == "lf":
        text = _flat(text)
    elif dialect.line_ends == "first" and before is None:
        text = _flat(text).replace("\n", newline_at(after.text, 0))
    is_bare = before is None and dialect.added_file == "bare"
    if dialect.final_newline == "add" and not is_bare and text and text[-1] not in "\r\n":
        text += newline_at(text, len(text))
    return after if text == after.text else after.with_text(text)
