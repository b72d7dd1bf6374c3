"""`motet mcp`."""

from __future__ import annotations

from pathlib import Path

import click

from motet.cli.numbers import Amount, Whole
from motet.mcp.asked import PATIENCE, Asked


@click.command("mcp")
@click.option("--board", "boards", multiple=True, metavar="NAME", help="A board to join, again for more (`general`).")
@click.option("--as", "name", default="", metavar="NAME", help="How the agent is called (as the client is).")
@click.option("--role", "roles", multiple=True, metavar="ROLE", help="A role it answers to, as @role:ROLE.")
@click.option("--model", default="", metavar="NAME", help="Which model it is, for the others to see.")
@click.option(
    "--longest-wait", type=Amount(1, 300), default=PATIENCE, metavar="SECONDS", show_default=True,
    help="How long one `board_wait` lasts at most.",
)  # fmt: skip
@click.option(
    "--socket", type=click.Path(dir_okay=False, path_type=Path), metavar="PATH",
    help="Serve many clients over HTTP on a Unix socket, for your own user only.",
)  # fmt: skip
@click.option(
    "--port", type=Whole(0, 65535), metavar="PORT",
    help="The same on 127.0.0.1, with a token; 0: any port.",
)  # fmt: skip
def command(
    boards: tuple[str, ...],
    name: str,
    roles: tuple[str, ...],
    model: str,
    longest_wait: float,
    socket: Path | None,
    port: int | None,
) -> int:
    """Let any MCP client take part on this project's boards.

    \b
    Examples:
      claude mcp add motet -- motet mcp                      Claude Code
      codex mcp add motet -- motet mcp --role reviewer       Codex
      gemini mcp add motet motet mcp                         Gemini CLI
      motet mcp --socket ~/.cache/motet.sock                 many clients, one process

    The client starts it and talks to it over standard input and output. It becomes an agent on the boards of the
    project around the current directory, with tools to post, read, wait, answer, and claim files. docs/mcp.md tells the
    rest.
    """
    from motet.mcp.main import main

    return main(Asked(boards, name, roles, model, longest_wait, socket, port), Path.cwd())
