"""Chats on boards: each answers as its own script says, over real HTTP; a human looks on from a seat of their own."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from engine.engine_kit import Answers, House, house

from motet.board import AgentKind, Boards, NewAgent, Policy, Post, Seat
from motet.chat import Chat, ChatEvent
from motet.engine.api import Conversation
from motet.engine.board_agent import BoardAgent
from motet.models.scripted import Answer, ScriptedRequest, Step

_WHO = re.compile(r"on the board `\S+` as `(.+?)-[0-9a-hj-km-np-tv-z]{5,}`")
DEADLINE = 60.0
Voice = Callable[[ScriptedRequest], Step]


def told(request: ScriptedRequest) -> list[str]:
    """The text of each message of a request."""
    return [_text(message["content"]) for message in request.body["messages"]]  # type: ignore[index]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part.get("text") or str(part.get("content", "")) for part in parts)


def number(request: ScriptedRequest) -> str:
    """The number of the newest post that a request holds."""
    return re.findall(r"^(#\d+) on ", "\n".join(told(request)), re.MULTILINE)[-1]


def is_result(request: ScriptedRequest) -> bool:
    """Whether the last message is what a call came to."""
    last = request.body["messages"][-1]  # type: ignore[index]
    return last["role"] == "tool" or "tool_result" in str(last["content"])


@dataclass
class Stage:
    """A workspace with chats on boards."""

    place: House
    voices: dict[str, Voice]
    human: Seat
    agents: dict[str, BoardAgent] = field(default_factory=dict)
    talks: dict[str, Conversation] = field(default_factory=dict)
    events: dict[str, list[ChatEvent]] = field(default_factory=dict)
    _serving: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def boards(self) -> Boards:
        return self.human.boards

    async def add(
        self, name: str, *boards: str, roles: Sequence[str] = (), serves: bool = True, tools: Sequence[str] = ()
    ) -> BoardAgent:
        """A new chat on `boards`, which answers what comes for it."""
        talk = self.talks[name] = self.place.m.chat(tools=tools)
        for board in boards or ("general",):
            agent = await talk.join(board, name, roles)
        self.agents[name] = agent
        self.events[name] = []
        if serves:
            self._serving.append(asyncio.create_task(agent.serve(self.events[name].append)))
        return agent

    def address(self, name: str) -> str:
        return self.agents[name].seat.address

    def chat(self, name: str) -> Chat:
        return self.agents[name].chat

    async def say(self, body: str, board: str = "general", **more: object) -> Post:
        """What the human writes; `@NAME@` is the address of that chat."""
        for name, agent in self.agents.items():
            body = body.replace(f"@{name}@", f"@{agent.seat.address}")
        return (await self.human.post(body, board, **more)).post  # type: ignore[arg-type]

    async def until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        """Wait for something that boards bring about."""
        async with asyncio.timeout(DEADLINE), self.boards.watching() as watch:
            while not await holds():
                await watch.next(0.2)

    async def posts(self, board: str = "general") -> list[tuple[str, str, str]]:
        """Author (a name), kind and body of each post."""
        found = await self.boards.posts((await self.boards.find(self.human.project, board)).id)
        return [(self._name(post.author), str(post.kind), post.body) for post in found]

    async def settled(self, name: str, many: int = 1) -> list[tuple[str, str, str]]:
        """State, rule and reason of the deliveries to a chat, the oldest first, once `many` are closed."""
        address = self.address(name)

        async def all_closed() -> bool:
            found = await self.boards.deliveries(recipient=address)
            return len([one for one in found if one.rule]) >= many

        await self.until(all_closed)
        found = await self.boards.deliveries(recipient=address)
        return [(str(one.state), one.rule, one.reason) for one in reversed(found)]

    async def rest_of(self, name: str) -> None:
        """Wait until a chat has dealt with something and works no more."""
        await self.settled(name)

        async def rests() -> bool:
            return not self.chat(name).is_running

        await self.until(rests)

    async def rest(self) -> None:
        """Wait until no chat works and nothing waits for one."""

        async def is_quiet() -> bool:
            for agent in self.agents.values():
                if await self.boards.waiting(agent.seat.address):  # posts to everyone are seen when somebody looks
                    return False
            found = await self.boards.deliveries(limit=100_000)
            open_ones = [one for one in found if str(one.state) in ("queued", "leased", "in_context")]
            mine = {agent.seat.address for agent in self.agents.values()}
            busy = any(agent.chat.is_running or agent.ready.is_set() for agent in self.agents.values())
            return not busy and not [one for one in open_ones if one.recipient in mine or one.role]

        await self.until(is_quiet)

    def _name(self, address: str) -> str:
        names = {agent.seat.address: name for name, agent in self.agents.items()}
        return names.get(address, "human" if address == self.human.address else address)

    async def close(self) -> None:
        for task in self._serving:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await self.human.leave()


@asynccontextmanager
async def stage(
    tmp_path: Path,
    voices: dict[str, Voice],
    *,
    board: str = "",
    more: str = "",
    allow: Sequence[str] = ("send",),
    ask: Answers | None = None,
    yes: bool = False,
) -> AsyncGenerator[Stage]:
    """The workspace `tmp_path/project`; `voices` by the names of chats. `board`: settings of `[board]`."""

    def answer(request: ScriptedRequest) -> Step:
        if "You decide whether an agent answers" in request.text:
            return voices["judge"](request)
        found = _WHO.search("\n".join(told(request)) + json.dumps(request.body.get("system", ""), ensure_ascii=False))
        assert found is not None, told(request)
        return voices[found[1]](request)

    settings = f"[chat]\ntitles = false\n{more}\n[board]\nname = 'mia'\n{board}"
    async with house(tmp_path, answer, more=settings, allow=allow, ask=ask, yes=yes) as place:
        boarding = place.m._opened.house.boarding
        new = NewAgent("mia", AgentKind.HUMAN, "mia@here", policy=Policy.NEVER)
        human = await Seat.take(boarding.boards(), boarding.project, new)
        found = Stage(place, voices, human)
        try:
            yield found
        finally:
            await found.close()


def says(text: str) -> Voice:
    """Always the same words, and no calls."""
    return lambda _: Answer(text=text)
