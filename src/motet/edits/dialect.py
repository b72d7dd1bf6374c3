"""Where tools that edit files contradict each other: what motet does, and what others do instead.

`docs/edits.md` gives the reasons. motet itself always uses the defaults; other values exist so that patches and
answers made for another tool can be read the way that tool reads them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Dialect:
    """One choice for each contradiction.

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
    - `alike`: how alike the lines of a place and of the search text have to be on average to be offered (rung 9), half of
      them equal, white space around them apart; the new text is then taken as a whole (Roo: 1.0, Copilot). None: as
      the ladder says.
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
    alike: float | None = None
    strict_markers: bool = False


MOTET = Dialect()
