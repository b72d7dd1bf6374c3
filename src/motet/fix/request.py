"""From diagnostics to requests: which files go together, what stands in them, what is left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from motet.diagnostics import DefinitionFinder, Rendered, names_wanted, pack, render_file
from motet.messages import Message, MessageStack, estimate_tokens, tags
from motet.models.protocol import Limits
from motet.prompts import prompt
from motet.text import Diagnostic, TextFile

_LINE_END = re.compile(r"\r\n|\n|\r")
_ANSWER_SHARE = 0.25
"""Share of the window kept free for answers and tool results of the turn."""
_MAX_FILES = 8
"""Files in one request: more do not help each other, and an answer that fails costs more."""


@dataclass(frozen=True, slots=True)
class Request:
    """One turn's worth of files: their paths, the stack to start from, the estimated tokens of the files in it,
    and what had to be left out."""

    paths: tuple[str, ...]
    stack: MessageStack
    tokens: int
    left_out: tuple[str, ...]


@dataclass(slots=True)
class Notes:
    """What the next request must say besides: remarks of the human, and what was taken back, by path."""

    by_path: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, path: str, text: str) -> None:
        """Say `text` whenever `path` is asked about from now on."""
        self.by_path.setdefault(path, []).append(text)

    def of(self, paths: Sequence[str]) -> str:
        """All notes on `paths`, as text for the model."""
        return "\n".join(note for path in paths for note in dict.fromkeys(self.by_path.get(path, ())))


def build_requests(
    root: Path,
    files: Mapping[str, TextFile],
    diagnostics: Sequence[Diagnostic],
    limits: Limits,
    notes: Notes,
    most_tokens: int | None = None,
    others: Sequence[TextFile] = (),
) -> list[Request]:
    """Requests for all `diagnostics`, each within the model's window; `most_tokens` makes them smaller than that. `others`:
    files that may define what the problems are about."""
    system = prompt("fix_system") if limits.tools else f"{prompt('fix_system')}\n\n{prompt('edits_in_text')}"
    budget = min(_file_budget(limits, system), most_tokens or limits.context_tokens)
    finder = DefinitionFinder([*files.values(), *others])
    by_path: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        by_path.setdefault(diagnostic.path, []).append(diagnostic)
    rendered = [
        render_file(root, files[path], found, budget=budget, find_definition=finder.find)
        for path, found in by_path.items()
    ]
    return [
        _request(root, system, group, notes)
        for packed in pack(rendered, budget)
        for group in _chunks(packed, _MAX_FILES)
    ]


def names_in(files: Mapping[str, TextFile], diagnostics: Sequence[Diagnostic]) -> list[str]:
    """Names that `diagnostics` are about: see `names_wanted`."""
    by_path: dict[str, list[Diagnostic]] = {}
    for diagnostic in sorted(diagnostics, key=lambda each: each.severity):
        by_path.setdefault(diagnostic.path, []).append(diagnostic)
    found = (names_wanted(_LINE_END.split(files[path].text), each) for path, each in by_path.items())
    return list(dict.fromkeys(name for names in found for name in names))


def _request(root: Path, system: str, group: Sequence[Rendered], notes: Notes) -> Request:
    paths = tuple(rendered.path for rendered in group)
    parts = [prompt("fix_request").format(root=root)]
    parts += [part for rendered in group for part in (rendered.text, rendered.definitions) if part]
    said = notes.of(paths)
    if said:
        parts.append(said)
    stack = MessageStack(Message.system(system, tags.SYSTEM_PROMPT), Message.user(*parts, tag=tags.DIAGNOSTICS))
    tokens = sum(rendered.tokens for rendered in group)
    return Request(paths, stack, tokens, tuple(line for rendered in group for line in rendered.left_out))


def _file_budget(limits: Limits, system: str) -> int:
    """Tokens for file parts in one request. Raises nothing: a tiny window still gets a tiny request."""
    room = limits.context_tokens - min(limits.output_tokens, limits.context_tokens // 2) - estimate_tokens(system)
    tool = estimate_tokens(prompt("replace_in_file")) + 200
    return max(int((room - tool) * (1 - _ANSWER_SHARE)), 500)


def _chunks(group: Sequence[Rendered], size: int) -> list[Sequence[Rendered]]:
    return [group[start : start + size] for start in range(0, len(group), size)]
