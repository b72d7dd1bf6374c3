"""The process of an agent in the background: one chat on boards, without a human in front.

`python -m motet.engine.agent_process DIRECTORY STEM TIED HANDLE`: the agent whose files are those; it writes where it is
found, or why it cannot begin, to the pipe HANDLE, as one JSON object. With TIED it ends when its standard input does.
SIGTERM ends it after the tool call that is under way, a second one at once.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from motet.chat import Chat, ChatEvent, Ended, Notice
from motet.chat.saying import SENDS
from motet.cores import leave_no_core
from motet.edits import Proposal
from motet.engine.agent_spec import AgentFiles, Kept, Running, Word
from motet.engine.board_agent import BoardAgent
from motet.engine.boarding import memberships
from motet.engine.chats import Chats, Front
from motet.engine.engine import Engine, load
from motet.engine.faults import FaultLog
from motet.errors import ExitCode, MotetError
from motet.history import ChatMissing
from motet.logfile import LogFile
from motet.messages import ContextRef, Message, tags
from motet.models.protocol import Model
from motet.process import Mark
from motet.storage.lease import Lease
from motet.tools import AcceptAll
from motet.tools.kit import Nobody
from motet.turn import ToolsCalled, ask_to_send

PLACE = "the background, where nobody reads what you write but on boards,"
"""What it is plugged into, for the model."""
_PROMPT = "<agent>prompt</agent>"
_PATIENCE = 10.0
"""Seconds in which a tied one ends in good order when its starter is gone."""
_MAX_LOG = 1000 * 1000


@dataclass(slots=True)
class Served:
    """One run of one agent."""

    files: AgentFiles
    kept: Kept
    log: LogFile
    _agent: BoardAgent | None = None
    _asked: asyncio.Event = field(default_factory=asyncio.Event)
    _firmly: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self) -> None:
        """End in good order; at once when asked again."""
        if self._asked.is_set():
            self._firmly.set()
        self._asked.set()
        self.note("stop", "at once" if self._firmly.is_set() else "after the call under way")
        if self._agent is not None:
            self._agent.finish("was stopped")

    async def run(self, ready: _Ready) -> None:
        """Serve until told to end. Raises `MotetError`."""
        spec, root = self.kept.spec, self.kept.works_in
        flags = spec.flags(load(root, {}).settings)
        engine = Engine(root, root=root, flags=flags, allow=spec.allow)
        reviewer = AcceptAll() if spec.takes_edits else _Unreviewed()
        async with engine.chats(Front(reviewer, Nobody(), name=PLACE)) as chats:
            model = await self._model(engine, chats)
            chat = await self._chat(chats, model)
            await ask_to_send(chat.model, chat.parts.gate, SENDS)
            chat.options.require_price(chat.model)
            self._agent = agent = await self._seated(chats, chat)
            if isinstance(reviewer, _Unreviewed):
                reviewer.agent = agent
            agent.on_notice = self._heard
            mark = Mark.of(os.getpid())
            assert mark is not None  # it is this process
            self.files.run(Running(mark, agent.seat.address))
            ready.say(Word(agent.seat.address, chat.model.name, chat.notes))
            await self._serve(chat, agent)

    async def _serve(self, chat: Chat, agent: BoardAgent) -> None:
        if self._asked.is_set():
            return
        serving = asyncio.create_task(agent.serve(self._heard))
        firmly = asyncio.create_task(self._firmly.wait())
        try:
            await asyncio.wait({serving, firmly}, return_when=asyncio.FIRST_COMPLETED)
            chat.stop()
            await serving
        finally:
            firmly.cancel()

    async def _model(self, engine: Engine, chats: Chats) -> Model:
        """The one that its starter named, else that of its chat, else the first that works."""
        named = self.kept.spec.model
        if not named and chats.history is not None:
            try:
                stored = (await chats.history.load(self.kept.chat)).info.model
                return (await engine.choose_model(stored))[0]
            except MotetError:
                named = ""
        return (await engine.choose_model(named or None, work="chat"))[0]

    async def _chat(self, chats: Chats, model: Model) -> Chat:
        """Its conversation, which begins when it was never kept."""
        kept = self.kept
        try:
            chat = await chats.open(kept.chat, model)
        except ChatMissing:
            chat = chats.new(model, id=kept.chat, title=kept.spec.name)
        if not chat.is_writable:
            raise MotetError(f"the chat of {kept.spec.name} is open in another motet; leave it there first")
        for name in kept.dropped:
            await chat.take_away(name)
        for name in kept.spec.tools:
            await chat.hand_over(name)
        told = next((one for one in chat.messages if one.context is not None and one.context.id == _PROMPT), None)
        if told is not None and told.text != kept.spec.prompt:
            await chat.remove(_PROMPT)
        if kept.spec.prompt and (told is None or told.text != kept.spec.prompt):
            await chat.remember([_prompt(kept.spec.prompt)])
        return chat

    async def _seated(self, chats: Chats, chat: Chat) -> BoardAgent:
        spec = self.kept.spec
        there = memberships(chat)
        if there and (chats.board_agent(chat) is None or set(there[0].roles) != {*spec.roles}):
            await chats.house.boarding.forget(chat)
        return await chats.join_board(chat, spec.board, spec.name, spec.roles)

    def _heard(self, event: ChatEvent) -> None:
        match event:
            case Notice(text=text, level=level):
                self.note(str(level), text)
            case ToolsCalled(calls=calls):
                self.note("tools", ", ".join(call.name for call in calls))
            case Ended(reason=reason, detail=detail):
                self.note("ended", f"{reason} {detail}".strip())
            case _:
                pass

    def note(self, what: str, text: str) -> None:
        """Write it into the log; one that cannot be written changes nothing."""
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            self.log.append(json.dumps({"at": at, "what": what, "text": text}).encode())
        except OSError:
            return


@dataclass(slots=True)
class _Unreviewed:
    """Nobody reviews edits, so none is made, and the board hears of it. See `Reviewer`."""

    agent: BoardAgent | None = None

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        paths = ", ".join(dict.fromkeys(one.path for one in proposals))
        if self.agent is not None and paths:
            await self.agent.refused(f"edits of {paths}; start it with --yes, and they are made without a look")
        return proposals


@dataclass(slots=True)
class _Ready:
    """The one word to whoever started it."""

    handle: int

    def say(self, word: Word) -> None:
        """Say it, if nothing was said yet."""
        if self.handle >= 0:
            try:
                os.write(self.handle, msgspec.json.encode(word))
            except OSError:
                pass  # whoever started it has gone
            finally:
                os.close(self.handle)
                self.handle = -1


def _prompt(text: str) -> Message:
    return replace(Message.system(text, tags.FROM_CUSTOM_PROMPT), context=ContextRef(_PROMPT))


async def _main(directory: Path, stem: str, *, tied: bool, ready: _Ready) -> int:
    files = AgentFiles(directory, stem)
    kept = files.kept()
    lease = Lease.take(files.lock) if kept is not None else None
    if kept is None or lease is None:
        ready.say(Word(error="it runs already" if kept else "it was never started"))
        return ExitCode.PROBLEMS_REMAIN
    served = Served(files, kept, LogFile(directory, f"{stem}.log", max_bytes=_MAX_LOG))
    loop = asyncio.get_running_loop()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, served.end)
    faults = FaultLog(directory.parent)
    faults.catch(f"agent {kept.spec.name}", lambda line: served.note("error", line))
    if tied:
        await _tie(served)
    with lease:
        try:
            await served.run(ready)
        except MotetError as error:
            faults.add(error, f"agent {kept.spec.name}")
            served.note("error", str(error))
            ready.say(Word(error=str(error), exit_code=error.exit_code))
            return error.exit_code
        except Exception as error:
            faults.add(error, f"agent {kept.spec.name}")
            raise
    return ExitCode.DONE


async def _tie(served: Served) -> None:
    """End when standard input does."""
    loop = asyncio.get_running_loop()

    class Tie(asyncio.Protocol):
        def connection_lost(self, exc: Exception | None) -> None:
            served.end()
            loop.call_later(_PATIENCE, served.end)

    await loop.connect_read_pipe(Tie, sys.stdin)


def main(arguments: Sequence[str]) -> int:
    """See the module."""
    directory, stem, tied, handle = arguments
    leave_no_core()
    os.set_inheritable(int(handle), False)
    try:
        return asyncio.run(_main(Path(directory), stem, tied=tied == "tied", ready=_Ready(int(handle))))
    finally:
        gc.freeze()  # as `motet` does it: the end would look for cycles in all there is


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
