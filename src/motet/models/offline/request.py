"""What the offline model reads out of a request: files with their diagnostics, the root, what came of its calls."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath

from motet.messages import Message, Role
from motet.models.protocol import ModelRequest
from motet.text.report import FileReport, parse_report

TOOL = "replace_in_file"
_ROOT = re.compile(r"^Workspace: (?P<root>\S.*?)\s*$", re.MULTILINE)
_WRAPPED = re.compile(
    r'<diagnostics(?P<attributes>(?: [\w-]+="[^"]*")*)>\n(?P<text>.*)\n</diagnostics>\s*', re.DOTALL
)
_BLOCK = re.compile(r"<{7} SEARCH\n(?P<search>.*?)^={7}\n(?P<replace>.*?)^>{7} REPLACE", re.DOTALL | re.MULTILINE)
_REFUSED = re.compile(r"\b(?:rejected|refused|declined|not applied|nothing (?:was )?applied)\b", re.IGNORECASE)
# The notes that `motet.fix` adds to a later request.
_REJECTED = re.compile(r"^The human rejected your change at line (?P<line>\d+) of (?P<path>.+?): ", re.MULTILINE)
_TAKEN_BACK = re.compile(r"^Your last edits to (?P<path>.+?) were taken back\b", re.MULTILINE)

Core = tuple[tuple[str, ...], tuple[str, ...]]
"""What a block changes: lines before, lines after, without those that stay."""


@dataclass(frozen=True, slots=True)
class Past:
    """What became of earlier proposals for one file."""

    cores: frozenset[Core] = frozenset()
    """Changes that were refused in this conversation."""
    lines: frozenset[int] = frozenset()
    """1-based lines at which the human rejected a change."""
    taken_back: bool = False
    """Whether edits made things worse and were taken back."""


@dataclass(frozen=True, slots=True)
class Brief:
    """One request, as far as the offline model understands it."""

    root: str
    reports: tuple[FileReport, ...]
    can_call: bool
    answered: bool
    """Whether tool results are the last thing said: the round is over."""
    refused: bool
    """Whether one of those results is an error or a rejection."""
    pasts: Mapping[str, Past]
    """By path, as edit tools take it."""

    def relative(self, path: str) -> str:
        """`path` as edit tools take it: relative to the workspace, with `/`."""
        try:
            return PurePath(path).relative_to(self.root).as_posix() if self.root else path
        except ValueError:
            return path


def read_request(request: ModelRequest) -> Brief:
    """Read `request`. Only what was said since the last answer counts as the task."""
    messages = request.messages
    last = max((index for index, message in enumerate(messages) if message.role is Role.ASSISTANT), default=-1)
    news = messages[last + 1 :]
    results = [message for message in news if message.role is Role.TOOL]
    asked = [_unwrapped(part.text) for message in news if message.role is Role.USER for part in message.parts]
    reports = {report.path: report for text in asked if (report := parse_report(text)) is not None}
    return Brief(
        root=_root(messages),
        reports=tuple(reports.values()),
        can_call=any(tool.name == TOOL for tool in request.tools),
        answered=bool(results) and not reports,
        refused=any(_is_refusal(message) for message in results),
        pasts=_pasts(messages, [text for text in asked if parse_report(text) is None]),
    )


def _unwrapped(text: str) -> str:
    """What stands inside `<diagnostics …>`, as chats share it; any other `text` as it is."""
    found = _WRAPPED.fullmatch(text)
    if found is None:
        return text
    return found["text"].replace("<\\/", "</") if " escaped=" in found["attributes"] else found["text"]


def _pasts(messages: Iterable[Message], remarks: Iterable[str]) -> dict[str, Past]:
    pasts: defaultdict[str, Past] = defaultdict(Past)
    for path, core in _spent(messages):
        pasts[path] = replace(pasts[path], cores=pasts[path].cores | {core})
    for text in remarks:
        for found in _REJECTED.finditer(text):
            past = pasts[found["path"]]
            pasts[found["path"]] = replace(past, lines=past.lines | {int(found["line"])})
        for found in _TAKEN_BACK.finditer(text):
            pasts[found["path"]] = replace(pasts[found["path"]], taken_back=True)
    return dict(pasts)


def _root(messages: Iterable[Message]) -> str:
    for message in messages:
        if message.role not in (Role.SYSTEM, Role.USER):
            continue
        for part in message.parts:
            # A file that is shown may hold any line.
            found = None if parse_report(part.text) is not None else _ROOT.search(part.text)
            if found is not None:
                return found["root"]
    return ""


def _is_refusal(message: Message) -> bool:
    return message.result is not None and (message.result.is_error or _REFUSED.search(message.text) is not None)


def _spent(messages: Iterable[Message]) -> Iterator[tuple[str, Core]]:
    arguments: dict[str, str] = {}
    for message in messages:
        arguments.update({call.id: call.arguments for call in message.calls if call.name == TOOL})
        if message.result is not None and _is_refusal(message) and message.result.call_id in arguments:
            yield from _cores(arguments[message.result.call_id])


def _cores(arguments: str) -> Iterator[tuple[str, Core]]:
    from motet.models.offline.blocks import Block

    try:
        call: object = json.loads(arguments)
    except ValueError:
        return
    match call:
        case {"path": str(path), "diff": str(diff)}:
            for block in _BLOCK.finditer(diff):
                search, replace = block["search"].split("\n")[:-1], block["replace"].split("\n")[:-1]
                yield path, Block(tuple(search), tuple(replace)).core
        case _:
            return
