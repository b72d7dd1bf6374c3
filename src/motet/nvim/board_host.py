"""The boards of an editor: what it tells of them, and what its human is told. Made when the first one is opened."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing, suppress

from motet.board import Agent, NoticeKind
from motet.engine.background import Background, again
from motet.engine.board_drafts import Typed
from motet.engine.boarding import Boarding
from motet.engine.boards import human
from motet.engine.human_boards import Alert, HumanBoards
from motet.errors import MotetError, UsageError
from motet.money import dollars, known_cost
from motet.nvim.board_view import BoardView
from motet.nvim.picking import Preview, Row
from motet.nvim.rpc import Peer
from motet.visible import one_line, visible

_LAST = 1.0
"""Seconds that what is being posted has when the editor ends."""

Start = Callable[[Coroutine[object, object, object], int], asyncio.Task[None]]


class BoardHost:
    """See the module. `start` does work beside all other work, and tells its errors about a buffer."""

    def __init__(self, peer: Peer, boarding: Boarding, start: Start) -> None:
        self._peer = peer
        self._start = start
        self._boards = boarding.boards()
        settings = boarding.settings
        self._mine = HumanBoards(self._boards, boarding.project, human(settings), boarding.state)
        self._background = Background(boarding.state, boarding.root, boarding.project)
        self._views: dict[int, BoardView] = {}
        self._opening: dict[int, asyncio.Task[None]] = {}
        self._posting: set[asyncio.Task[None]] = set()
        self._telling: asyncio.Task[None] | None = None

    def heard(self, act: str, rest: Sequence[object]) -> None:
        """Take what the editor tells of boards."""
        match act, rest:
            case "open", [int(buffer), str(name)]:
                self._opening[buffer] = self._start(self._open(buffer, name), buffer)
            case "close", [int(buffer)]:
                self._start(self._close(buffer), 0)
            case "post", [int(buffer), str(text), str(key), str(edits)]:
                task = self._in(buffer, lambda view: view.post(Typed(text, key, edits)))
                self._posting.add(task)
                task.add_done_callback(self._posting.discard)
            case "draft", [int(buffer), str(text), str(key), str(edits), str(under)]:
                self._in(buffer, lambda view: view.keep(Typed(text, key, edits, under)))
            case "redraw", [int(buffer)] if buffer in self._views:
                self._views[buffer].redraw()
            case "redraw", _:
                pass  # it is about to be drawn
            case "older", [int(buffer)]:
                self._in(buffer, BoardView.older)
            case "seen", [int(buffer), int(to)]:
                self._in(buffer, lambda view: view.seen(to))
            case "complete", [int(buffer), int(number), str(text)]:
                self._in(buffer, lambda view: view.complete(number, text))
            case "edit", [int(buffer)]:
                self._in(buffer, BoardView.edit)
            case "retract", [int(buffer)]:
                self._in(buffer, BoardView.retract)
            case "decide", [bool(go_on), str(chain)]:
                self._start(self._decide(chain, go_on=go_on), 0)
            case "agent", ["start", str(name), str(board)]:
                self._start(self._start_agent(name, board), 0)
            case "agent", [str(what), str(name), _]:
                self._start(self._rule(what, name), 0)
            case "mention", [int(buffer), str(name), str(text)]:
                self._start(self._mention(buffer, name, text), buffer)
            case _:
                self._peer.tell("notice", 0, "error", f"board {act}: are both halves of one version?")

    async def rows(self, kind: str, query: str) -> list[Row]:
        """What fits `query`: `agent` or `told`. Raises `MotetError`."""
        if kind == "agent":
            return [_agent_row(agent) for agent in await self._mine.agents(query)]
        return [_told_row(at, one) for at, one in enumerate(await self._mine.told(query))]

    async def preview(self, kind: str, value: str) -> Preview:
        """What is seen of a row. Raises `MotetError`."""
        if kind == "agent":
            agent = await self._boards.named(value, self._mine.project)
            said = await self._boards.deliveries(recipient=agent.address, limit=20)
            lines = [f"{one.state}: #{one.post.seq} {one.post.author}" for one in said]
            about = [f"{agent.address}: {agent.why or agent.state}", f"in {agent.workspace}", "", *lines]
            return Preview([visible(line) for line in about])
        _, _, text = value.partition(" ")
        return Preview([visible(line) for line in text.split("\n")])

    async def close(self) -> None:
        """Post what was sent, and let go of the boards."""
        if self._posting:
            await asyncio.wait([*self._posting], timeout=_LAST)
        if self._telling is not None:
            self._telling.cancel()
            with suppress(asyncio.CancelledError):
                await self._telling
        await asyncio.gather(*(view.close() for view in self._views.values()), return_exceptions=True)

    def _in(self, buffer: int, act: Callable[[BoardView], Coroutine[object, object, object]]) -> asyncio.Task[None]:
        """Do something with the board of a buffer, when it is open; in the order in which it was told."""

        async def do() -> None:
            if (opening := self._opening.get(buffer)) is not None:
                await asyncio.wait({opening})
            if (view := self._views.get(buffer)) is not None:
                await act(view)
            else:
                self._peer.tell("board", "unopened", buffer)

        return self._start(do(), buffer)

    async def _open(self, buffer: int, name: str) -> None:
        try:
            if (before := self._views.pop(buffer, None)) is not None:
                await before.close()
            view = BoardView(self._peer, buffer, await self._mine.open(name))
            self._views[buffer] = view
            await view.show()
        except MotetError:
            self._peer.tell("board", "unopened", buffer)
            raise
        finally:
            self._opening.pop(buffer, None)
        self._start(view.send_again(), buffer)
        if self._telling is None:
            self._telling = self._start(self._tell(), 0)

    async def _close(self, buffer: int) -> None:
        if (opening := self._opening.get(buffer)) is not None:
            await asyncio.wait({opening})
        if (view := self._views.pop(buffer, None)) is not None:
            if self._posting:
                await asyncio.wait([*self._posting], timeout=_LAST)
            await view.close()

    async def _tell(self) -> None:
        async with aclosing(self._mine.alerts()) as alerts:
            async for one in alerts:
                self._peer.tell("board", "alert", _alert(one))

    async def _decide(self, chain: str, *, go_on: bool) -> None:
        """Let a chain go on or end; without one, the only one that waits, or that which the human picks."""
        waiting = await self._mine.undecided()
        if not chain and len(waiting) > 1:
            self._peer.tell("board", "choose", go_on, [[one.about, f"{one.board}: {one.text}"] for one in waiting])
            return
        chain = chain or next((one.about for one in waiting), "")
        if not chain:
            raise UsageError("nothing on the boards of this project waits for your word")
        many = await self._mine.decide(chain, go_on=go_on)
        words = f"it goes on; {many} answers are due" if go_on else f"it is stopped; {many} answers were due"
        self._peer.tell("notice", 0, "info", words)

    async def _start_agent(self, name: str, board: str) -> None:
        """Start an agent in the background, as it was; a new one on `board`."""
        known = self._background.known(name)
        started = await self._background.start(again(known, name, {"board": None if known else board or None}))
        for note in (started.line, *started.notes):
            self._peer.tell("notice", 0, "info", note)

    async def _rule(self, what: str, name: str) -> None:
        """Pause, resume or stop an agent; one in the background ends."""
        if what == "stop" and self._background.runs(name):
            self._peer.tell("notice", 0, "info", (await self._background.stop(name, self._boards)).line)
            return
        agent = await self._boards.named(name, self._mine.project)
        if what == "stop":
            await self._boards.stopped(agent.address, "a human stopped it")
        await self._boards.pause_agent(agent.address, what != "resume")
        done = {"pause": "is paused: what is delivered waits", "resume": "goes on", "stop": "is stopped"}[what]
        self._peer.tell("notice", 0, "info", f"{agent.address} {done}")

    async def _mention(self, buffer: int, name: str, text: str) -> None:
        """Mention an agent in the draft; with a text, in a post."""
        mention = f"@{(await self._boards.named(name, self._mine.project)).address} "
        self._peer.tell("board", "say" if text else "mention", buffer, mention + text)


def _agent_row(agent: Agent) -> Row:
    state = "paused" if agent.paused else str(agent.state)
    cost = dollars(known_cost(agent.cost, agent.tokens))
    about = (agent.name, "/".join(agent.roles), agent.model, cost, f"{agent.unread} unread")
    shown = one_line(f"{agent.address:24} {state:8}")
    return Row(agent.address, shown, one_line(" · ".join(part for part in about if part)), f"@{agent.address} ")


def _told_row(at: int, one: Alert) -> Row:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.at))
    shown = one_line(f"{when}  {one.board}  {one.kind}{' · waits' if one.waits else ''}")
    return Row(f"{at} {one.line}", shown, one_line(one.line), one.board)


def _alert(one: Alert) -> dict[str, object]:
    line = one_line(one.line)
    if one.kind is NoticeKind.BUDGET:
        line += " (:Motet board continue, or stop)"
    if one.more:
        line = f"{one.more + 1} calls on boards wait for you; the newest: {line}"
    return {
        "kind": str(one.kind), "board": one.board, "author": one.author, "text": one.text, "line": line,
        "seq": one.seq, "about": one.about, "more": one.more,
    }  # fmt: skip
