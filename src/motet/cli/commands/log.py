"""`motet log`."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from motet.cli.boards.events import refusal_fields, write_event
from motet.cli.boards.place import JSON, Place, run
from motet.cli.boards.times import local
from motet.cli.help import Group
from motet.cli.numbers import COUNT
from motet.cli.output import write_json, write_line
from motet.cli.terminal import Terminal
from motet.engine.chat_names import short_id
from motet.engine.faults import FaultLog
from motet.engine.spending import Ledger
from motet.money import UNKNOWN, dollars
from motet.paths import state_dir
from motet.permissions.egress import Egress, EgressLog
from motet.visible import one_line, visible

_FILES = 3
"""Files that a line names."""


@click.group("log", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> int:
    """Show what went wrong lately, what left this machine, and what it cost.

    \b
    Examples:
      motet log                      the newest errors, a line each
      motet log errors --trace -n 1  the newest, and where it came from
      motet log egress               the newest requests that left
      motet log egress --chat 1rvcqs3n
      motet log egress --json | jq .host
      motet log spending             tokens and dollars, by day
      motet log board                what agents tried on boards and may not do
    """
    if context.invoked_subcommand is None:
        return context.invoke(errors)
    return 0


@command.command("errors")
@click.option("-n", "--limit", type=COUNT, default=20, metavar="N", help="The newest N (20).")
@click.option("--trace", is_flag=True, help="Where in the program each came from: for a bug report.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each, with its trace.")
def errors(limit: int = 20, trace: bool = False, as_json: bool = False) -> int:
    """List errors: when, in which command or chat, and what was said.

    \b
    Examples:
      motet log errors
      motet log errors --trace -n 1

    Keys are never logged, nor is what was typed wrongly. Exit code 1: nothing went wrong.
    """
    newest = deque(FaultLog(state_dir()).read(), limit)
    for fault in newest:
        if as_json:
            write_json({"schema": 1, **asdict(fault), "at": fault.at.isoformat(timespec="milliseconds")})
        else:
            where = f"chat {short_id(fault.where[5:])}" if fault.where.startswith("chat ") else fault.where
            write_line(one_line(f"{_when(fault.at)}  {where}  {fault.text}"))
            if trace:
                write_line(visible(fault.trace).rstrip("\n"))
    if not newest and not as_json:
        Terminal().line("No errors were logged.")
    return 0 if newest else 1


@command.command("egress")
@click.option("-n", "--limit", type=COUNT, default=20, metavar="N", help="The newest N (20).")
@click.option("-c", "--chat", default="", metavar="CHAT", help="Only of this chat: the end of its id.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each request.")
def egress(limit: int = 20, chat: str = "", as_json: bool = False) -> int:
    """List the requests that left: when, to which host, how many bytes, and from which files.

    \b
    Examples:
      motet log egress
      motet log egress -n 5 --json

    Contents and keys are never logged. Exit code 1: nothing was logged, or not for this chat.
    """
    wanted = chat.upper().lstrip("#…")
    rows = (row for row in EgressLog(state_dir()).read() if row.chat.endswith(wanted))
    newest = deque(rows, limit)
    for row in newest:
        if as_json:
            write_json({"schema": 1, **asdict(row), "at": row.at.isoformat(timespec="milliseconds")})
        else:
            write_line(_line(row))
    if not newest and not as_json:
        Terminal().line("Nothing that left was logged" + (f" for the chat {chat}." if chat else "."))
    return 0 if newest else 1


@command.command("spending")
@click.option("-n", "--limit", type=COUNT, default=7, metavar="N", help="The newest N days (7).")
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each model of each day.")
def spending(limit: int = 7, as_json: bool = False) -> int:
    """List what the requests of each day have used and cost, in all chats and runs, by model.

    \b
    Examples:
      motet log spending
      motet log spending -n 30 --json

    Where a provider says nothing, and for answers that broke off, it is an estimate; `–`: a price is not known.
    `[spending]` in the settings caps a day. Exit code 1: nothing was spent.
    """
    days = deque(Ledger(state_dir()).days().items(), limit)
    for day, models in days:
        for one in models:
            if as_json:
                cost = one.cost if one.is_known else None
                write_json({"schema": 1, "day": day, "model": one.model, **asdict(one.usage), "cost": cost})
            else:
                cost = dollars(one.cost if one.cost or one.is_known else None)
                more = f" + {UNKNOWN}" if one.cost and not one.is_known else ""
                write_line(one_line(f"{day}  {one.usage.total:>12,} tokens  {cost:>9}{more}  {one.model}"))
    if not days and not as_json:
        Terminal().line("No request has cost anything yet.")
    return 0 if days else 1


@command.command("board")
@click.option("-n", "--limit", type=COUNT, default=20, metavar="N", help="The newest N (20).")
@JSON
def refusals(limit: int, as_json: bool) -> int:
    """List what boards refused: when, to whom, what it was, and why.

    \b
    Examples:
      motet log board
      motet log board -n 100 --json | jq .actor

    Exit code 1: nothing was refused.
    """

    async def work(place: Place) -> int:
        names = await place.names()
        found = (await place.boards.refusals(limit))[::-1]
        for one in found:
            board = names.get(one.board, "")
            if as_json:
                write_event("refusal", **refusal_fields(one, board))
            else:
                where = f" on {board}" if board else ""
                write_line(one_line(f"{local(one.at)}  {one.actor}  {one.what}{where}: {one.why}"))
        if not found and not as_json:
            place.terminal.line("Boards refused nothing.")
        return 0 if found else 1

    return run(work, as_json=as_json)


def _when(at: datetime) -> str:
    try:
        return at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError):
        return str(at)


def _line(row: Egress) -> str:
    whose = short_id(row.chat) if row.chat else "-"
    more = f" and {len(row.files) - _FILES} more" if len(row.files) > _FILES else ""
    names = ", ".join(_name(file, row.project) for file in row.files[:_FILES]) + more
    return one_line(
        f"{_when(row.at)}  {row.provider} {row.host}  {row.bytes:,} bytes  {whose}" + (f"  {names}" if names else "")
    )


def _name(file: str, project: str) -> str:
    path = Path(file)
    return path.relative_to(project).as_posix() if project and path.is_relative_to(project) else file
