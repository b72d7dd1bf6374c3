"""The draft as it is kept: what is typed and not sent, below the items that are pinned or watched.

> Context:
> - 📌 <file>src/a.py</file>

what is typed
"""

from __future__ import annotations

from collections.abc import Iterable

from motet.context import State, read_line

_HEAD = "> Context:\n"


def with_marks(text: str, lines: Iterable[str]) -> str:
    """The draft that holds `text` and these lines of the context block."""
    block = "".join(f"> - {line}\n" for line in lines)
    return f"{_HEAD}{block}\n{text}" if block or text.startswith(_HEAD) else text


def without_marks(draft: str) -> tuple[str, dict[str, State]]:
    """What is typed in a draft, and how its items are marked, by id."""
    if not draft.startswith(_HEAD):
        return draft, {}
    block, _, text = draft.removeprefix(_HEAD.rstrip("\n")).partition("\n\n")
    return text, dict(read_line(line) for line in block.splitlines() if line)
