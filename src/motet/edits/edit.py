"""Edits as a model means them, before anybody has looked for their place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `search` by `replace` in `path` (relative to the workspace, with `/`).

    An empty `search` creates the file, or fills it when it is empty. `call` ties the edit to the tool call or
    answer it came from; `line` is the 1-based line in that text where it begins.
    """

    path: str
    search: str
    replace: str
    call: str = ""
    line: int = 1
