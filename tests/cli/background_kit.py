"""Agents in the background of a project, each of which answers as its own script says; none outlives its test."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from cli.boards_kit import Board
from cli.kit import DEADLINE, Done, Project, Provider, provider_for
from engine.board_chats import is_result, told

from motet.board import OPEN, Agent, BoardMissing, Boards
from motet.engine.agent_spec import AgentFiles
from motet.models.scripted import Answer, ScriptedRequest, Step, call
from motet.process import Mark

T = TypeVar("T")
Voice = Callable[[ScriptedRequest], Step]
_WHO = re.compile(r"on the board `\S+` as `(.+?)-[0-9a-hj-km-np-tv-z]{5,}`")
QUIET = """
[permissions]
allow = ["send:scripted *"]
[chat]
titles = false
[board]
name = "mia"
reply = "mentioned"
[servers]
basedpyright.disabled = true
ruff.disabled = true
ty.disabled = true
"""


@dataclass
class Background:
    """A project with a provider and boards. `voices` by the names of agents."""

    project: Project
    provider: Provider
    voices: dict[str, Voice]
    marks: list[Mark] = field(default_factory=list)

    @property
    def board(self) -> Board:
        return Board(self.project)

    def start(self, name: str, *arguments: str, **how: object) -> Done:
        """`motet agents start`, in this process."""
        done = self.project.here("agents", "start", name, *arguments, **how)  # type: ignore[arg-type]
        self.look()
        return done

    def mark(self, name: str) -> Mark:
        """The process of an agent."""
        self.look()
        running = self.files(name).running()
        assert running is not None, f"{name} does not run"
        return running.mark

    def files(self, name: str) -> AgentFiles:
        """What is kept of an agent."""
        return AgentFiles.of(self.project.state, str(self.project.root), name)

    def log(self, name: str) -> str:
        """What its process wrote down."""
        files = self.files(name)
        path = files.directory / f"{files.stem}.log.jsonl"
        return path.read_text() if path.exists() else ""

    def agent_names(self) -> list[str]:
        """Those that ever were on boards, but for the human."""
        return [
            one.name for one in self.board.do(lambda boards: boards.agents(with_closed=True)) if one.name != "mia"
        ]

    def look(self) -> None:
        """Note who runs."""
        for files in AgentFiles.all(self.project.state, str(self.project.root)):
            if (running := files.running()) is not None and running.mark not in self.marks:
                self.marks.append(running.mark)

    def agent(self, name: str) -> Agent:
        """An agent on the boards."""
        return self.board.do(lambda boards: boards.named(name))

    def posts(self, board: str = "general") -> list[tuple[str, str, str]]:
        """Author (a name), kind and body of each post."""
        return self.board.do(lambda boards: self._read(boards, board))

    def is_posted(self, *wanted: tuple[str, str, str], board: str = "general") -> None:
        """Wait until exactly these posts are there."""

        async def are_there(boards: Boards) -> bool:
            return len(await self._read(boards, board)) >= len(wanted)

        self._comes_to(are_there)
        assert self.posts(board) == [*wanted]

    def is_settled(self, name: str) -> None:
        """Wait until an agent has dealt with all that came for it."""

        async def rests(boards: Boards) -> bool:
            address = (await boards.named(name)).address
            waits = await boards.waiting(address)
            found = await boards.deliveries(recipient=address)
            return not waits and all(one.state not in OPEN for one in found)

        self._comes_to(rests)

    async def _read(self, boards: Boards, board: str) -> list[tuple[str, str, str]]:
        try:
            found = await boards.posts((await boards.find(str(self.project.root), board)).id)
        except BoardMissing:  # nobody has made it yet
            return []
        return [(post.author.rpartition("-")[0], str(post.kind), post.body) for post in found]

    def _comes_to(self, holds: Callable[[Boards], Awaitable[bool]]) -> None:
        """Wait for something that boards bring about."""

        async def wait(boards: Boards) -> None:
            async with asyncio.timeout(DEADLINE), boards.watching() as watch:
                while not await holds(boards):
                    await watch.next(0.2)

        self.board.do(wait)

    def close(self) -> None:
        self.look()
        for mark in self.marks:
            mark.signal(signal.SIGKILL)
        for mark in self.marks:
            assert asyncio.run(mark.ended(60))


@contextmanager
def background(project: Project, voices: dict[str, Voice], more: str = QUIET) -> Iterator[Background]:
    """Agents of `project` with these voices."""

    def answer(request: ScriptedRequest) -> Step:
        found = _WHO.search("\n".join(told(request)))
        assert found is not None, told(request)
        return voices[found[1]](request)

    with provider_for(project, answer, more=more) as provider:
        found = Background(project, provider, voices)
        try:
            yield found
        finally:
            found.close()


def newest(request: ScriptedRequest) -> str:
    """The number of the newest post that a request holds."""
    return re.findall(r"^(#\d+) on ", "\n".join(told(request)), re.MULTILINE)[-1]


def replies(text: str) -> Voice:
    """One answer to each post that comes."""

    def voice(request: ScriptedRequest) -> Step:
        if is_result(request):
            return Answer(text="Answered.")
        return Answer(calls=(call("board_reply", {"post": newest(request), "body": text}, "c1"),))

    return voice


def calls(*made: tuple[str, dict[str, object]], last: str = "Done.") -> Voice:
    """These calls, one a round, then an end."""

    def voice(request: ScriptedRequest) -> Step:
        messages: Sequence[object] = request.body["messages"]  # type: ignore[assignment]
        begun = max(at for at, text in enumerate(told(request)) if "From the board, for you." in text)
        at = sum(1 for one in messages[begun:] if one["role"] == "tool")  # type: ignore[index]
        if at >= len(made):
            return Answer(text=last)
        name, arguments = made[at]
        body = {key: newest(request) if value == "#" else value for key, value in arguments.items()}
        return Answer(calls=(call(name, body, f"c{begun}-{at}"),))

    return voice
