"""Tool calls of models that cannot call tools: SEARCH/REPLACE blocks in an answer become `replace_in_file` calls."""

from __future__ import annotations

import json
from itertools import groupby

from motet.edits import Edit, parse_search_replace
from motet.messages import ToolCall


def calls_in_text(answer: str) -> list[ToolCall]:
    """The calls that `answer` stands for, one a file, in the order of their first block.

    Raises `EditFormatError` for a block that cannot be understood.
    """
    edits = parse_search_replace(answer)
    paths = list(dict.fromkeys(edit.path for edit in edits))
    ordered = sorted(edits, key=lambda edit: paths.index(edit.path))
    return [
        ToolCall(f"text_{number}", "replace_in_file", json.dumps({"path": path, "diff": _diff(list(group))}))
        for number, (path, group) in enumerate(groupby(ordered, key=lambda edit: edit.path), 1)
    ]


def _diff(edits: list[Edit]) -> str:
    return "\n".join(
        f"<<<<<<< SEARCH\n{_closed(edit.search)}=======\n{_closed(edit.replace)}>>>>>>> REPLACE" for edit in edits
    )


def _closed(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
