"""`motet team`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from motet.cli.boards.place import JSON, SCHEMA, Place, run
from motet.cli.boards.team_view import TeamView, confirm, show_prediction
from motet.cli.help import Group
from motet.cli.output import write_error
from motet.cli.terminal import Terminal
from motet.engine import Engine, load
from motet.engine.agent_spec import chain_flags
from motet.engine.team import predict
from motet.engine.team_file import FILE, read_team
from motet.errors import MotetError
from motet.workspace import find_workspace

_FILE = click.argument("file", default=FILE, type=click.Path(path_type=Path))
_TRUST = click.option("--trust", "trusts", is_flag=True, help="Give it the rights that the file asks for.")
_UNTIL_DONE = click.option("--until-done", is_flag=True, help="End when nothing is left to do.")


@click.group("team", cls=Group)
def command() -> None:
    """Let a team of agents work on a task, from one file.

    \b
    Examples:
      motet team run --dry-run         what it would cost
      motet team run                   team.toml in this directory
      motet team resume

    docs/boards.md has a whole team.toml.
    """


@command.command("run", options_metavar="[OPTIONS]")
@_FILE
@click.option("--dry-run", is_flag=True, help="Say what it would use at most; start nothing.")
@click.option("--again", is_flag=True, help="Post the task anew, though it stands there.")
@_TRUST
@_UNTIL_DONE
@JSON
def run_team(file: Path, dry_run: bool, again: bool, trusts: bool, until_done: bool, as_json: bool) -> int:
    """Start the agents of a file, post its task, and show the board until Ctrl-C, which ends them all.

    \b
    Examples:
      motet team run --dry-run
      motet team run teams/login.toml
      motet team run --until-done --json | jq -r 'select(.event == "post").body'

    Run again, it goes on with the same agents, under their addresses and with their conversations; the task is not
    posted twice. What the file allows beyond your settings waits for your yes; budgets are never more than those of the
    settings.

    Exit code 0: done, 1: all agents have ended, 2: usage, 3: a model that cannot be used, 4: not permitted, 130: Ctrl-C.
    """
    return _run(file, as_json, dry_run=dry_run, again=again, trusts=trusts, until_done=until_done)


@command.command("resume", options_metavar="[OPTIONS]")
@_FILE
@_TRUST
@_UNTIL_DONE
@JSON
def resume_team(file: Path, trusts: bool, until_done: bool, as_json: bool) -> int:
    """Go on with a team that ran before: the same agents, where they were.

    \b
    Examples:
      motet team resume
      motet team resume teams/login.toml --until-done

    Exit codes are those of `motet team run`.
    """
    return _run(file, as_json, trusts=trusts, until_done=until_done, resumes=True)


def _run(
    file: Path,
    as_json: bool,
    *,
    trusts: bool,
    until_done: bool,
    dry_run: bool = False,
    again: bool = False,
    resumes: bool = False,
) -> int:
    try:
        team = read_team(file)
        flags = chain_flags(team.chain, load(find_workspace(Path.cwd()), {}).settings)
        engine = Engine(Path.cwd(), flags=flags)
        if dry_run:
            return show_prediction(team, asyncio.run(predict(team, engine)), as_json)
        asyncio.run(confirm(engine, Terminal(), team, trusts=trusts))
    except MotetError as error:
        if as_json:
            write_error(error, SCHEMA)
        raise

    async def work(place: Place) -> int:
        return await TeamView(place, team, as_json, again, resumes, until_done).run()

    return run(work, as_json=as_json, makes=True, flags=flags)
