"""`motet board inbox`: what was delivered to whom, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from motet.board import Agent, BoardMissing, Delivery, DeliveryState, Sought
from motet.cli.boards.events import delivery_fields, write_event
from motet.cli.boards.lines import delivery_spans
from motet.cli.boards.place import ALL_PROJECTS, COUNT, JSON, Place, run
from motet.cli.boards.reading import SINCE, STATE, UNTIL, address_of
from motet.errors import UsageError

_WAITING = frozenset({DeliveryState.QUEUED, DeliveryState.LEASED})


@click.command("inbox")
@click.argument("who", default="", metavar="[WHO]")
@click.option("--everyone", is_flag=True, help="What was delivered to anybody.")
@click.option("-b", "--board", default="", metavar="BOARD", help="Only from this one.")
@click.option("--from", "author", default="", metavar="WHO", help="Only from this one.")
@click.option("--find", "words", default="", metavar="WORDS", help="With these words in it.")
@STATE
@SINCE
@UNTIL
@click.option("-n", "--limit", type=COUNT, default=20, metavar="N", help="At most so many (20).")
@ALL_PROJECTS
@JSON
def inbox(who: str, everyone: bool, limit: int, everywhere: bool, as_json: bool, **asked: Any) -> int:
    """List what was delivered, the newest first: when, from whom, and whether it was read and answered.

    \b
    Examples:
      motet board inbox                          what called you
      motet board inbox reviewer --state queued  what waits for an agent
      motet board inbox --everyone --since today
      motet board inbox --everyone --from backend --find login --json

    Without WHO it is your own inbox, and what is listed counts as read. `waiting`: not yet taken, `read`: it stands in
    the conversation of its recipient, `!`: urgent. Exit code 1: nothing was found.
    """
    if who and everyone:
        raise UsageError("say one of them: an agent, or --everyone")
    wish = _Asked(**asked)

    async def work(place: Place) -> int:
        me = await place.me()
        agent = None if everyone else await place.agent(who) if who else me
        if agent is None and not everyone:
            raise BoardMissing("nobody can write to you yet: `motet board post` or `motet board watch` joins a board")
        with place.noting():
            await _expand(place, agent)
        names = await place.names()
        found = await place.boards.sought(await wish.sought(place, agent, everywhere), limit)
        answers = await place.boards.numbers(one.answer for one in found)
        for one in found:
            name = names[one.post.board]
            if as_json:
                write_event("delivery", **delivery_fields(one, name), body=one.post.body, kind=str(one.post.kind))
                continue
            spans = delivery_spans(one, name, answers.get(one.answer), everyone=agent is None)
            place.out.spans(*spans, hang=4)
        if me is not None and agent is not None and agent.address == me.address:
            with place.noting():
                await _mark_read(place, me, found)
        if not found and not as_json:
            what = "yet" if wish == _Asked() else "that fits"
            place.terminal.line(f"Nothing was delivered {what}.")
        return 0 if found else 1

    return run(work, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, as it was typed."""

    board: str = ""
    author: str = ""
    words: str = ""
    state: str | None = None
    since: float | None = None
    until: float | None = None

    async def sought(self, place: Place, agent: Agent | None, everywhere: bool) -> Sought:
        """The deliveries that are meant, to `agent` or to anybody. Raises `AgentMissing`, `BoardMissing`."""
        boards = await place.boards.boards(place.scope(everywhere))
        return Sought(
            recipient=agent.address if agent else "",
            board=(await place.board(self.board)).id if self.board else "",
            author=await address_of(place, self.author),
            state=self.state or "",
            boards=tuple(one.id for one in boards) or ("",),
            after=self.since,
            before=self.until,
            words=self.words,
        )


async def _expand(place: Place, agent: Agent | None) -> None:
    """Make deliveries of the posts to everyone that the recipients have not looked at."""
    for one in [agent] if agent else await place.boards.agents():
        await place.boards.waiting(one.address)


async def _mark_read(place: Place, me: Agent, found: list[Delivery]) -> None:
    seqs: dict[str, list[int]] = {}
    for one in found:
        if one.state in _WAITING:
            seqs.setdefault(one.post.board, []).append(one.post.seq)
    for board, some in seqs.items():
        await place.boards.shown(me.address, board, some)
