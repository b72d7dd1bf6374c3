"""What people see of `motet fix`: counts before and after, what is under way, each edit, what is left and why."""

from __future__ import annotations

import re

from motet.cli.terminal import Terminal
from motet.diagnostics import summary
from motet.fix import (
    Checked,
    EndReason,
    Fixed,
    FixEvent,
    Notice,
    RoundFinished,
    RoundStarted,
    TakenBack,
    TurnHappened,
)
from motet.models.protocol import Retrying, TextDelta, ToolCallDelta
from motet.text import Diagnostic
from motet.turn import AnswerStarted, ToolFinished, TurnEnded, TurnEvent

_MOST_LEFT = 30
"""Remaining problems that are listed one by one."""
_PATH = re.compile(r'"path"\s*:\s*"((?:[^"\\]|\\.)*)"')


class FixView:
    """Draws events on a terminal; `problems` are the diagnostics that stand now."""

    def __init__(self, terminal: Terminal, model: str) -> None:
        self._terminal = terminal
        self._model = model
        self._arguments: dict[int, str] = {}
        self.problems: tuple[Diagnostic, ...] = ()

    def of(self, path: str) -> list[Diagnostic]:
        """The problems of one file."""
        return [found for found in self.problems if found.path == path]

    def __call__(self, event: FixEvent) -> None:
        """Draw one event."""
        terminal = self._terminal
        match event:
            case Notice(text):
                terminal.line(text, "yellow")
            case Checked(diagnostics, sources, _):
                self.problems = diagnostics
                terminal.line(summary(diagnostics, sources), "bold")
                self._list(diagnostics)
            case RoundStarted(number, requests):
                files = sum(len(paths) for paths in requests)
                terminal.line()
                terminal.line(f"Round {number}: asking {self._model} about {_count(files, 'file')}", "bold")
            case TurnHappened(files, happened):
                self._turn(files, happened)
            case RoundFinished():
                self._round(event)
            case TakenBack(files, diagnostics, sources):
                self.problems = diagnostics
                terminal.line(f"Taken back: {', '.join(files)}", "yellow")
                terminal.line(summary(diagnostics, sources), "bold")
            case Fixed():
                self._end(event)

    def _turn(self, files: tuple[str, ...], event: TurnEvent) -> None:
        names = ", ".join(files)
        match event:
            case AnswerStarted(number):
                self._arguments.clear()
                self._terminal.progress(
                    f"{self._model}: {names}" if number == 1 else f"{self._model}: going on with {names}"
                )
            case TextDelta(text):
                self._terminal.stream(text)
            case ToolCallDelta(index, arguments):
                self._arguments[index] = self._arguments.get(index, "") + arguments
                self._terminal.progress(_writing(self._arguments[index]))
            case Retrying(delay, attempt, reason):
                self._terminal.line(f"{reason}; trying again in {delay:.0f} s (attempt {attempt})", "yellow")
            case ToolFinished(_, output) if output.is_error:
                self._terminal.line(output.text, "yellow")
            case TurnEnded(limit) if limit:
                self._terminal.line(f"stopped asking: {limit}", "yellow")
            case _:
                pass

    def _round(self, event: RoundFinished) -> None:
        self.problems = event.diagnostics
        solved, new = len(event.change.solved), len(event.change.new)
        self._terminal.line()
        style = "bold red" if event.is_worse else "bold"
        self._terminal.spans(
            (summary(event.diagnostics, event.sources), style), (f"  {solved} solved, {new} new", "dim")
        )
        if event.change.new:
            self._terminal.line("New:", "yellow")
            self._list(event.change.new)
        if event.is_worse:
            self._terminal.line("This round made it worse: there are more problems than before.", "bold red")

    def _end(self, event: Fixed) -> None:
        terminal = self._terminal
        terminal.progress("")
        terminal.line(always=True)
        if event.proposed:
            terminal.line(event.summary, "bold", always=True)
        for path, why in event.failed.items():
            terminal.line(f"  not applied to {path}: {why}", "yellow", always=True)
        ended = str(event.reason) + (f": {event.detail}" if event.detail else "")
        good = event.reason is EndReason.CLEAN
        terminal.line(f"Ended: {ended}.", "green" if good else "", always=True)
        if event.usage.total:
            cost = f", ${event.cost:.4f}" if event.cost is not None else ""
            terminal.line(
                f"Used {event.usage.input:,} tokens in, {event.usage.output:,} out{cost}.", "dim", always=True
            )
        if event.remaining:
            terminal.line(f"Left: {_count(len(event.remaining), 'problem')}.", "bold", always=True)
            self._list(event.remaining, always=True)

    def _list(self, diagnostics: tuple[Diagnostic, ...], *, always: bool = False) -> None:
        for found in diagnostics[:_MOST_LEFT]:
            start = found.range.start
            code = f" {found.code}" if found.code else ""
            self._terminal.spans(
                (f"  {found.path}:{start.line}:{start.column}: ", "cyan"),
                (f"{found.severity.label.lower()}: ", {1: "red", 2: "yellow"}.get(found.severity, "")),
                (" ".join(found.message.split()), ""),
                (f" ({found.source}{code})", "dim"),
                always=always,
            )
        if len(diagnostics) > _MOST_LEFT:
            self._terminal.line(f"  … and {len(diagnostics) - _MOST_LEFT} more", "dim", always=always)


def _writing(arguments: str) -> str:
    """What the piece of a tool call says so far: which file, how many lines."""
    path = _PATH.search(arguments)
    lines = arguments.count("\\n")
    return f"writing an edit to {path[1]}: {_count(lines, 'line')}" if path else "writing an edit"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
