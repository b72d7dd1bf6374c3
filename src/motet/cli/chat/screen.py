"""What people see of a chat: answers as they stream, and one line for everything that would only be in the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from motet.chat.events import (
    ChatEvent,
    Compacted,
    End,
    Ended,
    Level,
    Notice,
    Said,
    Sent,
    Shared,
    Titled,
)
from motet.chat.meter import short_count
from motet.cli.call_progress import CallProgress
from motet.cli.chat.folded import Fold, Folds, of_output, of_reasoning, show, title_of
from motet.cli.chat.markdown_stream import MarkdownStream
from motet.cli.chat.terminal import ChatTerminal
from motet.cli.wrap import cut, rows_of
from motet.messages import ToolCall
from motet.models.protocol import Completed, ReasoningDelta, Retrying, TextDelta, ToolCallDelta
from motet.tools import ToolOutput
from motet.tools.kit import Told
from motet.turn import AnswerStarted, ToolFinished, ToolsCalled, TurnEnded
from motet.visible import one_line

_TAIL = 200
"""Characters of what is thought or put out that may stand on the moving line."""
_MOST_ROWS = 8
"""Rows below what is drawn, for what waits and what is typed, where the terminal has at least three times as many."""
_QUEUED = "queued: "
_PROMPT_CELLS = 2
_LEVELS = {Level.INFO: "dim", Level.WARNING: "yellow", Level.ERROR: "red"}


class ChatScreen:
    """Draws the events of a chat, one turn after the other. `model` is how the one that answers is called.

    `clock` counts seconds. Somebody has to call `terminal.tick` every tenth of a second.
    """

    def __init__(self, terminal: ChatTerminal, model: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.model = model
        self._terminal = terminal
        self._clock = clock
        self._stream = MarkdownStream(styled=terminal.colour)
        self._calls = CallProgress()
        self._folds = Folds()
        self._thoughts: list[str] = []
        self._thinks_since: float | None = None
        self._running: list[ToolCall] = []
        self._typed: str | None = None
        self._queue: tuple[str, ...] = ()
        self._last = ""

    def __call__(self, event: ChatEvent) -> None:
        """Draw one event."""
        if not isinstance(event, ReasoningDelta):
            self._end_thoughts()
        match event:
            case TextDelta(text):
                self._text(text)
            case ReasoningDelta(text):
                self._think(text)
            case ToolCallDelta():
                self._end_text()
                self._terminal.progress(f"{self.model} {self._calls.hear(event)}")
            case AnswerStarted():
                self._end_text()
                self._calls.clear()
                self._terminal.progress(f"{self.model} reads")
            case ToolsCalled(calls):
                self._end_text()
                self._running = list(calls)
                self._tell_what_runs()
            case Told(tool, kind, text):
                self._told(tool, kind, text)
            case ToolFinished(call, output):
                self._finished(call, output)
            case Ended():
                self._ended(event)
            case _:
                self._aside(event)

    def show(self, count: int = 1) -> bool:
        """Draw the last `count` folded things in full; false when there is none."""
        folds = self._folds.last(count)
        show(self._terminal, folds)
        self._last = "fold" if folds else self._last
        return bool(folds)

    def line_sent(self) -> None:
        """The human's line stands on the screen already: what comes is set apart from it."""
        self._last = "said"

    def said(self, text: str) -> None:
        """Draw what the human has said."""
        self._end_text()
        self._block("said")
        first, *others = text.splitlines() or [""]
        self._terminal.spans(("› ", "bold cyan"), (first, ""), hang=2)
        for line in others:
            self._terminal.spans(("  ", ""), (line, ""), hang=2)

    def typed(self, text: str | None) -> None:
        """Show what is being typed while the model works, below what is drawn; None: nothing can be typed now."""
        self._typed = text
        self._show_typed()

    def queued(self, texts: Sequence[str]) -> None:
        """Show the texts that wait for the model above what is being typed."""
        if not self._terminal.moves:  # there is no row that stays below
            for text in texts[len(self._queue) :]:
                self._note(f"{_QUEUED}{text}", "dim")
        self._queue = tuple(texts)
        self._show_typed()

    def _show_typed(self) -> None:
        """What waits has half of the rows at most; of what is typed the end is shown."""
        terminal = self._terminal
        if self._typed is None or not (self._typed or self._queue):
            terminal.below(())
            return
        width = (terminal.width or 80) - 1
        room = max(min(terminal.height // 3, _MOST_ROWS), 1)
        waiting = [cut(one_line(f"{_QUEUED}{text}"), width) for text in self._queue]
        if len(waiting) > (most := room // 2):
            more = f"… {len(waiting) - most + 1} more wait"
            waiting = [*waiting[: most - 1], cut(more, width)] if most else []
        typed = rows_of(self._typed[-room * width :], width - _PROMPT_CELLS)
        rows = [(("› " if at == 0 else "  ", "bold cyan"), (row, "")) for at, row in enumerate(typed)]
        terminal.below([*(((row, "dim"),) for row in waiting), *rows[len(waiting) - room :]])

    def _text(self, text: str) -> None:
        terminal = self._terminal
        if not self._stream.has_begun:
            text = text.lstrip("\r\n")
            if not text:
                return
            self._block("text")
        terminal.draw(self._stream.add(text, terminal.width))

    def _end_text(self) -> None:
        self._terminal.draw(self._stream.end(self._terminal.width))

    def _think(self, text: str) -> None:
        self._end_text()
        if self._thinks_since is None:
            self._thinks_since = self._clock()
        self._thoughts.append(text)
        last = "".join(self._thoughts[-8:])[-_TAIL:].split("\n")[-1].strip()
        self._terminal.progress(f"{self.model} thinks: {last}" if last else f"{self.model} thinks")

    def _end_thoughts(self) -> None:
        if self._thinks_since is not None:
            self._fold(of_reasoning("".join(self._thoughts), self._clock() - self._thinks_since))
            self._thoughts, self._thinks_since = [], None

    def _told(self, tool: str, kind: str, text: str) -> None:
        if kind != "output":
            self._end_text()
            self._block("aside")
            for line in text.splitlines():
                self._terminal.line(line, "dim", hang=2)
            return
        title = next((title_of(call) for call in self._running if call.name == tool), tool)
        lines = text.strip().splitlines()
        self._terminal.progress(f"{one_line(title)}  {lines[-1][:_TAIL]}" if lines else one_line(title))

    def _finished(self, call: ToolCall, output: ToolOutput) -> None:
        self._end_text()
        self._running = [each for each in self._running if each.id != call.id]
        self._fold(of_output(call, output))
        self._tell_what_runs()

    def _tell_what_runs(self) -> None:
        self._terminal.progress(title_of(self._running[0]) if self._running else "")

    def _fold(self, fold: Fold) -> None:
        self._folds.add(fold)
        self._block("fold")
        self._terminal.spans(*fold.spans(self._terminal.width))

    def _ended(self, event: Ended) -> None:
        self._end_text()
        self._running = []
        self._terminal.progress("")
        if event.is_partial:
            self._note("The answer broke off; what came of it is kept.", "yellow")
        match event.reason:
            case End.DONE:
                pass
            case End.STOPPED:
                self._note(f"Stopped: {event.detail}" if event.detail else "Stopped.", "yellow")
            case End.LIMIT:
                self._note(f"Stopped asking: {event.detail}", "yellow")
            case End.FAILED:
                self._note(event.detail or "The turn failed.", "red")
        self._last = ""

    def _aside(self, event: ChatEvent) -> None:
        """What is said beside the conversation, in one line."""
        match event:
            case Retrying(delay, attempt, reason):
                what = reason.partition(";")[0]  # what to do about it is said when it has failed for good
                self._note(f"{what}; trying again in {delay:.0f} s (attempt {attempt})", "yellow")
            case Notice(text, level):
                self._note(text, _LEVELS[level])
            case Shared(line, tokens, why):
                self._note(f"+ {line}  {short_count(tokens)} tokens{f', {why}' if why else ''}", "dim")
            case Said(text):
                self.said(text)
            case Compacted(messages, before, after):
                sizes = f"{short_count(before)} to {short_count(after)} tokens"
                self._note(f"Summed up {messages} messages: {sizes}. Nothing of them is deleted.", "dim")
            case Completed() | TurnEnded():
                self._end_text()
            case Sent() | Titled() | _:
                pass

    def _note(self, text: str, style: str) -> None:
        self._end_text()
        self._block("aside")
        self._terminal.line(text, style, hang=2)

    def _block(self, kind: str) -> None:
        """Set what comes apart from what was drawn before it."""
        if self._last and self._last != kind:
            self._terminal.line()
        self._last = kind
