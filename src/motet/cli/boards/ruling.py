"""`motet board pause`, `resume`, `continue`, `stop`, `release`, `rights`, `notices`: what humans decide about boards."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import click

from motet.board import GENERAL, Board, BoardMissing, Notice, NoticeKind, Post, Rights
from motet.cli.boards.events import agent_fields, board_fields, notice_fields, write_event
from motet.cli.boards.lines import counted, notice_spans
from motet.cli.boards.place import ALL_PROJECTS, COUNT, JSON, Place, run
from motet.cli.output import write_line
from motet.errors import UsageError
from motet.visible import one_line

_AGENT = click.option("--agent", default="", metavar="WHO", help="One agent, on all boards.")
_CHAIN = click.option("--chain", default="", metavar="POST", help="What this post began, and all that it caused.")
_WHICH = click.argument("board", default="")
_NOBODY = "nobody"


@click.command("pause")
@_WHICH
@_AGENT
@_CHAIN
@JSON
def pause(board: str, agent: str, chain: str, as_json: bool) -> None:
    """Hold agents back: on a board, one of them, or in what a post caused. At once; humans go on as they like.

    \b
    Examples:
      motet board pause                    the board general
      motet board pause review
      motet board pause --agent reviewer
      motet board pause --chain 12

    Agents' posts are refused meanwhile (status and ack are not), and what is delivered waits.
    """
    _hold(board, agent, chain, True, as_json)


@click.command("resume")
@_WHICH
@_AGENT
@_CHAIN
@JSON
def resume(board: str, agent: str, chain: str, as_json: bool) -> None:
    """Let agents go on where they were paused.

    \b
    Examples:
      motet board resume
      motet board resume --agent reviewer
      motet board resume --chain 12        with its budget granted once more
    """
    _hold(board, agent, chain, False, as_json)


def _hold(board: str, agent: str, chain: str, paused: bool, as_json: bool) -> None:
    if sum(map(bool, (board, agent, chain))) > 1:
        raise UsageError("say one of them: a board, --agent or --chain")

    async def work(place: Place) -> None:
        if chain:
            await _decide(place, chain, not paused, as_json)
        elif agent:
            await hold_agent(place, agent, paused, as_json)
        else:
            found = await place.boards.pause((await place.board(board or GENERAL)).id, paused)
            how = "agents wait" if paused else "agents go on"
            _board_line(place, found, f"{found.name}: {how}", as_json)

    run(work, as_json=as_json)


async def hold_agent(place: Place, who: str, paused: bool, as_json: bool) -> None:
    """Pause or resume one agent, on all boards."""
    agent = await place.boards.pause_agent((await place.agent(who)).address, paused)
    if as_json:
        write_event("agent", **agent_fields(agent))
    else:
        write_line(f"{agent.address}: {'paused; what is delivered waits' if paused else 'goes on'}")


def _board_line(place: Place, board: Board, line: str, as_json: bool) -> None:
    write_event("board", **board_fields(board)) if as_json else write_line(one_line(line))


@click.command("continue")
@click.argument("which", metavar="POST")
@JSON
def go_on(which: str, as_json: bool) -> None:
    """Grant what a post caused its budget once more: what was not answered for want of it waits again.

    \b
    Examples:
      motet board notices               names the posts that wait for you
      motet board continue 12
      motet board continue review#3
    """
    run(lambda place: _decide(place, which, True, as_json), as_json=as_json)


@click.command("stop")
@click.argument("which", metavar="POST")
@JSON
def stop(which: str, as_json: bool) -> None:
    """End what a post caused: nothing of it is answered by agents any more.

    \b
    Examples:
      motet board stop 12
      motet board stop review#3
    """
    run(lambda place: _decide(place, which, False, as_json), as_json=as_json)


async def _decide(place: Place, which: str, goes_on: bool, as_json: bool) -> None:
    """Continue or stop the chain that the post belongs to."""
    post = await place.post(which)
    begun = await place.boards.get(post.chain)
    many = await (place.boards.go_on(begun.id) if goes_on else place.boards.stop(begun.id))
    name = (await place.names())[begun.board]
    if as_json:
        chain = await place.boards.chain(begun.id)
        write_event("chain", id=chain.id, board=name, seq=begun.seq, state=str(chain.state), deliveries=many)
        return
    if goes_on:
        write_line(f"{name}#{begun.seq}: goes on; {_waiting(many, 'waits again', 'wait again')}")
    else:
        write_line(f"{name}#{begun.seq}: stopped; {_waiting(many, 'was waiting', 'were waiting')}")


def _waiting(many: int, one: str, several: str) -> str:
    return f"{counted(many, 'delivery').replace('deliverys', 'deliveries')} {one if many == 1 else several}"


@click.command("rights")
@click.argument("board", default=GENERAL)
@click.option("--read", "may_read", multiple=True, metavar="WHO", help="Who may join and read it.")
@click.option("--post", "may_post", multiple=True, metavar="WHO", help="Which agents may write on it.")
@click.option("--all", "may_all", multiple=True, metavar="WHO", help="Which agents may write to @All.")
@JSON
def rights(
    board: str, may_read: tuple[str, ...], may_post: tuple[str, ...], may_all: tuple[str, ...], as_json: bool
) -> None:
    """Show or set who may read a board, post on it, and write to everyone.

    \b
    Examples:
      motet board rights review
      motet board rights review --post role:reviewer --post backend
      motet board rights general --all nobody
      motet board rights general --all everyone

    WHO is `everyone`, `nobody`, `role:NAME`, `kind:human` (or chat, acp, mcp), or an agent by address or name; each
    option may be given several times. Humans always post. Agents that may read no more leave the board.
    """

    async def work(place: Place) -> None:
        found = await place.board(board)
        now = found.rights
        new = Rights(
            await _who(place, may_read) if may_read else now.read,
            await _who(place, may_post) if may_post else now.post,
            await _who(place, may_all) if may_all else now.all,
        )
        if new != now:
            found = replace(await place.boards.set_rights(found.id, new), rights=new)
        if as_json:
            write_event("board", **board_fields(found))
            return
        for what, who in (("read", new.read), ("post", new.post), ("@All", new.all)):
            write_line(one_line(f"{what:<5} {', '.join(who) or _NOBODY}"))

    run(work, as_json=as_json)


async def _who(place: Place, typed: Sequence[str]) -> tuple[str, ...]:
    """Those who get a right. Raises `UsageError`, `AgentMissing`."""
    found: dict[str, None] = {}
    for one in typed:
        kind, _, name = one.partition(":")
        if one == _NOBODY:
            continue
        if one == "everyone" or (kind == "role" and name):
            found[one.casefold()] = None
        elif kind == "kind":
            if name not in ("human", "chat", "acp", "mcp"):
                raise UsageError(f"{one}: the kinds are human, chat, acp and mcp")
            found[one] = None
        else:
            found[(await place.agent(one)).address] = None
    return tuple(found)


@click.command("release")
@click.argument("paths", nargs=-1, metavar="[PATTERN]...")
@click.option("--of", "who", required=True, metavar="WHO", help="The agent that holds them.")
@JSON
def release(paths: tuple[str, ...], who: str, as_json: bool) -> int:
    """Take files from an agent that has claimed them: all, or those of one claim. The agent is told on the board.

    \b
    Examples:
      motet agents show backend            names its claims
      motet board release --of backend
      motet board release --of backend 'src/auth/**'

    Exit code 1: it holds no such claim.
    """

    async def work(place: Place) -> int:
        agent = await place.agent(who)
        boards = [
            board.name for board in await place.boards.boards_of(agent.address) if board.project == place.project
        ]
        seat = await place.seat(GENERAL if GENERAL in boards else next(iter(boards), GENERAL))
        revoked = await place.boards.revoke(place.project, seat.address, agent.address, paths)
        for glob in revoked:
            if as_json:
                write_event("released", glob=glob, owner=agent.address)
            else:
                write_line(one_line(f"{glob}: released; {agent.address} is told"))
        if not revoked and not as_json:
            held = [lease.glob for lease in await place.boards.leases(place.project, agent.address)]
            what = f"it holds {', '.join(held)}" if held else "it holds none"
            place.terminal.line(f"{agent.address} holds no such claim; {what}.")
        return 0 if revoked else 1

    return run(work, as_json=as_json)


@click.command("notices")
@click.option("-n", "--limit", type=COUNT, default=20, metavar="N", help="The newest N (20).")
@click.option("--open", "only_open", is_flag=True, help="Only those that wait for you to decide.")
@ALL_PROJECTS
@JSON
def notices(limit: int, only_open: bool, everywhere: bool, as_json: bool) -> int:
    """List what you were told: budgets that are used up, requests without an answer, busy boards.

    \b
    Examples:
      motet board notices
      motet board notices --open

    Exit code 1: there is none.
    """

    async def work(place: Place) -> int:
        names = await place.names()
        here = {board.id for board in await place.boards.boards(place.scope(everywhere))}
        kept = deque[Notice](maxlen=limit)
        last = 0
        while some := await place.boards.notices(last):
            last = some[-1].id
            kept.extend(
                one
                for one in some
                if (one.board in here or not one.board)
                and not (only_open and (one.settled or one.kind is not NoticeKind.BUDGET))
            )
        for one in kept:
            name = names.get(one.board, "")
            if as_json:
                write_event("notice", **notice_fields(one, name))
                continue
            place.out.spans(*notice_spans(one, name, await thread_of(place, one, name)), hang=2)
        if not kept and not as_json:
            place.terminal.line("There is no notice.")
        return 0 if kept else 1

    return run(work, as_json=as_json)


async def thread_of(place: Place, notice: Notice, board: str) -> str:
    """The post, as it is typed, whose chain a notice asks about; empty when it asks nothing."""
    if notice.kind is not NoticeKind.BUDGET:
        return ""
    try:
        post: Post = await place.boards.get(notice.about)
    except BoardMissing:
        return ""
    return f"{board}#{post.seq}"
