"""What `motet ask` shows: the answer on stdout as it comes, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from motet.chat import ChatEvent, Ended, Level, Notice, Shared
from motet.chat.events import Compacted, End
from motet.cli.call_progress import CallProgress
from motet.cli.output import told
from motet.cli.terminal import Terminal
from motet.errors import ExitCode, MotetError
from motet.models.protocol import Completed, ReasoningDelta, Retrying, TextDelta, ToolCallDelta, Usage
from motet.tools.kit import Told
from motet.turn import AnswerStarted, ToolFinished, ToolsCalled
from motet.visible import visible

_STYLES = {Level.INFO: "dim", Level.WARNING: "yellow", Level.ERROR: "red"}


class AnswerView:
    """Writes the text of answers to stdout: into a pipe byte for byte, on a terminal with what it would obey made
    visible. Progress, tools and notices go to `terminal`."""

    def __init__(self, terminal: Terminal, model: str, *, writes: bool = True) -> None:
        self._terminal = terminal
        self._model = model
        self._writes = writes
        self._is_terminal = sys.stdout.isatty()
        self._calls = CallProgress()
        self._line_open = False
        self._wrote = False
        self.usage = Usage()

    def __call__(self, event: ChatEvent) -> None:
        """Draw one event."""
        terminal = self._terminal
        match event:
            case TextDelta(text):
                self._write(text)
            case AnswerStarted(number):
                self._calls.clear()
                if number > 1:
                    self._end_block()
                terminal.progress(f"{self._model} reads")
            case ReasoningDelta():
                terminal.progress(f"{self._model} thinks")
            case ToolCallDelta():
                self._end_line()
                terminal.progress(f"{self._model} {self._calls.hear(event)}")
            case ToolsCalled(calls):
                self._end_line()
                terminal.progress(", ".join(call.name for call in calls))
            case Told(tool, _, text):
                terminal.progress(f"{tool}: {text.strip().splitlines()[-1] if text.strip() else ''}")
            case ToolFinished(call, output):
                first = (output.shown or output.text).strip().split("\n", 1)[0]
                terminal.spans((f"{call.name}  ", "bold"), (first, "red" if output.is_error else "dim"), hang=2)
            case Retrying(delay, attempt, reason):
                what = reason.partition(";")[0]  # what follows is for when it fails at last
                terminal.line(f"{what}; trying again in {delay:.0f} s (attempt {attempt})", "yellow", hang=2)
            case Shared(line, tokens, why):
                terminal.line(f"Shared: {line} ({tokens:,} tokens{f', {why}' if why else ''})", "dim", hang=2)
            case Notice(text, level):
                self._end_line()
                terminal.line(text, _STYLES[level], hang=2, always=level is not Level.INFO)
            case Compacted(messages, before, after):
                terminal.line(f"Summed up {messages} messages: {before:,} tokens are {after:,} now.", "dim", hang=2)
            case Completed():
                self.usage += event.usage
            case Ended():
                self._end(event)
            case _:
                pass

    def _end(self, event: Ended) -> None:
        self._terminal.progress("")
        self._end_line()
        if event.is_partial:
            self._terminal.line("The answer broke off.", "yellow", always=True)
        if event.reason is End.LIMIT:
            self._terminal.line(f"Stopped: {event.detail}.", "yellow", hang=2, always=True)

    def _write(self, text: str) -> None:
        if not self._writes or not text:
            return
        self._terminal.progress("")
        shown = visible(text) if self._is_terminal else text
        with told():
            sys.stdout.buffer.write(shown.encode("utf-8", "surrogateescape"))
            sys.stdout.buffer.flush()
        self._line_open, self._wrote = not text.endswith("\n"), True

    def _end_line(self) -> None:
        if self._line_open:
            self._write("\n")

    def _end_block(self) -> None:
        if self._wrote:
            self._end_line()
            self._write("\n")
            self._wrote = False


async def drawn(turn: AsyncGenerator[ChatEvent], *views: Callable[[ChatEvent], None]) -> int:
    """Draw the events of a turn; its exit code. Raises what failed."""
    ended = Ended(End.FAILED)
    async with aclosing(turn) as events:
        async for event in events:
            for view in views:
                view(event)
            if isinstance(event, Ended):
                ended = event
    match ended.reason:
        case End.FAILED:
            raise ended.error or MotetError("the turn ended without an end")
        case End.LIMIT:
            return ExitCode.MODEL
        case End.STOPPED:
            return ExitCode.INTERRUPTED
        case End.DONE:
            return ExitCode.DONE
