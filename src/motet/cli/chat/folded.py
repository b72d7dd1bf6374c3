"""What is drawn as one line and can be shown in full later: outputs of tools, and what a model thought."""

from __future__ import annotations

import json
import shlex
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from rich.cells import cell_len

from motet.cli.chat.terminal import ChatTerminal
from motet.cli.wrap import Span, cut
from motet.messages import ToolCall
from motet.tools import ToolOutput
from motet.visible import one_line

_MOST = 100
"""Folds that can be shown again."""
_MOST_CHARACTERS = 2_000_000
"""Characters of all of them together; the newest one stays in any case."""
_TELLING = (
    "path", "file", "paths", "files", "source", "argv", "command", "pattern", "query", "name", "url", "question",
)  # fmt: skip
"""Arguments that say best what a call is about, the best first."""
_LONGEST_ARGUMENTS = 100_000
"""Characters of arguments that are read for the title of a call; an edit is not."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One of them: `title` says what was done, `note` what it came to, `text` is all of it."""

    title: str
    note: str
    text: str
    is_error: bool = False

    def spans(self, width: int | None) -> list[Span]:
        """Its one line, cut to `width` cells."""
        mark, style = ("✗ ", "red") if self.is_error else ("▸ ", "dim")
        title, note = one_line(self.title), one_line(self.note)
        if width is not None:
            room = width - cell_len(mark)
            title = cut(title, max(room - min(cell_len(note), room // 2) - 2, room // 3))
            note = cut(note, max(room - cell_len(title) - 2, 0)) if note else ""
        return [(mark, style), (title, style if self.is_error else ""), (f"  {note}" if note else "", style)]


class Folds:
    """The last folds of a chat, the oldest first."""

    def __init__(self) -> None:
        self._kept: deque[Fold] = deque(maxlen=_MOST)
        self._size = 0

    def add(self, fold: Fold) -> None:
        """Keep `fold`."""
        if len(self._kept) == _MOST:
            self._size -= len(self._kept[0].text)
        self._kept.append(fold)
        self._size += len(fold.text)
        while self._size > _MOST_CHARACTERS and len(self._kept) > 1:
            self._size -= len(self._kept.popleft().text)

    def last(self, count: int) -> list[Fold]:
        """The last `count`, as many as there are."""
        return list(self._kept)[-count:] if count > 0 else []


def of_output(call: ToolCall, output: ToolOutput) -> Fold:
    """The result of a call."""
    lines = (output.shown or output.text).strip().splitlines()
    says_itself = output.is_error or len(lines) == 1
    note = (lines[0] if lines else "failed") if says_itself else counted_lines(output.text)
    return Fold(title_of(call), note, output.text, output.is_error)


def of_reasoning(text: str, seconds: float) -> Fold:
    """What a model thought, and for how long."""
    return Fold(f"thought for {_duration(seconds)}", counted_lines(text), text)


def title_of(call: ToolCall) -> str:
    """The tool, and the argument that says most: `read_file src/a.py`."""
    about = _about(call.arguments)
    return f"{call.name} {about}" if about else call.name


def counted_lines(text: str) -> str:
    """As in `120 lines`."""
    count = len(text.splitlines())
    return f"{count} line" if count == 1 else f"{count} lines" if count else "empty"


def show(terminal: ChatTerminal, folds: Sequence[Fold]) -> None:
    """Draw `folds` in full."""
    for fold in folds:
        terminal.line()
        terminal.spans((fold.title, "bold red" if fold.is_error else "bold"), ("  " + fold.note, "dim"), hang=2)
        for line in fold.text.splitlines():
            terminal.verbatim((line, ""))


def _about(arguments: str) -> str:
    if len(arguments) > _LONGEST_ARGUMENTS:
        return ""
    try:
        value: object = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    given = cast("dict[str, object]", value)
    for name in _TELLING:
        if text := _words(given.get(name)):
            return text
    return next((text for each in given.values() if (text := _words(each))), "")


def _words(value: object) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        words = [word for word in cast("list[object]", value) if isinstance(word, str)]
        return " ".join(shlex.join(words).split())
    return ""


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
