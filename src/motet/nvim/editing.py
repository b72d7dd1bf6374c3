"""`:Motet edit`: some lines are changed as the human says, in a chat of its own that has no buffer."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import aclosing
from dataclasses import dataclass, field

from motet.chat import Chat, Ended, Level, Notice
from motet.context import Excerpt
from motet.context.editor_variables import share_lines
from motet.engine import Chats, Engine
from motet.engine.filling import sources_of
from motet.errors import UsageError
from motet.models.protocol import TextDelta, ToolCallDelta
from motet.nvim.editor import NvimEditor
from motet.nvim.rpc import Peer
from motet.nvim.workspace import NvimWorkspace
from motet.nvim.writing import Writing
from motet.turn import AnswerStarted, ToolFinished, ToolsCalled

_LONGEST = 300
"""Characters of an answer that a notice shows."""


@dataclass(slots=True)
class _Outcome:
    """What became of a turn: the files that were edited, the pieces of the last answer, and how it ended."""

    edited: list[str]
    pieces: list[str] = field(default_factory=list[str])
    why: str = ""
    ended: Ended | None = None

    @property
    def said(self) -> str:
        """The last answer."""
        return "".join(self.pieces)


class Editing:
    """The edits of one editor that are under way, each a turn of its own chat, which stays in the history."""

    def __init__(self, peer: Peer, engine: Engine, chats: Chats, editor: NvimEditor, files: NvimWorkspace) -> None:
        self._peer = peer
        self._engine = engine
        self._chats = chats
        self._editor = editor
        self._files = files
        self._running: dict[str, tuple[Chat, asyncio.Task[None]]] = {}
        self._places = itertools.count(1)

    def stop(self) -> None:
        """End what runs; what was accepted stays."""
        for chat, _ in self._running.values():
            chat.stop()

    async def run(self, excerpt: Excerpt, instruction: str) -> None:
        """Have these lines of a buffer changed. Raises `MotetError`."""
        buffer = next((one for one in await self._editor.buffers() or () if one.number == excerpt.buffer), None)
        if buffer is None or not buffer.path:
            raise UsageError("this buffer is no file of the project, so nothing can be changed in it by a tool")
        model, _ = await self._engine.choose_model(work="edit")
        chat = self._chats.new(model, tools=["editor"], about=buffer.path)
        shared = await share_lines(excerpt, sources_of(chat))
        if not shared.messages:
            raise UsageError("; ".join(shared.notices))
        chat.share.attach(*shared.messages)
        lines = f"lines {excerpt.first}-{excerpt.last}" if excerpt.first != excerpt.last else f"line {excerpt.first}"
        task = asyncio.create_task(self._turn(chat, f"{instruction}\n\n(This is about {lines} of `{buffer.path}`.)"))
        self._running[chat.id] = (chat, task)
        try:
            await task
        finally:
            del self._running[chat.id]
            await self._chats.let_go(chat)

    async def _turn(self, chat: Chat, text: str) -> None:
        writing, outcome = Writing(self._peer, -next(self._places), self._files), _Outcome([])
        self._peer.tell("notice", 0, "info", f"{chat.model.name} edits …")
        try:
            async with aclosing(chat.send(text)) as events:
                async for event in events:
                    match event:
                        case AnswerStarted():
                            outcome.pieces.clear()
                        case TextDelta(piece):
                            outcome.pieces.append(piece)
                        case ToolCallDelta():
                            writing.hear(event)
                        case ToolsCalled():
                            writing.clear()
                        case ToolFinished(_, output):
                            self._note(outcome, output.text, output.is_error)
                        case Notice(line, Level.WARNING | Level.ERROR):
                            self._peer.tell("notice", 0, "warn", line)
                        case Ended():
                            outcome.ended = event
                        case _:
                            pass
        finally:
            writing.clear()
        self._tell(outcome)

    def _note(self, outcome: _Outcome, text: str, failed: bool) -> None:
        first = text.strip().partition("\n")[0]
        if failed:
            outcome.why = first
        else:
            outcome.edited.append(first)

    def _tell(self, outcome: _Outcome) -> None:
        ended = outcome.ended
        if ended is not None and ended.detail and not outcome.edited:
            self._peer.tell("notice", 0, "error", ended.detail)
        elif not outcome.edited:
            why = outcome.why or " ".join(outcome.said.split())[:_LONGEST] or "the model said nothing"
            self._peer.tell("notice", 0, "warn", f"no edit was made: {why}")
        self._peer.tell("edited", len(outcome.edited), outcome.said)
