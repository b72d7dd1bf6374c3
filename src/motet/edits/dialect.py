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

    - `final_newline`: a file without one keeps it so, or gets one (Codex, opencode).
    - `existing`: creating or moving onto a file that exists is refused, or overwrites it (Codex, opencode).
    - `atomic`: each file of an answer stands alone, or all files together (opencode).
    - `empty_search`: creates a file or fills an empty one; elsewhere it appends (aider) or stands for the whole file
      (Cline).
    - `line_ends`: each line keeps its own, or the file becomes LF throughout (tools that edit a normalised document).
    - `unclosed`: a block without its closing marker is refused, or ends where the answer ends (Cline).
    - `repeated`: a patch may update one file in several sections, or may not (Cline).
    - `exact`: the search text may drift as the ladder allows, or has to stand exactly (Anthropic's and OpenHands'
      editors).
    - `strict_markers`: white space after a `=======`, or none before SEARCH and REPLACE, makes it a line of text
      (Cline).
    """

    final_newline: Literal["keep", "add"] = "keep"
    existing: Literal["refuse", "overwrite"] = "refuse"
    atomic: Literal["file", "answer"] = "file"
    empty_search: Literal["create", "append", "whole_file"] = "create"
    line_ends: Literal["keep", "lf"] = "keep"
    unclosed: Literal["refuse", "accept"] = "refuse"
    repeated: Literal["accept", "refuse"] = "accept"
    exact: bool = False
    strict_markers: bool = False


MOTET = Dialect()
