"""A transcript that grows: for a front end that shows it in a buffer and changes as little of that as possible."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from motet.chat.transcript.markers import Kind
from motet.chat.transcript.render import Block, Writer, nonce_of
from motet.chat.transcript.values import Draft, Entry
from motet.messages import Message, Role
from motet.text import Position


@dataclass(frozen=True, slots=True)
class Placed:
    """A block, the characters before it, and the line of its marker, from 1 (lines end at LF)."""

    block: Block
    start: int
    line: int


@dataclass(frozen=True, slots=True)
class Change:
    """Replace the characters from `offset` to `offset + removed`, which are those from `start` to `end`, by `text`.

    Changes of one call are made in their order, each in the text that the one before left. Lines end at LF.
    """

    offset: int
    removed: int
    start: Position
    end: Position
    text: str


class Blocks:
    """The blocks of a chat, and where the draft begins behind them.

    The draft belongs to the front end: every change stands before `draft_start`, so what the human writes there is
    never touched, nor looked at.
    """

    def __init__(
        self,
        entries: Iterable[Entry] = (),
        *,
        chat: str = "",
        model: str = "",
        pinned: Collection[str] = (),
        watched: Collection[str] = (),
    ) -> None:
        entries = tuple(entries)
        self._writer = Writer(nonce_of(chat, entries, Draft()), model, pinned, watched)
        self._placed: list[Placed] = []
        self._offset, self._line = 0, 1
        self._streamed: int | None = None
        self._speaker: str | None = None
        self._pieces: list[str] = []
        self._grown = Position(1, 1)
        for block in (self._writer.top(), *self._writer.blocks(entries)):
            self._place(block)

    @property
    def nonce(self) -> str:
        """What its markers have behind `<!-- motet `; no text that was there at the beginning holds it."""
        return self._writer.nonce

    @property
    def placed(self) -> tuple[Placed, ...]:
        """All blocks but the draft, in their order."""
        self._settle()
        return tuple(self._placed)

    @property
    def text(self) -> str:
        """The document up to the draft."""
        return "".join(str(placed.block) for placed in self.placed)

    @property
    def draft_start(self) -> int:
        """Characters before the draft's region."""
        return self._offset

    @property
    def draft_line(self) -> int:
        """Line on which the draft's region begins, from 1."""
        return self._line

    def draft(self, draft: Draft) -> tuple[str, int]:
        """The draft's region for `draft`, and how many of its characters stand before the text that is written."""
        blocks = tuple(self._writer.draft(draft))
        text = "".join(map(str, blocks))
        return text, len(text) - len(blocks[-1].text) - len(blocks[-1].tail)

    def add(self, *entries: Entry) -> Change:
        """Show `entries` at the end; what was shared with a turn comes in the same call. Raises `ValueError` while an
        answer streams."""
        if self._streamed is not None:
            raise ValueError("an answer is streaming: finish it first")
        return self._insert(self._writer.blocks(entries))

    def stream(self, text: str, *, reasoning: bool = False, model: str = "") -> Change:
        """Show the next piece of an answer, or of its reasoning."""
        if not text:
            return self._insert(())
        if self._streamed is None:
            self._streamed, self._speaker = len(self._placed), self._writer.speaker
        elif self._is_reasoning() == reasoning:
            return self._grow(text)
        self._settle()
        parts = ("", text) if not reasoning else (text, None)
        change = self._insert(self._writer.answer("", model, *parts, known=False))
        block = self._placed[-1].block
        self._pieces = [block.text]
        before = f"{block.head}{block.text}"
        line = self._placed[-1].line + before.count("\n")
        self._grown = Position(line, len(before) - before.rfind("\n"))
        return change

    def finish(self, message: Message | None) -> tuple[Change, ...]:
        """Put the whole answer in the place of what was streamed; without one, take that away.

        What was streamed as it is in `message` stays where it is: only its marker changes.
        """
        if message is not None and message.role is not Role.ASSISTANT:
            raise ValueError("only an answer is streamed")
        first = len(self._placed) if self._streamed is None else self._streamed
        self._settle()
        self._pieces = []
        if self._streamed is not None:
            self._writer.speaker = self._speaker
        self._streamed = None
        whole = [] if message is None else list(self._writer.blocks([message]))
        streamed, self._placed[first:] = self._placed[first:], []
        if streamed:
            self._offset, self._line = streamed[0].start, streamed[0].line
        changes: list[Change] = []
        while streamed and whole and _same(streamed[0].block, whole[0]):
            old, new = streamed.pop(0).block, whole.pop(0)
            if old.head != new.head:
                start, end = old.head.index("\n"), new.head.index("\n")
                here = Position(self._line, 1)
                changes.append(Change(self._offset, start, here, Position(self._line, start + 1), new.head[:end]))
            self._place(new)
        if streamed or whole:
            changes.append(self._insert(whole, "".join(str(placed.block) for placed in streamed)))
        return tuple(changes)

    def _is_reasoning(self) -> bool:
        return self._placed[-1].block.kind is Kind.REASONING

    def _grow(self, text: str) -> Change:
        self._pieces.append(text)
        at = self._grown
        change = Change(self._offset - len(self._placed[-1].block.tail), 0, at, at, text)
        lines = text.count("\n")
        column = len(text) - text.rfind("\n") if lines else at.column + len(text)
        self._grown = Position(at.line + lines, column)
        self._offset += len(text)
        self._line += lines
        return change

    def _settle(self) -> None:
        if self._pieces:
            last = self._placed[-1]
            self._placed[-1] = replace(last, block=replace(last.block, text="".join(self._pieces)))
            self._pieces = ["".join(self._pieces)] if self._streamed is not None else []

    def _insert(self, blocks: Iterable[Block], instead_of: str = "") -> Change:
        start = Position(self._line, 1)
        end = Position(self._line + instead_of.count("\n"), 1)
        offset, first = self._offset, len(self._placed)
        for block in blocks:
            self._place(block)
        text = "".join(str(placed.block) for placed in self._placed[first:])
        return Change(offset, len(instead_of), start, end, text)

    def _place(self, block: Block) -> None:
        self._placed.append(Placed(block, self._offset, self._line))
        self._offset += block.size
        self._line += block.head.count("\n") + block.text.count("\n") + block.tail.count("\n")


def _same(streamed: Block, whole: Block) -> bool:
    """Whether they differ in their marker at most."""
    heads = (block.head.partition("\n")[2] for block in (streamed, whole))
    return (streamed.kind, streamed.text, streamed.tail) == (whole.kind, whole.text, whole.tail) and len(
        set(heads)
    ) == 1
