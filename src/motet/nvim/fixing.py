"""`:Motet fix`: the loop of `motet fix`, over what the editor complains about, reviewed in its buffers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from motet.diagnostics import Doing, Progress, summary
from motet.engine import Engine
from motet.fix import (
    Checked,
    Diagnoser,
    Fixed,
    FixEvent,
    Notice,
    RoundFinished,
    RoundStarted,
    TakenBack,
    TurnHappened,
)
from motet.nvim.diagnosing import EditorDiagnostics
from motet.nvim.editor import NvimEditor
from motet.nvim.questions import Questions
from motet.nvim.rpc import Peer
from motet.nvim.workspace import NvimWorkspace
from motet.text import Diagnostic, Severity
from motet.tools import Reviewer
from motet.turn import ToolFinished
from motet.workspace import DiskWorkspace

_WHERE = "fix"
"""The window that tells of a run."""


class _RoundReviewer:
    """See `motet.fix.RoundReviewer`."""

    def __init__(self, reviewer: Reviewer, questions: Questions) -> None:
        self.review = reviewer.review
        self._questions = questions
        self.stopped = False

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        """See `RoundReviewer`."""
        lines = [f"There are more problems than before: {len(new)} new in {', '.join(written)}", *map(_line, new[:9])]
        return await self._questions.choose(lines, ["take this round back", "keep it"]) == 1


class Fixing:
    """The runs of one editor, of which one goes at a time."""

    def __init__(
        self,
        peer: Peer,
        engine: Engine,
        editor: NvimEditor,
        questions: Questions,
        files: Callable[[DiskWorkspace], tuple[NvimWorkspace, Reviewer]],
    ) -> None:
        """`files`: as in `Front`."""
        self._peer = peer
        self._engine = engine
        self._editor = editor
        self._questions = questions
        self._files = files
        self._running: asyncio.Task[None] | None = None

    def stop(self) -> bool:
        """End the run; what was accepted stays. False when there is none."""
        if self._running is None or self._running.done():
            return False
        self._running.cancel()
        return True

    async def run(self, target: str, current: str) -> None:
        """Fix `target`: a path, `project`, or empty for the file `current`. Raises `MotetError`."""
        if self._running is not None and not self._running.done():
            self._peer.tell("notice", 0, "info", "a fix is running already; `:Motet stop` ends it")
            return
        self._running = asyncio.create_task(self._run(target, current))
        await self._running

    async def _run(self, target: str, current: str) -> None:
        complained = sorted({one.path for one in await self._editor.diagnostics() or ()})
        from_editor = True
        if target == "project":
            paths, from_editor = complained, bool(complained)
            paths = paths or await self._engine.source_files()
        else:
            paths = await self._engine.source_files([Path(target or current)])
            from_editor = await self._editor.has_sources(paths)
        model, why = await self._engine.choose_model(work="edit")
        self._tell([f"Model: {model.name} ({why})"], begins=True)
        view = _Lines(self._tell, model.name)
        async with AsyncExitStack() as stack:
            files, own = self._files(self._engine.workspace)
            reviewer = _RoundReviewer(own, self._questions)
            diagnostics: Diagnoser
            if from_editor:
                severity = Severity[self._engine.loaded.settings.fix.severity.upper()]
                diagnostics = EditorDiagnostics(self._peer, self._editor, severity)
            else:
                diagnostics = await stack.enter_async_context(self._engine.diagnostics((), self._waits()))
            loop = self._engine.fix_loop(diagnostics, model, reviewer, view, approximate="propose", files=files)
            await files.begin(":Motet fix")
            stack.push_async_callback(files.finish)
            fixed = await loop.run(paths)
        rows = [[str(self._editor.absolute(one.path)), *_place(one), _words(one)] for one in fixed.remaining]
        self._peer.tell("quickfix_list", "motet fix: what is left", rows)
        self._peer.tell("fixed", fixed.reason.value, list(fixed.changed), len(fixed.remaining))

    def _waits(self) -> Callable[[Progress], None]:
        """Tells what motet's own servers keep the run waiting with, each once."""
        told: set[str] = set()

        def heard(step: Progress) -> None:
            if step.doing is not Doing.CHECKING and str(step) not in told:
                told.add(str(step))
                self._tell([str(step)])

        return heard

    def _tell(self, lines: Sequence[str], *, begins: bool = False) -> None:
        self._peer.tell("append", _WHERE, list(lines), begins)


class _Lines:
    """What is said of a run, as lines; see `FixEvent`."""

    def __init__(self, tell: Callable[[Sequence[str]], None], model: str) -> None:
        self._tell = tell
        self._model = model

    def __call__(self, event: FixEvent) -> None:
        match event:
            case Notice(text):
                self._tell([text])
            case Checked(diagnostics, sources, _):
                self._tell([summary(diagnostics, sources), *map(_line, diagnostics)])
            case RoundStarted(number, requests):
                names = ", ".join(path for paths in requests for path in paths)
                self._tell(["", f"Round {number}: asking {self._model} about {names}"])
            case TurnHappened(_, ToolFinished(_, output)) if output.is_error:
                self._tell([f"  {line}" for line in output.text.splitlines()])
            case RoundFinished(_, diagnostics, sources, change):
                said = f"{summary(diagnostics, sources)}  {len(change.solved)} solved, {len(change.new)} new"
                self._tell([said, *(f"new: {_line(one)}" for one in change.new)])
            case TakenBack(files, diagnostics, sources):
                self._tell([f"Taken back: {', '.join(files)}", summary(diagnostics, sources)])
            case Fixed():
                self._end(event)
            case _:
                pass

    def _end(self, fixed: Fixed) -> None:
        lines = [f"Not applied to {path}: {why.removeprefix(f'{path}: ')}" for path, why in fixed.failed.items()]
        lines += [fixed.summary] if fixed.proposed else []
        lines += [f"left: {_line(one)}" for one in fixed.remaining]
        detail = f" ({fixed.detail})" if fixed.detail else ""
        self._tell(["", *lines, f"Ended: {fixed.reason}{detail}."])


def _line(found: Diagnostic) -> str:
    line, column = _place(found)
    return f"{found.path}:{line}:{column}: {_words(found)}"


def _place(found: Diagnostic) -> tuple[int, int]:
    return found.range.start.line, found.range.start.column


def _words(found: Diagnostic) -> str:
    code = f" {found.code}" if found.code else ""
    first = found.message.strip().partition("\n")[0]
    return f"{found.severity.label.lower()}: {first} ({found.source}{code})"
