"""A team in the terminal: it is started, the board is shown as it grows, and with Ctrl-C all of it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from dataclasses import dataclass

from motet.cli.boards.background import background_of, tell_started, tell_stopped
from motet.cli.boards.events import write_event
from motet.cli.boards.lines import counted, told_line
from motet.cli.boards.place import Place
from motet.cli.boards.watching import BoardView
from motet.cli.commands.trust import wants
from motet.cli.output import write_line
from motet.cli.terminal import Terminal
from motet.engine.engine import Engine
from motet.engine.team import ANSWER_TOKENS, Prediction, TeamRun
from motet.engine.team_file import Team
from motet.errors import ExitCode, PermissionDenied, UsageError
from motet.messages import new_id
from motet.money import dollars
from motet.paths import config_dir
from motet.visible import one_line


@dataclass(slots=True)
class TeamView:
    """One run of `team`. `again`: its task is posted anew; `resumes`: it must have run before; `until_done`: it ends when
    nothing is left to do."""

    place: Place
    team: Team
    as_json: bool
    again: bool = False
    resumes: bool = False
    until_done: bool = False

    async def run(self) -> int:
        """The exit code: 0 all is done, 1 all agents have ended. Raises `MotetError`."""
        place, team = self.place, self.team
        background = background_of(place)
        if self.resumes and (new := [one.name for one in team.agents if background.known(one.name) is None]):
            raise UsageError(f"{', '.join(new)} never ran here; `motet team run {team.path.name}` begins")
        run = TeamRun(team, background, place.boards, await place.seat(team.board))
        try:
            async with aclosing(run.start()) as starting:
                async for started in starting:
                    tell_started(place, started, self.as_json)
            return await self._work(run)
        finally:
            for stopped in await run.stop():
                tell_stopped(stopped, self.as_json)

    async def _work(self, run: TeamRun) -> int:
        board = await self.place.board(self.team.board)
        posted = await run.post_task(new_id() if self.again else "")
        for one in posted.unknown if posted is not None else ():
            self.place.terminal.line(told_line(one), "yellow", hang=2)
        if posted is not None and not posted.was_new:
            self.place.terminal.line(
                f"The task stands there already, as #{posted.post.seq}; --again posts it anew.", "dim"
            )
        seen = min(board.last, posted.post.seq - 1) if posted is not None and posted.was_new else board.last
        view = BoardView(self.place, run.seat, board, seen, as_json=self.as_json, bell=False)
        watching, losing = asyncio.create_task(view.run()), asyncio.create_task(self._tell_lost(run))
        waiting = asyncio.create_task(run.done() if self.until_done else _for_ever())
        try:
            await asyncio.wait({watching, losing, waiting}, return_when=asyncio.FIRST_COMPLETED)
            for task in (watching, losing, waiting):
                if task.done():
                    task.result()
            if waiting.done():
                watching.cancel()
                await asyncio.wait({watching})
                await view.catch_up()
            return ExitCode.DONE if waiting.done() else ExitCode.PROBLEMS_REMAIN
        finally:
            for task in (watching, losing, waiting):
                task.cancel()
            await asyncio.wait({watching, losing, waiting})

    async def _tell_lost(self, run: TeamRun) -> None:
        async with aclosing(run.lost()) as lost:
            async for one in lost:
                line = f"{one.running.address} has ended; `motet team resume` starts it again"
                if self.as_json:
                    write_event("lost", name=one.spec.name, address=one.running.address)
                else:
                    self.place.terminal.line(line, "red", hang=2, always=True)


def _for_ever() -> Coroutine[object, object, bool]:
    return asyncio.Event().wait()


async def confirm(engine: Engine, terminal: Terminal, team: Team, *, trusts: bool) -> None:
    """Have the human confirm the rights that a file gives. Raises `PermissionDenied`."""
    own = team.path.is_relative_to(config_dir().resolve())
    wanted = team.wants()
    if not team.rights or own or engine.grants.holds(engine.root, wanted):
        return
    if not trusts:
        if not terminal.can_ask:
            raise PermissionDenied(
                f"{team.path} gives rights that your settings do not: {'; '.join(team.rights)}; look at it, then give --trust"
            )
        for line in team.rights:
            terminal.line(f"  {line}", "yellow", hang=4)
        if not await wants(terminal, wanted):
            raise PermissionDenied(
                f"{team.path}: you did not trust it; take the rights out of the file, or give --trust"
            )
    engine.grants.add(engine.root, wanted)


def show_prediction(team: Team, found: Prediction, as_json: bool) -> int:
    """What a team would use; the exit code."""
    problems = [one for one in found.shares if one.problem]
    if as_json:
        for one in found.shares:
            write_event(
                "share", name=one.name, model=one.model, context=one.context, turns=one.turns, tokens=one.tokens,
                cost=one.cost, problem=one.problem or None,
            )  # fmt: skip
        write_event(
            "prediction", hops=found.hops, tokens=found.tokens, cost=found.cost, max_tokens=found.max_tokens,
            max_cost=found.max_cost, rights=list(team.rights),
        )  # fmt: skip
        return ExitCode.MODEL if problems else ExitCode.DONE
    for one in found.shares:
        if one.problem:
            _line(f"{one.name}: cannot begin: {one.problem}")
        else:
            price = dollars(one.cost)
            turns = f"{counted(one.turns, 'answer')} x ({one.context:,} + {ANSWER_TOKENS}) tokens"
            _line(f"{one.name}  {one.model}  {turns} = {one.tokens:,} tokens  {price}")
    answering = sum(1 for one in found.shares if one.turns)
    whole = dollars(found.cost)
    _line(
        f"{counted(answering, 'recipient')}, {counted(found.hops, 'round')} of replies: at most {found.tokens:,} tokens, {whole}"
    )
    _line(f"The budget ends it at {found.max_tokens:,} tokens or {dollars(found.max_cost)}. Nothing was started.")
    for right in team.rights:
        _line(f"It wants a right: {right}")
    return ExitCode.MODEL if problems else ExitCode.DONE


def _line(text: str) -> None:
    write_line(one_line(text))
