"""Tool calls of models that cannot call tools: what an answer holds as text becomes calls.

Edits come as SEARCH/REPLACE blocks, and become one call a file. Every other tool is called by an element on lines of
its own, outside of fenced code that is not XML:

    <tool_call name="read_file">
    {"path": "src/a.py"}
    </tool_call>
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from motet.errors import EditFormatError
from motet.messages import ToolCall
from motet.models.protocol import ToolDefinition
from motet.prompts import prompt
from motet.tools import EditCall, ToolOutput

if TYPE_CHECKING:
    from motet.edits import Edit

_OPENS = re.compile(r" {0,3}<tool_call\s+name=[\"']([^\"'<>]+)[\"']\s*>(.*)", re.DOTALL)
_WANTS_TO = re.compile(r" {0,3}<tool_call\b[^>]*>?\s*(?:\{|\Z)")
"""A line that would open a call, if it were written as it has to be; in prose the element is followed by words."""
_CLOSES = "</tool_call>"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*([\w-]*)")
_XML = frozenset({"", "xml", "tool_call"})
"""Languages of fences in which calls are calls."""


def calls_in_text(answer: str) -> list[ToolCall]:
    """The calls that `answer` stands for, in their order; those of one file's edits where the first stands.

    Raises `EditFormatError` for an edit or a call that cannot be understood.
    """
    from motet.edits import parse_search_replace  # 70 ms; most models call tools

    rest, placed = _elements(answer)
    by_path: dict[str, list[Edit]] = {}
    for edit in parse_search_replace(rest):
        by_path.setdefault(edit.path, []).append(edit)
    for path, edits in by_path.items():
        placed.append((edits[0].line, EditCall("", "replace_in_file", _shown(path, edits), tuple(edits))))
    placed.sort(key=lambda one: one[0])
    return [replace(call, id=f"text_{number}") for number, (_, call) in enumerate(placed, 1)]


def tools_in_text(tools: Sequence[ToolDefinition], edit_tools: frozenset[str]) -> str:
    """What a model is told that has `tools` but cannot call any; those named in `edit_tools` are blocks. Empty when
    there are none."""
    others = [tool for tool in tools if tool.name not in edit_tools]
    texts = [prompt("edits_in_text")] if len(others) < len(tools) else []
    if others:
        listed = [f"## {tool.name}\n{tool.description}\n{json.dumps(tool.schema)}" for tool in others]
        texts.append("\n\n".join([prompt("tools_in_text"), *listed]))
    return "\n\n".join(texts)


def results_in_text(calls: Sequence[ToolCall], outputs: Sequence[ToolOutput]) -> str:
    """What the calls came to, as a message of its own."""
    told: list[str] = []
    edits: list[str] = []
    for call, output in zip(calls, outputs, strict=False):
        if isinstance(call, EditCall):
            edits.append(output.text)
        else:
            body = re.sub(r"</(?=tool_result)", r"<\\/", output.text)
            told.append(f'<tool_result name="{call.name}">\n{body}\n</tool_result>')
    if edits:
        told.append("What became of your edits:\n" + "\n\n".join(edits))
    return "\n\n".join(told)


def _elements(answer: str) -> tuple[str, list[tuple[int, ToolCall]]]:
    """`answer` with the lines of calls left empty, and the calls with the numbers of their first lines, from 1."""
    lines = answer.splitlines(keepends=True)
    placed: list[tuple[int, ToolCall]] = []
    fence, language, at = "", "", 0
    while at < len(lines):
        found = _FENCE.match(lines[at])
        if found and not fence:
            fence, language = found[1], found[2].lower()
        elif found and found[1].startswith(fence[0] * len(fence)) and not found[2]:
            fence = ""
        opened = _OPENS.match(lines[at]) if not fence or language in _XML else None
        if opened is None:
            if _WANTS_TO.match(lines[at]) and (not fence or language in _XML):
                how = '<tool_call name="…"> with the name of a tool, on a line of its own'
                raise EditFormatError(f"line {at + 1}: this opens no call; write {how}", at + 1)
            at += 1
            continue
        end = next((to for to in range(at, len(lines)) if _CLOSES in lines[to]), None)
        again = next((to for to in range(at + 1, len(lines)) if _OPENS.match(lines[to])), None)
        if end is None or (again is not None and again < end):
            raise EditFormatError(f"line {at + 1}: the call of {opened[1]} has no {_CLOSES}", at + 1)
        body = "".join([opened[2], *lines[at + 1 : end + 1]] if end > at else [opened[2]]).partition(_CLOSES)[0]
        placed.append((at + 1, ToolCall("", opened[1], body.strip())))
        lines[at : end + 1] = ["\n"] * (end + 1 - at)
        at = end + 1
    return "".join(lines), placed


def _shown(path: str, edits: list[Edit]) -> str:
    """The edits as arguments of a call, for whoever shows, counts or records calls."""
    from motet.edits import Replace

    blocks = [
        f"<<<<<<< SEARCH\n{edit.search}=======\n{edit.replace}>>>>>>> REPLACE\n"
        for edit in edits
        if isinstance(edit, Replace) and not edit.inline
    ]
    if len(blocks) == len(edits):
        return json.dumps({"path": path, "diff": "".join(blocks)})
    return json.dumps({"path": path, "edits": [{"kind": type(edit).__name__, **asdict(edit)} for edit in edits]})
