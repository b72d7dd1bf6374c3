"""`motet agents`."""

from __future__ import annotations

import click

from motet.board import Agent
from motet.cli.boards.background import background_of, start, stop
from motet.cli.boards.conflicts import conflicts
from motet.cli.boards.events import agent_fields, write_event
from motet.cli.boards.lines import agent_rows
from motet.cli.boards.place import ALL_PROJECTS, JSON, Place, run
from motet.cli.boards.ruling import hold_agent
from motet.cli.boards.times import local
from motet.cli.help import Group
from motet.cli.numbers import Amount
from motet.cli.output import write_line
from motet.money import dollars, known_cost
from motet.visible import one_line


@click.group("agents", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> int:
    """List and manage the agents that take part on boards.

    \b
    Examples:
      motet agents                     who is on the boards of this project
      motet agents show reviewer
      motet agents start reviewer      one that works without a terminal
      motet agents stop reviewer
      motet agents pause reviewer      it waits, until `resume`
      motet agents clean --days 7
      motet agents conflicts           what work trees changed on two sides

    WHO is an address (reviewer-def34) or a name that only one has.
    """
    if context.invoked_subcommand is None:
        return context.invoke(list_agents)
    return 0


@command.command("list")
@click.option("--closed", is_flag=True, help="Those that are closed for good too.")
@click.option("--find", metavar="WORDS", default="", help="All of these in name, role, model, kind or state.")
@ALL_PROJECTS
@JSON
def list_agents(closed: bool = False, find: str = "", everywhere: bool = False, as_json: bool = False) -> int:
    """List agents: state and why, what waits for each, what it used today.

    \b
    Examples:
      motet agents list
      motet agents list --all-projects --closed
      motet agents list --find "review idle"
      motet agents list --json | jq -r 'select(.unread > 0).address'

    Tokens and dollars are those of the turns that boards caused today (UTC). Exit code 1: there is none.
    """

    async def work(place: Place) -> int:
        from motet.engine.human_boards import fits

        background = background_of(place)
        with place.noting():
            await background.mourn(place.boards)
            await place.boards.tend()
        processes = {one.address: one.mark.pid for one in background.running().values()}
        found = [agent for agent in await _agents(place, everywhere, closed) if fits(agent, find)]
        if as_json:
            for agent in found:
                write_event("agent", **agent_fields(agent), process=processes.get(agent.address))
        else:
            for row in agent_rows(found, processes):
                place.out.spans(*row, hang=4)
        if not found and not as_json:
            what = f"There is no agent with {find!r}" if find else "There is no agent"
            place.terminal.line(f"{what} on the boards of this project; --all-projects shows others.", hang=2)
        return 0 if found else 1

    return run(work, as_json=as_json)


async def _agents(place: Place, everywhere: bool, closed: bool) -> list[Agent]:
    """By address, each once."""
    if everywhere:
        return await place.boards.agents(with_closed=closed)
    found: dict[str, Agent] = {}
    for board in await place.boards.boards(place.project):
        found |= {agent.address: agent for agent in await place.boards.agents(board.id, with_closed=closed)}
    return [found[address] for address in sorted(found)]


@command.command("show")
@click.argument("who")
@JSON
def show(who: str, as_json: bool) -> None:
    """Show all that is known of an agent: its boards, what waits for it, the files it holds.

    \b
    Examples:
      motet agents show reviewer
      motet agents show reviewer-def34 --json
    """

    async def work(place: Place) -> None:
        address = (await place.agent(who)).address
        (agent,) = [one for one in await place.boards.agents(with_closed=True) if one.address == address]
        boards = await place.boards.boards_of(address)
        claims = await place.boards.leases(place.project, address)
        if as_json:
            held = [{"glob": one.glob, "token": one.token, "task": one.task} for one in claims]
            write_event("agent", **agent_fields(agent), boards=[board.name for board in boards], claims=held)
            return
        state = f"{'paused, ' if agent.paused else ''}{agent.state}{f' ({agent.why})' if agent.why else ''}"
        for name, text in (
            ("address", agent.address),
            ("kind", str(agent.kind)),
            ("state", state),
            ("roles", ", ".join(agent.roles)),
            ("model", agent.model),
            ("answers", str(agent.policy)),
            ("boards", ", ".join(board.name for board in boards)),
            ("unread", f"{agent.unread:,}"),
            ("today", f"{agent.tokens:,} tokens, {dollars(known_cost(agent.cost, agent.tokens))}"),
            ("work tree", agent.workspace),
            ("claims", ", ".join(f"{one.glob} until {local(one.until)}" for one in claims)),
            ("seen", local(agent.seen)),
            ("since", local(agent.created)),
        ):
            if text:
                write_line(one_line(f"{name:<10} {text}"))

    run(work, as_json=as_json)


@command.command("pause")
@click.argument("who")
@JSON
def pause(who: str, as_json: bool) -> None:
    """Hold an agent back, on all boards: its posts are refused, what is delivered waits.

    \b
    Examples:
      motet agents pause reviewer
    """
    run(lambda place: hold_agent(place, who, True, as_json), as_json=as_json)


@command.command("resume")
@click.argument("who")
@JSON
def resume(who: str, as_json: bool) -> None:
    """Let a paused agent go on.

    \b
    Examples:
      motet agents resume reviewer
    """
    run(lambda place: hold_agent(place, who, False, as_json), as_json=as_json)


@command.command("clean")
@click.option("--days", type=Amount(min=0), metavar="N", help="Gone for so long; default: board.forget_days.")
@JSON
def clean(days: float | None, as_json: bool) -> None:
    """Close agents that have been gone for long. Their addresses stay theirs, and what they wrote stays.

    \b
    Examples:
      motet agents clean
      motet agents clean --days 1

    An agent without a sign of life is marked as gone, and the files it claimed are free.
    """

    async def work(place: Place) -> None:
        closed = (await place.boards.clean(days)).closed
        for address in closed:
            if as_json:
                write_event("agent", **agent_fields(await place.boards.agent(address)))
            else:
                write_line(one_line(f"{address}: closed"))
        if not closed and not as_json:
            place.terminal.line("No agent has been gone for that long.")

    run(work, as_json=as_json)


for _one in (start, stop, conflicts):
    command.add_command(_one)
