"""Tool calls of models that cannot call tools: the edits that an answer holds as text become calls, one a file."""

from __future__ import annotations

import json
from dataclasses import asdict

from motet.edits import Edit, Replace, parse_search_replace
from motet.tools import EditCall


def calls_in_text(answer: str) -> list[EditCall]:
    """The calls that `answer` stands for, one a file, in the order of their first edit.

    Raises `EditFormatError` for an edit that cannot be understood.
    """
    by_path: dict[str, list[Edit]] = {}
    for edit in parse_search_replace(answer):
        by_path.setdefault(edit.path, []).append(edit)
    return [
        EditCall(f"text_{number}", "replace_in_file", _shown(path, edits), tuple(edits))
        for number, (path, edits) in enumerate(by_path.items(), 1)
    ]


def _shown(path: str, edits: list[Edit]) -> str:
    """The edits as arguments of a call, for whoever shows, counts or records calls."""
    blocks = [
        f"<<<<<<< SEARCH\n{edit.search}=======\n{edit.replace}>>>>>>> REPLACE\n"
        for edit in edits
        if isinstance(edit, Replace) and not edit.inline
    ]
    if len(blocks) == len(edits):
        return json.dumps({"path": path, "diff": "".join(blocks)})
    return json.dumps({"path": path, "edits": [{"kind": type(edit).__name__, **asdict(edit)} for edit in edits]})
