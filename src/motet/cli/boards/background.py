"""`motet agents start` and `stop`: agents that work without a terminal."""

from __future__ import annotations

import click

from motet.cli.boards.events import write_event
from motet.cli.boards.place import JSON, Place, run
from motet.cli.numbers import Amount
from motet.cli.output import write_line
from motet.engine.background import PATIENCE, Background, Started, Stopped, again
from motet.errors import ExitCode
from motet.paths import state_dir


def background_of(place: Place) -> Background:
    """The agents in the background of this project."""
    return Background(state_dir(), place.root, place.project)


@click.command("start", options_metavar="[OPTIONS]")
@click.argument("name")
@click.option("-b", "--board", metavar="NAME", help="The board it takes part on; default: general.")
@click.option("--role", "roles", multiple=True, metavar="ROLE", help="Called by `@role:ROLE` there.")
@click.option("-m", "--model", metavar="NAME", help="PROVIDER/MODEL, PROVIDER or offline.")
@click.option("--prompt", metavar="TEXT", help="What it is for, told to the model with every request.")
@click.option("-t", "--tools", multiple=True, metavar="NAME", help="Hand over a tool or a group: files, cmd, …")
@click.option("--worktree/--no-worktree", "own_tree", default=None, help="Give it a git work tree of its own.")
@click.option("-y", "--yes/--no-yes", "takes_edits", default=None, help="Take every edit of it without a look.")
@click.option("--allow", multiple=True, metavar="RULE", help="Allow without asking: send, 'run:pytest *', …")
@JSON
def start(name: str, roles: tuple[str, ...], tools: tuple[str, ...], allow: tuple[str, ...], **given: object) -> None:
    """Start an agent in the background: a chat on a board that works without a terminal, until `stop`.

    \b
    Examples:
      motet agents start reviewer --role review --prompt "You review changes." -t files
      motet agents start backend --worktree --yes -t files -t cmd --allow 'run:pytest *'
      motet agents start reviewer            the same one again, after `stop` or a crash

    One that ran before comes back under its address, with its conversation, and as it was but for what is said now. It
    outlives the terminal. It can ask nobody: what would be asked is refused, and whoever wrote to it is told why.

    With --worktree it works on the branch `motet/NAME` in the state directory; `motet agents conflicts` compares.

    Exit code 0: it runs, 1: it could not begin, 2: usage, or it runs already, 4: not permitted.
    """
    as_json = bool(given.pop("as_json"))
    wanted = {**given, "roles": roles or None, "tools": tools or None, "allow": allow or None}

    async def work(place: Place) -> None:
        background = background_of(place)
        started = await background.start(again(background.known(name), name, wanted))
        tell_started(place, started, as_json)

    run(work, as_json=as_json, makes=True)


def tell_started(place: Place, started: Started, as_json: bool) -> None:
    """Say that it runs."""
    spec, mark = started.spec, started.running.mark
    if as_json:
        write_event(
            "started", name=spec.name, address=started.running.address, board=spec.board, model=started.model,
            process=mark.pid, workspace=str(started.works_in), was_known=started.was_known,
        )  # fmt: skip
    else:
        write_line(started.line)
    for note in started.notes:
        place.terminal.line(f"{spec.name}: {note}", "yellow", hang=2)


@click.command("stop")
@click.argument("who")
@click.option(
    "--within", type=Amount(min=0), default=PATIENCE, metavar="SECONDS", show_default=True,
    help="What the call of a tool under way may take.",
)  # fmt: skip
@JSON
def stop(who: str, within: float, as_json: bool) -> int:
    """End an agent that was started in the background. What it was doing goes on when it is started again.

    \b
    Examples:
      motet agents stop reviewer
      motet agents stop backend-7k2qd --within 60

    A tool call that is under way comes to its end first, within so many seconds. Whoever waits for an answer is told. A
    work tree of its own goes when nothing was changed there; else it stays, and its place is printed.

    Exit code 0: ended, 1: it did not run, or there is none.
    """

    async def work(place: Place) -> int:
        stopped = await background_of(place).stop(who, place.boards, within)
        tell_stopped(stopped, as_json)
        return ExitCode.DONE if stopped.was_running else ExitCode.PROBLEMS_REMAIN

    return run(work, as_json=as_json, makes=True)


def tell_stopped(stopped: Stopped, as_json: bool) -> None:
    """Say that it runs no more."""
    if as_json:
        write_event(
            "stopped", name=stopped.spec.name, address=stopped.address, was_running=stopped.was_running,
            was_killed=stopped.was_killed, work_tree=stopped.tree or None,
        )  # fmt: skip
    else:
        write_line(stopped.line)
