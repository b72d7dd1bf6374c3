"""What an answer asks for in its text: edits, of any model, and the calls of models that cannot call tools.

Edits may be written in every format that `motet apply` reads, and become one call a file. Every other tool is called,
by models that have no other way, with an element on lines of its own, outside of fenced code that is not XML:

    <tool_call name="read_file">
    {"path": "src/a.py"}
    </tool_call>
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from motet.errors import EditFormatError
from motet.messages import ToolCall
from motet.models.protocol import ToolDefinition
from motet.prompts import prompt
from motet.tools import BrokenCall, EditCall, ToolOutput

if TYPE_CHECKING:
    from motet.edits import Edit

_OPENS = re.compile(r" {0,3}<tool_call\s+name=[\"']([^\"'<>]+)[\"']\s*>(.*)", re.DOTALL)
_WANTS_TO = re.compile(r" {0,3}<tool_call\b[^>]*>?\s*(?:\{|\Z)")
"""A line that would open a call, if it were written as it has to be; in prose the element is followed by words."""
_CLOSES = "</tool_call>"
_RESULT = re.compile(r" {0,3}<tool_result\b[^>]*>")
_ENDS = "</tool_result>"
_SEARCH = re.compile(r" {0,3}[<-]{5,9} ?SEARCH\b")
_REPLACED = re.compile(r" {0,3}[>+]{5,9} ?REPLACE\b")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*([\w-]*)")
_XML = frozenset({"", "xml", "tool_call"})
"""Languages of fences in which calls are calls."""
_MAY_HOLD_EDITS = re.compile(
    r"^[ \t]*(?:[-*\d.)]+[ \t]+)?(?:[<`~{@[]|-{3}|\*{3}|\+{3}|>{3}|&lt;|diff(?: --git|:) |(?:replace|delete|insert after)\b)"
    r"|</?(?:replace_|search>)",
    re.MULTILINE | re.IGNORECASE,
)
"""A line with which an edit may begin, in whatever format."""


@dataclass(frozen=True, slots=True)
class InText:
    """What the text of an answer holds: `calls`, each with its line, and `edits`; it only quotes those `quoted`. `broken`:
    why its edits cannot be understood; there are none then."""

    calls: tuple[tuple[int, ToolCall], ...] = ()
    edits: tuple[Edit, ...] = ()
    quoted: tuple[Edit, ...] = ()
    broken: str = ""


def read_text(
    answer: str, *, elements: bool, about: str = "", is_path: Callable[[str], bool] | None = None
) -> InText:
    """What the text of `answer` asks for. `elements`: whether calls may stand there; `about`: the file that edits are
    for which name none; `is_path`: which texts with blanks are paths. What stands behind `>` is quoted, and so is what
    stands in `<tool_result>`."""
    calls: list[tuple[int, ToolCall]] = []
    answer = _without_results(answer)
    if elements:
        try:
            answer, calls = _elements(answer)
        except EditFormatError as error:
            why = f"refused (bad_format): {error}; nothing was applied, send the blocks again"
            return InText(((1, BrokenCall("", "tool_call", "", why)),))
    if _MAY_HOLD_EDITS.search(answer) is None:
        return InText(tuple(calls))
    from motet.edits import Write
    from motet.edits.formats.answer import understand  # 70 ms; many an answer is prose
    from motet.edits.formats.paths import is_no_path

    try:
        found = understand(answer, path=about, quotes=True, is_path=is_path or is_no_path)
    except EditFormatError as error:
        return InText(tuple(calls), broken=str(error))
    edits, quoted = (
        tuple(
            replace(edit, loose=True) if isinstance(edit, Write) and edit.line in found.loosely_named else edit
            for edit in some
        )
        for some in (found.edits, found.quoted)
    )
    return InText(tuple(calls), edits, quoted)


def calls_of(found: InText, edits: Sequence[Edit]) -> list[ToolCall]:
    """The calls in the text and `edits` as calls, in their order; those of one file's edits where the first stands."""
    placed = list(found.calls)
    if found.broken:
        why = f"refused (bad_format): {found.broken}; nothing was applied, send the edits again"
        placed.append((1, BrokenCall("", "replace_in_file", json.dumps({"refused": found.broken}), why)))
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    for path, mine in by_path.items():
        placed.append((mine[0].line, EditCall("", "replace_in_file", _shown(path, mine), tuple(mine))))
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
        if isinstance(call, EditCall | BrokenCall):
            edits.append(output.text)
        else:
            body = re.sub(r"</(?=tool_result)", r"<\\/", output.text)
            told.append(f'<tool_result name="{call.name}">\n{body}\n</tool_result>')
    if edits:
        told.append("What became of your edits:\n" + "\n\n".join(edits))
    return "\n\n".join(told)


def _without_results(answer: str) -> str:
    """`answer` with empty lines for the results of tools that it repeats: they are not the model's own words."""
    if "<tool_result" not in answer:
        return answer
    lines = answer.splitlines(keepends=True)
    fence, in_block, at = "", False, 0
    while at < len(lines):
        found = _FENCE.match(lines[at])
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not found[2]:
            fence = ""
        in_block = _SEARCH.match(lines[at]) is not None or (in_block and _REPLACED.match(lines[at]) is None)
        at += 1
        if not fence and not in_block and _RESULT.match(lines[at - 1]):
            end = next((to for to in range(at, len(lines) + 1) if _ENDS in lines[to - 1]), None)
            if end is None:
                break  # nothing says how far it goes
            lines[at - 1 : end] = ["\n"] * (end - at + 1)
            at = end
    return "".join(lines)


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
