"""`motet edit`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

import click

from motet import engine as engines
from motet.chat import Chat, ChatEvent
from motet.cli.chat_json import SCHEMA, ChatJson
from motet.cli.chat_lines import drawn
from motet.cli.edit_view import EditView, WatchedReviewer, why_no_edit
from motet.cli.front import Front, in_front, tell_notes
from motet.cli.given_files import GivenFile, given_files, share_files
from motet.cli.output import write_json
from motet.cli.run_options import RunOptions, run_options
from motet.cli.terminal import Terminal
from motet.engine import Engine
from motet.errors import ExitCode, MotetError, UsageError
from motet.turn import ToolFinished


@click.command("edit", options_metavar="[OPTIONS]")
@click.argument("instruction")
@click.argument("files", nargs=-1, required=True, metavar="FILE[:10-40]…")
@run_options(
    yes="Take every edit that has its place, without asking.",
    rule="write:.github/*",
    quiet="Only questions and errors.",
)
def command(instruction: str, files: tuple[str, ...], options: RunOptions) -> int:
    """Have files changed as you say, reviewed hunk by hunk.

    \b
    Examples:
      motet edit "use pathlib instead of os.path" src/app.py
      motet edit "handle the empty list" src/app.py:10-40
      motet edit -y "add type hints" src/a.py src/b.py
      motet edit -m offline --json "sort the imports" src/a.py

    The files, or the lines of them that are named, are shared with the model, and it gets the tools that read and edit
    (@editor). Where it writes its edits into the answer instead, they are read there. Each change is shown as a diff
    and asked about, as `motet fix` does; `motet undo` takes it back.

    Where there is no terminal nothing is written unless --yes. A run in which nothing was changed says `no edit was
    made`, and why.

    Exit code 0: edited, 1: no edit was made, 2: usage, 3: model failed, 4: not permitted, 130: interrupted.
    """
    with options.errors_told():
        if not instruction.strip():
            raise UsageError('the instruction is empty; say what to change, as in: motet edit "add a docstring" a.py')
        return asyncio.run(_edit(instruction, files, options))


async def _edit(instruction: str, paths: Sequence[str], options: RunOptions) -> int:
    async with in_front(Terminal(quiet=options.silent), yes=options.yes) as front:
        terminal = front.terminal
        try:
            engine = Engine(Path.cwd(), flags=options.settings, allow=options.allow, ask=front.ask)
            for notice in engine.notices:
                terminal.line(notice, "dim", hang=2)
            files = given_files(engine.root, paths)
            run = _Run(engine, front, options, files)
            return await run.edit(instruction)
        except asyncio.CancelledError:
            terminal.line("Interrupted; `motet undo --list` shows what was written, if anything.", always=True)
            return ExitCode.INTERRUPTED


_NOBODY = "not a terminal, so nobody can be asked; --yes takes every edit"


class _Run:
    """One run: a turn of a chat of its own."""

    def __init__(self, engine: Engine, front: Front, options: RunOptions, files: Sequence[GivenFile]) -> None:
        self._engine = engine
        self._terminal = front.terminal
        self._front = front
        self._options = options
        self._files = files
        self._nobody = not front.terminal.can_ask and not options.yes
        self._only = files[0].path if len(files) == 1 else ""
        self._watched = WatchedReviewer(
            front.reviewer(), front.terminal, quiet=options.silent, as_json=options.as_json
        )

    async def edit(self, instruction: str) -> int:
        """Ask for the edits; the exit code."""
        options, front = self._options, self._front
        who = engines.Front(self._watched, front.human, front.ask)
        async with self._engine.chats(who, keep=options.keep, record=options.recording) as chats:
            model, why = await self._engine.choose_model(work="edit")
            chat = chats.new(model, tools=["editor"], about=self._only)
            tell_notes(chat, self._terminal)
            await share_files(chat, self._files, self._terminal)
            self._terminal.line(f"Model: {model.name} ({why})", "dim", hang=2)
            view = EditView(self._terminal, model.name)
            as_json = ChatJson() if options.as_json else None
            if as_json is not None:
                as_json.started(chat, why)
            try:
                code = await drawn(self._until_proposed(chat, instruction), view, *([as_json] if as_json else []))
            except MotetError:
                self._say_what_was_written()
                raise
        if code == ExitCode.INTERRUPTED and not self._was_proposed_to_nobody:
            raise asyncio.CancelledError
        return self._ended(self._watched.written(self._engine.root), self._why(view))

    async def _until_proposed(self, chat: Chat, instruction: str) -> AsyncGenerator[ChatEvent]:
        """The turn; where nobody decides, up to the first proposals: the model could only try them again."""
        async with aclosing(chat.send(instruction)) as events:
            async for event in events:
                yield event
                if isinstance(event, ToolFinished) and self._was_proposed_to_nobody:
                    chat.stop()

    @property
    def _was_proposed_to_nobody(self) -> bool:
        return self._nobody and bool(self._watched.decided)

    def _why(self, view: EditView) -> str:
        """Why nothing was edited, if so."""
        if self._nobody and self._watched.decided:
            return _NOBODY
        if view.refused:
            return view.refused
        if self._watched.decided:
            taken = any(proposal.taken for proposal in self._watched.decided)
            return "what was taken could not be written" if taken else "none of the hunks was taken"
        return why_no_edit(view.answers[-1] if view.answers else "", self._only)

    def _ended(self, written: Sequence[str], why: str) -> int:
        if self._options.as_json:
            write_json({"schema": SCHEMA, "event": "edited", "paths": written, "detail": "" if written else why})
        if written:
            self._say_what_was_written()
            return ExitCode.DONE
        self._terminal.line(f"no edit was made: {why}", "yellow", hang=2, always=True)
        return ExitCode.PROBLEMS_REMAIN

    def _say_what_was_written(self) -> None:
        written = self._watched.written(self._engine.root)
        if written:
            self._terminal.line(f"Edited {', '.join(written)}; `motet undo` takes it back.", "bold", hang=2)
