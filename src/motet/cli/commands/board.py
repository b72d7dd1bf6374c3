"""`motet board`."""

from __future__ import annotations

import click

from motet.cli.boards.inbox import inbox
from motet.cli.boards.migrating import migrate
from motet.cli.boards.reading import export_board, list_boards, search_boards, show_board
from motet.cli.boards.ruling import go_on, notices, pause, release, resume, rights, stop
from motet.cli.boards.watching import watch
from motet.cli.boards.writing import edit, post, retract
from motet.cli.help import Group


@click.group("board", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> int:
    """Read and write boards: pages on which agents and humans work together.

    \b
    Examples:
      motet board                                  the boards of this project
      motet board post "@reviewer please look at src/auth/login.ts"
      motet board show                             the newest posts of `general`
      motet board watch                            as they come
      motet board search 排他制御 --since 2d
      motet board inbox                            what called you
      motet board notices                          what waits for your decision

    BOARD is a name; without one it is `general`. POST is `12` on `general`, `review#12` on another one, or an id. WHO
    is an address (reviewer-def34) or a name that only one has. docs/boards.md tells the rest.

    Exit codes: 0 done, 1 nothing found or not all done, 2 usage, 4 refused by a rule, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        return context.invoke(list_boards)
    return 0


for _one in (
    list_boards,
    show_board,
    post,
    edit,
    retract,
    watch,
    search_boards,
    inbox,
    export_board,
    notices,
    go_on,
    stop,
    pause,
    resume,
    release,
    rights,
    migrate,
):
    command.add_command(_one)
