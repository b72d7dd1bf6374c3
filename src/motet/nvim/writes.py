"""What motet has written in this editor, turn by turn: to say what changed, and to take back what no file holds yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from motet.text import TextFile
from motet.workspace import Checkpoint


@dataclass(slots=True)
class Turn:
    """The writes between `begin` and `finish`. `unsaved`: before and after, of buffers that were not written to their
    files, as they held unsaved work of the human; `saved`: of files, which `checkpoint` can take back."""

    label: str
    checkpoint: Checkpoint | None = None
    unsaved: list[tuple[TextFile, TextFile]] = field(default_factory=list[tuple[TextFile, TextFile]])
    saved: list[tuple[TextFile, TextFile]] = field(default_factory=list[tuple[TextFile, TextFile]])
    time: datetime = field(default_factory=lambda: datetime.now(UTC))


class Writes:
    """The turns of all chats of an editor, oldest first; those in which nothing was written are left out."""

    def __init__(self, note: Callable[[set[str]], None] = lambda _: None) -> None:
        """`note` gets the files with edits that only this editor knows, whenever these are others."""
        self._turns: list[Turn] = []
        self._note = note
        self._noted: set[str] = set()

    def add(self, turn: Turn) -> None:
        """Something was written in `turn`."""
        if turn not in self._turns:
            self._turns.append(turn)
        turn.time = datetime.now(UTC)
        self._tell()

    def newest_unsaved(self) -> Turn | None:
        """The newest turn that wrote into a buffer only."""
        return next((turn for turn in reversed(self._turns) if turn.unsaved), None)

    def saved_in(self, checkpoints: Sequence[str]) -> list[tuple[TextFile, TextFile]]:
        """What was written to files in these checkpoints, before and after, oldest first."""
        ids = {str(turn.checkpoint.number): turn for turn in self._turns if turn.checkpoint is not None}
        return [pair for number, turn in ids.items() if number in checkpoints for pair in turn.saved]

    def forget(self, turn: Turn) -> None:
        """It was taken back."""
        self._turns.remove(turn)
        self._tell()

    def _tell(self) -> None:
        paths = {after.path for turn in self._turns for _, after in turn.unsaved}
        if paths != self._noted:
            self._noted = paths
            self._note(paths)

    def newest(self, path: str) -> TextFile | None:
        """The file as it was written last, if it was."""
        saved = (after for turn in reversed(self._turns) for _, after in reversed(turn.saved))
        return next((after for after in saved if after.path == path), None)

    def changed(self) -> dict[str, tuple[TextFile, TextFile]]:
        """By path, how a file was before the first write and how it is after the last one."""
        found: dict[str, tuple[TextFile, TextFile]] = {}
        for turn in self._turns:
            for before, after in (*turn.saved, *turn.unsaved):
                found[after.path] = (found.get(after.path, (before, after))[0], after)
        return {path: pair for path, pair in found.items() if pair[0].data != pair[1].data}
