"""What a human works on now: what their editor holds over the disk, and which files stand near the question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from motet.context import Editor

OPEN, CURRENT, OF_CHAT, RELATED = 0.1, 0.15, 0.1, 0.05
"""How much files count for more (the best text of all files is 1): open in an editor, that of the cursor, shared or
edited or read in the chat, and what these import or are imported by."""
_MOST_FILES = 100
_MOST_CHARACTERS = 512_000
"""Of a text that is not saved; a file of that size is not indexed either."""


@dataclass(frozen=True, slots=True)
class Nearby:
    """`texts`, by path, go before the disk; `raised`: what paths count for more; `around`: the files in the middle."""

    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    raised: Mapping[str, float] = field(default_factory=dict[str, float])
    around: tuple[str, ...] = ()


class Near:
    """Looks what is near in an `editor`, where there is one, and in a chat with certain `files`, the newest last.
    `related`: what the files with these paths import, and what imports them."""

    def __init__(
        self,
        editor: Editor | None = None,
        files: Callable[[], Sequence[str]] = tuple,
        related: Callable[[Sequence[str]], Iterable[str]] = lambda _: (),
    ) -> None:
        self._editor = editor
        self._files = files
        self._related = related

    async def __call__(self) -> Nearby:
        """As it is now. What an editor holds is asked of it, and nothing is read from the disk."""
        opened, current = await self._in_editor()
        raised = dict.fromkeys(self._files()[-_MOST_FILES:], OF_CHAT)
        raised |= {path: max(OPEN, raised.get(path, 0.0)) for path in list(opened)[:_MOST_FILES]}
        if current in opened:
            raised[current] = CURRENT
        middle = tuple(raised)
        for path in sorted(self._related(middle)):
            raised.setdefault(path, RELATED)
        texts = {path: text for path, text in opened.items() if text is not None and len(text) <= _MOST_CHARACTERS}
        return Nearby(texts, raised, (current,) if current else ())

    async def _in_editor(self) -> tuple[Mapping[str, str | None], str]:
        """The open files, with what is not saved of them, and the one that the human works in."""
        if self._editor is None:
            return {}, ""
        return await self._editor.open_files() or {}, await self._editor.current_file() or ""
