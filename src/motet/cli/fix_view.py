"""What people see of `motet fix`: counts before and after, what is under way, each edit, what is left and why."""

from __future__ import annotations

from motet.cli.call_progress import CallProgress
from motet.cli.diff_view import NO_PROBLEMS, Problems
from motet.cli.problem_lines import list_problems
from motet.cli.progress import ServerProgress
from motet.cli.speech import Speech
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
from motet.models.protocol import ReasoningDelta, Retrying, TextDelta, ToolCallDelta
from motet.money import dollars
from motet.text import Diagnostic
from motet.tools import ToolOutput
from motet.turn import AnswerStarted, ToolFinished, TurnEnded, TurnEvent

_MOST_NAMED = 3
"""Files that are named one by one."""
_STUCK = frozenset({EndReason.NO_PROGRESS, EndReason.ROUNDS, EndReason.BUDGET})
"""Ends after which what is left is listed: it is not what was listed last."""


class FixView:
    """Draws events on a terminal; `problems` are the diagnostics that stand now."""

    def __init__(self, terminal: Terminal, model: str) -> None:
        self._terminal = terminal
        self._model = model
        self._speech = Speech(terminal)
        self._calls = CallProgress()
        self.servers = ServerProgress(terminal)
        self.problems: tuple[Diagnostic, ...] = ()
        self._by_path: dict[str, Problems] = {}
        self._was_checked = True

    def of(self, path: str) -> Problems:
        """The problems of one file."""
        return self._by_path.get(path, NO_PROBLEMS)

    def __call__(self, event: FixEvent) -> None:
        """Draw one event."""
        terminal = self._terminal
        match event:
            case Notice(text):
                terminal.line(text, "yellow", hang=2)
            case Checked(diagnostics, sources, files):
                self._was_checked = bool(sources) or not files
                self._counts(diagnostics, sources)
                list_problems(terminal, diagnostics)
            case RoundStarted(number, requests):
                self._speech.begin_round(self.problems)
                files = [path for paths in requests for path in paths]
                terminal.line()
                terminal.line(f"Round {number}: asking {self._model} about {_names(files)}", "bold", hang=2)
            case TurnHappened(files, happened):
                self._turn(files, happened)
            case RoundFinished():
                self._round(event)
            case TakenBack(files, diagnostics, sources):
                terminal.line()
                terminal.line(f"Taken back: {', '.join(files)}", "yellow", hang=2)
                self._counts(diagnostics, sources)
            case Fixed():
                self._end(event)

    def _turn(self, files: tuple[str, ...], event: TurnEvent) -> None:
        terminal = self._terminal
        match event:
            case AnswerStarted():
                self._calls.clear()
                terminal.progress(f"{self._model} reads {_names(files)}")
            case TextDelta(text):
                self._speech.hear(text)
                if self._speech.edit_lines is not None:
                    terminal.progress(f"{self._model} writes an edit: {_count(self._speech.edit_lines, 'line')}")
            case ReasoningDelta():
                terminal.progress(f"{self._model} thinks about {_names(files)}")
            case ToolCallDelta():
                self._speech.end()
                terminal.progress(f"{self._model} {self._calls.hear(event)}")
            case Retrying(delay, attempt, reason):
                self._speech.end()
                terminal.line(f"{reason}; trying again in {delay:.0f} s (attempt {attempt})", "yellow", hang=2)
            case ToolFinished(_, output):
                self._speech.end()
                self._refused(output)
            case TurnEnded(limit):
                self._speech.end()
                if limit:
                    terminal.line(f"Stopped asking: {limit}.", "yellow", hang=2)
            case _:
                self._speech.end()

    def _refused(self, output: ToolOutput) -> None:
        """An edit that was not applied, as the model is told of it."""
        if output.is_error:
            self._terminal.line()
            for number, line in enumerate(output.text.splitlines()):
                self._terminal.line(f"  {line}", "dim" if number else "yellow", hang=4)

    def _round(self, event: RoundFinished) -> None:
        self._speech.end()
        change = event.change
        self._terminal.line()
        self._counts(event.diagnostics, event.sources, f"  {len(change.solved)} solved, {len(change.new)} new")
        if change.new:
            self._terminal.line("New:", "yellow")
            list_problems(self._terminal, change.new)
        if event.is_worse:
            self._terminal.line("There are more problems than before this round.", "bold red", always=True)

    def _counts(self, diagnostics: tuple[Diagnostic, ...], sources: tuple[str, ...], change: str = "") -> None:
        self.problems = diagnostics
        by_path: dict[str, list[Diagnostic]] = {}
        for found in diagnostics:
            by_path.setdefault(found.path, []).append(found)
        self._by_path = {path: Problems(found) for path, found in by_path.items()}
        self.servers.clear()
        if not self._was_checked:
            self._terminal.line("Nothing was checked: no server or checker answered.", "bold", hang=2)
            return
        self._terminal.spans((summary(diagnostics, sources), "bold"), (change, "dim"), hang=2)

    def _end(self, event: Fixed) -> None:
        terminal = self._terminal
        self._speech.end()
        self.servers.clear()
        terminal.line(always=True)
        left = f"Left: {_count(len(event.remaining), 'problem')}." if event.remaining else ""
        if left and event.reason in _STUCK:
            terminal.line(left, "bold", always=True)
            list_problems(terminal, event.remaining, lambda found: event.reasons.get(found, ""), always=True)
            terminal.line(always=True)
        for path, why in event.failed.items():
            terminal.spans(
                (f"Not applied to {path}: ", "yellow"), (why.removeprefix(f"{path}: "), ""), hang=2, always=True
            )
        if event.proposed:
            terminal.line(event.summary, "bold", always=True)
        if left and event.reason not in _STUCK:
            terminal.line(left, always=True)
        detail = f" ({event.detail})" if event.detail else ""
        reason = str(event.reason) if self._was_checked or event.reason is not EndReason.CLEAN else "nothing to do"
        style = "green" if event.reason is EndReason.CLEAN and self._was_checked else ""
        terminal.line(f"Ended: {reason}{detail}.", style, hang=2, always=True)
        if event.usage.total:
            used = f"Used {event.usage.input:,} tokens in, {event.usage.output:,} out, {dollars(event.cost)}."
            terminal.line(used, "dim", always=True)
        if event.changed:
            terminal.line("`motet undo` takes it back.", "dim")


def _names(files: list[str] | tuple[str, ...]) -> str:
    return ", ".join(files) if len(files) <= _MOST_NAMED else _count(len(files), "file")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
